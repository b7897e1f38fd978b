import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect, test } from "vitest";
import { KNOWN_AGENTS } from "../../ipc/contract/agent-kind.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const FOLDERS = "ipc main packages cli renderer preload test bench fuzz reliability judge-eval bin build".split(" ");

interface Text {
  path: string;
  text: string;
}

const textOf = (path: string): Text => ({ path, text: readFileSync(join(ROOT, path), "utf8") });

function filesIn(folder: string, ending: RegExp): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => ending.test(path));
}

const SOURCES: readonly Text[] = FOLDERS.flatMap((folder) => filesIn(folder, /\.(tsx?|cjs|js)$/)).map(textOf);
const DOCUMENTS: readonly Text[] = [
  ...readdirSync(ROOT).filter((name) => name.endsWith(".md")),
  ...filesIn("docs", /\.md$/),
  ...filesIn("packages", /\.md$/),
  ...filesIn(".github", /\.(md|yml)$/),
].map(textOf);

/** What follows a code fence's or an indented example's beginning is no prose: a `#` there is no heading. */
function headingsOf(text: string): string[] {
  const prose = text.replace(/^```[\s\S]*?^```/gm, "");
  return [...prose.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = ""]) => heading.trim());
}

/** The anchor that a heading is linked by. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");
}

/** A line that continues a comment is part of the sentence before it. */
const joined = (text: string) => text.replace(/\n[ \t]*(?:\*|\/\/) ?/g, " ");

/** Of tests only the comments count: their texts name files of homes and projects that they make up. */
const commentsOf = (text: string) =>
  joined([...text.matchAll(/\/\*\*[\s\S]*?\*\/|(?:^[ \t]*\/\/.*\n?)+/gm)].map(([comment]) => comment).join("\n"));

interface Reference {
  from: string;
  file: string;
  heading: string | undefined;
}

/** A document's path below docs/, and the heading in quotes behind it. */
function referencesIn({ path, text }: Text): Reference[] {
  const prose = path.startsWith("test/") ? commentsOf(text) : joined(text);
  return [...prose.matchAll(/\bdocs\/[\w./-]+\.md(?:, +"([^"]+)")?/g)].map(([whole, heading]) => ({
    from: path,
    file: whole.replace(/,.*/s, ""),
    heading,
  }));
}

/** What is wrong with a reference; undefined where nothing is. */
function faultOf({ from, file, heading }: Reference): string | undefined {
  if (!existsSync(join(ROOT, file))) return `${from}: there is no ${file}`;
  if (heading === undefined || headingsOf(textOf(file).text).includes(heading)) return undefined;
  return `${from}: ${file} has no heading "${heading}"`;
}

/** The links of a document that stay in the repository and lead nowhere. */
function deadLinksIn({ path, text }: Text): string[] {
  return [...text.matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].flatMap(
    ([, target = "", anchor]) => {
      const file = target === "" ? path : relative(ROOT, resolve(ROOT, dirname(path), target));
      if (!existsSync(join(ROOT, file))) return [`${path}: there is no ${target}`];
      if (anchor === undefined || headingsOf(textOf(file).text).map(anchorOf).includes(anchor)) return [];
      return [`${path}: ${file} has no heading for #${anchor}`];
    },
  );
}

/** Paths of the repository that a document names as code: `main/decide/`, `test/page/*.ts`; not those with a name to fill in. */
function pathsNamedIn(text: string): string[] {
  const folders = [...FOLDERS, "docs", ".ci", ".github"].map((name) => name.replace(".", "\\.")).join("|");
  const path = new RegExp(`^(?:(?:${folders})/[\\w./*-]*|[\\w.-]+\\.(?:md|json|yml)|\\w+\\.config\\.ts)$`);
  return [...text.matchAll(/`([^`\n]+)`/g)]
    .map(([, code = ""]) => code)
    .filter((code) => path.test(code) && !/\bNAME\b/.test(code));
}

const isThere = (path: string) =>
  path.includes("*") ? globSync(path, { cwd: ROOT }).length > 0 : existsSync(join(ROOT, path));

/** Documents about the sources. The others' examples name files of a project that they make up. */
const ABOUT_SOURCES = DOCUMENTS.filter(({ path }) =>
  /^(?:[A-Z]+\.md|docs\/(?:glossary|threat-model)\.md|docs\/decisions\/.*)$/.test(path),
);

test("no source or document refers to a document that isn't in the repository", () => {
  const elsewhere = /\bseed [0-9]{3}\b|\bdesign \u00a7|\bthe (?:seed's|seeds)\b/i;
  const found = [...SOURCES, ...DOCUMENTS].filter(({ path }) => path !== "test/docs/references.test.ts");
  expect(found.filter(({ text }) => elsewhere.test(text)).map(({ path }) => path)).toEqual([]);
});

test("each document that a source or document names exists, with the heading that is quoted", () => {
  const references = [...SOURCES, ...DOCUMENTS].flatMap(referencesIn);
  expect(references.filter(({ heading }) => heading !== undefined).length).toBeGreaterThan(25);
  expect(references.map(faultOf).filter((fault) => fault !== undefined)).toEqual([]);
});

test("each link between documents leads to a file and a heading that are there", () => {
  expect(DOCUMENTS.flatMap(deadLinksIn)).toEqual([]);
});

test("each file that a document about the sources names is there", () => {
  const named = ABOUT_SOURCES.flatMap(({ path, text }) => pathsNamedIn(text).map((name) => ({ path, name })));
  expect(named.filter(({ path }) => path === "CONTRIBUTING.md").length).toBeGreaterThan(60);
  expect(named.filter(({ name }) => !isThere(name)).map(({ path, name }) => `${path}: there is no ${name}`)).toEqual(
    [],
  );
});

test("each npm script that a document names is one of the package's", () => {
  const { scripts } = JSON.parse(textOf("package.json").text) as { scripts: Record<string, string> };
  const missing = DOCUMENTS.flatMap(({ path, text }) =>
    [...text.matchAll(/\bnpm run (?:-s )?([a-z][\w:-]*)/g)]
      .map(([, name = ""]) => name)
      .filter((name) => !Object.hasOwn(scripts, name))
      .map((name) => `${path}: there is no script ${name}`),
  );
  expect(missing).toEqual([]);
});

test("the Node that .node-version names is the one that npm ci brings", () => {
  const { devDependencies } = JSON.parse(textOf("package.json").text) as { devDependencies: { node: string } };
  expect(`${textOf(".node-version").text.trim()}.`).toBe(/^\d+\./.exec(devDependencies.node)?.[0]);
});

test("each case that the requirements name is named by a test", () => {
  const tests = SOURCES.filter(({ path }) => path.startsWith("test/")).map(({ text }) => text);
  const cases = DOCUMENTS.filter(({ path }) => path.startsWith("docs/decisions/")).flatMap(({ text }) =>
    [...(text.split("\n## Cases\n")[1]?.split("\n## ")[0] ?? "").matchAll(/^\| `(\w+)` \|/gm)].map(
      ([, name = ""]) => name,
    ),
  );
  expect(cases.length).toBe(36);
  expect(cases.filter((name) => !tests.some((text) => text.includes(name)))).toEqual([]);
});

test("the index of decisions names each of them", () => {
  const { text } = textOf("docs/decisions/README.md");
  const files = readdirSync(join(ROOT, "docs/decisions")).filter((name) => name !== "README.md");
  expect(files.filter((name) => !text.includes(`](${name})`))).toEqual([]);
});

test("the glossary has each term once, in alphabetical order, with the place where it lives", () => {
  const entries = textOf("docs/glossary.md").text.split(/^- /m).slice(1);
  const terms = entries.map((entry) => /^\*\*([^*]+)\*\*/.exec(entry)?.[1] ?? entry);
  expect(terms.length).toBeGreaterThan(25);
  expect(terms).toEqual([...new Set(terms)].sort());
  expect(entries.filter((entry) => pathsNamedIn(entry).length === 0)).toEqual([]);
});

test("each agent that is known has its document, in the list of all of them", () => {
  const linked = [...textOf("docs/agents/README.md").text.matchAll(/\]\(([\w-]+)\.md\)/g)].map(([, name]) => name);
  expect(KNOWN_AGENTS.filter((name) => !existsSync(join(ROOT, `docs/agents/${name}.md`)))).toEqual([]);
  expect(KNOWN_AGENTS.filter((name) => !linked.includes(name))).toEqual([]);
});

test("a comment that documents is the head of its file, or directly at what it says something of", () => {
  const product = SOURCES.filter(({ path }) => /^(?:ipc|main|packages|cli|renderer|preload)\//.test(path));
  const loose = product.flatMap(({ path, text }) => {
    // Imports may be before a head.
    const code = text.search(/^(?!import |\} from | {2}|\/\/|\/\*\*| \*|#!|$)/m);
    return [...text.matchAll(/^( *)\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n(?=\n|\1\/\*\*)/gm)]
      .filter(({ index }, place) => place > 0 || index > code)
      .map(({ index }) => `${path}:${text.slice(0, index).split("\n").length}`);
  });
  expect(loose).toEqual([]);
});
