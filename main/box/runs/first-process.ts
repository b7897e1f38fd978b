import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { errorCode } from "../../base/errors.ts";
import type { Caller } from "./greeting.ts";

/**
 * A box's first process is ended with the bubblewrap that made it, but not from its beginning: until it waits for the command, the end of
 * bubblewrap doesn't reach it.
 */

/** Looks at it, each at most two milliseconds after the last one. */
const MAX_LOOKS = 1000;

/**
 * Lines of bash, for a box's own shell: from their end on its first process ends with bubblewrap. They leave no variable.
 * @param quiet a descriptor on which nothing comes meanwhile
 */
export function firstProcessFollows(quiet: number): string {
  // It sleeps once it waits for the command: what it does before doesn't.
  const isWaiting = `read -r metnos_box_said </proc/1/stat && [[ $metnos_box_said == *") S "* ]]`;
  return [
    `metnos_box_looks=0; until { ${isWaiting}; } || ((++metnos_box_looks > ${MAX_LOOKS}))`,
    `do read -r -t 0.002 -u ${quiet} metnos_box_said; done`,
    "unset metnos_box_said metnos_box_looks",
  ].join("\n");
}

/**
 * Ends a box whose bubblewrap was ended before its first process could follow: one that still waits for a word of bubblewrap's would wait
 * for ever. @param pipe which that process has open @param bubblewrap the program's name @param pid of the process, where it is known
 */
export function endOrphan(pipe: string, bubblewrap: string, pid: number | undefined): void {
  // The kernel keeps fifteen bytes of a name.
  const name = Buffer.from(bubblewrap).subarray(0, 15).toString();
  const candidates = pid === undefined ? processes() : [pid];
  for (const one of candidates) if (isOrphan(one, pipe, name)) process.kill(one, "SIGKILL");
}

/**
 * Whether whoever waited for a box had ended before bubblewrap could follow it, which is so once it says who is first in the box: then
 * nothing ends that box. Not known, and false, where they have other numbers here.
 */
export function hasLostCaller(pid: number, { launcher, parent }: Caller): boolean {
  return parentOf(pid) === launcher && parentOf(launcher) !== parent;
}

function parentOf(pid: number): number | undefined {
  try {
    return Number(/^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  } catch {
    return undefined; // it has ended
  }
}

const processes = (): number[] => readdirSync("/proc").map(Number).filter(Number.isInteger);

function isOrphan(pid: number, pipe: string, name: string): boolean {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    // First in the box: the last of its numbers is 1, and the gate's own is another.
    if (!/^NSpid:.*\s1$/m.test(status) || pid === 1) return false;
    const parent = /^PPid:\s*(\d+)$/m.exec(status)?.[1] ?? "";
    if (readFileSync(`/proc/${parent}/comm`, "utf8").trimEnd() === name) return false;
    return readdirSync(`/proc/${pid}/fd`).some((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`) === pipe);
  } catch (error) {
    // It has ended meanwhile, or is somebody else's.
    if (["ENOENT", "ESRCH", "EACCES", "EPERM"].includes(errorCode(error) ?? "")) return false;
    throw error;
  }
}
