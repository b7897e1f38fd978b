import { createReadStream } from "node:fs";
import { createConnection } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import Database from "better-sqlite3";
import { monthFiles } from "../../main/records/audit/month-files.ts";
import { Seeded } from "../seeded.ts";
import { GOOD_AGENT, GoodClient } from "./good-client.ts";
import { BEHAVIOURS, type Behaviour, type Findings, type Plan, runHostileClient } from "./hostile-client.ts";
import { PrivateGate } from "./private-gate.ts";

/** Hostile frames against a gate, and what has to be true of it meanwhile and afterwards. */

export interface CampaignResult {
  frames: number;
  answers: number;
  connections: number;
  turnedAway: number;
  goodCalls: number;
  /** Of the good client, in milliseconds. */
  medianMs: number;
  p99Ms: number;
  longestMs: number;
  /** Of the gate, in MiB: before, at most, and once all clients had disconnected. */
  residentMib: { before: number; highest: number; after: number };
  /** One line for each rule that was broken; empty if none was. */
  violations: string[];
}

const AT_ONCE = 16;
const HOSTILE_AGENTS = 3;
/** The gate's memory may grow to this, however long it runs, in MiB. */
const MAX_RESIDENT_MIB = 512;
const ALL_GONE_MS = 10_000;

const FRAMES_EACH: Readonly<Record<Behaviour, number>> = {
  "sends and reads": 800,
  "doesn't greet": 60,
  "leaves at once": 100,
  "leaves within a line": 100,
  "never reads": 600,
  "sends a byte at a time": 2,
  "sends nothing": 0,
};

/** Sends about `frames` frames; the same seed sends the same ones. */
export async function runCampaign(
  frames: number,
  seed: number,
  progress?: (done: number) => void,
): Promise<CampaignResult> {
  const gate = await PrivateGate.start();
  try {
    const findings: Findings = {
      frames: 0,
      answers: 0,
      connections: 0,
      turnedAway: 0,
      allowed: new Set(),
      tokens: [],
      violations: [],
    };
    const before = gate.residentMib();
    let highest = before;
    const sampling = setInterval(() => {
      highest = Math.max(highest, gate.residentMib());
    }, 200);
    const token = await gate.pair(GOOD_AGENT, "Supervised");
    const agents = await pairHostileAgents(gate);
    const steal = (wanted: string) => stealRequest(gate, wanted, agents, findings);
    const good = await GoodClient.start(gate.paths.agent_socket, token, findings, steal);
    await attack(gate, { frames, seed, agents }, findings, progress);
    await good.stop();
    await checkEverybodyGone(gate, findings);
    const after = gate.residentMib();
    clearInterval(sampling);
    if (highest > MAX_RESIDENT_MIB) findings.violations.push(`the gate took ${highest} MiB of memory`);
    await checkAfterwards(gate, findings);
    const sorted = good.latencies.toSorted((a, b) => a - b);
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
    return {
      frames: findings.frames,
      answers: findings.answers,
      connections: findings.connections,
      turnedAway: findings.turnedAway,
      goodCalls: sorted.length,
      medianMs: at(0.5),
      p99Ms: at(0.99),
      longestMs: at(1),
      residentMib: { before, highest, after },
      violations: findings.violations,
    };
  } finally {
    await gate.remove();
  }
}

async function pairHostileAgents(gate: PrivateGate): Promise<Plan["agent"][]> {
  const agents: Plan["agent"][] = [];
  for (let index = 0; index < HOSTILE_AGENTS; index++) {
    const name = `hostile-${index}`;
    agents.push({ name, token: await gate.pair(name, index === 0 ? "ReadOnly" : "Supervised") });
  }
  return agents;
}

/** Another agent withdraws the request that waits under `token`: it must not end. */
async function stealRequest(
  gate: PrivateGate,
  token: string,
  [agent]: readonly Plan["agent"][],
  { violations }: Findings,
): Promise<void> {
  const socket = createConnection(gate.paths.agent_socket);
  socket.on("error", () => socket.destroy()); // 'close' follows
  const hello = { id: "1", protocol: 1, agent: { name: agent?.name }, token: agent?.token };
  socket.write(`${JSON.stringify({ type: "hello", data: hello })}\n`);
  socket.write(`${JSON.stringify({ type: "tool.cancel", data: { id: "2", token, reason: "" } })}\n`);
  let answer = "the connection was closed";
  for await (const line of createInterface({ input: socket })) {
    answer = line;
    if (line.includes('"id":"2"')) break;
  }
  socket.destroy();
  if (!answer.includes('"unknown_token"')) violations.push(`a cancel of another agent's request: ${answer}`);
  const waiting = await gate.operator.call("approvals.list", { limit: 1000 });
  if (!waiting.some((request) => request.token === token)) violations.push("another agent's request was withdrawn");
}

async function attack(
  gate: PrivateGate,
  { frames, seed, agents }: { frames: number; seed: number; agents: readonly Plan["agent"][] },
  findings: Findings,
  progress: ((done: number) => void) | undefined,
): Promise<void> {
  let next = 0;
  let reported = 0;
  const worker = async () => {
    while (findings.frames < frames && gate.isRunning && findings.violations.length === 0) {
      const random = new Seeded(seed + next++);
      const behaviour = random.weighted(BEHAVIOURS);
      const plan = { behaviour, frames: FRAMES_EACH[behaviour], agent: random.pick(agents) };
      await runHostileClient(gate.paths.agent_socket, plan, random, findings);
      if (findings.frames - reported < 100_000) continue;
      reported = findings.frames;
      progress?.(reported);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

async function checkEverybodyGone(gate: PrivateGate, { violations }: Findings): Promise<void> {
  if (!gate.isRunning) return;
  const giveUpAt = Date.now() + ALL_GONE_MS;
  for (;;) {
    const { connections } = await gate.operator.call("status", {});
    if (connections === 0) return;
    if (Date.now() > giveUpAt) {
      violations.push(`${connections} connections are still open`);
      return;
    }
    await delay(100);
  }
}

/** The gate still answers, and its files are whole. */
async function checkAfterwards(gate: PrivateGate, { allowed, violations }: Findings): Promise<void> {
  if (gate.isRunning) {
    const { alarms, audit_write_failures, paused } = await gate.operator.call("status", {});
    for (const { message } of alarms) violations.push(`an alarm: ${message}`);
    if (audit_write_failures > 0) violations.push(`${audit_write_failures} lines of the trail were not written`);
    if (paused) violations.push("the gate is paused");
    const { ok, problems } = await gate.operator.call("audit.verify", {});
    if (!ok) violations.push(`the trail: ${JSON.stringify(problems.slice(0, 3))}`);
    await gate.operator.close();
  } else violations.push("the gate has ended");
  const code = await gate.stop();
  if (code !== 0) violations.push(`the gate ended with ${code}`);
  for (const line of gate.log.split("\n"))
    if (/error in|internal|FATAL|^\s+at /.test(line)) violations.push(`in its log: ${line}`);
  const { grants_db, approvals_db, agents_db, activity_db, safety_db } = gate.paths;
  for (const file of [grants_db, approvals_db, agents_db, activity_db, safety_db]) {
    const db = new Database(file, { readonly: true });
    const verdict = db.pragma("integrity_check(1)", { simple: true });
    db.close();
    if (verdict !== "ok") violations.push(`${file}: ${String(verdict)}`);
  }
  const missing = new Set(allowed);
  for (const file of monthFiles(gate.paths.auditDir))
    for await (const line of linesOf(join(gate.paths.auditDir, file)))
      missing.delete(/"decision_id":"([^"]+)"/.exec(line)?.[1] ?? "");
  if (missing.size > 0) violations.push(`${missing.size} calls were allowed and are in no line of the trail`);
}

function linesOf(file: string): AsyncIterable<string> {
  return createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY });
}
