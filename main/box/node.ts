import { accessSync, closeSync, constants, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { realForm } from "@metnos-gate/shell-reading/files";
import type { Env } from "../../ipc/base/paths.ts";

/** Node for the gate's own programs in a box. */

interface Runtime {
  path: string;
  /** Electron's version; the desktop app can't be used as Node. */
  electron: string | undefined;
}

/** Looked at behind PATH: a desktop's own PATH often has less than the user's shell. */
const USUAL_FOLDERS = ["/usr/local/bin", "/usr/bin", "/opt/node/bin"];

/** Absolute and real: what the gate runs on or, where that is the desktop app, the user's Node; null where there is none. */
export function nodeForBox(
  { PATH = "" }: Env,
  runtime: Runtime = { path: process.execPath, electron: process.versions.electron },
  usual: readonly string[] = USUAL_FOLDERS,
): string | null {
  if (runtime.electron === undefined) return realForm(runtime.path) ?? runtime.path;
  const folders = [...PATH.split(":").filter((folder) => folder.startsWith("/")), ...usual];
  const found = folders.map((folder) => realForm(join(folder, "node"))).find((path) => path && isProgram(path));
  return found ?? null;
}

const ELF = "\x7fELF";

/** Not a script, as version managers have them, which needs more than itself. */
function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    const fd = openSync(path, "r");
    try {
      const bytes = Buffer.alloc(ELF.length);
      readSync(fd, bytes);
      return bytes.toString("latin1") === ELF && /\/node(?:js)?(?:-?\d+)?$/.test(path);
    } finally {
      closeSync(fd);
    }
  } catch {
    return false; // nothing there, or not for this user
  }
}
