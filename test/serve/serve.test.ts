import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { agentTokenFile } from "../../ipc/base/paths.ts";
import { OperatorClient } from "../../ipc/socket/operator-client.ts";
import { AgentConnection, tokenOf } from "../support/agent-connection.ts";
import { runGate, startServe } from "../support/gate-process.ts";
import { readToken } from "../support/running-gate.ts";
import { type TemporaryHome, temporaryHome } from "../support/temporary-home.ts";

const WRITE = { executor: "fs_write", args: { path: "/tmp/notes/a.txt", content: "hello" } };

async function operatorOf({ paths }: TemporaryHome): Promise<OperatorClient> {
  const client = await OperatorClient.connect(paths.operator_socket, paths.operatorToken);
  onTestFinished(() => client.close());
  return client;
}

/** A greeted agent, paired first where it isn't yet. */
async function agentOf(home: TemporaryHome, operator: OperatorClient): Promise<AgentConnection> {
  if ((await operator.call("agents.list", {})).agents.length === 0) {
    await operator.call("agents.pair", { name: "worker", level: "Supervised" });
  }
  const agent = await AgentConnection.open(home.paths.agent_socket);
  onTestFinished(() => agent.close());
  await agent.hello("worker", { token: readToken(agentTokenFile(home.paths, "worker")), session: "s" });
  return agent;
}

describe("metnos-gate serve", () => {
  it("says where its sockets are, and prints one line a decision", async () => {
    const home = temporaryHome();
    const serve = await startServe(home);
    for (const place of [home.paths.agent_socket, home.paths.operator_socket, home.paths.auditDir]) {
      expect(serve.stderr).toContain(place);
    }
    const operator = await operatorOf(home);
    const agent = await agentOf(home, operator);
    const allowed = await agent.ask({ executor: "time_now" });
    const asked = await agent.ask(WRITE);
    await operator.call("approvals.resolve", { token: tokenOf(asked.decision), decision: "rejected" });
    await serve.printed(/rejected/);
    const lines = serve.stdout.trimEnd().split("\n");
    expect(lines.map((line) => line.replace(/^\d{4}-\d\d-\d\dT[\d:.]+Z /, ""))).toEqual([
      `allowed worker time_now time:read policy ${allowed.decision.decision_id}`,
      `approval_required worker fs_write fs:write approval ${asked.decision.decision_id}`,
      `denied rejected worker fs_write fs:write approval ${asked.decision.decision_id}`,
    ]);
  });

  it("refuses to be started twice, and the first one continues", async () => {
    const home = temporaryHome();
    await startServe(home);
    const second = await runGate(home, ["serve"]);
    expect(second).toMatchObject({ code: 1, stdout: "" });
    expect(second.stderr).toMatch(/a gate is already running/);
    expect((await (await operatorOf(home)).call("status", {})).connections).toBe(0);
  });

  it.each(["SIGTERM", "SIGINT"] as const)(
    "closes cleanly on %s: waiting requests are kept, the next start picks them up, and the agent that asks again gets the answer",
    async (signal) => {
      const home = temporaryHome();
      const first = await startServe(home);
      const asked = await (await agentOf(home, await operatorOf(home))).ask(WRITE);
      const token = tokenOf(asked.decision);
      expect(await first.end(signal)).toBe(0);
      expect(first.stderr).toContain(signal);
      expect(existsSync(home.paths.agent_socket)).toBe(false);
      expect(existsSync(home.paths.operator_socket)).toBe(false);

      await startServe(home);
      const operator = await operatorOf(home);
      expect(await operator.call("approvals.list", {})).toMatchObject([{ token, status: "pending", args: WRITE.args }]);
      const agent = await agentOf(home, operator);
      const again = await agent.ask(WRITE);
      expect(tokenOf(again.decision)).toBe(token);
      await operator.call("approvals.resolve", { token, decision: "approved" });
      expect(await again.final()).toMatchObject({ outcome: "allowed", status: "approved" });
    },
  );

  it("starts again after it was killed, with what waited", async () => {
    const home = temporaryHome();
    const first = await startServe(home);
    const asked = await (await agentOf(home, await operatorOf(home))).ask(WRITE);
    await first.end("SIGKILL");
    expect(existsSync(home.paths.agent_socket)).toBe(true);

    await startServe(home);
    const operator = await operatorOf(home);
    const token = tokenOf(asked.decision);
    expect(await operator.call("approvals.list", {})).toMatchObject([{ token }]);
    await operator.call("approvals.resolve", { token, decision: "approved" });
    const agent = await agentOf(home, operator);
    expect((await agent.ask(WRITE)).decision).toMatchObject({ outcome: "allowed", status: "approved" });
    expect((await agent.ask(WRITE)).decision).toMatchObject({ outcome: "approval_required" });
  });

  it.each([
    ["deny", "denied"],
    ["allow", "allowed"],
  ] as const)(
    "counts what the trail misses when its folder can't be written; with on_failure %s what reads is allowed, what writes %s",
    async (onFailure, outcome) => {
      const home = temporaryHome(`[audit]\non_failure = "${onFailure}"\n`);
      mkdirSync(dirname(home.paths.auditDir), { recursive: true });
      writeFileSync(home.paths.auditDir, "in the way");
      await startServe(home);
      const operator = await operatorOf(home);
      const agent = await agentOf(home, operator);
      expect((await agent.ask({ executor: "time_now" })).decision.outcome).toBe("allowed");
      const asked = await agent.ask(WRITE);
      await operator.call("approvals.resolve", { token: tokenOf(asked.decision), decision: "approved" });
      expect((await asked.final()).outcome).toBe(outcome);
      const { code, lines, stderr } = await runGate(home, ["status"]);
      expect(code).toBe(0);
      expect(lines[0]).toMatchObject({ audit_last_failure: expect.stringMatching(/^E/) });
      expect(Number(lines[0]?.audit_write_failures)).toBeGreaterThanOrEqual(4);
      expect(stderr).toContain("the audit trail missed");
      expect(stderr).toContain("ALARM: the audit trail in");
    },
  );
});
