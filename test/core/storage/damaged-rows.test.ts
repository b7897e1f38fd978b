import { readFileSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { monthFile } from "../../../main/records/audit/chain.ts";
import { tokenOf } from "../../support/agent-connection.ts";
import { type GateUnderTest, startGate } from "../../support/running-gate.ts";

const write = (path: string) => ({ executor: "fs_write", args: { path, content: "" } });
const NOW = { executor: "time_now", args: {} };

function execute(file: string, sql: string, ...values: unknown[]): void {
  const db = new Sqlite(file);
  const { changes } = db.prepare(sql).run(...values);
  db.close();
  expect(changes).toBe(1);
}

async function restarted(gate: GateUnderTest): Promise<GateUnderTest> {
  await gate.close();
  return startGate({ home: gate.home });
}

const alarmsOf = async (gate: GateUnderTest) => (await gate.operator.call("status", {})).alarms;

describe("an agent whose row can't be read", () => {
  async function damagedAgent(sql: string): Promise<GateUnderTest> {
    const gate = await startGate();
    await gate.agent("broken");
    await gate.agent("whole");
    await gate.close();
    execute(gate.paths.agents_db, `${sql} WHERE name = 'broken'`);
    return restarted(gate);
  }

  it("is not let in and is named, with what to do; the others continue", async () => {
    const gate = await damagedAgent("UPDATE agents SET level = 'Root'");
    expect((await (await gate.agent("whole")).ask(NOW)).decision.outcome).toBe("allowed");
    const connection = await gate.connect();
    expect(await connection.hello("broken", { token: gate.token("broken") })).toMatchObject({
      type: "error",
      data: { code: "agent_unreadable" },
    });
    expect(await connection.hello("broken")).toMatchObject({ type: "error", data: { code: "agent_unreadable" } });
    expect(await alarmsOf(gate)).toMatchObject([
      {
        code: "database_unusable",
        message: `agent broken can't be read in the agents database ${gate.paths.agents_db}; the others can`,
        hint: expect.stringContaining("metnos-gate agents level broken ReadOnly"),
      },
    ]);
    const { agents, unreadable } = await gate.operator.call("agents.list", {});
    expect([agents.map(({ name }) => name), unreadable]).toEqual([["whole"], ["broken"]]);
    for (const name of ["broken", "Broken"])
      await expect(gate.operator.call("agents.pair", { name, level: "Full" })).rejects.toMatchObject({
        code: "already_paired",
      });
  });

  it("is itself again once its level is set, if that was all", async () => {
    const gate = await damagedAgent("UPDATE agents SET level = 'Root'");
    await gate.operator.call("agents.level", { name: "broken", level: "Supervised" });
    expect(await alarmsOf(gate)).toEqual([]);
    expect((await (await gate.agent("broken")).ask(NOW)).decision.outcome).toBe("allowed");
  });

  it("can be revoked and paired again, whatever is damaged", async () => {
    const gate = await damagedAgent("UPDATE agents SET token_hash = 'short', paired_at = x'ff'");
    await expect(gate.operator.call("agents.level", { name: "broken", level: "Full" })).rejects.toMatchObject({
      code: "agent_unreadable",
    });
    expect((await gate.operator.call("agents.revoke", { name: "broken" })).revoked_at).not.toBeNull();
    expect(await alarmsOf(gate)).toEqual([]);
    expect((await (await gate.agent("broken")).ask(NOW)).decision.outcome).toBe("allowed");
    const again = await restarted(gate);
    expect((await (await again.agent("broken")).ask(NOW)).decision.outcome).toBe("allowed");
  });
});

describe("a request that can't be read", () => {
  it.each([
    ["its grants", "granted = 'not json'"],
    ["its grants' form", `granted = '[{"capability":"fs:everything","target":7}]'`],
    ["what it is about", "request_extra = '{\"choices\":7}'"],
    ["all of that", "request_extra = NULL"],
    ["its deadline", "expires_at = 'zzzz'"],
  ])("%s: the others are listed, it can be denied and never approved", async (_, damage) => {
    const gate = await startGate();
    const agent = await gate.agent();
    const broken = tokenOf((await agent.ask(write("/srv/broken.txt"))).decision);
    const whole = await agent.ask(write("/srv/whole.txt"));
    const token = tokenOf(whole.decision);
    execute(gate.paths.approvals_db, `UPDATE pending SET ${damage} WHERE token = ?`, broken);
    const listed = await gate.operator.call("approvals.list", { order: "deadline" });
    expect(listed.map((request) => request.token).sort()).toEqual([broken, token].sort());
    expect(listed.find((request) => request.token === broken)).toMatchObject({
      target_summary: "this request can't be read any more: it can only be denied",
      args: null,
      choices: [],
    });
    expect(await alarmsOf(gate)).toMatchObject([{ hint: `deny it: metnos-gate approvals reject ${broken}` }]);
    for (const answer of [{}, { scope: "permanent" }] as const)
      await expect(
        gate.operator.call("approvals.resolve", { token: broken, decision: "approved", ...answer }),
      ).rejects.toMatchObject({ code: expect.stringMatching(/request_damaged|only_once/) });
    await gate.operator.call("grants.add", { capability: "fs:write", target: "/srv/broken.txt" });
    expect(await gate.request(broken)).toMatchObject({ status: "pending" });
    expect(await gate.operator.call("approvals.resolve", { token, decision: "approved" })).toMatchObject({
      status: "approved",
    });
    expect((await whole.final()).outcome).toBe("allowed");
    await gate.operator.call("approvals.resolve", { token: broken, decision: "rejected" });
    expect(await alarmsOf(gate)).toEqual([]);
    expect((await gate.operator.call("approvals.history", {})).total).toBe(2);
  });

  it("is worth no call although it says approved, and grants nothing at the next start", async () => {
    const gate = await startGate();
    const asked = await (await gate.agent()).ask(write("/srv/a.txt"));
    const token = tokenOf(asked.decision);
    await gate.close();
    execute(
      gate.paths.approvals_db,
      `UPDATE pending SET status = 'approved', territory_concession = 'permanent', granted = 'x', decision_at = created_at,
         decision_by_channel = channel, decision_by_sender = sender_id WHERE token = ?`,
      token,
    );
    const again = await restarted(gate);
    expect(await again.operator.call("grants.list", {})).toEqual([]);
    expect(await alarmsOf(again)).toMatchObject([{ message: expect.stringContaining(token) }]);
    expect((await (await again.agent()).ask(write("/srv/a.txt"))).decision.outcome).toBe("approval_required");
  });
});

describe("a grant that can't be read", () => {
  it.each([
    ["its capability", "capability = 'fs:everything'", 1],
    ["its end", "expires_at = 'zzzz'", 0],
    ["its target", "target = x'ff', target_real = x'ff'", 0],
  ])("%s: it counts for nothing, the others remain, and it can be revoked", async (_, damage) => {
    const gate = await startGate();
    const agent = await gate.agent();
    const target = "/srv/docs/*";
    const broken = await gate.operator.call("grants.add", { capability: "fs:write", target });
    execute(gate.paths.grants_db, `UPDATE grants SET ${damage} WHERE id = ?`, broken.id);
    const covered = write("/srv/docs/a.txt");
    expect((await agent.ask(covered)).decision.outcome).toBe("approval_required");
    const whole = await gate.operator.call("grants.add", { capability: "fs:write", target });
    expect((await agent.ask(covered)).decision.outcome).toBe("allowed");
    expect((await gate.operator.call("grants.list", {})).map(({ id }) => id)).toEqual([whole.id]);
    expect((await gate.operator.call("grants.search", {})).grants.map(({ id }) => id)).toEqual([whole.id]);
    expect(await alarmsOf(gate)).toMatchObject([
      { message: expect.stringContaining(`grant ${broken.id} can't be read in the grants database`) },
    ]);
    expect(await gate.operator.call("grants.revoke", { id: broken.id })).toEqual({ revoked: true });
    expect(await alarmsOf(gate)).toEqual([]);
  });
});

describe("in the safety database", () => {
  it("a pause that can't be read is a pause, until the operator ends it", async () => {
    const gate = await startGate();
    await gate.agent();
    await gate.operator.call("safety.pause", { for_seconds: 60 });
    await gate.close();
    execute(gate.paths.safety_db, "UPDATE pause SET until = 'soon', clears = 'by itself'");
    const again = await restarted(gate);
    expect((await again.operator.call("safety.status", {})).pause).toMatchObject({
      is_paused: true,
      reason: "the stored pause can't be read",
      until: null,
      clears: "by_human",
    });
    expect((await (await again.agent()).ask(NOW)).decision).toMatchObject({ outcome: "denied", stage: "safety" });
    expect(await alarmsOf(again)).toMatchObject([{ hint: expect.stringContaining("safety resume") }]);
    await again.operator.call("safety.resume", {});
    expect(await alarmsOf(again)).toEqual([]);
    const trail = readFileSync(join(again.paths.auditDir, monthFile(Date.now())), "utf8");
    expect(trail).toMatch(/"event":"resumed"/);
  });

  it("a violation that can't be read hides no other", async () => {
    const gate = await startGate();
    for (const subjectId of ["one", "two"])
      gate.gate.core.safety.violations.add(
        {
          rule_id: "SR-1",
          severity: "WARN",
          subject_type: "goal",
          subject_id: subjectId,
          agent_name: "a",
          detail: "d",
        },
        true,
      );
    execute(gate.paths.safety_db, "UPDATE violations SET severity = 'LOUD' WHERE subject_id = 'one'");
    expect(await gate.operator.call("safety.violations", {})).toMatchObject([{ subject_id: "two" }]);
    expect(await alarmsOf(gate)).toMatchObject([{ message: expect.stringContaining("violation 1 can't be read") }]);
  });
});
