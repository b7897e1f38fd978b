import { readFile } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { errorCode } from "../../gate/errors.ts";

/** Bubblewrap's first process closes what it has open before the kernel ends the others in its box. */

const MAX_WAIT_MS = 2000;
const STEP_MS = 2;

/** While nothing else says when a box ends. */
const WATCH_MS = 50;

/** Waits, for two seconds at the most, until no process of a box is left. @param pid of its first process on the host @returns whether none is */
export async function boxHasEnded(pid: number | undefined): Promise<boolean> {
  if (pid === undefined) return true;
  const until = performance.now() + MAX_WAIT_MS;
  while ((await beginOf(pid)) !== undefined) {
    if (performance.now() > until) return false;
    await wait(STEP_MS, undefined, { ref: false });
  }
  return true;
}

/** Waits until a process has ended, or `isOver` says that nobody wants to know any more. */
export async function processEnds(pid: number, isOver: () => boolean): Promise<void> {
  const begin = await beginOf(pid);
  // Another process may get its number.
  while (begin !== undefined && !isOver() && (await beginOf(pid)) === begin)
    await wait(WATCH_MS, undefined, { ref: false });
}

/** When a process began, in the kernel's ticks; undefined where it has ended. */
async function beginOf(pid: number): Promise<string | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, "latin1");
    const [state, ...others] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // A zombie's namespace is empty: the kernel waits for its other processes first.
    return state === "Z" || state === "X" ? undefined : others[18];
  } catch (error) {
    if (errorCode(error) === "ENOENT" || errorCode(error) === "ESRCH") return undefined;
    throw error;
  }
}
