import { connect } from "node:net";
import type { Json } from "../../ipc/base/json-object.ts";
import { encodeFrame, FrameReader } from "../../ipc/socket/frames.ts";
import { isOwnSocket } from "../../ipc/socket/own-socket.ts";
import { helloOf } from "./exchange.ts";

/** A message over gate.sock that asks for no decision: what a client says of its session, or of a call that ran. */

export interface Reporter {
  socketPath: string;
  agent_name: string;
  token: string | undefined;
  session: string;
}

const REPORT = "report";
/** The client may wait for its hook meanwhile. In milliseconds. */
const TIMEOUT_MS = 5000;

/** The gate's answer, where it is of the type that is expected; null otherwise, and where no gate answers. Never rejects. */
export function report(
  { socketPath, ...greeting }: Reporter,
  type: "tool.ran" | "session.event",
  data: Readonly<Record<string, unknown>>,
  expected: "tool.ran.ok" | "session.noted",
): Promise<Json | null> {
  if (!isOwnSocket(socketPath)) return Promise.resolve(null);
  return new Promise((resolve) => {
    const reader = FrameReader.forAnswers();
    const socket = connect(socketPath);
    socket.setTimeout(TIMEOUT_MS, () => socket.destroy());
    socket.on("error", () => socket.destroy()); // 'close' follows
    socket.once("close", () => {
      reader.close();
      resolve(null); // without effect where the gate has answered
    });
    socket.setEncoding("utf8").on("data", (text: string) => {
      for (const frame of reader.push(text)) {
        const answer = frame.ok ? (frame.message.data as Json | null | undefined) : undefined;
        if (!frame.ok || answer?.id !== REPORT) continue;
        resolve(frame.message.type === expected ? answer : null);
        socket.destroy();
      }
    });
    socket.write(helloOf({ ...greeting, can_confine: false }) + encodeFrame(type, { id: REPORT, ...data }));
  });
}
