import { connect } from "node:net";
import { encodeFrame, FrameReader } from "../../ipc/frames.ts";
import { isOwnSocket } from "../../ipc/own-socket.ts";
import { RETURN_MS } from "../../ipc/return-time.ts";

/** One call over gate.sock with nothing but node:net, so that a cold process starts fast. */

export interface Request {
  socket_path: string;
  token: string | undefined;
  agent_name: string;
  session: string;
  call: object;
  /** When to give up waiting, by performance.now(): setting the clock changes nothing. */
  deadline: number;
  /** True once the process that reads the answer has ended. Checked only while the operator is asked. */
  isAbandoned(): boolean;
}

export type Answer =
  | { kind: "decision"; outcome: "allowed" | "denied"; reason: string; instead: string | undefined }
  | { kind: "error"; code: string; message: string; hint: string }
  | { kind: "unanswered" }
  | { kind: "abandoned" }
  | { kind: "unreachable" };

type Attempt = Answer | { kind: "lost"; was_connected: boolean };

/** How often that is checked, in milliseconds. */
const LOOK_MS = 250;
const HELLO = "hello";
const CALL = "call";

/** Asks and waits for the final decision; asks again if the gate restarts meanwhile. Never rejects. */
export async function askGate(request: Request): Promise<Answer> {
  if (!isOwnSocket(request.socket_path)) {
    const hint = "keep the socket in a folder of your own (0700): see docs/configuration.md";
    return {
      kind: "error",
      code: "foreign_socket",
      message: "another user could be listening at the gate's socket",
      hint,
    };
  }
  let lost_at: number | undefined;
  for (let pause = 50; ; pause = Math.min(pause * 2, 1000)) {
    const answer = await attempt(request);
    if (answer.kind !== "lost") return answer;
    if (answer.was_connected) {
      lost_at = performance.now();
      pause = 50;
    }
    if (lost_at === undefined || performance.now() - lost_at > RETURN_MS) return { kind: "unreachable" };
    if (performance.now() >= request.deadline) return { kind: "unanswered" };
    if (request.isAbandoned()) return { kind: "abandoned" };
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

function attempt(request: Request): Promise<Attempt> {
  return new Promise((resolve) => {
    const call = encodeFrame("tool.call", { id: CALL, ...request.call });
    const socket = connect(request.socket_path);
    const reader = new FrameReader();
    let was_connected = false;
    let is_unpaired = false;
    let waiting_token: string | undefined;
    let timer: NodeJS.Timeout | undefined;
    let looking: NodeJS.Timeout | undefined;
    const stop = () => {
      clearTimeout(timer);
      clearInterval(looking);
      reader.close();
    };
    const end = (answer: Attempt) => {
      stop();
      socket.end();
      resolve(answer);
    };
    const withdraw = (answer: Attempt, reason: string) => {
      if (waiting_token !== undefined)
        socket.write(encodeFrame("tool.cancel", { id: "cancel", token: waiting_token, reason }));
      end(answer);
    };
    // Only once the operator may be asked: a cold start can do without the timer.
    const startWaiting = () => {
      timer ??= setTimeout(
        () => withdraw({ kind: "unanswered" }, "nobody answered"),
        Math.max(0, request.deadline - performance.now()),
      );
    };
    const startLooking = () => {
      looking ??= setInterval(() => {
        if (request.isAbandoned()) withdraw({ kind: "abandoned" }, "the process that asked has ended");
      }, LOOK_MS);
    };
    socket.setEncoding("utf8");
    socket.once("connect", () => {
      was_connected = true;
      startWaiting();
    });
    socket.on("error", () => socket.destroy()); // 'close' follows and reports it
    socket.once("close", () => {
      stop();
      resolve({ kind: "lost", was_connected });
    });
    socket.on("data", (text: string) => {
      for (const frame of reader.push(text)) {
        if (!frame.ok)
          return end({ kind: "error", code: frame.problem, message: "the gate's answer can't be read", hint: "" });
        const data = frame.message.data as Record<string, unknown> | null | undefined;
        if (typeof data !== "object" || data === null) continue;
        switch (frame.message.type) {
          case "hello.pairing":
            is_unpaired = true;
            startLooking();
            break;
          case "hello.ok":
            if (is_unpaired && data.id === HELLO) socket.write(call);
            break;
          case "tool.decision": {
            if (data.id !== CALL) break;
            if (data.outcome === "allowed" || data.outcome === "denied") return end(decision(data.outcome, data));
            const pending = data.pending as { token?: unknown } | undefined;
            if (typeof pending?.token === "string") waiting_token = pending.token;
            startLooking();
            break;
          }
          case "error":
            if (data.id === CALL && data.code === "hello_required" && is_unpaired) break;
            if (data.id !== undefined && data.id !== CALL && data.id !== HELLO) break;
            return end({
              kind: "error",
              code: textOf(data.code),
              message: textOf(data.message),
              hint: textOf(data.hint),
            });
        }
      }
    });
    const hello = {
      id: HELLO,
      protocol: 1,
      agent: { name: request.agent_name },
      ...(request.token === undefined ? {} : { token: request.token }),
      ...(request.session === "" ? {} : { session: request.session }),
    };
    socket.write(encodeFrame("hello", hello) + call);
  });
}

function decision(outcome: "allowed" | "denied", data: Record<string, unknown>): Answer {
  const explain = data.explain as { instead?: unknown } | undefined;
  const instead = typeof explain?.instead === "string" ? explain.instead : undefined;
  return { kind: "decision", outcome, reason: textOf(data.reason), instead };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
