import { z } from "zod";
import type { AgentBox } from "./agent-box.ts";
import { inside } from "./inside.ts";
import { cut, type JudgeTool, ToolRefused } from "./tool.ts";

/** Structural search. The files and the pattern are hostile, and the library is native: it runs in the box alone. */

const TIMEOUT_MS = 30_000;
const MAX_MATCHES = 100;
const MAX_FILES = 5000;
const MAX_FILE_BYTES = 1024 * 1024;
const MAX_LINE = 200;
const MAX_OUTPUT = 256 * 1024;

/** By the language's name in the library. */
const ENDINGS = {
  JavaScript: [".js", ".cjs", ".mjs", ".jsx"],
  TypeScript: [".ts", ".cts", ".mts"],
  Tsx: [".tsx"],
  Html: [".html", ".htm"],
  Css: [".css"],
} as const;
type Language = keyof typeof ENDINGS;
const LANGUAGES = Object.keys(ENDINGS) as [Language, ...Language[]];

const argsSchema = z.strictObject({
  pattern: z.string().min(1).max(4096),
  language: z.string().transform((name, context): Language => {
    const found = LANGUAGES.find((language) => language.toLowerCase() === name.toLowerCase());
    if (found !== undefined) return found;
    context.addIssue("unknown");
    return z.NEVER;
  }),
  path: z.string().min(1).max(4096).default("."),
});

const BOX_FOLDER = "/run/metnos-gate";
const LIBRARY = `${BOX_FOLDER}/ast-grep.node`;
const NODE = `${BOX_FOLDER}/node`;
const BAD_PATTERN = 3;

/** Reads the question on its input. No link is followed, and what can't be read is passed over. */
const PROGRAM = `
const fs = require("node:fs");
const { join, relative } = require("node:path");
const { parse, pattern: compiled } = require("${LIBRARY}");
const { pattern, language, endings, path, top } = JSON.parse(fs.readFileSync(0, "utf8"));
let rule;
try {
  rule = compiled(language, pattern);
  parse(language, "").root().findAll(rule);
} catch {
  process.exit(${BAD_PATTERN});
}
let files = 0;
let matches = 0;
const out = [];
const look = (file) => {
  if (++files > ${MAX_FILES}) return;
  let text;
  try {
    const fd = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK | fs.constants.O_NOFOLLOW);
    try {
      const stat = fs.fstatSync(fd);
      if (!stat.isFile() || stat.size > ${MAX_FILE_BYTES}) return;
      text = fs.readFileSync(fd, "utf8");
    } finally {
      fs.closeSync(fd);
    }
  } catch {
    return;
  }
  for (const node of parse(language, text).root().findAll(rule)) {
    if (++matches > ${MAX_MATCHES}) return;
    const first = node.text().split("\\n")[0].slice(0, ${MAX_LINE});
    out.push(relative(top, file) + ":" + (node.range().start.line + 1) + ": " + first);
  }
};
const walk = (folder) => {
  let entries;
  try {
    entries = fs.readdirSync(folder, { withFileTypes: true });
  } catch {
    return;
  }
  for (const entry of entries) {
    if (files > ${MAX_FILES} || matches > ${MAX_MATCHES}) return;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (entry.name !== "node_modules" && entry.name !== ".git") walk(path);
    } else if (entry.isFile() && endings.some((ending) => entry.name.endsWith(ending))) look(path);
  }
};
let stat;
try {
  stat = fs.lstatSync(path);
} catch {}
if (stat?.isDirectory()) walk(path);
else if (stat?.isFile()) look(path);
if (matches > ${MAX_MATCHES}) out.push("(more than ${MAX_MATCHES} matches)");
if (files > ${MAX_FILES}) out.push("(more than ${MAX_FILES} files: name a folder)");
if (out.length === 0) out.push("no match in " + files + " files");
fs.writeFileSync(1, out.join("\\n"));
`;

/** @param node the box's, absolute @param library what `astGrepLibrary` found */
export function astGrepSearch(box: AgentBox, node: string, library: string): JudgeTool {
  return {
    name: "ast_grep.search",
    description: `finds code by its structure, as ast-grep does. Args: {"pattern": TEXT such as "eval($A)", "language": ${LANGUAGES.map((name) => JSON.stringify(name)).join(" or ")}, "path"?: a file or folder in the workspace}`,
    async run(args, workspace, signal) {
      const read = argsSchema.safeParse(args);
      if (!read.success)
        throw new ToolRefused(`it takes {"pattern": TEXT, "language": ${LANGUAGES.join(" or ")}, "path"?: TEXT}`);
      const { pattern, language, path } = read.data;
      const top = workspace.folder;
      const question = { pattern, language, endings: ENDINGS[language], path: inside(path, workspace), top };
      const { how, code, output } = await box.run(
        {
          argv: [NODE, "-e", PROGRAM],
          workspace,
          binds: [
            { source: node, at: NODE },
            { source: library, at: LIBRARY },
          ],
          environment: { NODE_OPTIONS: "" },
          input: JSON.stringify(question),
          withErrors: false,
          maxOutput: MAX_OUTPUT,
          timeoutMs: TIMEOUT_MS,
        },
        signal,
      );
      if (how !== "exited") throw new ToolRefused("the search took too long: name a smaller folder");
      if (code === BAD_PATTERN) throw new ToolRefused(`this is no pattern of ${language}`);
      if (code !== 0) throw new Error("the search for code failed");
      return cut(output.toString("utf8"));
    },
  };
}
