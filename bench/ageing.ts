import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { GatePaths } from "../ipc/base/paths.ts";
import { OperatorClient } from "../ipc/socket/operator-client.ts";
import { systemClock } from "../main/base/clocks/system-clock.ts";
import { openDatabase } from "../main/base/sqlite/database.ts";
import { ApprovalRegistry } from "../main/calls/approvals/registry.ts";
import { APPROVALS_SCHEMA } from "../main/calls/approvals/schema.ts";
import { grantsSchema } from "../main/core/storage/grants-schema.ts";
import { type Figure, figure, median } from "./figure.ts";
import { benchHome, startGate } from "./gate-process.ts";
import { answerAll, receiptsOf } from "./receipts.ts";
import { callMessage, greeted, mustBeAllowed, workFolders } from "./round-trip.ts";
import { LAUNCHER } from "./running-program.ts";

/** A gate after years: resident memory beside 100,000 grants and 100,000 ended requests, and what it takes to verify their receipts. */

const GRANTS = 100_000;
const REQUESTS = 100_000;
const TOGETHER = 1000;
const MAX_RESIDENT_MIB = 130;
const MAX_VERIFY_S = 3;
const VERIFICATIONS = 5;
/** By then a gate that has nothing to do has given back what its start took. */
const AT_REST_MS = 8000;
const CALLS = 50_000;

export async function ageing(): Promise<Figure[]> {
  const work = workFolders(10);
  const home = benchHome(withOthers(work.folders));
  try {
    const failures = makeRequests(home.home, home.paths);
    if (failures.length > 0) throw failures[0];
    const verified = Array.from({ length: VERIFICATIONS }, () => verifySeconds(home.env));
    const gate = await startGate(home);
    await sleep(AT_REST_MS);
    const atRest = gate.residentMib();
    const client = await greeted(home.paths.agent_socket, home.token);
    const make = (index: number) => callMessage(work.folders[index % work.folders.length] ?? "", index);
    await client.pipelined(CALLS, 256, make, mustBeAllowed);
    const afterCalls = gate.residentMib();
    const operator = await OperatorClient.connect(home.paths.operator_socket, home.paths.operatorToken);
    await operator.call("grants.search", { text: "project-7" });
    await operator.call("approvals.history", {});
    await operator.call("grants.stale", {});
    await operator.close();
    client.close();
    await sleep(AT_REST_MS);
    const atRestAgain = gate.residentMib();
    await gate.stop();
    const beside = `beside ${GRANTS.toLocaleString("en")} grants and ${REQUESTS.toLocaleString("en")} requests`;
    return [
      figure("resident at rest", atRest, "MiB", MAX_RESIDENT_MIB, beside),
      figure("resident after 50,000 calls", afterCalls, "MiB", null, "heap and compiled code at work"),
      figure(
        "resident at rest again",
        atRestAgain,
        "MiB",
        MAX_RESIDENT_MIB,
        "after these calls, and lists that were looked at",
      ),
      figure(
        "receipts verify",
        median(verified),
        "s",
        MAX_VERIFY_S,
        `of processor, of ${REQUESTS.toLocaleString("en")}`,
      ),
    ];
  } finally {
    home.remove();
    work.remove();
  }
}

function* withOthers(folders: readonly string[]): Generator<string> {
  yield* folders;
  for (let index = folders.length; index < GRANTS; index++) yield `/srv/area-${index % 1000}/project-${index}`;
}

/** Requests that were asked and approved, each with its receipt. Returns what failed. */
function makeRequests(home: string, paths: GatePaths): unknown[] {
  const approvals = openDatabase(paths.approvals_db, APPROVALS_SCHEMA);
  const grants = openDatabase(paths.grants_db, grantsSchema(home));
  const failures: unknown[] = [];
  const made = receiptsOf({
    databases: { approvals, grants },
    files: { key_file: paths.receiptKey, folder: paths.receiptsDir },
    now: systemClock.now,
    failed: (error) => failures.push(error),
  });
  const registry = new ApprovalRegistry(approvals, systemClock);
  for (let count = 0; count < REQUESTS; count += TOGETHER) {
    answerAll(registry, TOGETHER);
    made.makeAll();
  }
  made.close();
  approvals.close();
  grants.close();
  return failures;
}

/** Seconds of processor that `receipts verify` takes, with its start. @throws Error where it finds a problem */
function verifySeconds(env: NodeJS.ProcessEnv): number {
  const before = childrenSeconds();
  execFileSync(process.execPath, [LAUNCHER, "receipts", "verify"], { env, stdio: "pipe" });
  return childrenSeconds() - before;
}

/** Of the processor, by all ended children of this process so far: Linux counts them in hundredths of a second. */
function childrenSeconds(): number {
  const fields = readFileSync("/proc/self/stat", "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[13]) + Number(fields[14])) / 100;
}
