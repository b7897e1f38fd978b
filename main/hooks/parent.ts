import { readFileSync } from "node:fs";

/** The process that asked has ended: a request that no process waits for must not be answered. */
export class AbandonedError extends Error {
  constructor() {
    super("the process that asked has ended");
    this.name = "AbandonedError";
  }
}

/**
 * Whether this process is orphaned: its parent has ended, or `reader`, the process above the launcher, or `client` above that.
 * @param reader a process id; left out where the parent itself reads the answer
 * @param launcher whose parent that is; left out: this process's own parent
 * @param client the one that has a shell read it; a shell outlives its parent
 */
export function abandonedBy(reader: number | undefined, client?: number, launcher?: number): () => boolean {
  const parent = process.ppid;
  const below = launcher ?? (reader === parent ? process.pid : parent);
  return () => process.ppid !== parent || (reader !== undefined && isUnread(below, reader, client));
}

/** True once nobody reads what a launcher prints: `reader` isn't above it any more, or `client` not above that. */
export function isUnread(launcher: number, reader: number, client?: number): boolean {
  return !isAbove(launcher, reader) || (client !== undefined && !isAbove(reader, client));
}

/** True if `reader` is still the parent of `parent`; where the system doesn't say, if both run. */
function isAbove(parent: number, reader: number): boolean {
  const found = parentOf(parent);
  return found === undefined ? isRunning(parent) && isRunning(reader) : found === reader;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** The parent of a process, from Linux's /proc; undefined on other systems. */
export function parentOf(pid: number): number | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in it may hold anything: the fields begin after its last bracket.
    return Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return undefined;
  }
}
