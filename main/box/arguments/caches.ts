import { createHash } from "node:crypto";
import { chmodSync, existsSync, lstatSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Env } from "../../../ipc/base/paths.ts";
import { errorCode } from "../../base/errors.ts";

/** What tools keep between runs: for each project by itself, in the gate's folder, at the places where the tools look for it. */

interface Cache {
  /** In the project's folder of caches. */
  name: string;
  /** Below the home. */
  usual: string;
  /** The variable that moves the folder above it, with the rest of its path. */
  moved?: { variable: string; below: string };
}

/** Where all of them are, below the home; the others are links into it. */
const FOLDER = ".cache";

const PNPM = { name: "pnpm-store", usual: ".local/share/pnpm/store", moved: { variable: "PNPM_HOME", below: "store" } };

const LINKED: readonly Cache[] = [
  { name: "npm", usual: ".npm" },
  { name: "yarn-folder", usual: ".yarn" },
  { name: "cargo-registry", usual: ".cargo/registry", moved: { variable: "CARGO_HOME", below: "registry" } },
  { name: "cargo-git", usual: ".cargo/git", moved: { variable: "CARGO_HOME", below: "git" } },
  { name: "go-modules", usual: "go/pkg", moved: { variable: "GOPATH", below: "pkg" } },
  { name: "gradle", usual: ".gradle" },
  { name: "maven", usual: ".m2" },
  { name: "nuget", usual: ".nuget" },
  { name: "pub", usual: ".pub-cache" },
  PNPM,
];

/**
 * Where tools keep what is no cache, below the home: locks, settings, what they say at their first start. They can be written, in memory;
 * no other place in the home can. Not those to which a program is installed.
 */
export const TOOL_FOLDERS: readonly string[] = [
  ...[".config", ".local/share", ".local/state", ".cargo", ".java", ".pki", ".dotnet", ".templateengine"],
  ...[
    ".ivy2",
    ".sbt",
    ".bundle",
    ".gem",
    ".cabal",
    ".stack",
    ".conda",
    ".ipython",
    ".jupyter",
    ".julia",
    ".mix",
    ".hex",
  ],
  ...[".android", ".cpan", ".expo", ".dart-tool", ".dartServer", ".swiftpm", ".konan", ".ccache", ".composer"],
];

/** Tools that would keep it where a toolchain is read-only, or in memory. */
const VARIABLES: Readonly<Record<string, string>> = {
  BUN_INSTALL_CACHE_DIR: "bun",
};
/** npm warns of pnpm's variable in each command: it is set only where a link can't lead pnpm to its store. */
const PNPM_VARIABLE = "npm_config_store_dir";

export interface Caches {
  /** Where the project's folder of caches is shown. */
  readonly at: string;
  /** Where tools look for theirs, and which of its folders that is. */
  readonly links: readonly { readonly path: string; readonly name: string }[];
  readonly variables: Readonly<Record<string, string>>;
}

/** Where this user's tools look for them. @param home as tools name it */
export function cachesFor(env: Env, home: string): Caches {
  const at = join(home, FOLDER);
  const links = LINKED.map(({ name, usual, moved }) => {
    const folder = moved === undefined ? undefined : env[moved.variable]?.split(":")[0];
    return { path: folder?.startsWith("/") && moved ? join(folder, moved.below) : join(home, usual), name };
  });
  const variables = Object.entries(VARIABLES).map(([variable, name]) => [variable, join(at, name)]);
  // Where pnpm is installed, its folder is shown as it is, and can't hold a link.
  const store = links.find(({ name }) => name === PNPM.name)?.path;
  if (store !== undefined && existsSync(dirname(store))) variables.push([PNPM_VARIABLE, join(at, PNPM.name)]);
  return { at, links, variables: Object.fromEntries(variables) };
}

/** The folder that holds what one project's runs keep. */
export function projectFolder(boxFolder: string, project: string): string {
  const hash = createHash("sha256").update(project).digest("hex").slice(0, 32);
  return join(boxFolder, "projects", hash);
}

/** In a project's folder: when it was last used, by its own time. */
export const LAST_USED = "last-used";
/** So exactly is that known; in milliseconds. */
const USED_ANEW_MS = 86_400_000;

/** Makes a project's folder of caches where it isn't there yet, for its owner alone. @returns it. @throws the system's error */
export function makeCaches(folder: string): string {
  const caches = join(folder, "caches");
  mkdirSync(caches, { recursive: true, mode: 0o700 });
  const used = join(folder, LAST_USED);
  const usedAt = lstatSync(used, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  // Not by a clock that is behind: once that is set right, it would be long ago.
  if (Date.now() - usedAt > USED_ANEW_MS) writeFileSync(used, "", { mode: 0o600 });
  // Whatever a run put in such a name's place stays: making a folder follows no link.
  for (const { name } of LINKED) makeFolder(join(caches, name));
  return caches;
}

function makeFolder(path: string): void {
  // An error costs more than a look, and nearly always it is there.
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) return;
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
}

/** What hides others: a file that is empty, a file and a folder that nobody may read. */
export interface Covers {
  readonly empty: string;
  readonly unreadable: string;
  readonly closed: string;
  /** An empty folder. */
  readonly nothing: string;
}

/**
 * Makes them in the gate's folder, and keeps those that are there: a box of a judge's agent may be starting with them, and one in whose
 * file's place another is put runs nothing. @throws the system's error
 */
export function makeCovers(boxFolder: string): Covers {
  mkdirSync(boxFolder, { recursive: true, mode: 0o700 });
  const named = (name: string) => join(boxFolder, name);
  const covers = {
    empty: named("empty"),
    unreadable: named("unreadable"),
    closed: named("closed"),
    nothing: named("nothing"),
  };
  for (const [file, mode] of [
    [covers.empty, 0o400],
    [covers.unreadable, 0o000],
  ] as const) {
    if (!isEmptyFile(file)) makeEmpty(file);
    chmodSync(file, mode);
  }
  mkdirSync(covers.closed, { recursive: true });
  chmodSync(covers.closed, 0o000);
  mkdirSync(covers.nothing, { recursive: true });
  chmodSync(covers.nothing, 0o500);
  return covers;
}

/** A file of this user's own with nothing in it, under one name. */
function isEmptyFile(file: string): boolean {
  const stat = lstatSync(file, { throwIfNoEntry: false });
  return stat?.isFile() === true && stat.size === 0 && stat.nlink === 1 && stat.uid === process.getuid?.();
}

function makeEmpty(file: string): void {
  rmSync(file, { force: true });
  writeFileSync(file, "", { flag: "wx", mode: 0o600 });
}
