import { mkdirSync, realpathSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readRegularFile } from "./regular-file.ts";

/**
 * The clients of an agent that were tested: for whether they run a call as the gate rewrites it, and for whether they ask the gate
 * (`doctor --self-test`). Imports nothing but Node, for the hook's fast path.
 */
export interface TestedClient {
  /** The program's file, absolute; of a program that an interpreter runs, the script. */
  file: string;
  /** What was started, where that starts the client as another program. */
  started?: string;
  /** In bytes. */
  size: number;
  /** In milliseconds since 1970. */
  mtime_ms: number;
  /** As the client names itself; empty where it didn't. */
  version: string;
  /** ISO-8601. */
  tested_at: string;
  passed: boolean;
  /** What it did wrong, in one sentence; null where it passed. */
  problem: string | null;
}

/** Where the results of each test are, below the gate's state. */
const RECORDS = { rewriting: ["box", "clients"], asking: ["self-tests"] } as const;
export type Tested = keyof typeof RECORDS;

/** Beyond that the oldest are dropped: clients that update themselves leave one behind each time. */
const MAX_CLIENTS = 16;

export function testedClientsFile(stateDir: string, agent: string, tested: Tested = "rewriting"): string {
  return join(stateDir, ...RECORDS[tested], `${agent}.json`);
}

/** Those on record, the last tested first; none where the record can't be read. */
export function testedClients(stateDir: string, agent: string, tested?: Tested): TestedClient[] {
  try {
    const value: unknown = JSON.parse(readRegularFile(testedClientsFile(stateDir, agent, tested)));
    return Array.isArray(value) ? value.filter(isTestedClient) : [];
  } catch {
    return []; // no record, or none that can be read: nothing was tested
  }
}

function isTestedClient(value: unknown): value is TestedClient {
  if (typeof value !== "object" || value === null) return false;
  const { file, started = "", size, mtime_ms, version, tested_at, passed, problem } = value as Record<string, unknown>;
  return (
    [file, started, version, tested_at].every((text) => typeof text === "string") &&
    [size, mtime_ms].every((number) => typeof number === "number") &&
    typeof passed === "boolean" &&
    (problem === null || typeof problem === "string")
  );
}

/** True if the client's file is still the one that was tested. */
export function isUnchanged({ file, size, mtime_ms }: TestedClient): boolean {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat !== undefined && stat.size === size && stat.mtimeMs === mtime_ms;
}

/** A test's result for the very client that this program starts, if there was one. @param program a file */
export function testedClient(
  stateDir: string,
  agent: string,
  program: string,
  tested?: Tested,
): TestedClient | undefined {
  try {
    const started = realpathSync(program);
    return testedClients(stateDir, agent, tested).find(
      (client) => (client.started ?? client.file) === started && isUnchanged(client),
    );
  } catch {
    return undefined; // it is not there: testing it will say so
  }
}

/** Records a test's result in the place of an earlier one of the same file. @throws the system's error if it can't be written */
export function recordTestedClient(stateDir: string, agent: string, client: TestedClient, tested?: Tested): void {
  const others = testedClients(stateDir, agent, tested).filter(({ file }) => file !== client.file);
  const record = testedClientsFile(stateDir, agent, tested);
  mkdirSync(dirname(record), { recursive: true, mode: 0o700 });
  const text = JSON.stringify([client, ...others].slice(0, MAX_CLIENTS), null, 2);
  writeFileSync(`${record}.new`, `${text}\n`, { mode: 0o600 });
  renameSync(`${record}.new`, record);
}
