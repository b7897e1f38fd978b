import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { agentTokenFile } from "../../ipc/base/paths.ts";
import { openCore } from "../../main/core/core.ts";
import { AgentConnection } from "../support/agent-connection.ts";
import { startServe } from "../support/gate-process.ts";
import { temporaryHome } from "../support/temporary-home.ts";

const CAPACITY = 40;
const PER_MINUTE = 6;
const CONFIG = `[rate.limits."fs:read"]\nper_minute = ${PER_MINUTE}\ncapacity = ${CAPACITY}\n`;
/** After so many answers each gate is killed, while as many calls again are on their way. */
const KILLED_AFTER = [11, 1, 17];

it("a gate that is killed again and again gives an agent no more calls than one that isn't", async () => {
  const home = temporaryHome(CONFIG);
  writeFileSync(join(home.home, "a.txt"), "x");
  const core = await openCore({ env: home.env });
  core.agents.pair("tester", "Full");
  core.close();
  const token = readFileSync(agentTokenFile(home.paths, "tester"), "utf8").trim();
  const began = performance.now();
  const most = () => CAPACITY + ((performance.now() - began) * PER_MINUTE) / 60_000;
  const allowed: number[] = [];
  for (const count of KILLED_AFTER) {
    const gate = await startServe(home, ["--no-notifications"]);
    const agent = await AgentConnection.open(home.paths.agent_socket);
    agent.send("hello", { id: "h", protocol: 1, agent: { name: "tester" }, token });
    await agent.next("hello.ok");
    // Each is another call, so that nobody is asked about one that comes again and again.
    for (let call = 0; call < 2 * count; call++)
      agent.send("tool.call", {
        id: `c${call}`,
        intent: "",
        executor: "fs_read",
        args: { path: join(home.home, `${count}-${call}`) },
      });
    let received = 0;
    for (let answer = 0; answer < count; answer++) {
      const { data } = await agent.next("tool.decision");
      if (data.outcome === "allowed") received++;
    }
    gate.child.kill("SIGKILL");
    await agent.closed;
    // What had been sent by then was given, too.
    for (const { type, data } of agent.unread) if (type === "tool.decision" && data.outcome === "allowed") received++;
    await gate.exited;
    allowed.push(received);
    expect(allowed.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(most());
  }
  // Of forty all but what the three took with them was given, and then no more.
  expect(allowed.reduce((sum, one) => sum + one, 0)).toBeGreaterThan(20);
  const gate = await startServe(home, ["--no-notifications"]);
  const agent = await AgentConnection.open(home.paths.agent_socket);
  agent.send("hello", { id: "h", protocol: 1, agent: { name: "tester" }, token });
  await agent.next("hello.ok");
  for (let call = 0; call < CAPACITY; call++)
    agent.send("tool.call", {
      id: `c${call}`,
      intent: "",
      executor: "fs_read",
      args: { path: join(home.home, `z${call}`) },
    });
  let last: Record<string, unknown> = {};
  let more = 0;
  for (let call = 0; call < CAPACITY; call++) {
    last = (await agent.next("tool.decision")).data;
    if (last.outcome === "allowed") more++;
  }
  expect(allowed.reduce((sum, one) => sum + one, more)).toBeLessThanOrEqual(most());
  expect(last).toMatchObject({ outcome: "denied", stage: "rate", explain: { rule: "rate.budget-used" } });
  expect(last.retry_after_ms).toBeGreaterThan(0);
  expect(last.retry_after_ms).toBeLessThanOrEqual(10_250);
  agent.socket.destroy();
  await gate.end("SIGTERM");
});
