import { mkdirSync } from "node:fs";
import { createServer } from "node:net";
import { dirname } from "node:path";
import { onTestFinished } from "vitest";
import { encodeFrame } from "../../ipc/socket/frames.ts";
import type { TemporaryHome } from "./temporary-home.ts";

export interface Frame {
  type: string;
  data: Record<string, unknown>;
}

/** A socket in the gate's place: keeps what agents send and gives each call the same answers. Closed when the test ends. */
export class PretendedGate {
  readonly received: Frame[] = [];

  /** @param answers the data of the answer to a message, by its type; its `id` is added */
  static async start(home: TemporaryHome, answers: Record<string, { type: string; data: object }>) {
    const gate = new PretendedGate();
    mkdirSync(dirname(home.paths.agent_socket), { recursive: true, mode: 0o700 });
    const server = createServer((socket) => {
      socket.on("error", () => socket.destroy());
      let rest = "";
      socket.setEncoding("utf8").on("data", (text: string) => {
        const lines = `${rest}${text}`.split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) {
          const frame = JSON.parse(line) as Frame;
          gate.received.push(frame);
          const answer = answers[frame.type];
          if (answer !== undefined) socket.write(encodeFrame(answer.type, { id: frame.data.id, ...answer.data }));
        }
      });
    });
    await new Promise<void>((resolve) => server.listen(home.paths.agent_socket, resolve));
    onTestFinished(() => {
      server.close();
    });
    return gate;
  }

  /** The data of the first message of a type. */
  first(type: string): Record<string, unknown> | undefined {
    return this.all(type)[0];
  }

  /** The data of all messages of a type. */
  all(type: string): Record<string, unknown>[] {
    return this.received.filter((frame) => frame.type === type).map(({ data }) => data);
  }
}
