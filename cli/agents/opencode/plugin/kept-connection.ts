import { connect, type Socket } from "node:net";
import { encodeFrame, FrameReader } from "../../../../ipc/socket/frames.ts";
import { isOwnSocket } from "../../../../ipc/socket/own-socket.ts";
import { helloOf } from "../../../../main/hooks/exchange.ts";

/**
 * A connection that is kept as long as OpenCode runs: the gate sees by it that the plugin is loaded, and learns by it what nobody has to
 * answer. Nothing here throws, and nothing keeps OpenCode from ending.
 */

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;
/** While the gate is being connected: the user's words are said at once. */
const MAX_UNSAID = 16;

export interface KeptOptions {
  socketPath: string;
  agent: string;
  token(): string | undefined;
}

export class KeptConnection {
  readonly #options: KeptOptions;
  #socket: Socket | undefined;
  #isGreeted = false;
  /** What was said before the gate has answered the greeting. */
  #unsaid: string[] = [];
  #pause = FIRST_PAUSE_MS;
  #sent = 0;

  constructor(options: KeptOptions) {
    this.#options = options;
    this.#open();
  }

  /** Dropped where no gate is connected, or being connected. */
  say(type: "session.event" | "tool.ran", data: object): void {
    this.#sent += 1;
    const frame = encodeFrame(type, { id: `kept-${this.#sent}`, ...data });
    if (this.#isGreeted) this.#socket?.write(frame);
    else if (this.#socket !== undefined && this.#unsaid.length < MAX_UNSAID) this.#unsaid.push(frame);
  }

  #open(): void {
    const { socketPath, agent, token } = this.#options;
    if (!isOwnSocket(socketPath)) return this.#again();
    const reader = FrameReader.forAnswers();
    const socket = connect(socketPath);
    this.#socket = socket;
    socket.unref();
    socket.on("error", () => socket.destroy()); // 'close' follows
    socket.once("close", () => {
      reader.close();
      this.#isGreeted = false;
      this.#unsaid = [];
      this.#socket = undefined;
      this.#again();
    });
    socket.setEncoding("utf8").on("data", (text: string) => {
      for (const frame of reader.push(text)) {
        if (!frame.ok || frame.message.type !== "hello.ok") continue;
        this.#isGreeted = true;
        this.#pause = FIRST_PAUSE_MS;
        for (const unsaid of this.#unsaid.splice(0)) socket.write(unsaid);
      }
    });
    socket.write(helloOf({ agent_name: agent, token: token(), session: "", can_confine: false }));
  }

  #again(): void {
    setTimeout(() => this.#open(), this.#pause).unref();
    this.#pause = Math.min(this.#pause * 2, LONGEST_PAUSE_MS);
  }
}
