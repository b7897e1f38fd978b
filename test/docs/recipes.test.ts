import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { CHECKOUT } from "../support/gate-process.ts";
import { tempFolderForFile } from "../support/temp-folder.ts";
import { IS_UNBOUNDED_RUN } from "../support/whole-run.ts";

/**
 * CONTRIBUTING's recipes, followed in a copy of the project: with all of their steps what they name passes, and with one left out, or done
 * wrong, the test that they name for it fails. Four minutes on two processors that others use, too: with WHOLE_RUN=true alone.
 */

/** A new file, or a text put into one, in front of another. */
interface Edit {
  file: string;
  before?: string;
  text: string;
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
  symlinkSync(NODE_MODULES, join(COPY, "node_modules"));
}

/** Makes the edits, and gives what undoes them. */
function made(edits: readonly Edit[]): () => void {
  const undoing = edits.map(({ file, before, text }) => {
    const path = join(COPY, file);
    if (before === undefined) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      return () => rmSync(path);
    }
    const original = readFileSync(path, "utf8");
    expect(original).toContain(before);
    writeFileSync(
      path,
      original.replace(before, () => `${text}${before}`),
    );
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

const record = (options: string, samples: string): Edit => ({
  file: "main/shell-reading/programs/text.ts",
  before: '  {\n    names: ["uniq"],',
  text: `  {
    names: ["shuf"],
    operands: ["reads"],
    options: { ${options} },
    unclear: { flags: "-e -r --echo --repeat", reads: "--random-source" },
    text_only: true,
    ${samples}
  },
`,
});
const FLAGS = "-z --zero-terminated";
const RIGHT = `flags: "${FLAGS}", text: "-n --head-count -i --input-range", writes: "-o --output"`;
const AS_FLAGS = `flags: "${FLAGS} -o --output", text: "-n --head-count -i --input-range"`;
const SAMPLES = 'example: "shuf a.txt", counter: "shuf -e a.txt",';

const PROGRAM_RECORD: readonly Step[] = [
  {
    does: "its options, by how they take a value",
    edits: [record(RIGHT, SAMPLES)],
    wrongly: [record(AS_FLAGS, SAMPLES)],
    noticedBy: "test/shell-reading/records/records.test.ts",
  },
  {
    does: "its example",
    edits: [],
    wrongly: [record(RIGHT, 'counter: "shuf -e a.txt",')],
    noticedBy: "test/shell-reading/programs/table.test.ts",
  },
  {
    does: "its counter-example",
    edits: [],
    wrongly: [record(RIGHT, 'example: "shuf a.txt",')],
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

describe.runIf(IS_UNBOUNDED_RUN)(
  "a recipe of CONTRIBUTING is followed, and a step that is left out is noticed",
  {
    timeout: 600_000,
  },
  () => {
    beforeAll(copyProject);

    describe.each([
      ["add a program record", PROGRAM_RECORD],
      ["add a view", VIEW],
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
