import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createConnection, type Socket } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { LineServer, MAX_UNADMITTED_BYTES, UNGREETED_LIMITS } from "../../ipc/socket/line-server.ts";
import { AgentConnection } from "../support/agent-connection.ts";
import { startServe } from "../support/gate-process.ts";
import { startGate } from "../support/running-gate.ts";
import { operatorOf, pairedAgent } from "../support/served-agent.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { temporaryHome } from "../support/temporary-home.ts";

/** Connections that haven't greeted: any program that reaches the socket can make them. */

async function silent(path: string, count: number): Promise<Socket[]> {
  const sockets = Array.from({ length: count }, () => {
    const socket = createConnection(path);
    socket.resume();
    socket.on("error", () => socket.destroy());
    onTestFinished(() => {
      socket.destroy();
    });
    return socket;
  });
  await Promise.all(sockets.map((socket) => Promise.race([once(socket, "connect"), once(socket, "close")])));
  return sockets;
}

describe("before hello", () => {
  it("a ping is answered with its id, and with nothing else that it carries", async () => {
    const gate = await startGate();
    const stranger = await gate.connect();
    stranger.send("ping", { id: "p", more: "x".repeat(4000) });
    expect(await stranger.next("pong")).toEqual({ type: "pong", data: { id: "p" } });
  });

  it("so many bytes may be sent and no more, in one line or in many", async () => {
    const gate = await startGate();
    const oneLine = await gate.connect();
    oneLine.sendText(`{"type":"ping","data":{"x":"${"x".repeat(MAX_UNADMITTED_BYTES)}`);
    expect(await oneLine.next("error")).toMatchObject({ data: { code: "frame_too_large" } });
    await oneLine.closed;
    const manyLines = await gate.connect();
    for (let count = 0; count < 500; count++) manyLines.send("ping", { id: `${count}` });
    await manyLines.closed;
    const pongs = manyLines.unread.filter(({ type }) => type === "pong").length;
    expect(pongs).toBeGreaterThan(0);
    // All of one read is answered: it may end a little beyond.
    expect(manyLines.unread.at(-1)).toMatchObject({ type: "error", data: { code: "frame_too_large" } });
  });

  it("calls that are sent together with the hello are all answered, however long they are", async () => {
    const gate = await startGate();
    await gate.operator.call("agents.pair", { name: "quick", level: "Supervised" });
    const agent = await gate.connect();
    const hello = { id: "h", protocol: 1, agent: { name: "quick" }, token: gate.token("quick") };
    const call = { id: "c", intent: "i".repeat(12_000), executor: "time_now", args: {} };
    const lines = [
      { type: "hello", data: hello },
      ...Array.from({ length: 20 }, () => ({ type: "tool.call", data: call })),
    ];
    agent.sendText(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    for (let count = 0; count < 20; count++) expect((await agent.next("tool.decision")).data.outcome).toBe("allowed");
  });

  it("few may be silent: the one silent for the longest is closed when others connect, and an agent is let in", async () => {
    const gate = await startGate();
    const first = await silent(gate.paths.agent_socket, UNGREETED_LIMITS.max + 5);
    await new Promise((resolve) => setTimeout(resolve, 1100));
    const agent = await gate.agent("late");
    await agent.ping();
    const more = await silent(gate.paths.agent_socket, 10);
    await expect
      .poll(() => first.filter((socket) => socket.closed || socket.readableEnded).length)
      .toBeGreaterThanOrEqual(10);
    expect(more.every((socket) => socket.destroyed)).toBe(false);
    await gate.logged(/dropped .*more than 128 connections that have not sent hello/);
  });

  it("as many silent ones as there may be connections keep no agent out", async () => {
    const gate = await startGate({ config: "[socket]\nmax_connections = 100\n" });
    await silent(gate.paths.agent_socket, 300);
    const agent = await gate.agent("good");
    await silent(gate.paths.agent_socket, 300);
    expect((await agent.ask({ executor: "time_now" })).decision.outcome).toBe("allowed");
    const connections = async () => (await gate.operator.call("status", {})).connections;
    await expect.poll(connections).toBeLessThanOrEqual(100);
  });

  it("one that sends nothing in time gets an error and is closed", async () => {
    const path = join(tempFolder(), "line.sock");
    const server = new LineServer(
      {
        path,
        max_connections: 10,
        ungreeted: { max: 5, greetingMs: 50 },
        unread: { pauseBytes: 1000, total_bytes: 1000, maxBytes: 1000, patienceMs: 1000 },
      },
      {
        opened: () => undefined,
        received(connection, next) {
          if (next() !== undefined) connection.admit("");
          return undefined;
        },
        turned: () => undefined,
        unadmitted: () => '{"type":"late","data":{}}\n',
        closed: () => undefined,
        dropped: () => undefined,
      },
    );
    await server.listen();
    onTestFinished(() => server.close());
    const [late, greeted] = [await AgentConnection.open(path), await AgentConnection.open(path)];
    onTestFinished(() => greeted.close());
    greeted.send("hello", {});
    await late.next("late");
    await late.closed;
    expect(server.connectionCount).toBe(1);
  });
});

it("strangers that ping and don't read end no gate: its memory stays bounded, and an agent is served", async () => {
  const home = temporaryHome();
  const gate = await startServe(home, [], { NODE_OPTIONS: "--max-old-space-size=256" });
  const agent = await pairedAgent(home, await operatorOf(home), "good", "Supervised");
  const ping = Buffer.from(`{"type":"ping","data":{"id":"a","x":"${"x".repeat(102_400)}"}}\n`);
  const waits: number[] = [];
  let isOver = false;
  const attack = (async () => {
    for (let round = 0; round < 12; round++) {
      for (const socket of await silent(home.paths.agent_socket, 50)) {
        socket.pause();
        for (let count = 0; count < 39; count++) socket.write(ping);
      }
    }
    isOver = true;
  })();
  while (!isOver || waits.length < 100) {
    const began = performance.now();
    expect((await agent.ask({ executor: "time_now" })).decision.outcome).toBe("allowed");
    waits.push(performance.now() - began);
  }
  await attack;
  expect(gate.child.exitCode).toBeNull();
  const resident = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${gate.child.pid}/status`, "utf8"))?.[1]) / 1024;
  expect(resident).toBeLessThan(300);
  waits.sort((a, b) => a - b);
  expect(waits[Math.floor(waits.length / 2)]).toBeLessThan(100);
});
