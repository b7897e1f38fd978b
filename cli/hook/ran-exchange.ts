import { connect } from "node:net";
import { encodeFrame, FrameReader } from "../../ipc/frames.ts";
import { isOwnSocket } from "../../ipc/own-socket.ts";
import { helloOf } from "./exchange.ts";

/** `tool.ran` over gate.sock: that a call has run and how it ended, and what the gate knows of it. */

export interface RanReport {
  socket_path: string;
  agent_name: string;
  token: string | undefined;
  session: string;
  call_id: string;
  /** How the client says that it ended. */
  ok: boolean;
}

/** What the call was confined to. */
export interface ConfinedTo {
  project: string;
  network: boolean;
}

const RAN = "ran";
/** The client waits for its hook meanwhile. In milliseconds. */
const TIMEOUT_MS = 5000;

/** What the gate had the call confined to; null where it wasn't, or the gate doesn't say. Never rejects. */
export function reportRan({ socket_path, call_id, ok, ...greeting }: RanReport): Promise<ConfinedTo | null> {
  if (!isOwnSocket(socket_path)) return Promise.resolve(null);
  return new Promise((resolve) => {
    const reader = FrameReader.forAnswers();
    const socket = connect(socket_path);
    socket.setTimeout(TIMEOUT_MS, () => socket.destroy());
    socket.on("error", () => socket.destroy()); // 'close' follows
    socket.once("close", () => {
      reader.close();
      resolve(null); // without effect where the gate has answered
    });
    socket.setEncoding("utf8").on("data", (text: string) => {
      for (const frame of reader.push(text)) {
        const data = frame.ok ? (frame.message.data as Record<string, unknown> | null | undefined) : undefined;
        if (!frame.ok || data?.id !== RAN) continue;
        resolve(frame.message.type === "tool.ran.ok" ? confinedTo(data.confined) : null);
        socket.destroy();
      }
    });
    socket.write(helloOf({ ...greeting, can_confine: false }) + encodeFrame("tool.ran", { id: RAN, call_id, ok }));
  });
}

function confinedTo(confined: unknown): ConfinedTo | null {
  if (typeof confined !== "object" || confined === null) return null;
  const { project, network } = confined as Record<string, unknown>;
  return typeof project === "string" ? { project, network: network === true } : null;
}
