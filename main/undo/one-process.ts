import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { keepFile } from "./objects.ts";

/** One process at a time has a store: that of a gate which was killed ends by itself what it does, and the next one waits for that. */

const FILE = "pid";
/** Then it is killed, which a store bears at any time. Milliseconds. */
const WAITS_MS = 5000;
const LOOKS_MS = 20;

export function takeOver(folder: string): void {
  let isNoted = noted(folder);
  for (let [waitsFor, since] = [0, 0]; ; ) {
    const pids = pidsIn(folder);
    const own = pids.lastIndexOf(process.pid);
    // Of two that begin at the same time each sees the other one's line, and which was first.
    const first = pids.slice(0, own < 0 ? undefined : own).find((pid) => pid !== process.pid && hasStore(pid, folder));
    // Who has the store has written the file anew.
    if (own < 0 && isNoted) isNoted = noted(folder);
    else if (first === undefined && (own < 0 || pidsIn(folder).includes(process.pid))) break;
    if (first !== waitsFor) [waitsFor, since] = [first ?? 0, performance.now()];
    if (first !== undefined && performance.now() - since > WAITS_MS) kill(first);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOKS_MS);
  }
  try {
    keepFile(join(folder, FILE), `${process.pid}\n`);
  } catch {
    // It is full: what is kept can still be looked at.
  }
}

/** As a line of its own at the end. @returns whether there was room for it */
function noted(folder: string): boolean {
  try {
    appendFileSync(join(folder, FILE), `${process.pid}\n`, { mode: 0o600 });
    return true;
  } catch {
    return false;
  }
}

/** In the order in which they came. */
function pidsIn(folder: string): number[] {
  try {
    return readFileSync(join(folder, FILE), "latin1").split("\n").map(Number).filter(Boolean);
  } catch {
    return []; // nobody had it yet
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

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // it has ended
  }
}
