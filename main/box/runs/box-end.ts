import { readFile } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { errorCode } from "../../gate/errors.ts";

/** Bubblewrap's first process closes what it has open before the kernel ends the others in its box. */

const MAX_WAIT_MS = 2000;
const STEP_MS = 2;

/** Waits, for two seconds at the most, until no process of a box is left. `pid`: of its first process on the host. */
export async function boxHasEnded(pid: number | undefined): Promise<void> {
  if (pid === undefined) return;
  const until = performance.now() + MAX_WAIT_MS;
  while (performance.now() < until && (await isAlive(pid))) await wait(STEP_MS, undefined, { ref: false });
}

async function isAlive(pid: number): Promise<boolean> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, "latin1");
    // A zombie's namespace is empty: the kernel waits for its other processes first.
    return !/\) [ZX] [^)]*$/.test(stat);
  } catch (error) {
    if (errorCode(error) === "ENOENT" || errorCode(error) === "ESRCH") return false;
    throw error;
  }
}
