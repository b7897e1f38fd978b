import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { WebSocket } from "ws";

interface ScriptCoverage {
  url: string;
  functions: { functionName: string; ranges: { startOffset: number; count: number }[] }[];
}

/** What of a process's sources ran since the last look: each function as `file:offset`, `file` below the checkout. */
export type Entered = ReadonlySet<string>;

/** The precise coverage of a Node that was started with `--inspect=127.0.0.1:0`, by its inspector's protocol. */
export class Coverage {
  readonly #socket: WebSocket;
  readonly #root: string;
  #id = 0;

  private constructor(socket: WebSocket, root: string) {
    this.#socket = socket;
    this.#root = root;
  }

  /** @param root the checkout, as a `file:` URL that ends with a slash */
  static async of(child: ChildProcess, root: string): Promise<Coverage> {
    const socket = new WebSocket(await inspectorOf(child), { perMessageDeflate: false });
    await once(socket, "open");
    const coverage = new Coverage(socket, root);
    await coverage.#ask("Profiler.enable");
    await coverage.#ask("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    return coverage;
  }

  async entered(): Promise<Entered> {
    const { result } = (await this.#ask("Profiler.takePreciseCoverage")) as { result: ScriptCoverage[] };
    const entered = new Set<string>();
    for (const { url, functions } of result) {
      if (!url.startsWith(this.#root) || url.includes("/node_modules/")) continue;
      for (const { functionName, ranges } of functions) {
        const [whole] = ranges;
        // A module's own code runs once, when it is loaded: only what is called counts.
        if (whole === undefined || whole.count === 0 || (functionName === "" && whole.startOffset === 0)) continue;
        entered.add(`${url.slice(this.#root.length)}:${whole.startOffset}`);
      }
    }
    return entered;
  }

  close(): void {
    this.#socket.terminate();
  }

  #ask(method: string, params: object = {}): Promise<unknown> {
    const id = ++this.#id;
    return new Promise((resolve, reject) => {
      const read = (data: Buffer) => {
        const message = JSON.parse(data.toString()) as { id?: number; result?: unknown; error?: { message: string } };
        if (message.id !== id) return;
        this.#socket.off("message", read);
        if (message.error === undefined) resolve(message.result);
        else reject(new Error(`${method}: ${message.error.message}`));
      };
      this.#socket.on("message", read);
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
  }
}

function inspectorOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = "";
    child.stderr?.on("data", (text: Buffer | string) => {
      output += text.toString();
      const [address] = /ws:\/\/\S+/.exec(output) ?? [];
      if (address !== undefined) resolve(address);
    });
    child.once("exit", () => reject(new Error(`no inspector: ${output}`)));
  });
}
