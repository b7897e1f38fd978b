import { closeSync, constants, lstatSync, openSync, readSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { errorCode } from "../../gate/errors.ts";
import { othersPipes } from "./slots.ts";

/** Runs of a gate that has ended: they continue, confined, and still hold their pipe. */

/** Of the box's other processes, after its first. */
const UNTIL_DEAD_MS = 100;

/** How often it is looked whether a run has ended, and bytes that are read of its pipe then. */
const LOOK_MS = 50;
const MAX_READ = 64 * 1024;

/** Removes the pipes of earlier gates; resolves once the last run that holds one has ended. @param prefix this gate's own */
export async function earlierRunsEnd(folder: string, prefix: string, signal: AbortSignal): Promise<void> {
  const going: Promise<void>[] = [];
  for (const name of othersPipes(folder, prefix)) {
    const path = join(folder, name);
    const is_pipe = lstatSync(path, { throwIfNoEntry: false })?.isFIFO() === true;
    if (!is_pipe || !name.endsWith(".up")) rmSync(path, { force: true, recursive: true });
    else going.push(ends(path, signal).then(() => (signal.aborted ? undefined : rmSync(path, { force: true }))));
  }
  await Promise.all(going);
  if (going.length > 0) await wait(UNTIL_DEAD_MS, undefined, { ref: false });
}

async function ends(path: string, signal: AbortSignal): Promise<void> {
  const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants;
  const fd = openSync(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
  try {
    while (isHeld(fd) && !signal.aborted) await wait(LOOK_MS, undefined, { ref: false });
  } finally {
    closeSync(fd);
  }
}

/** A pipe without a writer is at its end. A command can write into it without end: no more is read than one look takes. */
function isHeld(fd: number): boolean {
  try {
    return readSync(fd, Buffer.alloc(MAX_READ)) > 0;
  } catch (error) {
    if (errorCode(error) === "EAGAIN") return true;
    throw error;
  }
}
