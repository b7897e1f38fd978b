import { describe, expect, it } from "vitest";
import { SessionDecisions } from "../../../../main/calls/reviews/session-decisions.ts";
import { newRequest } from "../../../../main/calls/waiting-calls.ts";
import { callHash } from "../../../../main/decide/executors/canonical.ts";
import { ExecutorCatalog } from "../../../../main/decide/executors/catalog.ts";
import { decisionOf } from "../../../../main/decide/pipeline.ts";
import { CallHistory } from "../../../../main/judges/reviews/model-judge/history.ts";
import { examinationOf, PAIRED, type Situation } from "../../../support/examinations.ts";
import { freshApprovals, ROBERTO } from "../../../support/gate-stores.ts";
import { cpuMs, least } from "../../../support/measured.ts";

const WRITE: Situation = {
  executor: "fs_write",
  args: { path: "/srv/quokka/a.txt", content: "quokka" },
  session: "s1",
  level: "Supervised",
};

function kept() {
  const { registry, db } = freshApprovals();
  const decisions = new SessionDecisions(new ExecutorCatalog());
  const history = new CallHistory(registry, decisions);
  const of = (situation: Situation = WRITE) => history.of(examinationOf(situation));
  /** The user is asked about a call, and answers. */
  const answer = (decision: "approved" | "rejected" | "none", situation: Situation = WRITE, agent = PAIRED) => {
    const x = examinationOf({ ...situation, agent });
    const made = newRequest(
      x,
      agent,
      decisionOf({ x, denial: null }),
      { home: "/home/roberto", language: "en" },
      registry,
    );
    const hash = callHash(x.call.executor, x.call.args);
    const request = registry.createPending({ ...made, ttl_seconds: 600, call_hash: hash, share_key: hash });
    if (decision !== "none") registry.resolve(registry.check(request.token, ROBERTO), decision);
    return request;
  };
  return { registry, db, decisions, of, answer };
}

describe("what a judge gets to know of earlier calls", () => {
  it("is how the user answered the like of it, this very call, and its target", () => {
    const { of, answer } = kept();
    answer("approved");
    answer("approved", { ...WRITE, args: { path: "/srv/quokka/a.txt", content: "other" } });
    answer("approved", { ...WRITE, args: { path: "/srv/quokka/b.txt", content: "quokka" } });
    answer("rejected", { ...WRITE, args: { path: "/srv/quokka/c.txt", content: "quokka" } });
    answer("rejected");
    answer("approved", { ...WRITE, args: { path: "/srv/elsewhere/a.txt", content: "quokka" } });
    expect(of()).toEqual({
      last_calls: [],
      denied_in_this_turn: [],
      like_calls: { allowed: 3, denied: 2 },
      same_call: { allowed: 1, denied: 1 },
      target_touched_before: 2,
    });
  });

  it("is of this agent only, and only what the user answered", () => {
    const { of, answer, registry } = kept();
    answer("approved", WRITE, { ...PAIRED, agent_id: "agent-2" });
    answer("none");
    const covered = answer("none");
    registry.resolve(registry.check(covered.token, ROBERTO), "approved", { message: "covered by a grant" });
    const left = answer("none");
    registry.cancelPending(left.token, "gone");
    expect(of()?.like_calls).toEqual({ allowed: 0, denied: 0 });
  });

  it("is what was decided in this session, the last ten of it, and what was denied in its turn", () => {
    const { of, decisions } = kept();
    const note = (executor: string, denied: boolean) => {
      const x = examinationOf({ ...WRITE, executor });
      const denial = { stage: "guard", reason: "", explain: { rule: "guard.protected-path" } } as const;
      const decision = decisionOf(denied ? { x, denial } : { x, denial: null });
      decisions.note(decision, x.call, x.subject);
    };
    note("shell_exec", true);
    for (let count = 0; count < 9; count++) note("fs_write", false);
    expect(of()).toMatchObject({
      last_calls: ["shell_exec: denied by guard (guard.protected-path)", ...Array(9).fill("fs_write: allowed")],
      denied_in_this_turn: ["shell_exec"],
      target_touched_before: 9,
    });
    note("fs_write", false);
    expect(of()?.last_calls).toEqual(Array(10).fill("fs_write: allowed"));
    expect(of({ ...WRITE, session: "s2" })?.last_calls).toEqual([]);
  });

  it("is nothing where no agent is involved", () => {
    expect(kept().of({ ...WRITE, agent: null })).toBeNull();
  });

  it("holds no value of any call", () => {
    const { of, answer } = kept();
    answer("approved");
    answer("rejected");
    expect(JSON.stringify(of())).not.toContain("quokka");
  });

  it("takes less than 2 ms with 20,000 requests that ended, all of this kind, with room for a slow machine", async () => {
    const { db, of, answer } = kept();
    answer("approved");
    const columns = (db.pragma("table_info(pending)") as { name: string }[])
      .map(({ name }) => name)
      .filter((name) => name !== "token" && name !== "status");
    db.exec(`WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 20000)
      INSERT INTO pending (token, status, ${columns.join(", ")})
      SELECT printf('%016x', n), CASE n % 3 WHEN 0 THEN 'rejected' ELSE 'approved' END, ${columns.join(", ")}
      FROM numbers, (SELECT * FROM pending LIMIT 1)`);
    expect(of()?.like_calls).toEqual({ allowed: 100, denied: 100 });
    const plan = db
      .prepare(
        "EXPLAIN QUERY PLAN SELECT * FROM pending WHERE capability_class = ? AND agent_id = ? AND status = ? ORDER BY rowid DESC LIMIT ?",
      )
      .all("a", "b", "approved", 1) as { detail: string }[];
    expect(plan.map(({ detail }) => detail)).toEqual([expect.stringContaining("USING INDEX idx_pending_class")]);
    const middle = () =>
      Array.from({ length: 21 }, () => cpuMs(() => of()))
        .sort((a, b) => a - b)
        .at(10) ?? 0;
    const ms = await least(8, middle);
    if (process.env.PRINT_MS !== undefined) console.log(`history: ${ms.toFixed(2)} ms`);
    expect(ms).toBeLessThan(8);
  });
});
