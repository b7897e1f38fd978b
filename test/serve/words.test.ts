import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import fc from "fast-check";
import { afterEach, expect, it, vi } from "vitest";
import type { Decision } from "../../ipc/contract/decision.ts";
import { tokenOf } from "../support/agent-connection.ts";
import { startGate } from "../support/running-gate.ts";

/** The gate's words for agents and operators pass this on their way out of the modules that hold them. */
const words = vi.hoisted(() => {
  const state = { changed: (text: string) => text, count: 0 };
  const said = (text: string): string => {
    state.count++;
    return state.changed(text);
  };
  /** Every text of a record, or of what a function returns, however deep. */
  const saidIn = <T>(value: T, except: readonly string[] = []): T => {
    if (typeof value === "string") return said(value) as T;
    if (Array.isArray(value)) return value.map((one) => saidIn(one, except)) as T;
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [key, except.includes(key) ? one : saidIn(one, except)]),
    ) as T;
  };
  return { state, said, saidIn };
});

vi.mock("../../main/decide/stages/examination.ts", async (original) => {
  const real = await original<typeof import("../../main/decide/stages/examination.ts")>();
  return {
    ...real,
    passed: (x, stage, detail) => real.passed(x, stage, words.said(detail)),
    denied: (x, stage, reason, explain, found) =>
      real.denied(x, stage, words.said(reason), words.saidIn(explain, ["rule"]), found),
  } satisfies typeof real;
});
vi.mock("../../main/decide/stages/policy.ts", async (original) => {
  const real = await original<typeof import("../../main/decide/stages/policy.ts")>();
  return {
    ...real,
    policy: (x) => {
      const found = real.policy(x);
      return "stage" in found ? found : { ...found, reason: words.said(found.reason) };
    },
  } satisfies typeof real;
});
vi.mock("../../main/decide/guard/guard.ts", async (original) => {
  const real = await original<typeof import("../../main/decide/guard/guard.ts")>();
  return { ...real, guard: (...asked) => words.saidIn(real.guard(...asked), ["rule"]) } satisfies typeof real;
});
vi.mock("../../main/decide/guard/shell/finding.ts", async (original) => {
  const real = await original<typeof import("../../main/decide/guard/shell/finding.ts")>();
  return {
    finding: (rule, description, instead, ...where) =>
      real.finding(rule, words.said(description), words.said(instead), ...where),
  } satisfies typeof real;
});
vi.mock("../../main/decide/places/protected-paths.ts", async (original) => {
  const real = await original<typeof import("../../main/decide/places/protected-paths.ts")>();
  return { ...real, protectedPath: (...asked) => words.saidIn(real.protectedPath(...asked)) } satisfies typeof real;
});
vi.mock("../../packages/shell-reading/targets/secret-files.ts", async (original) => {
  const real = await original<typeof import("../../packages/shell-reading/targets/secret-files.ts")>();
  return { ...real, askedEachTime: (...asked) => words.saidIn(real.askedEachTime(...asked)) } satisfies typeof real;
});
vi.mock("../../main/decide/judge/verdicts.ts", async (original) => {
  const real = await original<typeof import("../../main/decide/judge/verdicts.ts")>();
  return {
    ...real,
    judgeVerdict: (...asked) => ({ ...real.judgeVerdict(...asked), reason: words.said("") }),
  } satisfies typeof real;
});
vi.mock("../../main/calls/approvals/refusal.ts", async (original) => {
  const real = await original<typeof import("../../main/calls/approvals/refusal.ts")>();
  return {
    refusalOf: (...asked) => words.saidIn(real.refusalOf(...asked), ["rule"]),
    approvalOf: (ended) => words.saidIn(real.approvalOf(ended), ["rule"]),
  } satisfies typeof real;
});
vi.mock("../../main/calls/approvals/card.ts", async (original) => {
  const real = await original<typeof import("../../main/calls/approvals/card.ts")>();
  return {
    ...real,
    linkLines: (...asked) => words.saidIn(real.linkLines(...asked)),
    renderApprovalCard: (...asked) => words.saidIn(real.renderApprovalCard(...asked), ["form", "data"]),
  } satisfies typeof real;
});
vi.mock("../../main/calls/approvals/question.ts", async (original) => {
  const real = await original<typeof import("../../main/calls/approvals/question.ts")>();
  return {
    ...real,
    questionFor: (...asked) => {
      const question = real.questionFor(...asked);
      return { ...question, action_verb: words.said(question.action_verb) };
    },
  } satisfies typeof real;
});
vi.mock("../../main/calls/approvals/choices.ts", async (original) => {
  const real = await original<typeof import("../../main/calls/approvals/choices.ts")>();
  return {
    ...real,
    shownChoice: (...asked) => {
      const { excludes, ...choice } = real.shownChoice(...asked);
      return excludes === undefined ? choice : { ...choice, excludes: words.said(excludes) };
    },
  } satisfies typeof real;
});

afterEach(() => {
  words.state.changed = (text) => text;
});

/** What is a sentence, an id made at random, a time, or a hash over any of them. */
const NOT_COMPARED = new Set([
  ...["reason", "detail", "matched", "instead", "action_verb", "verb", "card"],
  ...["decision_id", "token", "agent_id", "agent", "session", "call_hash", "share_key", "prev", "seq"],
  ...[
    "ts",
    "created_at",
    "expires_at",
    "decision_at",
    "granted_at",
    "last_used_at",
    "delivered_at",
    "grants_written_at",
  ],
  ...["boot_expires_at", "grant_expires_at", "granted_by"],
]);

function comparable(value: unknown, home: string): unknown {
  if (typeof value === "string") return value.replaceAll(home, "~");
  if (Array.isArray(value)) return value.map((one) => comparable(one, home));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !NOT_COMPARED.has(key))
      .map(([key, one]) => [key, comparable(one, home)]),
  );
}

/** A session of an agent and its operator: what was decided, and what is stored after it. */
async function session(changed: (text: string) => string) {
  words.state.changed = changed;
  const gate = await startGate();
  const { home } = gate.home;
  const agent = await gate.agent("claude-code", "Supervised");
  const decisions: Decision[] = [];
  const ask = async (executor: string, args: Record<string, unknown>, answer: Record<string, unknown> = {}) => {
    const { decision, final } = await agent.ask({ executor, args, context: { cwd: `${home}/work` } });
    decisions.push(decision);
    if (decision.outcome !== "approval_required") return;
    const token = tokenOf(decision);
    await gate.operator.call("approvals.resolve", { token, decision: "approved", ...answer });
    decisions.push(await final());
  };
  const write = (name: string, answer = {}) =>
    ask("Write", { file_path: `${home}/work/${name}`, content: "x" }, answer);

  await write("a/1.txt", { scope: "session", reach: "tree" });
  await write("a/b/2.txt");
  await write("c/3.txt", { scope: "permanent", reach: "file" });
  await write(".git/hooks/pre-commit");
  await ask("Read", { file_path: `${home}/work/.env` });
  await ask("Read", { file_path: `${home}/.ssh/id_rsa` });
  await ask("Read", { file_path: `${home}/work/../work/4.txt` }, { scope: "permanent", target: "~/work/**" });
  await ask("Bash", { command: `cat ${home}/notes/1 ${home}/other/2` }, { scope: "permanent", reach: "tree" });
  await ask("Bash", { command: "cd ~/.ssh && cat id_rsa" });
  await ask("Bash", { command: 'sudo rm -rf "$HOME"' });
  await ask("Bash", { command: "pkill -f metnos-gate" });
  await ask("Bash", { command: "make" }, { decision: "rejected", message: "not now" });
  await ask("WebFetch", { url: "https://example.com/a", prompt: "x" }, { scope: "permanent", reach: "host" });
  await ask("WebFetch", { url: "https://example.com/b", prompt: "x" });
  await gate.operator.call("safety.pause", { reason: "lunch" });
  await ask("Read", { file_path: `${home}/work/a/1.txt` });
  await gate.operator.call("safety.resume", {});

  const grants = await gate.operator.call("grants.list", {});
  await gate.close();
  const db = new Sqlite(gate.paths.approvals_db, { readonly: true });
  const rows = db.prepare("SELECT * FROM pending ORDER BY rowid").all() as Record<string, unknown>[];
  db.close();
  const requests = rows.map((row) => ({
    ...row,
    request_extra: JSON.parse(String(row.request_extra)),
    granted: JSON.parse(String(row.granted)),
  }));
  const trail = readdirSync(gate.paths.auditDir)
    .filter((name) => name.endsWith(".jsonl"))
    .flatMap((name) => readFileSync(join(gate.paths.auditDir, name), "utf8").trim().split("\n"))
    .map((line) => JSON.parse(line));
  return { decisions, stored: comparable({ decisions, grants, requests, trail }, home) };
}

it("whatever the gate's words say, it decides, grants and stores the same", { timeout: 120_000 }, async () => {
  const { decisions, stored } = await session((text) => text);
  // The session has something of everything.
  expect(new Set(decisions.map(({ outcome }) => outcome))).toEqual(new Set(["allowed", "approval_required", "denied"]));
  expect(new Set(decisions.map(({ explain }) => explain.rule)).size).toBeGreaterThan(10);
  words.state.count = 0;
  await fc.assert(
    fc.asyncProperty(fc.string({ maxLength: 40 }), async (other) => {
      const changed = await session(() => other);
      expect(changed.stored).toEqual(stored);
      expect(changed.decisions.every(({ reason }) => reason === other)).toBe(true);
    }),
    { numRuns: 5, examples: [[""], ["once"], ["guard: approved: this folder and below, permanently"]] },
  );
  expect(words.state.count).toBeGreaterThan(100);
});
