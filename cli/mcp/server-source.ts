import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";

/** What a server is to the gate: what the user said of its tools holds for that alone. */

/** They look for what they start in the packages of the folder, and fetch by its settings. */
const PACKAGE_RUNNERS = new Set(["npx", "npm", "pnpm", "pnpx", "yarn", "bun", "bunx"]);
const PACKAGE_FILES = ["node_modules", "package.json", ".npmrc", "bunfig.toml", ".yarnrc.yml"];
/** `python -m`, `uv run`, `cargo run`: what they start is the folder's. */
const FOLDER_WORDS = new Set(["-m", "run"]);

/**
 * SHA-256 (hex) of the words that start a server, and of the folder where they mean another program in another one.
 * @param cwd where it is started
 */
export function sourceOfProgram(words: readonly string[], cwd: string, home: string): string {
  return hashed(isOfFolder(words, cwd, home) ? [words, cwd] : words);
}

/** SHA-256 (hex) of a server's address. */
export function sourceOfUrl(url: string): string {
  return hashed([url]);
}

function hashed(what: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(what)).digest("hex");
}

function isOfFolder(words: readonly string[], cwd: string, home: string): boolean {
  const [program = "", ...args] = words;
  if (program.includes("/") && !isAbsolute(program)) return true;
  if (args.some((word) => FOLDER_WORDS.has(word) || isFileIn(cwd, word))) return true;
  const has_runner = words.some((word) => PACKAGE_RUNNERS.has(basename(word)));
  return (
    has_runner && foldersUpTo(cwd, home).some((folder) => PACKAGE_FILES.some((name) => existsSync(join(folder, name))))
  );
}

/** Also behind an option: `--config=server.json`. */
function isFileIn(cwd: string, word: string): boolean {
  const path = word.startsWith("-") ? word.slice(word.indexOf("=") + 1) : word;
  return path !== "" && !isAbsolute(path) && existsSync(resolve(cwd, path));
}

/** The folder and those above it; the home, whose packages are the user's, isn't one of them. */
function foldersUpTo(cwd: string, home: string): string[] {
  const folders: string[] = [];
  for (let folder = cwd; folder !== home && folder !== dirname(folder); folder = dirname(folder)) folders.push(folder);
  return folders;
}
