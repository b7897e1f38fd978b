import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Env } from "../../ipc/paths.ts";

/** What tools keep between runs: for each project by itself, in the gate's folder, at the places where the tools look for it. */

interface Cache {
  /** In the project's folder of caches. */
  name: string;
  /** Below the home. */
  usual: string;
  /** The variable that moves the folder above it, with the rest of its path. */
  moved?: { variable: string; below: string };
}

const CACHES: readonly Cache[] = [
  { name: "cache", usual: ".cache" },
  { name: "npm", usual: ".npm" },
  { name: "yarn", usual: ".yarn" },
  {
    name: "cargo-registry",
    usual: ".cargo/registry",
    moved: { variable: "CARGO_HOME", below: "registry" },
  },
  { name: "cargo-git", usual: ".cargo/git", moved: { variable: "CARGO_HOME", below: "git" } },
  { name: "go-modules", usual: "go/pkg", moved: { variable: "GOPATH", below: "pkg" } },
  { name: "gradle", usual: ".gradle" },
  { name: "maven", usual: ".m2" },
  { name: "nuget", usual: ".nuget" },
  { name: "pub", usual: ".pub-cache" },
];

/** Tools that would keep it where a toolchain is read-only, or in memory. */
const VARIABLES: Readonly<Record<string, string>> = {
  npm_config_store_dir: ".cache/pnpm-store",
  BUN_INSTALL_CACHE_DIR: ".cache/bun",
};

/** A folder that is bound into the box at another place. */
export interface CacheBind {
  readonly name: string;
  /** Absolute. */
  readonly at: string;
}

export interface Caches {
  readonly binds: readonly CacheBind[];
  readonly variables: Readonly<Record<string, string>>;
}

/** Where this user's tools look for them. */
export function cachesFor(env: Env, home: string): Caches {
  const binds = CACHES.map(({ name, usual, moved }) => {
    const folder = moved === undefined ? undefined : env[moved.variable]?.split(":")[0];
    return { name, at: folder?.startsWith("/") && moved !== undefined ? join(folder, moved.below) : join(home, usual) };
  });
  const variables = Object.entries(VARIABLES).map(([name, below]) => [name, join(home, below)]);
  return { binds, variables: Object.fromEntries(variables) };
}

/** The folder that holds what one project's runs keep. */
export function projectFolder(box_folder: string, project: string): string {
  const hash = createHash("sha256").update(project).digest("hex").slice(0, 32);
  return join(box_folder, "projects", hash);
}

/** Makes a project's folders where they aren't there yet, for their owner alone. @throws the system's error */
export function makeProjectFolders(folder: string, caches: Caches): void {
  for (const { name } of caches.binds) mkdirSync(join(folder, "caches", name), { recursive: true, mode: 0o700 });
}

/** Two files that hide others: one that is empty, one that nobody may read. */
export interface Covers {
  readonly empty: string;
  readonly unreadable: string;
}

/** Makes them in the gate's folder. @throws the system's error */
export function makeCovers(box_folder: string): Covers {
  mkdirSync(box_folder, { recursive: true, mode: 0o700 });
  const covers = { empty: join(box_folder, "empty"), unreadable: join(box_folder, "unreadable") };
  for (const [file, mode] of [
    [covers.empty, 0o400],
    [covers.unreadable, 0o000],
  ] as const) {
    makeEmpty(file);
    chmodSync(file, mode);
  }
  return covers;
}

function makeEmpty(file: string): void {
  rmSync(file, { force: true });
  writeFileSync(file, "", { flag: "wx", mode: 0o600 });
}
