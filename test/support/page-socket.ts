import { onTestFinished } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { failureOf, type GateError } from "../../ipc/gate-error.ts";
import type { OperatorApi, OperatorMethod } from "../../ipc/operator-api.ts";
import { servePage } from "./page-home.ts";

/** The gate behind `/operator`, as the headless gate serves it; it can be unreachable for a while. */
export async function serveOperator(operator: OperatorApi) {
  const server = new WebSocketServer({ noServer: true });
  const gate = { is_there: true };
  const connected = new Set<WebSocket>();
  const serve = (socket: WebSocket) => {
    connected.add(socket);
    const unsubscribe = operator.subscribe((event) => socket.send(JSON.stringify({ event })));
    socket.on("close", () => {
      connected.delete(socket);
      unsubscribe();
    });
    socket.on("message", (data) => {
      const { id, method, params } = JSON.parse(String(data)) as { id: number; method: OperatorMethod; params: never };
      const send = (answer: object) => socket.send(JSON.stringify({ id, ...answer }));
      operator.call(method, params).then(
        (result) => send({ result }),
        (error: GateError) => send({ failure: failureOf(error) }),
      );
    });
  };
  const origin = await servePage((request, socket, head) => {
    if (!gate.is_there || request.url !== "/operator") socket.destroy();
    else server.handleUpgrade(request, socket, head, serve);
  });
  const leave = () => {
    gate.is_there = false;
    for (const socket of connected) socket.terminate();
  };
  onTestFinished(leave);
  return {
    origin,
    leave,
    come_back: () => {
      gate.is_there = true;
    },
  };
}
