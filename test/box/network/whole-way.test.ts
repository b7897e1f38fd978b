import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { confinedCommand } from "../../../ipc/base/confined-command.ts";
import { BOX_CONNECT } from "../../../main/decide/executors/internal.ts";
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

  it("says in its own terminal once for each host that it waits for the user, and nothing else", async () => {
    const { gate, project, decide } = await workingAgent();
    const get = (host: string) => `curl -s -o /dev/null -w '%{http_connect}\\n' https://${host}/`;
    const line = `${get("one.example.org")} & ${get("one.example.org")} & wait; ${get("two.example.org")} 2>/dev/null; echo x > made`;
    const decision = await decide(line);
    expect(decision).toMatchObject({ outcome: "allowed", confined: { network: true } });
    const running = spawn("/bin/bash", ["-c", confinedCommand(decision.confine?.argv ?? [])], {
      cwd: project,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const said = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const)
      running[name].setEncoding("utf8").on("data", (text: string) => {
        said[name] += text;
      });
    const ended = once(running, "close");
    const answer = async () => {
      const [token = ""] = await gate.waiting();
      await gate.operator.call("approvals.resolve", { token, decision: "rejected" });
    };
    for (const host of ["one.example.org\n", "two.example.org\n"]) {
      await expect.poll(() => gate.waiting(), { timeout: 10_000 }).toHaveLength(1);
      await expect.poll(() => said.stderr, { timeout: 10_000 }).toMatch(new RegExp(`${host}$`));
      await answer();
    }
    await ended;
    expect(said).toEqual({
      stdout: "403\n".repeat(3),
      stderr:
        "Metnos Gate: waits for your answer about one.example.org\nMetnos Gate: waits for your answer about two.example.org\n",
    });
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
