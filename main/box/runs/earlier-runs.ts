import { closeSync, constants, lstatSync, openSync, readSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { errorCode } from "../../base/errors.ts";
import { othersPipes } from "../../base/pipes/pipe-pairs.ts";

/** Runs of a gate that has ended: they continue, confined, and still hold their pipe. */

/** Of the box's other processes, after its first. */
const UNTIL_DEAD_MS = 100;

/** How often it is looked whether a run has ended, and bytes that are read of its pipe then. */
const LOOK_MS = 50;
const MAX_READ = 64 * 1024;

/**
 * Removes the pipes of earlier gates; resolves once the last run that holds one has ended.
 * @param prefix this gate's own
 * @param someEnded called at first, and each time that some have ended and others, by the names of their pipes, have not
 */
export async function earlierRunsEnd(
  folder: string,
  prefix: string,
  signal: AbortSignal,
  someEnded: (others: readonly string[]) => Promise<void>,
): Promise<void> {
  const held = new Map<string, number>();
  try {
    for (const name of othersPipes(folder, prefix)) {
      const path = join(folder, name);
      const is_pipe = lstatSync(path, { throwIfNoEntry: false })?.isFIFO() === true;
      if (is_pipe && name.endsWith(".up")) held.set(name, openSync(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW));
      else rmSync(path, { force: true, recursive: true });
    }
    for (let before = -1; held.size > 0; before = held.size) {
      for (const [name, fd] of held) {
        if (isHeld(fd)) continue;
        closeSync(fd);
        held.delete(name);
        rmSync(join(folder, name), { force: true });
      }
      if (held.size === before) await wait(LOOK_MS, undefined, { ref: false });
      else {
        await wait(UNTIL_DEAD_MS, undefined, { ref: false });
        if (held.size > 0 && !signal.aborted)
          await someEnded([...held.keys()].map((name) => name.slice(0, -".up".length)));
      }
      if (signal.aborted) return;
    }
  } finally {
    for (const fd of held.values()) closeSync(fd);
  }
}

const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants;

/** A pipe without a writer is at its end. A command can write into it without end: no more is read than one look takes. */
function isHeld(fd: number): boolean {
  try {
    return readSync(fd, Buffer.alloc(MAX_READ)) > 0;
  } catch (error) {
    if (errorCode(error) === "EAGAIN") return true;
    throw error;
  }
}
