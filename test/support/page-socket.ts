import { onTestFinished } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { failureOf, type GateError } from "../../ipc/contract/gate-error.ts";
import type { OperatorApi, OperatorMethod } from "../../ipc/contract/operator-api.ts";
import { servePage } from "./page-home.ts";
import { expectedProof } from "./page-visitor.ts";

const SECRET = "6".repeat(64);

/** The gate behind `/operator`, as the headless gate serves it; it can be unreachable for a while. */
export async function serveOperator(operator: OperatorApi) {
  const server = new WebSocketServer({ noServer: true });
  const gate = { isThere: true };
  const connected = new Set<WebSocket>();
  let port = 0;
  const serve = (socket: WebSocket) => {
    connected.add(socket);
    let unsubscribe: () => void = () => undefined;
    socket.on("close", () => {
      connected.delete(socket);
      unsubscribe();
    });
    socket.on("message", (data) => {
      const { nonce, secret, ...call } = JSON.parse(String(data));
      if (nonce !== undefined)
        return socket.send(JSON.stringify({ proofs: [expectedProof({ port, secret: SECRET }, nonce)] }));
      if (secret !== undefined) {
        unsubscribe = operator.subscribe((event) => socket.send(JSON.stringify({ event })));
        return;
      }
      const { id, method, params } = call as { id: number; method: OperatorMethod; params: never };
      const send = (answer: object) => socket.send(JSON.stringify({ id, ...answer }));
      operator.call(method, params).then(
        (result) => send({ result }),
        (error: GateError) => send({ failure: failureOf(error) }),
      );
    });
  };
  const origin = await servePage((request, socket, head) => {
    if (!gate.isThere || request.url !== "/operator") socket.destroy();
    else server.handleUpgrade(request, socket, head, serve);
  });
  port = Number(new URL(origin).port);
  const leave = () => {
    gate.isThere = false;
    for (const socket of connected) socket.terminate();
  };
  onTestFinished(leave);
  return {
    origin,
    /** What the page stores, so that this one can prove itself. */
    secret: SECRET,
    leave,
    comeBack: () => {
      gate.isThere = true;
    },
  };
}
