import { readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { errorCode } from "../../base/errors.ts";

/** Bubblewrap's first process closes what it has open before the kernel ends the others in its box. */

const MAX_WAIT_MS = 2000;
const STEP_MS = 2;

/** For one that takes longer than that. */
const WATCH_MS = 50;

/** The first process of a box, by its number on the host; another process may get the number later. */
export interface FirstProcess {
  readonly pid: number;
  /** In the kernel's ticks. */
  readonly begin: string;
}

/** It as it is now. @param bubblewrap its program's name @returns undefined where there is none by this number */
export function firstProcess(pid: number, bubblewrap: string): FirstProcess | undefined {
  const found = processStateOf(pid);
  // The kernel keeps fifteen bytes of a name.
  const name = Buffer.from(bubblewrap).subarray(0, 15).toString("latin1");
  return found?.name === name ? { pid, begin: found.begin } : undefined;
}

/** Whether it continues although its pipe has ended: its own end begins before it closes anything. */
export function goesOn({ pid, begin }: FirstProcess): boolean {
  const found = processStateOf(pid);
  return found?.begin === begin && !found.isEnding;
}

/** Ends it, and with it all that is in its box. */
export function kill({ pid, begin }: FirstProcess): void {
  if (processStateOf(pid)?.begin !== begin) return;
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (errorCode(error) !== "ESRCH") throw error;
  }
}

/** Waits, for two seconds at the most, until no process of a box is left. @param pid of its first process on the host */
export async function boxHasEnded(pid: number | undefined): Promise<void> {
  const until = performance.now() + MAX_WAIT_MS;
  while (pid !== undefined && processStateOf(pid) !== undefined && performance.now() <= until)
    await wait(STEP_MS, undefined, { ref: false });
}

/** What a look at processes finds, as soon as one can be taken: too many files may be open, of the gate or of all. */
export async function onceSeen<T>(look: () => T): Promise<T> {
  for (;;) {
    try {
      return look();
    } catch (error) {
      if (!isOutOfFiles(error)) throw error;
    }
    await wait(WATCH_MS, undefined, { ref: false });
  }
}

export const isOutOfFiles = (error: unknown): boolean => ["EMFILE", "ENFILE"].includes(errorCode(error));

/** Waits until a box's first process, and so all of the box, has ended, or `isOver` says that nobody wants to know any more. */
export async function boxEnds({ pid, begin }: FirstProcess, isOver: () => boolean = () => false): Promise<void> {
  const soon = performance.now() + MAX_WAIT_MS;
  while (!isOver() && (await onceSeen(() => processStateOf(pid)))?.begin === begin)
    await wait(performance.now() < soon ? STEP_MS : WATCH_MS, undefined, { ref: false });
}

interface ProcessState {
  name: string;
  begin: string;
  /** It runs no more of its program. */
  isEnding: boolean;
}

/** The kernel's PF_EXITING: set before a process's files are closed. */
const IS_EXITING = 4;

/** Undefined where there is no such process any more. Reading it never waits: the kernel makes the text. */
function processStateOf(pid: number): ProcessState | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const end = stat.lastIndexOf(")");
    const [state, ...others] = stat.slice(end + 2).split(" ");
    const [flags, threads, begin] = [Number(others[5]), Number(others[16]), others[18] ?? ""];
    // A zombie's namespace is empty: the kernel waits for its other processes first. But one that has another thread continues.
    const isZombie = state === "Z" || state === "X";
    if (isZombie && threads <= 1) return undefined;
    return { name: stat.slice(stat.indexOf("(") + 1, end), begin, isEnding: !isZombie && (flags & IS_EXITING) !== 0 };
  } catch (error) {
    if (errorCode(error) === "ENOENT" || errorCode(error) === "ESRCH") return undefined;
    throw error;
  }
}
