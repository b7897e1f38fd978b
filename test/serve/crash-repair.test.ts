import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { tokenOf } from "../support/agent-connection.ts";
import { startGate } from "../support/running-gate.ts";

const WRITE = { executor: "fs_write", args: { path: "/tmp/notes/a.txt", content: "hello" } };

function execute(file: string, sql: string, ...values: unknown[]): void {
  const db = new Database(file);
  db.prepare(sql).run(...values);
  db.close();
}

describe("a crash between the approval and its grant", () => {
  it("is repaired by the next start, once: the grant is written that the operator gave", async () => {
    const gate = await startGate();
    const agent = await gate.agent();
    const token = tokenOf((await agent.ask(WRITE)).decision);
    await gate.close();
    const granted = JSON.stringify([{ capability: "fs:write", target: "/tmp/notes/*" }]);
    execute(
      gate.paths.approvals_db,
      `UPDATE pending SET status = 'approved', decision_at = created_at, decision_by_channel = channel, decision_by_sender = sender_id,
         territory_concession = 'permanent', granted = ? WHERE token = ?`,
      granted,
      token,
    );
    for (let start = 0; start < 2; start++) {
      const repaired = await startGate({ home: gate.home });
      expect(await repaired.operator.call("grants.list", { include_revoked: true })).toMatchObject([
        { capability: "fs:write", target: "/tmp/notes/*", granted_by: `approval:${token}`, agent_name: "tester" },
      ]);
      expect((await (await repaired.agent()).ask(WRITE)).decision).toMatchObject({
        outcome: "allowed",
        stage: "policy",
      });
      await repaired.close();
    }
  });

  it("never gives a grant without an approval: what only waits is granted nothing", async () => {
    const gate = await startGate();
    const token = tokenOf((await (await gate.agent()).ask(WRITE)).decision);
    await gate.close();
    const granted = JSON.stringify([{ capability: "fs:write", target: "/tmp/notes/*" }]);
    execute(
      gate.paths.approvals_db,
      "UPDATE pending SET territory_concession = 'permanent', granted = ? WHERE token = ?",
      granted,
      token,
    );
    const restarted = await startGate({ home: gate.home });
    expect(await restarted.operator.call("grants.list", {})).toEqual([]);
    expect(await restarted.request(token)).toMatchObject({ status: "pending" });
  });

  it("when the grant can't be written, the approval counts for this call, the operator is informed, and the next start writes the grant", async () => {
    const gate = await startGate();
    const agent = await gate.agent();
    execute(gate.paths.grants_db, "CREATE TRIGGER full BEFORE INSERT ON grants BEGIN SELECT RAISE(ABORT, 'full'); END");
    const { decision, final } = await agent.ask(WRITE);
    const answer = { token: tokenOf(decision), decision: "approved", scope: "permanent" } as const;
    expect(await gate.operator.call("approvals.resolve", answer)).toMatchObject({
      status: "approved",
      note: expect.stringContaining("its grant can't be written yet"),
    });
    expect(await final()).toMatchObject({ outcome: "allowed", status: "approved" });
    expect(await gate.operator.call("grants.list", {})).toEqual([]);
    await gate.close();
    execute(gate.paths.grants_db, "DROP TRIGGER full");
    const restarted = await startGate({ home: gate.home });
    expect(await restarted.operator.call("grants.list", {})).toMatchObject([{ target: "/tmp/notes/a.txt" }]);
  });

  it("doesn't bring back what was revoked: an answer given while the agent was away is not worth more than its grant", async () => {
    const gate = await startGate();
    const token = tokenOf((await (await gate.agent("tester", "Supervised", { session: "s" })).ask(WRITE)).decision);
    await gate.close();
    const restarted = await startGate({ home: gate.home });
    await restarted.operator.call("approvals.resolve", { token, decision: "approved", scope: "permanent" });
    const [grant] = await restarted.operator.call("grants.list", {});
    await restarted.operator.call("grants.revoke", { id: grant?.id ?? 0 });
    const agent = await restarted.agent("tester", "Supervised", { session: "s" });
    const { decision } = await agent.ask(WRITE);
    expect(decision.outcome).toBe("approval_required");
    expect(tokenOf(decision)).not.toBe(token);
  });
});
