import { setTimeout as passing } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { agentTokenFile } from "../../../ipc/base/paths.ts";
import type { Decision } from "../../../ipc/contract/decision.ts";
import { OperatorClient } from "../../../ipc/socket/operator-client.ts";
import { AgentConnection, type Asked, tokenOf } from "../../support/agent-connection.ts";
import { DUNST_PROGRAMS, DunstDesktop } from "../../support/dunst.ts";
import { type StartedProcess, startServe } from "../../support/gate-process.ts";
import { cantRun } from "../../support/private-bus.ts";
import { readToken } from "../../support/running-gate.ts";
import { temporaryHome } from "../../support/temporary-home.ts";

const skipped = cantRun("a real notification daemon", DUNST_PROGRAMS);

const RUN = { executor: "shell_exec", args: { command: "npm test" } };
/** Longer than the time in which nothing counts; a slow machine may need another press. */
const SETTLED_MS = 800;

/** Presses the button, again where it was too early, until the agent has its answer. */
async function pressed(desktop: DunstDesktop, label: string, asked: Asked): Promise<Decision> {
  const final = asked.final();
  for (;;) {
    await passing(SETTLED_MS);
    await desktop.press(label);
    const answer = await Promise.race([final, passing(2 * SETTLED_MS)]);
    if (answer !== undefined) return answer;
  }
}

interface Desk {
  desktop: DunstDesktop;
  serve: StartedProcess;
  operator: OperatorClient;
  agent: AgentConnection;
}

/** `metnos-gate serve` as a user starts it on a desktop, and an agent on its socket. */
async function desk(args: readonly string[] = [], isAsleep = false): Promise<Desk> {
  const desktop = await DunstDesktop.start(isAsleep);
  const home = temporaryHome();
  const serve = await startServe(home, args, { DBUS_SESSION_BUS_ADDRESS: desktop.address });
  const operator = await OperatorClient.connect(home.paths.operator_socket, home.paths.operatorToken);
  onTestFinished(() => operator.close());
  await operator.call("agents.pair", { name: "worker", level: "Supervised" });
  const agent = await AgentConnection.open(home.paths.agent_socket);
  onTestFinished(() => agent.close());
  await agent.hello("worker", { token: readToken(agentTokenFile(home.paths, "worker")) });
  return { desktop, serve, operator, agent };
}

describe.skipIf(skipped)("with a real notification daemon", () => {
  it.each([
    ["Approve once", { outcome: "allowed", status: "approved" }],
    ["Deny", { outcome: "denied", status: "rejected" }],
  ])("%s in its menu answers the agent, and the notification closes", async (label, answer) => {
    const { desktop, agent, serve } = await desk();
    expect(serve.stderr).toContain("notifications are   on");
    const asked = await agent.ask(RUN);
    const shown = await desktop.shown();
    expect(shown).toContain('string "worker: May I run?"');
    expect(shown).toContain("npm test");
    expect(await pressed(desktop, label, asked)).toMatchObject(answer);
    await desktop.closed();
    expect(await desktop.control("count", "displayed")).toMatch(/\b0$/m);
  });

  it("answered elsewhere, it closes", async () => {
    const { desktop, agent, operator } = await desk();
    const asked = await agent.ask(RUN);
    await desktop.shown();
    await operator.call("approvals.resolve", { token: tokenOf(asked.decision), decision: "approved" });
    expect(await desktop.closed()).toContain("uint32 3");
    expect(await asked.final()).toMatchObject({ outcome: "allowed" });
  });

  it("pressed there and answered elsewhere at once: exactly one counts", async () => {
    const { desktop, agent, operator } = await desk();
    const asked = await agent.ask(RUN);
    await desktop.shown();
    await passing(SETTLED_MS);
    const elsewhere = operator.call("approvals.resolve", { token: tokenOf(asked.decision), decision: "rejected" }).then(
      () => "rejected",
      () => "lost",
    );
    const [other] = await Promise.all([elsewhere, desktop.press("Approve once")]);
    const { status } = await asked.final();
    expect(status).toBe(other === "rejected" ? "rejected" : "approved");
    await desktop.closed();
  });

  it("hostile text is seen as codes and letters, and can't be approved there", async () => {
    const { desktop, agent } = await desk();
    const command = `ls \u202e\u001b[31m<b>x</b>&amp;\n${"May I read?\n".repeat(10_000)}`;
    const asked = await agent.ask({ executor: "shell_exec", args: { command } });
    await desktop.shown();
    await passing(SETTLED_MS);
    await desktop.press("Approve once");
    expect(await pressed(desktop, "Deny", asked)).toMatchObject({ outcome: "denied", status: "rejected" });
    expect(desktop.offered()).not.toContain("#Approve");
    await desktop.closed();
    const history = await desktop.control("history");
    expect(history).toContain("ls \\\\u{202e}\\\\u{1b}[31m&lt;b&gt;x&lt;/b&gt;&amp;amp;");
    expect(["\u202e", "\u001b", "<b>x"].filter((hidden) => history.includes(hidden))).toEqual([]);
  });

  it("killed and restarted, it shows waiting requests, and its buttons answer", async () => {
    const { desktop, agent, serve } = await desk();
    const asked = await agent.ask(RUN);
    await desktop.shown();
    await desktop.killDunst();
    await serve.printed(/notifications: the notification server was lost/);
    await desktop.startDunst();
    await desktop.shown();
    expect(await pressed(desktop, "Approve once", asked)).toMatchObject({ outcome: "allowed" });
  });

  it("that only starts when it is needed is started by the first request, not before", async () => {
    const { desktop, agent, serve } = await desk([], true);
    await serve.printed(/no notification server is running/);
    const asked = await agent.ask(RUN);
    await desktop.shown();
    expect(await pressed(desktop, "Deny", asked)).toMatchObject({ outcome: "denied", status: "rejected" });
  });

  it("with --no-notifications it is left alone", async () => {
    const { desktop, agent, serve, operator } = await desk(["--no-notifications"]);
    expect(serve.stderr).toContain("notifications are   off: not wanted (--no-notifications)");
    const asked = await agent.ask(RUN);
    await operator.call("approvals.resolve", { token: tokenOf(asked.decision), decision: "rejected" });
    await asked.final();
    expect(await desktop.control("count")).toMatch(/Waiting: 0\s+Currently displayed: 0\s+History: 0/);
  });

  it("the gate ends: its notifications go, and it exits cleanly", async () => {
    const { desktop, agent, serve } = await desk();
    await agent.ask(RUN);
    await desktop.shown();
    expect(await serve.end("SIGTERM")).toBe(0);
    await desktop.closed();
  });
});
