import { execFile } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { confinedCommand } from "../../../ipc/base/confined-command.ts";
import { withoutBox } from "../../box/box-under-test.ts";
import { tokenOf } from "../../support/agent-connection.ts";
import { makeReadingProject } from "../../support/reading-project.ts";
import { startGate } from "../../support/running-gate.ts";
import { standInFor } from "../../support/stand-in-box.ts";

const UNBOXED = withoutBox();

async function startedGate(config?: string) {
  const gate = await startGate(config === undefined ? {} : { config });
  const project = join(gate.home.home, "project");
  mkdirSync(project);
  makeReadingProject(project);
  const explain = (command: string, more: { cwd?: string; agent?: string } = {}) =>
    gate.operator.call("box.explain", { command, cwd: project, ...more });
  return { gate, project, explain };
}

describe("box.explain", () => {
  it("says with what a line would run confined, or why it wouldn't, of an agent or of any", async () => {
    const { gate, project, explain } = await startedGate();
    const box = standInFor(gate.gate.core.box);
    expect(await explain("npm ci && npm test")).toEqual({
      reason: null,
      about: "",
      declaration: { project, reads: [], writes: [], network: true },
    });
    expect(await explain("docker ps")).toEqual({ reason: "outside-by-nature", about: "docker", declaration: null });
    expect(await explain("pwd")).toMatchObject({ reason: "clear" });
    expect(await explain("ls")).toMatchObject({ reason: null, declaration: { kind: "needs", writes: [] } });
    expect(await explain("make", { cwd: "/" })).toMatchObject({ reason: "no-project" });
    await gate.agent("reader", "ReadOnly");
    expect(await explain("make", { agent: "reader" })).toMatchObject({ reason: "level" });
    await expect(explain("make", { agent: "nobody" })).rejects.toMatchObject({ code: "unknown_agent" });
    box.is_available = false;
    expect(await explain("make")).toMatchObject({ reason: "unavailable" });
    expect(box.prepared).toEqual([]);
  });

  it("says that the box is off where the user switched it off", async () => {
    const { explain } = await startedGate("[box]\nenabled = false\n");
    expect(await explain("make")).toEqual({ reason: "disabled", about: "", declaration: null });
  });
});

describe("box.prepare", () => {
  it("prepares the user's own run as an agent's would be, also of what is clear, and asks nobody", async () => {
    const { gate, project } = await startedGate();
    const box = standInFor(gate.gate.core.box);
    for (const command of ["make", "ls -la"]) {
      const { argv } = await gate.operator.call("box.prepare", { command, cwd: project });
      expect(argv).toContain("run");
      expect(box.prepared.at(-1)).toMatchObject({ line: command, agent_name: "operator", declaration: { project } });
    }
    expect(await gate.waiting()).toEqual([]);
  });

  it("refuses what can't be confined with its reason", async () => {
    const { gate, project } = await startedGate();
    const box = standInFor(gate.gate.core.box);
    for (const [command, reason] of [
      ["ssh host", "ssh needs what no box has"],
      ["git reset --hard", "destroy work in the project that nothing else holds: git reset --hard"],
    ] as const)
      await expect(gate.operator.call("box.prepare", { command, cwd: project })).rejects.toMatchObject({
        code: "not_confined",
        message: expect.stringContaining(reason),
      });
    box.is_available = false;
    await expect(gate.operator.call("box.prepare", { command: "make", cwd: project })).rejects.toMatchObject({
      code: "not_confined",
      message: expect.stringContaining("no command can be confined on this machine"),
    });
  });
});

it("box.status says of each agent whether it runs what it is given, as it last said", async () => {
  const { gate } = await startedGate();
  const states = async () =>
    (await gate.operator.call("box.status", {})).agents.map(({ name, state }) => `${name} ${state}`).sort();
  await gate.agent("confined", "Supervised", { supports: ["confine"] });
  await gate.agent("plain", "Supervised");
  await gate.agent("reader", "ReadOnly", { supports: ["confine"] });
  expect(await states()).toEqual(["confined confined", "plain untested", "reader read-only"]);
});

describe.skipIf(UNBOXED !== undefined)(`with the real box${UNBOXED === undefined ? "" : `: ${UNBOXED}`}`, () => {
  const run = async (argv: readonly string[], cwd: string) => {
    const env = { PATH: process.env.PATH, HOME: cwd };
    return promisify(execFile)("/bin/bash", ["-c", confinedCommand(argv)], { cwd, env });
  };

  it("an agent's allowed call runs by the words of its answer, once, and tool.ran says so", async () => {
    const { gate, project } = await startedGate();
    await gate.gate.core.box.ready;
    expect(await gate.operator.call("box.status", {})).toMatchObject({ is_available: true });
    const agent = await gate.agent("tester", "Supervised", { supports: ["confine"] });
    const command = "node -e 'require(`fs`).writeFileSync(`made.txt`, process.cwd())'; exit 3";
    const call = { executor: "shell_exec", args: { command }, context: { cwd: project, call_id: "toolu_1" } };
    const { decision, final } = await agent.ask(call);
    await gate.operator.call("approvals.resolve", { token: tokenOf(decision), decision: "approved" });
    const { confine } = await final();
    if (confine === undefined) throw new Error("it isn't confined");
    await expect(run(confine.argv, project)).rejects.toMatchObject({ code: 3 });
    expect(readFileSync(join(project, "made.txt"), "utf8")).toBe(project);
    await expect(run(confine.argv, project)).rejects.toMatchObject({ code: 126 });
    agent.send("tool.ran", { id: "ran", call_id: "toolu_1" });
    expect((await agent.next("tool.ran.ok")).data).toEqual({ id: "ran", confined: { project, network: false } });
  });

  /** A call that may run confined, and the run that its words name. */
  async function allowedCall() {
    const { gate, project } = await startedGate();
    await gate.gate.core.box.ready;
    const agent = await gate.agent("tester", "Supervised", { supports: ["confine"] });
    const call = { executor: "shell_exec", args: { command: "cat a.txt" }, context: { cwd: project, call_id: "c1" } };
    await gate.operator.call("grants.add", { capability: "fs:read", target: `${project}/**` });
    const { decision } = await agent.ask(call);
    const [, , run = ""] = decision.confine?.argv ?? [];
    const paused = async () => {
      const { agents } = await gate.operator.call("agents.list", {});
      return agents.find(({ name }) => name === "tester")?.paused !== null;
    };
    return { agent, run, paused };
  }

  it("a call that is named by its run ran by the words that the gate gave, however late: that is no way around them", async () => {
    const { agent, run, paused } = await allowedCall();
    agent.send("tool.ran", { id: "ran", call_id: run });
    expect((await agent.next("tool.ran.ok")).data).toMatchObject({ confined: { kind: "needs" } });
    expect(await paused()).toBe(false);
  });

  it("what nobody was asked about, in the place of words that never started, pauses the agent; without such words it doesn't", async () => {
    const { agent, run, paused } = await allowedCall();
    const input = { executor: "shell_exec", args: { command: "touch other" } };
    const ran = async (id: string) => {
      agent.send("tool.ran", { id, call_id: id, unasked: true, input });
      await agent.next("tool.ran.ok");
    };
    await ran("u1");
    expect(await paused()).toBe(true);
    expect(run).not.toBe("");
    const other = await allowedCall();
    other.agent.send("tool.ran", { id: "done", call_id: other.run });
    await other.agent.next("tool.ran.ok");
    other.agent.send("tool.ran", { id: "u2", call_id: "u2", unasked: true, input });
    await other.agent.next("tool.ran.ok");
    expect(await other.paused()).toBe(false);
  });
});
