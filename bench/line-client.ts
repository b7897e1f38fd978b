import { type ChildProcess, spawn } from "node:child_process";
import { createConnection, type Socket } from "node:net";
import { performance } from "node:perf_hooks";

export interface LineMessage {
  type: string;
  data: Record<string, unknown>;
}

/** The simplest client there is, for the gate and for the bare echo alike: JSON lines out, JSON lines in. */
export class LineClient {
  readonly #socket: Socket;
  #rest = "";
  #onMessage: (message: LineMessage) => void = () => undefined;
  #onEnd: () => void = () => undefined;
  /** Resolves once the connection has ended and everything received was read. */
  readonly closed: Promise<void>;

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.closed = new Promise((resolve) => socket.once("close", () => resolve()));
    socket.once("close", () => this.#onEnd());
    socket.on("error", () => socket.destroy()); // 'close' follows
    socket.setEncoding("utf8");
    socket.on("data", (text: string) => {
      const lines = (this.#rest + text).split("\n");
      this.#rest = lines.pop() ?? "";
      for (const line of lines) this.#onMessage(JSON.parse(line));
    });
  }

  static connect(path: string): Promise<LineClient> {
    return new Promise((resolve, reject) => {
      const socket = createConnection(path, () => resolve(new LineClient(socket)));
      socket.once("error", reject);
    });
  }

  /** Sends one message and waits for the next answer. @throws Error if the connection ends first */
  ask(message: object): Promise<LineMessage> {
    return new Promise((resolve, reject) => {
      this.#onMessage = resolve;
      this.#onEnd = () => reject(new Error("the connection ended"));
      this.send(message);
    });
  }

  /** Sends one message, for a `listen` that reads the answers. */
  send(message: object): void {
    this.#socket.write(`${JSON.stringify(message)}\n`);
  }

  /** Calls `listener` with every message from now on. */
  listen(listener: (message: LineMessage) => void): void {
    this.#onMessage = listener;
  }

  /** Microseconds for each of `count` messages, one after the other. */
  async roundTrips(
    count: number,
    make: (index: number) => object,
    check: (data: Record<string, unknown>) => void,
  ): Promise<number[]> {
    const times: number[] = [];
    for (let index = 0; index < count; index++) {
      const message = make(index);
      const started = performance.now();
      const { data } = await this.ask(message);
      times.push((performance.now() - started) * 1000);
      check(data);
    }
    return times;
  }

  /** Messages per second with `window` of them on the way. */
  pipelined(
    count: number,
    window: number,
    make: (index: number) => object,
    check: (data: Record<string, unknown>) => void,
  ): Promise<number> {
    return new Promise((resolve) => {
      let sent = 0;
      let received = 0;
      const started = performance.now();
      const send = (many: number) => {
        let text = "";
        for (const end = Math.min(count, sent + many); sent < end; sent++) text += `${JSON.stringify(make(sent))}\n`;
        if (text !== "") this.#socket.write(text);
      };
      let owed = 0;
      this.#onMessage = ({ data }) => {
        check(data);
        if (++received === count) return resolve(count / ((performance.now() - started) / 1000));
        // Refilled in batches, so that both servers see full reads.
        if (++owed === window / 4) {
          send(owed);
          owed = 0;
        }
      };
      send(window);
    });
  }

  close(): void {
    this.#socket.destroy();
  }
}

const ECHO = `
  const net = require("node:net");
  net.createServer((socket) => {
    let rest = "";
    socket.setEncoding("utf8");
    socket.on("error", () => socket.destroy());
    socket.on("data", (text) => {
      const lines = (rest + text).split("\\n");
      rest = lines.pop();
      let out = "";
      for (const line of lines) out += JSON.stringify(JSON.parse(line)) + "\\n";
      if (out !== "") socket.write(out);
    });
  }).listen(process.argv[1], () => console.log("listening"));
`;

/** A bare node:net JSON line echo in a separate process. */
export async function startEcho(path: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, ["-e", ECHO, path], { stdio: ["ignore", "pipe", "inherit"] });
  await new Promise<void>((resolve) => child.stdout?.once("data", () => resolve()));
  return child;
}
