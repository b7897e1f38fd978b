import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";

/**
 * Unit tests name places such as /srv, /etc and other people's homes: the same must come out on every machine, whatever is there. So
 * only what a test has made is there for the code under test, with programs, the kernel's own files and this checkout.
 */

const CHECKOUT = fileURLToPath(new URL("../..", import.meta.url));
const PACKAGES = join(CHECKOUT, "node_modules");
/** Where the packages lie: the folder may be a link, and so may each package in it. */
const INSTALLED = dirname(fs.realpathSync(join(PACKAGES, "better-sqlite3")));
const FOLDERS = [tmpdir(), CHECKOUT, PACKAGES, INSTALLED, dirname(process.execPath)];
const SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/proc", "/dev", "/sys", "/run"];
const SHOWN = [...FOLDERS, ...FOLDERS.map((folder) => fs.realpathSync(folder)), ...SYSTEM].map((folder) =>
  resolve(folder),
);

const isBelow = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);

/** Looked into, a folder that holds one of the shown says what else the machine has. */
function isHidden(name: string, of: unknown): boolean {
  if (typeof of === "number") return false;
  // Most are these, and some tests time them, with paths that are very long.
  if (typeof of === "string" && (of.length > 1000 || !of.includes("..")) && SHOWN.some((folder) => isBelow(of, folder)))
    return false;
  const path = resolve(of instanceof URL ? fileURLToPath(of) : String(of));
  if (SHOWN.some((folder) => isBelow(path, folder))) return false;
  return /dir/.test(name) || !(path === "/" || SHOWN.some((folder) => isBelow(folder, path)));
}

/** What Node says of a path where nothing is. */
function nothingAt(path: unknown, call: string): Error {
  const error = new Error(`ENOENT: no such file or directory, ${call} '${String(path)}'`);
  return Object.assign(error, { errno: -2, code: "ENOENT", syscall: call, path: String(path) });
}

type Call = ((...args: unknown[]) => unknown) & { native?: Call };
type Calls = Record<string, Call>;

const NAMES = ["access", "lstat", "open", "opendir", "readdir", "readFile", "readlink", "realpath", "stat", "statfs"];

const undo: (() => void)[] = [];

function replace(calls: Calls, name: string, answer: (original: Call, args: unknown[]) => unknown): void {
  const original = calls[name];
  if (original === undefined) return;
  const hiding = (call: Call): Call =>
    function (this: unknown, ...args) {
      return isHidden(name, args[0]) ? answer(call, args) : call.apply(this, args);
    };
  calls[name] = Object.assign(hiding(original), original);
  if (original.native !== undefined) calls[name].native = hiding(original.native);
  undo.push(() => {
    calls[name] = original;
  });
}

for (const name of NAMES) {
  replace(fs as never, `${name}Sync`, (_, [path, options]) => {
    if ((options as { throwIfNoEntry?: boolean } | undefined)?.throwIfNoEntry === false) return undefined;
    throw nothingAt(path, name);
  });
  replace(fs.promises as never, name, (_, [path]) => Promise.reject(nothingAt(path, name)));
  replace(fs as never, name, (_, args) => {
    const done = args.at(-1) as (error: Error) => void;
    setImmediate(() => done(nothingAt(args[0], name)));
  });
}
replace(fs as never, "existsSync", () => false);
syncBuiltinESMExports();

afterAll(() => {
  for (const original of undo) original();
  syncBuiltinESMExports();
});
