import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { confinedCommand } from "../../../ipc/confined-command.ts";
import type { Decision } from "../../../ipc/decision.ts";
import { BOX_CONNECT } from "../../../main/gate/executors/internal.ts";
import { startGate } from "../../support/running-gate.ts";
import { shellRuns, withoutBox } from "../box-under-test.ts";

const reason = withoutBox();
if (reason !== undefined) console.log(`the whole way to a host is not tested: ${reason}`);

/** A gate whose box is ready, and an agent that runs what it is given, in a project that it may work on. */
async function working() {
  const gate = await startGate();
  const { box } = gate.core;
  await box.ready;
  const project = join(gate.home.home, "site");
  mkdirSync(project);
  execFileSync("git", ["init", "-q", project]);
  const agent = await gate.agent("tester", "Supervised", { supports: ["confine"] });
  for (const capability of ["fs:read", "fs:write"] as const)
    await gate.operator.call("grants.create", { capability, target: `${project}/**` });
  const decide = async (command: string): Promise<Decision> => {
    agent.send("tool.call", { id: "1", intent: "", executor: "shell_exec", args: { command }, context: { cwd: project } });
    return (await agent.next("tool.decision")).data as Decision;
  };
  return { gate, box, project, decide };
}

describe.skipIf(reason !== undefined)("a confined command that fetches", () => {
  it("starts without a question, asks for its host, and gets no further once the user says no", async () => {
    const { gate, project, decide } = await working();
    const decision = await decide("curl -sS https://registry.npmjs.org/left-pad");
    expect(decision).toMatchObject({ outcome: "allowed", confined: { project, network: true } });
    const asked = gate.event(({ type }) => type === "approval.waiting");
    const running = shellRuns(confinedCommand(decision.confine?.argv ?? []), project);
    const card = await asked;
    expect(card.data).toMatchObject({ executor: BOX_CONNECT, agent_name: "tester" });
    const [token = ""] = await gate.waiting();
    await gate.operator.call("approvals.resolve", { token, decision: "rejected" });
    const { code, stderr } = await running;
    expect([code, stderr]).toEqual([56, expect.stringContaining("403")]);
    expect(gate.log.filter((line) => line.startsWith("error in"))).toEqual([]);
  });

  it("leaves no question and no socket behind when it is killed", async () => {
    const { gate, project, decide } = await working();
    const decision = await decide("timeout 1 curl -sS https://registry.npmjs.org/left-pad");
    const closed = gate.event(({ type }) => type === "approval.closed");
    await shellRuns(confinedCommand(decision.confine?.argv ?? []), project);
    expect((await closed).data).toMatchObject({ executor: BOX_CONNECT, status: "cancelled" });
    expect(await gate.waiting()).toEqual([]);
    expect(execFileSync("ls", [join(gate.paths.state_dir, "box/net")], { encoding: "utf8" })).toBe("");
  });
});
