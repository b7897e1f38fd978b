import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { tried } from "./in-folder.ts";
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
    if (first !== undefined && performance.now() - since > WAITS_MS) tried(() => process.kill(first, "SIGKILL"));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOKS_MS);
  }
  tried(() => keepFile(join(folder, FILE), `${process.pid}\n`));
}

/** As a line of its own at the end. @returns whether there was room for it: what is kept can be looked at on a full disk, too */
const noted = (folder: string): boolean =>
  tried(() => appendFileSync(join(folder, FILE), `${process.pid}\n`, { mode: 0o600 }) ?? true) === true;

/** In the order in which they came. */
const pidsIn = (folder: string): number[] =>
  (tried(() => readFileSync(join(folder, FILE), "latin1")) ?? "").split("\n").map(Number).filter(Boolean);

/** Its number may be another program's by now. */
function hasStore(pid: number, folder: string): boolean {
  const words = tried(() => readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0")) ?? [];
  return words.includes(folder) && words.some((word) => /\/store-program\.[jt]s$/.test(word));
}
