import { parentPort, workerData } from "node:worker_threads";
import type { Principal } from "../../ipc/contract/operator-api.ts";
import { systemClock } from "../../main/base/clocks/system-clock.ts";
import { errorCode } from "../../main/base/errors.ts";
import { openDatabase } from "../../main/base/sqlite/database.ts";
import { ApprovalRegistry } from "../../main/calls/approvals/registry.ts";
import { APPROVALS_SCHEMA } from "../../main/calls/approvals/schema.ts";

/** One of several surfaces, each with its own connection, that answer the same requests at the same moment. */
export interface Race {
  file: string;
  tokens: string[];
  by: Principal;
  decision: "approved" | "rejected";
  /** How many have reached each request: all of them try it once the last one is there. */
  arrived: SharedArrayBuffer;
  racers: number;
}

const { file, tokens, by, decision, arrived, racers } = workerData as Race;
const counters = new Int32Array(arrived);
const db = openDatabase(file, APPROVALS_SCHEMA);
const registry = new ApprovalRegistry(db, systemClock);

const results = tokens.map((token, index) => {
  Atomics.add(counters, index, 1);
  Atomics.notify(counters, index);
  // Asleep until the last one wakes all: spinning, those that are there would keep the processors from those that are still to come.
  for (let there = 0; there < racers; there = Atomics.load(counters, index)) {
    if (there > 0) Atomics.wait(counters, index, there);
  }
  try {
    return registry.resolve(registry.check(token, by), decision).status;
  } catch (error) {
    return errorCode(error);
  }
});
db.close();
parentPort?.postMessage(results);
