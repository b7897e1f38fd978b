import { existsSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import type { GatePaths } from "../../ipc/base/paths.ts";
import { readRegularFile } from "../../ipc/base/regular-file.ts";
import { GateError } from "../../ipc/contract/gate-error.ts";
import { errorCode } from "../../main/base/errors.ts";
import { syncFolder, writeDurably } from "../../main/base/files/durable-file.ts";
import { removeFolder } from "../../main/base/files/remove-folder.ts";
import { REPLACED, type Root, rootFolders } from "./contents.ts";

/**
 * Puts what was unpacked and checked in the place of what is there. From the moment that its journal is written a restore counts: after a
 * crash it is finished, and no gate starts before. Each move is made once, however often this begins.
 */

const ROOTS = ["config", "state", "data"] as const;
const STAGED = "restore.new";

const journalSchema = z.strictObject({
  /** Of the folders that hold what was there before. */
  aside: z.string().regex(/^before-restore-[0-9TZ-]{1,40}$/),
  made_at: z.iso.datetime(),
  /** What is new, by root: names directly below it. */
  brought: z.strictObject({ config: z.array(z.string()), state: z.array(z.string()), data: z.array(z.string()) }),
});
export type Journal = z.infer<typeof journalSchema>;

/** New, empty folders beside what they will replace; what an earlier attempt has left there is gone. @throws the system's error */
export function stagingFolders(paths: GatePaths): Record<Root, string> {
  const roots = rootFolders(paths);
  const made = (root: Root) => {
    const folder = join(roots[root], STAGED);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return folder;
  };
  return { config: made("config"), state: made("state"), data: made("data") };
}

export function removeStaging(paths: GatePaths): void {
  for (const folder of Object.values(rootFolders(paths)))
    rmSync(join(folder, STAGED), { recursive: true, force: true });
}

/** Whether something is there that a restore would move aside. */
export function isInUse(paths: GatePaths): boolean {
  const roots = rootFolders(paths);
  return ROOTS.some((root) => REPLACED[root].some((name) => isThere(join(roots[root], name))));
}

/** From here on it counts. @throws GateError `file_unusable` */
export function commitRestore(paths: GatePaths, madeAt: string, now: Date): Journal {
  const roots = rootFolders(paths);
  const brought = (root: Root) => readdirSync(join(roots[root], STAGED)).sort();
  const journal: Journal = {
    aside: `before-restore-${now.toISOString().replace(/[:.]/g, "-")}`,
    made_at: madeAt,
    brought: { config: brought("config"), state: brought("state"), data: brought("data") },
  };
  for (const root of ROOTS) syncTree(join(roots[root], STAGED));
  writeDurably(paths.restoreJournal, JSON.stringify(journal), "the restore's journal");
  return journal;
}

/** Of a restore that was interrupted; undefined where there is none. @throws GateError `file_unusable` */
export function readJournal(paths: GatePaths): Journal | undefined {
  let text: string;
  try {
    text = readRegularFile(paths.restoreJournal);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
  try {
    return journalSchema.parse(JSON.parse(text));
  } catch {
    throw new GateError("file_unusable", `${paths.restoreJournal} is no journal of a restore`, "move it away");
  }
}

/** Makes the moves that weren't made yet. @throws the system's error: begin again then */
export function finishMoves(paths: GatePaths, { aside, brought }: Journal): void {
  const roots = rootFolders(paths);
  for (const root of ROOTS) {
    const folder = roots[root];
    const before = join(folder, aside);
    mkdirSync(before, { recursive: true, mode: 0o700 });
    for (const name of REPLACED[root]) {
      const staged = join(folder, STAGED, name);
      const isBrought = brought[root].includes(name);
      const isMade = isBrought && !isThere(staged);
      // What is at its place is new already, or was moved aside.
      if (!isMade && isThere(join(folder, name)) && !isThere(join(before, name)))
        renameSync(join(folder, name), join(before, name));
      if (isBrought && isThere(staged)) renameSync(staged, join(folder, name));
    }
    syncFolder(before);
    syncFolder(folder);
  }
}

/** The last steps: what is left of it goes, and a gate may start. Gives the folders with what was there before. */
export function endRestore(paths: GatePaths, { aside }: Journal): string[] {
  const folders = Object.values(rootFolders(paths)).map((folder) => join(folder, aside));
  const kept = folders.filter((folder) => {
    if (readdirSync(folder).length > 0) return true;
    removeFolder(folder);
    return false;
  });
  removeStaging(paths);
  rmSync(paths.restoreJournal, { force: true });
  syncFolder(dirname(paths.restoreJournal));
  return kept;
}

const isThere = (path: string) => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

/** Files were synced as they were written. */
function syncTree(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) syncTree(join(folder, entry.name));
  if (existsSync(folder)) syncFolder(folder);
}
