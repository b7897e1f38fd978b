import { readFileSync } from "node:fs";
import { GateError } from "../../../ipc/contract/gate-error.ts";

/** How many files the gate may have open, and what clients may hold of them. */

/** With fewer, not even the databases, sockets and a few agents can be open: the gate would neither serve nor end. */
const FEWEST_OPEN_FILES = 64;
/** Pairs of pipes, however many files may be open. */
const MOST_PAIRS = 1024;

/** @throws GateError `too_few_files`, where the system says how many this process may have open (Linux) */
export function requireOpenFiles(stateDir: string): void {
  const limit = mostOpenFiles();
  if (limit >= FEWEST_OPEN_FILES) return;
  const why = `too many open files: this process may open only ${limit}, and a gate needs ${FEWEST_OPEN_FILES} at least`;
  const message = `the gate's files in ${stateDir}/ can't be used: ${why}`;
  throw new GateError("too_few_files", message, "raise the limit (ulimit -n 4096) and start the gate again");
}

/**
 * So that some are always left to look at its own files, start programs and let the operator in: half are for connections of agents, and
 * an eighth for pairs of pipes, which hold three each, with the connection that asks for them.
 * @param limit of files in all
 */
export function openFilesFor(wantedConnections: number, limit = mostOpenFiles()) {
  const spare = limit - FEWEST_OPEN_FILES;
  return {
    max_connections: Math.min(wantedConnections, Math.max(8, Math.floor(spare / 2))),
    mostPairs: Math.min(MOST_PAIRS, Math.max(2, Math.floor(spare / 8))),
  };
}

/** Without a limit where the system doesn't say it. */
function mostOpenFiles(): number {
  try {
    const [, limit] = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return Number(limit ?? Number.POSITIVE_INFINITY);
  } catch {
    return Number.POSITIVE_INFINITY; // another system, or a process that may open none: what comes next says so
  }
}
