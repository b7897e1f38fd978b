import { readFileSync } from "node:fs";
import { join } from "node:path";
import { keepFile } from "./objects.ts";

/** One process at a time has a store: that of a gate which was killed ends by itself what it does, and the next one waits for that. */

const FILE = "pid";
/** Then it is killed, which a store bears at any time. Milliseconds. */
const WAITS_MS = 5000;
const LOOKS_MS = 20;

export function takeOver(folder: string): void {
  const pid = pidIn(folder);
  const began = performance.now();
  let isKilled = false;
  while (pid !== process.pid && hasStore(pid, folder)) {
    if (!isKilled && performance.now() - began > WAITS_MS) isKilled = killed(pid);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOKS_MS);
  }
  try {
    keepFile(join(folder, FILE), `${process.pid}\n`);
  } catch {
    // A full disk: what is kept can still be looked at.
  }
}

function pidIn(folder: string): number {
  try {
    return Number(readFileSync(join(folder, FILE), "latin1"));
  } catch {
    return 0; // nobody had it yet
  }
}

/** Its number may be another program's by now. */
function hasStore(pid: number, folder: string): boolean {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
    return words.includes(folder) && words.some((word) => /\/store-program\.[jt]s$/.test(word));
  } catch {
    return false;
  }
}

function killed(pid: number): true {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // it has ended
  }
  return true;
}
