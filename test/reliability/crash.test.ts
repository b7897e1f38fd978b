import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { type GatePaths, gatePaths } from "../../ipc/base/paths.ts";
import type { Decision } from "../../ipc/contract/decision.ts";
import type { OperatorApi } from "../../ipc/contract/operator-api.ts";
import { MONTH_FILE } from "../../main/records/audit/chain.ts";
import { checkSnapshot } from "../../reliability/crash/check.ts";
import { checkFeatures } from "../../reliability/crash/check-features.ts";
import { crash } from "../../reliability/crash/crash.ts";
import { checkDatabases } from "../../reliability/crash/databases.ts";
import { checkDecision, expectationOf } from "../../reliability/crash/expectation.ts";
import { type DrivenCall, Ledger } from "../../reliability/crash/ledger.ts";
import { compareReceipts } from "../../reliability/crash/receipts.ts";
import type { Snapshot } from "../../reliability/crash/snapshot.ts";
import { JUDGED_A_DAY, MAILS, PRICE } from "../../reliability/crash/stand-ins.ts";
import { tempFolder, tempFolderForFile } from "../support/temp-folder.ts";
import { IS_WHOLE_RUN } from "../support/whole-run.ts";

/** A second each where the machine does nothing else: `npm run crash` does 2,000. */
const ROUNDS = IS_WHOLE_RUN ? 60 : 15;
const AT_ONCE = 15;
/** On a machine that does much else a gate acknowledges little before it is killed: so many until it did each act once. */
const MOST_ROUNDS = 60;
const ACTS = [
  "agents' pauses",
  "agents' resumes",
  "answers",
  "denials by phone",
  "grants",
  "pairings",
  "pauses",
  "pauses by a violation",
  // Without a compiler there is no disk that fails.
  ...(existsSync("/usr/bin/cc") ? ["pauses kept in the file"] : []),
  "pins",
  "priced calls",
  "resumes",
  "reviews",
  "revocations",
  "settings",
  "unpairings",
  "verdicts",
];
const ROOT = tempFolderForFile();
/** Half a minute where the machine does nothing else. */
const LONGEST_MS = 300_000;
const RUNNING = {
  is_paused: false,
  by: null,
  reason: null,
  since: null,
  until: null,
  clears: "by_human",
  cause: null,
} as const;
const NOTHING: Snapshot = {
  pause: RUNNING,
  grants: [],
  requests: [],
  agents: [],
  settings: [],
  trail: { ok: true, files: 0, lines: 0, problems: [] },
};
const PAIRED = {
  agent_id: "agent-1",
  name: "ada",
  level: "Supervised",
  paired_at: "2026-01-01T00:00:00Z",
  last_seen_at: null,
  revoked_at: null,
  is_connected: false,
  calls_today: 0,
  paused: null,
} as const;
const ALLOWED: Decision = {
  decision_id: "d-1",
  outcome: "allowed",
  stage: "policy",
  reason: "a test",
  explain: {},
  verdict: null,
  capabilities: [],
};
const CLOCK: DrivenCall = { executor: "time_now", args: {}, about: "clock" };
const WRITE: DrivenCall = { executor: "fs_write", args: { path: "/srv/a.txt" }, about: "write" };

function someGatePaths(): GatePaths {
  return gatePaths({ HOME: tempFolder() });
}

function violationsOf(ledger: Ledger, snapshot: Partial<Snapshot>): string[] {
  checkSnapshot(ledger, { ...NOTHING, ...snapshot }, someGatePaths());
  return ledger.violations.map(({ kind }) => kind);
}

function pairedIn(ledger: Ledger) {
  const agent = ledger.agent("ada");
  agent.agent_id = "agent-1";
  agent.fact.done("paired");
  return agent;
}

/** A gate is killed under load, its files are damaged, and the next one is checked. Gives what the check found. */
async function foundAfter(tamper: (paths: GatePaths) => void): Promise<string[]> {
  const isLoaded = ({ acknowledged, receivedCount }: Ledger) =>
    receivedCount >= 50 && (acknowledged.get("grants") ?? 0) >= 5;
  const moment = () => ({ kind: "loaded", isLoaded }) as const;
  const report = await crash({ rounds: 1, seed: 7, root: ROOT, moment, tamper });
  return report.violations.map(({ kind }) => kind);
}

function monthOf(folder: string): string {
  return join(folder, readdirSync(folder).find((name) => MONTH_FILE.test(name)) ?? "");
}

function execute(file: string, sql: string): void {
  const db = new Database(file);
  db.exec(sql);
  db.close();
}

describe("a gate that is killed with SIGKILL under load", () => {
  it(
    "loses nothing that it acknowledged, invents nothing, has every decision that it sent in its trail, and one receipt for each answer",
    async () => {
      const seen = new Set<string>();
      for (let done = 0; done < ROUNDS || (done < MOST_ROUNDS && ACTS.some((act) => !seen.has(act))); done += AT_ONCE) {
        const report = await crash({ rounds: AT_ONCE, root: ROOT, seed: Date.now() % 0x7fff_ffff });
        expect(report.violations, `seed ${report.seed}`).toEqual([]);
        expect(report.decisionsReceived).toBeGreaterThan(AT_ONCE);
        for (const act of report.acknowledged.keys()) seen.add(act);
      }
      expect(ACTS.filter((act) => !seen.has(act))).toEqual([]);
    },
    LONGEST_MS,
  );
});

describe("the check of what a killed gate left", { timeout: LONGEST_MS }, () => {
  it("reports a database's log that was removed", async () => {
    const found = await foundAfter(({ grants_db, approvals_db }) => {
      for (const file of [grants_db, approvals_db]) rmSync(`${file}-wal`);
    });
    expect(found.length).toBeGreaterThan(0);
    expect(["lost", "no_start"]).toContain(found[0]);
  });

  it("reports a decision whose line was taken out of the trail", async () => {
    const found = await foundAfter(({ auditDir }) => {
      const file = monthOf(auditDir);
      const lines = readFileSync(file, "utf8").split("\n");
      const index = lines.findIndex((line) => line.includes('"event":"decision"'));
      writeFileSync(file, lines.toSpliced(index, 1).join("\n"));
    });
    expect(found).toEqual(expect.arrayContaining(["not_in_trail", "trail_broken"]));
  });

  it("reports a grant that is missing, and one that was never given", async () => {
    const found = await foundAfter(({ grants_db }) => {
      execute(grants_db, "UPDATE grants SET target = '/srv/other-' || id || '/**'");
    });
    expect(found).toEqual(expect.arrayContaining(["invented", "lost"]));
  });

  it("reports a pairing that is missing", async () => {
    const found = await foundAfter(({ agents_db }) => {
      execute(agents_db, "UPDATE agents SET revoked_at = paired_at WHERE name = 'worker-1'");
    });
    expect(found).toContain("lost");
  });

  it("reports a pause that is missing, and accepts either for one that was not acknowledged", () => {
    const ledger = new Ledger();
    ledger.pause.done("paused");
    expect(violationsOf(ledger, {})).toEqual(["lost"]);
    for (const isPaused of [false, true]) {
      const unsure = new Ledger();
      unsure.pause.begin("paused");
      expect(violationsOf(unsure, { pause: { ...RUNNING, is_paused: isPaused } })).toEqual([]);
    }
  });

  it("reports a pause of one agent that is missing", () => {
    const ledger = new Ledger();
    const agent = pairedIn(ledger);
    agent.token = "t";
    agent.paused.done(true);
    expect(violationsOf(ledger, { agents: [{ ...PAIRED, paused: null }] })).toContain("lost");
  });

  it("reports what agents know and is missing: priced calls, verdicts, pins, budgets", async () => {
    const ledger = new Ledger();
    const { features } = ledger;
    Object.assign(features.priced, { allowed: 3, unanswered: 1, day: new Date().toDateString() });
    Object.assign(features.mails, { allowed: 2 * MAILS.capacity, since: performance.now() });
    features.violations.add("g-1");
    features.tool("get_issue").done(1);
    const spent = { agent_id: "a", agent_name: "a", amount: 2 * PRICE, currency: "USD", calls: 2 };
    const answers: Record<string, unknown> = { "costs.today": [spent], "safety.violations": [], "mcp.tools": [] };
    const operator = { call: async (method: string) => answers[method] } as unknown as OperatorApi;
    await checkFeatures(ledger, operator, { model: { requests: Array(JUDGED_A_DAY + 1) }, project: "" });
    expect(ledger.violations.map(({ kind }) => kind)).toEqual([
      "lost",
      "budget_given_back",
      "budget_given_back",
      "lost",
      "lost",
    ]);
    answers["costs.today"] = [{ ...spent, amount: 5 * PRICE, calls: 5 }];
    Object.assign(features.priced, { allowed: 3, unanswered: 1 });
    await checkFeatures(ledger, operator, { model: { requests: [] }, project: "" });
    expect(ledger.violations.map(({ what }) => what)).toContain("5 priced calls are counted, and 4 were sent");
  });

  it("reports a request that is missing", () => {
    const ledger = new Ledger();
    ledger.waits("0123456789abcdef", pairedIn(new Ledger()), WRITE, true);
    expect(violationsOf(ledger, {})).toEqual(["lost"]);
  });

  it("reports a pairing that has no token", () => {
    const ledger = new Ledger();
    ledger.agent("ada").fact.begin("paired");
    expect(violationsOf(ledger, { agents: [PAIRED] })).toEqual(["half_done"]);
  });

  it("reports what was allowed after an acknowledged pause, and nothing where it ended meanwhile", () => {
    const ledger = new Ledger();
    const agent = pairedIn(ledger);
    ledger.pause.done("paused");
    const expectation = expectationOf(ledger, agent, CLOCK);
    if (expectation === undefined) throw new Error("a paused gate denies");
    checkDecision(ledger, agent, expectation, ALLOWED);
    expect(ledger.violations.map(({ kind }) => kind)).toEqual(["wrong_decision"]);
    ledger.pause.begin("running");
    checkDecision(ledger, agent, expectation, ALLOWED);
    expect(ledger.violations).toHaveLength(1);
  });

  it("reports what was allowed under a grant whose revocation was acknowledged", () => {
    const ledger = new Ledger();
    const agent = pairedIn(ledger);
    const grant = ledger.grant("/srv/**", undefined);
    grant.fact.done("revoked");
    const expectation = expectationOf(ledger, agent, { ...WRITE, grant });
    if (expectation === undefined) throw new Error("a revoked grant allows nothing");
    checkDecision(ledger, agent, expectation, ALLOWED);
    expect(ledger.violations.map(({ kind }) => kind)).toEqual(["wrong_decision"]);
  });

  it("reports a second call that is allowed by one answer", () => {
    const ledger = new Ledger();
    const agent = pairedIn(ledger);
    ledger.waits("0123456789abcdef", agent, WRITE, true).answered = "approved";
    ledger.spend(agent, WRITE);
    expect(ledger.violations).toEqual([]);
    ledger.spend(agent, WRITE);
    expect(ledger.violations.map(({ kind }) => kind)).toEqual(["answer_worth_more"]);
  });

  it("reports a receipt that was changed, and one that is there twice", async () => {
    const found = await foundAfter(({ receiptsDir }) => {
      const file = monthOf(receiptsDir);
      const [first = "", second = "", ...rest] = readFileSync(file, "utf8").split("\n");
      const changed = first.replace(/"sig":"(.)/, (_all, one: string) => `"sig":"${one === "A" ? "B" : "A"}`);
      writeFileSync(file, [changed, second, second, ...rest].join("\n"));
    });
    expect(found).toEqual(expect.arrayContaining(["receipt_wrong", "receipt_twice"]));
  });

  it("reports an answer that has no receipt, and a receipt of what nobody answered", () => {
    const ledger = new Ledger();
    compareReceipts(ledger, ["answer:a", "grant:1:given"], new Map([["answer:a", 1]]));
    expect(ledger.violations.map(({ kind }) => kind)).toEqual(["receipt_missing"]);
    compareReceipts(ledger, [], new Map([["answer:b", 1]]));
    expect(ledger.violations.map(({ kind }) => kind)).toEqual(["receipt_missing", "invented"]);
  });

  it("reports a trail that was begun anew with all that the gate knew of it: the kept checkpoints say so", async () => {
    const found = await foundAfter(({ auditDir, auditHead, checkpointRecord, checkpointsDir }) => {
      for (const path of [monthOf(auditDir), auditHead, checkpointRecord, checkpointsDir])
        rmSync(path, { recursive: true });
    });
    expect(found).toContain("checkpoint_broken");
  });

  it("reports a database that SQLite calls damaged", () => {
    const paths = someGatePaths();
    mkdirSync(dirname(paths.grants_db), { recursive: true });
    writeFileSync(paths.grants_db, Buffer.alloc(8192, 7));
    const ledger = new Ledger();
    checkDatabases(ledger, paths);
    expect(ledger.violations.map(({ kind }) => kind)).toEqual(["database_broken"]);
  });
});
