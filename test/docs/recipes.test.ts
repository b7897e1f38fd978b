import { spawnSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { linkPackages } from "../../dev/linked-packages.ts";
import { CHECKOUT } from "../support/gate-process.ts";
import { tempFolderForFile } from "../support/temp-folder.ts";
import { IS_WHOLE_RUN } from "../support/whole-run.ts";

/**
 * CONTRIBUTING's recipes, followed in a copy of the project: with all of their steps what they name passes, and with one left out, or done
 * wrong, the test that they name for it fails. Ten minutes on two processors that others use, too: with WHOLE_RUN=true alone.
 */

/** A new file; a text put into one in front of another, or of each that fits; or another one in its place. */
interface Edit {
  file: string;
  before?: string | RegExp;
  text: string | ((found: string) => string);
}

interface Step {
  does: string;
  edits: readonly Edit[];
  /** Done wrong instead of left out. */
  wrongly?: readonly Edit[];
  /** What notices it: a test's file, or a project of the compiler. */
  noticedBy: string;
}

const COPY = tempFolderForFile();
const NODE_MODULES = join(CHECKOUT, "node_modules");
const PAGE_TYPES = "renderer/tsconfig.json";
const ALL_TYPES = "tsconfig.json";

function copyProject(): void {
  const listed = spawnSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: CHECKOUT });
  for (const file of listed.stdout.toString().split("\0").filter(Boolean))
    cpSync(join(CHECKOUT, file), join(COPY, file));
  linkPackages(CHECKOUT, COPY);
}

/** A text with what it imports, which it names from the project's root (`~`), as `file` has to name it. */
const importing = (file: string, text: string): string =>
  text.replace(/"~([^"]+)"/g, (_, target: string) => {
    const path = relative(dirname(file), target);
    return JSON.stringify(path.startsWith(".") ? path : `./${path}`);
  });

/** Makes the edits, and gives what undoes them. */
function made(edits: readonly Edit[]): () => void {
  const undoing = edits.map(({ file, before, text: given }) => {
    const text = typeof given === "string" ? importing(file, given) : given;
    const path = join(COPY, file);
    if (before === undefined && typeof text === "string") {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      return () => rmSync(path);
    }
    const original = readFileSync(path, "utf8");
    const changed = original.replace(before ?? "", (found) =>
      typeof text === "string" ? `${text}${found}` : text(found),
    );
    expect([file, changed === original]).toEqual([file, false]);
    writeFileSync(path, changed);
    return () => writeFileSync(path, original);
  });
  return () => {
    for (const undo of undoing.toReversed()) undo();
  };
}

function passes(check: string): boolean {
  const isTypes = check.endsWith(".json");
  const compiler = ["typescript/bin/tsc", "-p", check, "--noEmit", "--incremental", "--tsBuildInfoFile"];
  const words = isTypes ? [...compiler, `${check}.buildinfo`] : ["vitest/vitest.mjs", "run", check];
  const [program = "", ...args] = words;
  const env = { ...process.env, RECORD: "shuf", WHOLE_RUN: "", VITEST: "" };
  const { status, stdout } = spawnSync(process.execPath, [join(NODE_MODULES, program), ...args], { cwd: COPY, env });
  if (!isTypes) expect(stdout.toString()).toContain("Test Files");
  return status === 0;
}

const record = (options: string): Edit => ({
  file: "packages/shell-reading/programs/text.ts",
  before: '  {\n    names: ["uniq"],',
  text: `  {
    names: ["shuf"],
    operands: ["reads"],
    options: { ${options} },
    unclear: { flags: "-e -r --echo --repeat", reads: "--random-source" },
    text_only: true,
  },
`,
});
const FLAGS = "-z --zero-terminated";
const RIGHT = `flags: "${FLAGS}", text: "-n --head-count -i --input-range", writes: "-o --output"`;
const AS_FLAGS = `flags: "${FLAGS} -o --output", text: "-n --head-count -i --input-range"`;
const samples = (lines: string): Edit => ({
  file: "test/shell-reading/programs/examples.ts",
  before: "  uniq: {",
  text: `  shuf: { ${lines} },\n`,
});

const PROGRAM_RECORD: readonly Step[] = [
  {
    does: "its options, by how they take a value",
    edits: [record(RIGHT)],
    wrongly: [record(AS_FLAGS)],
    noticedBy: "test/shell-reading/records/records.test.ts",
  },
  {
    does: "its example",
    edits: [samples('example: "shuf a.txt", counter: "shuf -e a.txt"')],
    wrongly: [samples('counter: "shuf -e a.txt"')],
    noticedBy: "test/shell-reading/programs/table.test.ts",
  },
  {
    does: "its counter-example",
    edits: [],
    wrongly: [samples('example: "shuf a.txt"')],
    noticedBy: "test/shell-reading/programs/table.test.ts",
  },
  {
    does: "its name in docs/guard.md",
    edits: [{ file: "docs/guard.md", before: "`uniq`, `sed`, `gsed`", text: "`shuf`, " }],
    noticedBy: "test/docs/guard.test.ts",
  },
];

const typed = (does: string, edit: Edit, noticedBy = PAGE_TYPES): Step => ({ does, edits: [edit], noticedBy });
const words = (italian: string): Edit => ({
  file: "renderer/words/spending.ts",
  text: `const en = { title: "Spending" };
const it: typeof en = { ${italian} };
export const spendingWords = { en, it };
`,
});

const VIEW: readonly Step[] = [
  typed("the component", {
    file: "renderer/views/spending/Spending.tsx",
    text: `import { useWords } from "../../words/language.ts";
import { spendingWords } from "../../words/spending.ts";

export default function Spending() {
  return <h1>{useWords(spendingWords).title}</h1>;
}
`,
  }),
  typed("its place in the list", {
    file: "renderer/window/view-names.ts",
    before: '"settings"]',
    text: '"spending", ',
  }),
  typed("its page", {
    file: "renderer/window/views.ts",
    before: "  settings: Settings,",
    text: "  spending: Spending,\n",
  }),
  typed("the import of its page", {
    file: "renderer/window/views.ts",
    before: "import { VIEWS_IN_ORDER,",
    text: 'import Spending from "../views/spending/Spending.tsx";\n',
  }),
  typed("its drawing", {
    file: "renderer/window/ViewIcon.tsx",
    before: '  settings: "M3',
    text: '  spending: "M3 3h12",\n',
  }),
  { does: "its words in Italian", edits: [words('title: "Spese"')], wrongly: [words("")], noticedBy: PAGE_TYPES },
  typed("its name", {
    file: "renderer/words/window.ts",
    before: '  settings: "Settings",',
    text: '  spending: "Spending",\n',
  }),
  typed("its name in Italian", {
    file: "renderer/words/window.ts",
    before: '  settings: "Impostazioni",',
    text: '  spending: "Spese",\n',
  }),
  typed(
    "itself, in the test that opens every view",
    {
      file: "test/page/views/every-view.test.ts",
      before: "  settings: { at",
      text: '  spending: { at: "spending", en: "Spending", it: "Spese", shows: "h1" },\n',
    },
    ALL_TYPES,
  ),
];

const COMMON_TOOLS = "main/decide/executors/common-tools.ts";
const CATALOG_TEST = "test/decide/executors/catalog.test.ts";
const PROTOCOL_TEST = "test/docs/protocol.test.ts";
const manifest = (needs: string, critical: boolean, content: string): Edit => ({
  file: COMMON_TOOLS,
  before: '  {\n    name: "fs_delete",',
  text: `  {
    name: "fs_append",
    needs: [${needs}],
    args_schema: object({ path: named, content: text }),
    content_args: [${content}],
    verb: { en: "append", it: "aggiunga" },
    reversibility: "partial",
    critical: ${critical},
  },
`,
});
const WRITES = '{ capability: "fs:write", target: { from: "path", arg: "path" } }';
const MANIFEST = manifest(WRITES, true, '"content"');

const EXECUTOR: readonly Step[] = [
  { does: "its manifest", edits: [MANIFEST], noticedBy: PROTOCOL_TEST },
  {
    does: "what it needs",
    edits: [],
    wrongly: [manifest("", true, '"content"')],
    noticedBy: PROTOCOL_TEST,
  },
  {
    does: "that it is critical",
    edits: [],
    wrongly: [manifest(WRITES, false, '"content"')],
    noticedBy: CATALOG_TEST,
  },
  {
    does: "that its target is no content",
    edits: [],
    wrongly: [manifest(WRITES, true, '"content", "path"')],
    noticedBy: CATALOG_TEST,
  },
  typed(
    "its row in docs/protocol.md",
    {
      file: "docs/protocol.md",
      before: "| `fs_delete` | `path` |",
      text: "| `fs_append` | `path`, `content` | `fs:write` |\n",
    },
    PROTOCOL_TEST,
  ),
];

const STAGES_DECISION = "docs/decisions/0002-stages-in-one-order.md";
const ROWS = "test/decide/stages/which-stage-decides.test.ts";
const PIPELINE_TEST = "test/decide/pipeline.test.ts";

const STAGE: readonly Step[] = [
  typed(
    "its name in the contract",
    { file: "ipc/contract/decision.ts", before: '  "validation",\n', text: '  "hours",\n' },
    ALL_TYPES,
  ),
  typed(
    "its file",
    {
      file: "main/decide/stages/hours.ts",
      text: `import { type Denial, denied, type Proposed, passed } from "~main/decide/stages/examination.ts";

/** Is it a time at which this gate decides? */
export function hours(x: Proposed): Denial | null {
  if (x.settings.is_closed === true) return denied(x, "hours", "it is late", { rule: "safety.paused" });
  return passed(x, "hours", "it is early enough");
}
`,
    },
    ALL_TYPES,
  ),
  typed(
    "what it needs to know",
    {
      file: "main/decide/stages/examination.ts",
      before: "  /** Left out: nothing is limited. */",
      text: "  /** Left out: it never is. */\n  is_closed?: boolean;\n",
    },
    ALL_TYPES,
  ),
  {
    does: "its place in the table",
    edits: [
      { file: "main/decide/pipeline.ts", before: '  .find("validation"', text: '  .check("hours", hours)\n' },
      {
        file: "main/decide/pipeline.ts",
        before: "import { judge }",
        text: 'import { hours } from "./stages/hours.ts";\n',
      },
    ],
    noticedBy: PIPELINE_TEST,
  },
  typed("its name on the page", {
    file: "renderer/gate/contract-lists.ts",
    before: "  validation: true,",
    text: "  hours: true,\n",
  }),
  typed("its words on the page", {
    file: "renderer/words/activity.ts",
    before: /^ {4}validation: "/gm,
    text: '    hours: "Hours",\n',
  }),
  typed(
    "its name in docs/protocol.md",
    { file: "docs/protocol.md", before: "`validation`, `scope`, `policy`, `rate`", text: "`hours`, " },
    PROTOCOL_TEST,
  ),
  {
    does: "its row in the decision",
    edits: [
      {
        file: STAGES_DECISION,
        before: /^\| (?:[3-9]|10) \| (?!hours)/gm,
        text: (row) => `| ${Number(row.slice(2, -3)) + 1} | `,
      },
      { file: STAGES_DECISION, before: "| 4 | validation |", text: "| 3 | hours | is it time? | denied |\n" },
    ],
    noticedBy: PROTOCOL_TEST,
  },
  typed(
    "its own test",
    {
      file: "test/decide/stages/hours.test.ts",
      text: `import { expect, it } from "vitest";
import { hours } from "~main/decide/stages/hours.ts";
import { examinationOf } from "~test/support/examinations.ts";

it("lets a call pass in time", () => expect(hours(examinationOf({}))).toBeNull());
`,
    },
    PIPELINE_TEST,
  ),
  typed(
    "its row among the stages that decide",
    { file: ROWS, before: "  validation: { args", text: "  hours: { settings: { is_closed: true } },\n" },
    ALL_TYPES,
  ),
];

const CATALOG = "main/decide/executors/catalog.ts";
const REFERENCES_TEST = "test/docs/references.test.ts";
const AGENT_KINDS = "ipc/contract/agent-kind.ts";
const row = (does: string, file: string, before: string, text: string, noticedBy = ALL_TYPES): Step =>
  typed(does, { file, before, text }, noticedBy);
const file = (does: string, path: string, text: string): Step => typed(does, { file: path, text }, ALL_TYPES);

const AGENT: readonly Step[] = [
  row("its kind", AGENT_KINDS, '"opencode"] as const', '"sample", '),
  file(
    "its tools",
    "main/decide/executors/sample.ts",
    `import type { BuiltInManifest } from "~main/decide/executors/manifest.ts";
import { runs } from "~main/decide/executors/tool-shapes.ts";

export const SAMPLE_EXECUTORS: readonly BuiltInManifest[] = [runs("bash", {})];
`,
  ),
  row("the import of its tools", CATALOG, "import { INTERNAL_EX", 'import { SAMPLE_EXECUTORS } from "./sample.ts";\n'),
  row("its tools in the catalog", CATALOG, "  generic: COMMON_TOOLS,", "  sample: SAMPLE_EXECUTORS,\n"),
  file(
    "its dialect",
    "main/hooks/sample/dialect.ts",
    `import type { HookDialect } from "~main/hooks/dialect.ts";
import { GEMINI } from "~main/hooks/gemini/dialect.ts";

export const SAMPLE: HookDialect = { ...GEMINI, agent: "sample" };
`,
  ),
  row(
    "its dialect among all of them",
    "main/hooks/answering/dialects.ts",
    "  gemini: async",
    '  sample: async () => (await import("~main/hooks/sample/dialect.ts")).SAMPLE,\n',
  ),
  file(
    "its adapter",
    "cli/agents/sample/adapter.ts",
    `import type { Adapter } from "~cli/agents/adapter.ts";
import { gemini } from "~cli/agents/gemini/adapter.ts";

export const sample: Adapter = { ...gemini, name: "sample", title: "Sample", program: "sample" };
`,
  ),
  row(
    "its adapter among all of them",
    "cli/agents/adapters.ts",
    "  gemini: async",
    '  sample: async () => (await import("~cli/agents/sample/adapter.ts")).sample,\n',
  ),
  row(
    "how its self-test starts it",
    "cli/self-test/tested-clients.ts",
    '  "claude-code": {',
    "  get sample() {\n    return TESTED_CLIENTS.gemini;\n  },\n",
  ),
  row("its box", "cli/run/boxed-clients.ts", '    case "gemini":', '    case "sample":\n'),
  row(
    "the settings that hold its hook",
    "main/decide/places/settings-places.ts",
    "  gemini: [{ folder",
    '  sample: [{ folder: ".sample", files: ["settings.json"], isWhole: false }],\n',
  ),
  typed("its document", { file: "docs/agents/sample.md", text: "# Sample\n" }, REFERENCES_TEST),
  row(
    "its document among all of them",
    "docs/agents/README.md",
    "| | [Claude Code](claude-code.md) |",
    "[Sample](sample.md)\n\n",
    REFERENCES_TEST,
  ),
];

/** Where words are, in a file that has them: a translation that says the same as English. */
const IN_ENGLISH = /(?<=\{)\s*en(?=[:,](?! string| verbSchema))/g;
const translated = (folder: string): Edit[] =>
  globSync(`${folder}/**/*.{ts,tsx}`, { cwd: CHECKOUT })
    .filter((path) => readFileSync(join(CHECKOUT, path), "utf8").search(IN_ENGLISH) !== -1)
    .map((path) => ({ file: path, before: IN_ENGLISH, text: " get de() { return this.en; }," }));
const wordsIn = (folder: string, noticedBy = ALL_TYPES): Step => ({
  does: `the words in ${folder}`,
  edits: translated(folder),
  noticedBy,
});
const own = (verb: string): Edit => ({
  file: "main/decide/executors/manifest.ts",
  before: "it: verbSchema }",
  text: `de: ${verb}, `,
});

const LANGUAGE: readonly Step[] = [
  row("its code", "ipc/contract/language.ts", "] as const", ', "de"'),
  ...["ipc/words", "cli", "main/calls", "main/core", "main/decide", "main/desktop", "main/surfaces"].map((folder) =>
    wordsIn(folder),
  ),
  {
    does: "the words of the gate's process",
    edits: translated("main").filter(({ file }) => file === "main/serve.ts"),
    noticedBy: ALL_TYPES,
  },
  wordsIn("renderer", PAGE_TYPES),
  {
    does: "that earlier executors need not have it",
    edits: [own("verbSchema.optional()")],
    wrongly: [own("verbSchema")],
    noticedBy: CATALOG_TEST,
  },
  row(
    "its row in docs/configuration.md",
    "docs/configuration.md",
    '`"en"` or `"it"`',
    '`"de"` or ',
    "test/docs/configuration.test.ts",
  ),
];

describe.runIf(IS_WHOLE_RUN)(
  "a recipe of CONTRIBUTING is followed, and a step that is left out is noticed",
  {
    timeout: 600_000,
  },
  () => {
    beforeAll(copyProject);

    describe.each([
      ["add a program record", PROGRAM_RECORD],
      ["add an executor", EXECUTOR],
      ["add a stage", STAGE],
      ["add an agent", AGENT],
      ["add a view", VIEW],
      ["add a language", LANGUAGE],
    ] as const)("%s", (_name, recipe) => {
      it("all of its steps", () => {
        const undo = made(recipe.flatMap(({ edits }) => edits));
        for (const check of new Set(recipe.map(({ noticedBy }) => noticedBy)))
          expect([check, passes(check)]).toEqual([check, true]);
        undo();
      });

      it.each(recipe.map((step) => [step.does, step] as const))(
        "but %s",
        (_does, { wrongly = [], noticedBy, edits }) => {
          const replaced = new Set([...edits, ...wrongly].map(({ file }) => file));
          const others = recipe.flatMap((step) => step.edits).filter((edit) => !edits.includes(edit));
          const undo = made([...others.filter(({ file }) => wrongly.length === 0 || !replaced.has(file)), ...wrongly]);
          const isNoticed = !passes(noticedBy);
          undo();
          expect(isNoticed).toBe(true);
        },
      );
    });
  },
);
