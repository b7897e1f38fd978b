import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { WebSocketServer } from "ws";
import { SocketLink } from "../../renderer/gate/socket-link.ts";
import { expectedProof } from "../support/page-visitor.ts";

const SECRET = "5".repeat(64);

function portOf(server: WebSocketServer): number {
  return (server.address() as AddressInfo).port;
}

/** A server that answers the first call of its first connection with `frame`, and every later call as a gate does. */
async function serverThatSends(frame: string) {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0, handleProtocols: () => "metnos" });
  const counts = { connections: 0 };
  server.on("connection", (socket) => {
    const isFirst = counts.connections++ === 0;
    socket.on("message", (data) => {
      const { id, nonce } = JSON.parse(String(data)) as { id?: number; nonce?: string };
      if (nonce !== undefined)
        socket.send(JSON.stringify({ proofs: [expectedProof({ port: portOf(server), secret: SECRET }, nonce)] }));
      if (id === undefined) return;
      socket.send(isFirst ? frame : JSON.stringify({ id, result: { pid: 7 } }));
    });
  });
  await new Promise((listening) => server.once("listening", listening));
  const port = portOf(server);
  const seat = { origin: `http://127.0.0.1:${port}`, secret: () => SECRET, onHint: () => () => undefined };
  const link = new SocketLink(`ws://127.0.0.1:${port}/operator`, seat);
  onTestFinished(async () => {
    await link.close();
    for (const socket of server.clients) socket.terminate();
    await new Promise((closed) => server.close(closed));
  });
  return { link, counts };
}

it.each(["nonsense", "null", "[1]", '{"id":1}', '{"id":1,"failure":{}}', '{"event":{"type":"decision"}}'])(
  "after the frame %s nobody waits for ever: what was asked is refused, and the next connection answers",
  async (frame) => {
    const { link, counts } = await serverThatSends(frame);
    await expect(link.call("status", {})).rejects.toMatchObject({ code: "not_answering" });
    expect(link.state).toBe("silent");
    await new Promise<void>((answering) => {
      link.onState((state) => {
        if (state === "answering") answering();
      });
    });
    expect(await link.call("status", {})).toEqual({ pid: 7 });
    expect(counts.connections).toBe(2);
  },
);
