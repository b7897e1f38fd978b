import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { confinedCommand } from "../../../ipc/confined-command.ts";
import { BOX_CONNECT } from "../../../main/gate/executors/internal.ts";
import { shellRuns, withoutBox } from "../box-under-test.ts";
import { workingAgent } from "../working-agent.ts";

const reason = withoutBox();
if (reason !== undefined) console.log(`the whole way to a host is not tested: ${reason}`);

const INSTALL = "npm install left-pad --fetch-retries=0";

describe.skipIf(reason !== undefined)("a confined command that fetches", () => {
  it("starts without a question, asks for its host, and gets no further once the user says no", async () => {
    const { gate, project, decide } = await workingAgent();
    const decision = await decide(INSTALL);
    expect(decision).toMatchObject({ outcome: "allowed", confined: { project, network: true } });
    const asked = gate.event(({ type }) => type === "approval.waiting");
    const running = shellRuns(confinedCommand(decision.confine?.argv ?? []), project);
    const card = await asked;
    expect(card.data).toMatchObject({ executor: BOX_CONNECT, agent_name: "tester" });
    const [token = ""] = await gate.waiting();
    await gate.operator.call("approvals.resolve", { token, decision: "rejected" });
    const { code, stderr } = await running;
    expect([code, stderr]).toEqual([1, expect.stringContaining("403")]);
    expect(gate.log.filter((line) => line.startsWith("error in"))).toEqual([]);
  });

  it("leaves no question and no socket behind when it is killed", async () => {
    const { gate, project, decide } = await workingAgent();
    const decision = await decide(INSTALL);
    const asked = gate.event(({ type }) => type === "approval.waiting");
    const closed = gate.event(({ type }) => type === "approval.closed");
    const shell = spawn("/bin/bash", ["-c", confinedCommand(decision.confine?.argv ?? [])], {
      cwd: project,
      stdio: "ignore",
      detached: true,
    });
    await asked;
    process.kill(-(shell.pid ?? 0), "SIGKILL");
    expect((await closed).data).toMatchObject({ executor: BOX_CONNECT, status: "cancelled" });
    expect(await gate.waiting()).toEqual([]);
    expect(readdirSync(join(gate.paths.state_dir, "box/net"))).toEqual([]);
  });
});
