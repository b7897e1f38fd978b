import { spawn, spawnSync } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { performance } from "node:perf_hooks";
import { Message, type MessageBus, sessionBus } from "@jellybrick/dbus-next";
import { type Figure, figure, median, quantile } from "./figure.ts";
import { benchHome, startGate } from "./gate-process.ts";
import { greeted } from "./round-trip.ts";

/** From an agent's call to the notification, as a server on the same session bus gets it; against a bare call over that bus. */

const ROUNDS = 60;
const WARM_UP = 10;
const NAME = "org.freedesktop.Notifications";

export async function notification(): Promise<Figure[]> {
  if (spawnSync("sh", ["-c", "command -v dbus-run-session"]).status !== 0) {
    console.error("notification: dbus-run-session not found, nothing was measured");
    return [];
  }
  const session = spawn("dbus-run-session", ["--", "sh", "-c", 'echo "$DBUS_SESSION_BUS_ADDRESS"; exec cat'], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  const [output] = await once(session.stdout, "data");
  const address = String(output).trim();
  const home = benchHome([]);
  const server = await startServer(address);
  const gate = await startGate({ ...home, env: { ...home.env, DBUS_SESSION_BUS_ADDRESS: address } });
  const client = await greeted(home.paths.agent_socket, home.token);
  const other = sessionBus({ busAddress: address });
  await once(other, "connect");
  try {
    const times: number[] = [];
    const bare: number[] = [];
    for (let round = 0; round < ROUNDS + WARM_UP; round++) {
      const shown = once(server.received, "Notify");
      const started = performance.now();
      const { data } = await client.ask(callMessage(round));
      await shown;
      const took = performance.now() - started;
      const closed = once(server.received, "CloseNotification");
      const { token } = data.pending as { token: string };
      await client.ask({ type: "tool.cancel", data: { id: `x${round}`, token, reason: "measured" } });
      await closed;
      const bareStarted = performance.now();
      await other.call(
        new Message({
          destination: NAME,
          path: "/org/freedesktop/Notifications",
          interface: NAME,
          member: "GetCapabilities",
        }),
      );
      if (round < WARM_UP) continue;
      times.push(took);
      bare.push(performance.now() - bareStarted);
    }
    const ms = (value: number) => `${value.toFixed(2)} ms`;
    return [
      figure("call to notification, median", median(times), "ms", 200, `p99 ${ms(quantile(times, 0.99))}`),
      figure(
        "call to notification",
        median(times) / median(bare),
        "x call",
        null,
        `a bare call over the bus ${ms(median(bare))}`,
      ),
    ];
  } finally {
    client.close();
    other.disconnect();
    await gate.stop();
    server.bus.disconnect();
    session.stdin.end();
    home.remove();
  }
}

function callMessage(round: number): object {
  const args = { command: `git log -n ${round}` };
  return { type: "tool.call", data: { id: `c${round}`, intent: "look at the history", executor: "shell_exec", args } };
}

/** A minimal notification server: it reports its capabilities and gives ids. */
async function startServer(address: string): Promise<{ bus: MessageBus; received: EventEmitter }> {
  const bus = sessionBus({ busAddress: address });
  const received = new EventEmitter();
  let lastId = 0;
  await once(bus, "connect");
  bus.addMethodHandler((message: Message) => {
    if (message.interface !== NAME) return false;
    if (message.member === "GetCapabilities") {
      bus.send(Message.newMethodReturn(message, "as", [["actions", "body", "body-markup"]]));
    } else if (message.member === "Notify") bus.send(Message.newMethodReturn(message, "u", [++lastId]));
    else bus.send(Message.newMethodReturn(message));
    received.emit(message.member, message);
    return true;
  });
  await bus.requestName(NAME);
  return { bus, received };
}
