import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { AgentPort } from "../../ipc/contract/agent-port.ts";
import type { Decision } from "../../ipc/contract/decision.ts";
import { AgentServer } from "../../ipc/socket/agent-server.ts";
import { AgentConnection } from "../support/agent-connection.ts";
import { tempFolder } from "../support/temp-folder.ts";

const WAITING: Decision = {
  decision_id: "d-1",
  outcome: "approval_required",
  stage: "approval",
  reason: "the operator is asked",
  explain: {},
  verdict: null,
  capabilities: [],
};
const CROWD = 10;
/** Clearing up after each of the crowd keeps the event loop for longer than a turn. */
const CLEARING_MS = 20;

function keepBusy(milliseconds: number): void {
  const until = performance.now() + milliseconds;
  while (performance.now() < until);
}

it("a withdrawal doesn't count its agent's connections that have closed, however many others are cleaned up first", async () => {
  const path = join(tempFolder(), "agents.sock");
  const ends: string[] = [];
  const port: AgentPort = {
    gate_version: "0.0.0",
    greet: ({ agent }) => ({ agent_id: agent.name, level: "Supervised" }),
    decide: (call, { agent_id }) => ({
      decision: { current: WAITING, sent: WAITING },
      pending: {
        token: "0123456789abcdef",
        cancel: () => {
          ends.push(`${agent_id} withdraws ${call.intent}`);
          return { current: WAITING, sent: WAITING };
        },
        disconnect() {
          if (agent_id === "crowd") keepBusy(CLEARING_MS);
          else ends.push(`${agent_id} is gone from ${call.intent}`);
        },
      },
    }),
    withdraw: () => undefined,
    preview: () => WAITING,
    ran: () => ({ confined: null }),
    announce: () => ({ tools: [] }),
    connectionEnded: () => undefined,
    check: () => Promise.reject(new Error("nothing is checked here")),
    paused: () => null,
    outcome: () => undefined,
    sessionEnded: () => undefined,
    sessionEvent: () => undefined,
    pairingRequested: () => undefined,
    record: () => undefined,
    publish: () => undefined,
    failed: () => undefined,
    dropped: () => undefined,
  };
  const unread = { pauseBytes: 100_000, total_bytes: 10_000_000, maxBytes: 1_000_000, patienceMs: 1000 };
  const server = new AgentServer({ path, max_connections: 100, unread }, port);
  await server.listen();
  onTestFinished(() => server.close());

  const asking = async (name: string, intent: string) => {
    const agent = await AgentConnection.open(path);
    onTestFinished(() => {
      agent.socket.destroy();
    });
    await agent.hello(name);
    agent.send("tool.call", { id: "1", intent, executor: "fs_write", args: {} });
    await agent.next("tool.decision");
    return agent;
  };
  const crowd: AgentConnection[] = [];
  for (let index = 0; index < CROWD; index++) crowd.push(await asking("crowd", "write"));
  const first = await asking("ada", "the first");
  const second = await asking("ada", "the second");

  for (const { socket } of crowd) socket.destroy();
  while (server.connectionCount > 2) await new Promise(setImmediate);
  first.socket.destroy();
  while (server.connectionCount > 1) await new Promise(setImmediate);
  second.send("tool.cancel", { id: "2", token: "0123456789abcdef", reason: "no longer needed" });
  await second.next(({ data }) => data.id === "2");
  expect(ends).toEqual(["ada is gone from the first", "ada withdraws the second"]);
});
