import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CAPABILITIES, type Decision } from "../ipc/contract/decision.ts";
import type { OperatorMethod, OperatorParams } from "../ipc/contract/operator-api.ts";
import type { PolicyTry } from "../ipc/contract/policy-try.ts";
import type { ProposedCall } from "../ipc/contract/wire.ts";
import { OperatorClient } from "../ipc/socket/operator-client.ts";
import { removeFolder } from "../main/base/files/remove-folder.ts";
import { openDatabase } from "../main/base/sqlite/database.ts";
import { ExecutorCatalog } from "../main/decide/executors/catalog.ts";
import { decisionOf, examineCall } from "../main/decide/pipeline.ts";
import { POLICY_TABLE } from "../main/decide/policy/policy.ts";
import type { Subject, Unfinished } from "../main/decide/stages/examination.ts";
import { withoutSecrets } from "../main/judges/reviews/sent/masked-secrets.ts";
import { type CallFact, CallFacts, numberOf } from "../main/records/activity/call-facts.ts";
import { type CallLine, CallLines } from "../main/records/activity/call-line.ts";
import { KeptCalls } from "../main/records/activity/kept-calls.ts";
import { KEPT_CALLS_SCHEMA } from "../main/records/activity/kept-calls-schema.ts";
import { CODING_COMMANDS } from "../test/support/coding-commands.ts";
import { type Figure, figure, median } from "./figure.ts";
import { type BenchHome, benchHome, type GateProcess, startGate } from "./gate-process.ts";
import { processorTime } from "./processor-time.ts";
import { greeted } from "./round-trip.ts";
import { inSessionHome, sessionSettings } from "./session-home.ts";

/**
 * The lines of 1,000,000 calls over 30 days: how large they are, how soon the page has its first screen and finds something, what that
 * takes of the gate's memory, for how long it keeps the gate from others; and what keeping a line takes of a call.
 */

const CALLS = 1_000_000;
const DAYS = 30;
const DAY_MS = 86_400_000;
const IN_A_TURN = 500;
const MAX_BYTES = 300_000_000;
const MAX_FIRST_MS = 300;
const MAX_SEARCH_MS = 500;
const MAX_MIB = 10;
const MAX_SHARE = 3;
/** A line that is once among them. */
const RARE = "needle-in-a-haystack";

export async function activity(): Promise<Figure[]> {
  const [share, ...usual] = [await lineShare(), ...(await million("60,000 lines among them", 60_000))];
  return [share, ...usual, ...(await million("each line another one", CALLS))];
}

/** What the store is given of a call, without examining one. */
function pretended(line: CallLine, agent: string, fact: CallFact): Unfinished {
  return { line, fact, subject: { agent: { name: agent } } } as unknown as Unfinished;
}

const FULL = numberOf(POLICY_TABLE, "Full");

/** As a read below a project has it, and some hosts. */
function factOf(number: number): CallFact {
  const needs: CallFact["values"][10] = [[CAPABILITIES.indexOf("fs:read"), 1, number % 50, 1, ""]];
  if (number % 3 === 0) needs.push([CAPABILITIES.indexOf("network:http"), 1, number, 4, `api-${number}.test`]);
  const stated = needs.reduce((mask, [capability]) => mask | (1 << capability), 0);
  const values: CallFact["values"] = [
    1,
    2,
    FULL,
    "local:ada",
    "digest",
    0,
    -1,
    "policy.level-allows",
    1,
    stated,
    needs,
  ];
  return { key: String(number), values };
}

const PROGRAMS = [
  "npm run build",
  "git commit -m …",
  "Edit",
  "Read",
  "grep -rn …",
  "git push",
  "cat",
  "Write",
  "npx vitest run",
];
const RESULTS: readonly Partial<Decision>[] = [
  ...Array.from({ length: 17 }, () => ({ outcome: "allowed" as const })),
  { outcome: "allowed", status: "approved" },
  { outcome: "denied" },
  { outcome: "denied", status: "rejected" },
];

/** Fills a home's database as a gate would have, in 30 days. Gives the microseconds of a line. */
function fill(file: string, calls: number, distinct: number): number {
  const db = openDatabase(file, KEPT_CALLS_SCHEMA);
  let now = Date.now() - (DAYS - 0.01) * DAY_MS;
  const kept = new KeptCalls(db, {
    keep: "line",
    days: DAYS,
    now: () => now,
    lines: { lineOf: (x) => (x as unknown as { line: CallLine }).line },
    facts: { factOf: (x) => (x as unknown as { fact: CallFact }).fact },
    withoutSecrets: (text) => text,
    failed: (_what, error) => {
      throw error;
    },
  });
  const began = process.cpuUsage();
  for (let index = 0; index < calls; index++) {
    now += ((DAYS - 0.02) * DAY_MS) / calls;
    const number = (index * 7919) % distinct;
    const place = `src/part-${number % 97}/file-${number}.ts`;
    const isRare = index === calls / 2;
    const program = PROGRAMS[number % PROGRAMS.length] ?? "";
    const line: CallLine = {
      text: isRare ? `cat ${RARE}` : `${program} ${place}`,
      tool: program === "Edit" || program === "Read" || program === "Write" ? program : "Bash",
      project: `/srv/projects/project-${index % 11}`,
      files: program === "Edit" ? [place] : [],
      hosts: [],
    };
    const result = RESULTS[index % RESULTS.length];
    kept.note(
      {
        decision_id: randomUUID(),
        outcome: "allowed",
        stage: "policy",
        reason: "",
        explain: { rule: "policy.grant-allows" },
        verdict: null,
        capabilities: [{ capability: "fs:read", target: "" }],
        ...result,
      },
      pretended(
        line,
        index % 1000 === 0 ? "seldom" : `agent-${index % 3}`,
        factOf(number % Math.ceil(distinct / CALLS_OF_A_FACT)),
      ),
    );
    if (index % IN_A_TURN === 0) kept.flush();
  }
  kept.close();
  const { user, system } = process.cpuUsage(began);
  db.close();
  return (user + system) / calls;
}

function rssMiB(gate: GateProcess): number {
  const [, resident = "0"] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${gate.child.pid}/status`, "utf8")) ?? [];
  return Number(resident) / 1024;
}

const SEARCHES: readonly (readonly [what: string, params: OperatorParams<"activity.list">])[] = [
  ["a line that is there once", { text: RARE }],
  ["a word that many have", { text: "vitest" }],
  ["words that nothing has together", { text: "vitest commit" }],
  ["a word that is nowhere", { text: "zzyzx" }],
  ["two letters", { text: "a-" }],
  ["an agent that is seldom there", { agent: "seldom", text: "part-96" }],
  [
    "what was denied in a week, a month ago",
    { result: "denied", until: new Date(Date.now() - 29 * DAY_MS).toISOString() },
  ],
];

/** One gate with so many lines, one with few: both look for the same things. */
async function million(what: string, distinct: number): Promise<Figure[]> {
  const homes: BenchHome[] = [benchHome([]), benchHome([])];
  const gates: GateProcess[] = [];
  try {
    const [full, few] = homes as [BenchHome, BenchHome];
    const lineUs = fill(full.paths.lines_db, CALLS, distinct);
    fill(few.paths.lines_db, FEW, FEW);
    const bytes = statSync(full.paths.lines_db).size;
    const looked = async (home: BenchHome) => {
      // Each as long after its start: a gate that waits meanwhile gives memory back.
      const gate = await startGate(home);
      gates.push(gate);
      return lookedThrough(home, gate);
    };
    const { times, mib, tried } = await looked(full);
    const more = mib - (await looked(few)).mib;
    const asked = (name: string, limit: number) => {
      const { ms, cpuMs } = times.get(name) as Took;
      return figure(`${name} (${what})`, cpuMs, "ms", limit, `of a processor; ${ms.toFixed(0)} ms by the clock`);
    };
    return [
      figure(`1,000,000 lines (${what})`, bytes / 1e6, "MB", MAX_BYTES / 1e6, `${lineUs.toFixed(1)} us each to write`),
      asked("first screen", MAX_FIRST_MS),
      ...SEARCHES.map(([name]) => asked(name, MAX_SEARCH_MS)),
      ...[UNCHANGED, STRICTER].map((name) => asked(name, MAX_TRY_MS)),
      figure(
        `another call meanwhile (${what})`,
        times.get("longest wait")?.ms ?? 0,
        "ms",
        null,
        "the longest answer to a status",
      ),
      figure(
        `memory beside a gate with ${FEW} lines (${what})`,
        more,
        "MiB",
        MAX_MIB,
        `${mib.toFixed(0)} MiB after all searches`,
      ),
      figure(
        `memory that policy try adds (${what})`,
        tried,
        "MiB",
        MAX_TRY_MIB,
        `${(distinct / CALLS_OF_A_FACT).toFixed(0)} facts, 12 times`,
      ),
    ];
  } finally {
    for (const gate of gates) await gate.stop();
    for (const home of homes) home.remove();
  }
}

interface Took {
  ms: number;
  cpuMs: number;
}

const UNCHANGED = "policy try, unchanged";
const STRICTER = "policy try, all of it stricter";
const MAX_TRY_MS = 2000;
/** Of the youngest objects mostly, which are given back. */
const MAX_TRY_MIB = 32;
/** Lines that have the same facts, of those that differ. */
const CALLS_OF_A_FACT = 20;
const NO_READING = "[[profile]]\nagent_kind = 'generic'\n[profile.Full]\n'fs:read' = 'denied'\n";
const ROUNDS = 5;
const FEW = 2000;
const WARM_UP_CALLS = 300;

async function lookedThrough(
  { paths }: BenchHome,
  gate: GateProcess,
): Promise<{ times: Map<string, Took>; mib: number; tried: number }> {
  const operator = await OperatorClient.connect(paths.operator_socket, paths.operatorToken);
  const other = await OperatorClient.connect(paths.operator_socket, paths.operatorToken);
  const times = new Map<string, Took>();
  let longest = 0;
  const ask = async <M extends OperatorMethod>(method: M, params: OperatorParams<M>) => operator.call(method, params);
  const timed = async (name: string, act: () => Promise<unknown>) => {
    const all: Took[] = [];
    for (let round = 0; round <= ROUNDS; round++) {
      const [began, cpu] = [performance.now(), processorTime(gate.child.pid)];
      await act();
      if (round > 0) all.push({ ms: performance.now() - began, cpuMs: (processorTime(gate.child.pid) - cpu) / 1000 });
    }
    times.set(name, { ms: median(all.map(({ ms }) => ms)), cpuMs: median(all.map(({ cpuMs }) => cpuMs)) });
  };
  try {
    // What a gate takes for messages alone.
    for (let index = 0; index < WARM_UP_CALLS; index++) await ask("activity.list", { limit: 100 });
    await timed("first screen", () => Promise.all([ask("activity.today", {}), ask("activity.list", { limit: 100 })]));
    for (const [name, params] of SEARCHES) await timed(name, () => ask("activity.list", { ...params, limit: 100 }));
    const mib = rssMiB(gate);
    const isTried = async (params: OperatorParams<"policy.try">, expected: Partial<PolicyTry>) => {
      const { calls, ...tried } = await operator.call("policy.try", params);
      for (const [name, count] of Object.entries(expected))
        if (tried[name as "same"] !== count) throw new Error(`${name} of ${calls} calls: ${JSON.stringify(tried)}`);
    };
    await timed(UNCHANGED, () => isTried({ text: "" }, { asked: 0, denied: 0, looser: 0, unknown: 0 }));
    await timed(STRICTER, () => isTried({ text: NO_READING, limit: 100 }, { same: 0, looser: 0, unknown: 0 }));
    const tried = rssMiB(gate) - mib;
    const looking = [
      ...SEARCHES.map(
        ([, params]) =>
          () =>
            ask("activity.list", { ...params, limit: 100 }),
      ),
      () => ask("policy.try", { text: NO_READING, limit: 100 }),
    ];
    for (const look of looking) {
      const search = look();
      let isDone = false;
      void search.then(() => {
        isDone = true;
      });
      while (!isDone) {
        const began = performance.now();
        await other.call("status", {});
        longest = Math.max(longest, performance.now() - began);
      }
    }
    times.set("longest wait", { ms: longest, cpuMs: 0 });
    return { times, mib, tried };
  } finally {
    await operator.close();
    await other.close();
  }
}

const WARM_UP_ROUNDS = 10;
const SHARE_ROUNDS = 30;

/** What keeping the lines of a session's calls takes, against all that a gate does for these calls. */
async function lineShare(): Promise<Figure> {
  const lineUs = inSessionHome((session) => {
    const { home, cwd, paths } = session;
    const settings = sessionSettings(session);
    const agent = { agent_id: "a", name: "bench", paired_at: "", last_seen_at: null, revoked_at: null };
    const subject: Subject = {
      agent: { ...agent, level: "Full" },
      level: "Full",
      principal: { channel: "local", sender_id: "ada" },
    };
    const catalog = new ExecutorCatalog();
    const examined = sessionCalls(cwd).map((call) => examineCall(call, subject, catalog, settings));
    const db = openDatabase(paths.lines_db, KEPT_CALLS_SCHEMA);
    const lines = new CallLines({ home, keep: "line", path: process.env.PATH ?? "" });
    const failed = (_what: string, error: unknown) => {
      throw error;
    };
    const facts = new CallFacts(home, lines);
    const kept = new KeptCalls(db, { keep: "line", days: DAYS, now: Date.now, lines, facts, withoutSecrets, failed });
    let began = process.cpuUsage();
    for (let round = 0; round < WARM_UP_ROUNDS + SHARE_ROUNDS; round++) {
      if (round === WARM_UP_ROUNDS) began = process.cpuUsage();
      // Written as a gate writes them that is asked without a pause: a thousand at once, in about a second.
      for (const one of examined) kept.note(decisionOf(one), one.x);
    }
    kept.flush();
    const { user, system } = process.cpuUsage(began);
    kept.close();
    db.close();
    return (user + system) / (SHARE_ROUNDS * examined.length);
  });
  const callUs = await callTime();
  return figure(
    "a line's share of a call",
    (100 * lineUs) / callUs,
    "%",
    MAX_SHARE,
    `${lineUs.toFixed(1)} us of ${callUs.toFixed(0)} us of a processor: a coding session's calls over the socket`,
  );
}

/** Commands, and as many reads and edits. */
function sessionCalls(cwd: string): ProposedCall[] {
  return CODING_COMMANDS.flatMap((text, index) => {
    const command = text.replaceAll("~/project", cwd).replaceAll("/home/ada/project", cwd);
    const filePath = join(cwd, `src/file-${index % 40}.ts`);
    const context = { cwd };
    return [
      { intent: "", executor: "Bash", args: { command }, context },
      index % 2 === 0
        ? { intent: "", executor: "Read", args: { file_path: filePath }, context }
        : { intent: "", executor: "Edit", args: { file_path: filePath, old_string: "a", new_string: "b" }, context },
    ];
  });
}

/** Microseconds of a processor that a gate takes for one of these calls, whatever comes of it. */
async function callTime(): Promise<number> {
  const home = benchHome([]);
  const folder = mkdtempSync(join(tmpdir(), "metnos-session-"));
  const gate = await startGate(home);
  try {
    const operator = await OperatorClient.connect(home.paths.operator_socket, home.paths.operatorToken);
    await operator.call("agents.level", { name: "bench", level: "Full" });
    await operator.close();
    const client = await greeted(home.paths.agent_socket, home.token);
    const calls = sessionCalls(folder).filter(({ args }) => !/rm -rf|--force/.test(String(args.command)));
    let began = 0;
    let count = 0;
    for (let round = 0; round < 12; round++) {
      if (round === 4) [began, count] = [processorTime(gate.child.pid), 0];
      for (const [index, call] of calls.entries()) {
        await client.ask({ type: "tool.call", data: { id: `s${round}-${index}`, ...call } });
        count++;
      }
    }
    const us = (processorTime(gate.child.pid) - began) / count;
    client.close();
    return us;
  } finally {
    await gate.stop();
    home.remove();
    removeFolder(folder);
  }
}
