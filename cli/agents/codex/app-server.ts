import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { isObject, type Json, parseObject } from "../../../ipc/base/json-object.ts";
import type { Env } from "../../../ipc/base/paths.ts";
import { GateError } from "../../../ipc/contract/gate-error.ts";

/** `codex app-server`: what Codex itself says of its hooks and settings, and its own way to change them. */

export interface AppServerOptions {
  program: string;
  /** Before the command: settings for this one process. */
  args?: readonly string[];
  env: Env;
  cwd: string;
}

/** A busy machine can be slow. In milliseconds. */
const TIMEOUT_MS = 30_000;
const MAX_LINE = 4 * 1024 * 1024;

interface Waiting {
  resolve(result: Json): void;
  reject(error: Error): void;
}

export class AppServer {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #said = "";

  private constructor({ program, args = [], env, cwd }: AppServerOptions) {
    this.#child = spawn(program, [...args, "app-server"], {
      env,
      cwd,
      detached: true,
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.#child.once("error", (error) => this.#end(error.message));
    this.#child.once("close", () => this.#end(""));
    this.#child.stdin?.on("error", () => this.#child.stdin?.destroy()); // 'close' follows
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#said = (this.#said + text).slice(-2000);
    });
    if (this.#child.stdout === null) return;
    createInterface({ input: this.#child.stdout, crlfDelay: Number.POSITIVE_INFINITY }).on("line", (line) =>
      this.#take(line),
    );
  }

  /** Runs `task` with a server that has been greeted, and ends it. @throws GateError `client_failed` if it doesn't start or answer */
  static async use<T>(options: AppServerOptions, task: (server: AppServer) => Promise<T>): Promise<T> {
    const server = new AppServer(options);
    const timer = setTimeout(() => server.#end("it does not answer"), TIMEOUT_MS);
    try {
      const clientInfo = { name: "metnos-gate", title: null, version: "1" };
      await server.request("initialize", { clientInfo, capabilities: { experimentalApi: true } });
      server.#send({ method: "initialized" });
      return await task(server);
    } finally {
      clearTimeout(timer);
      server.#kill();
    }
  }

  /** @throws GateError `client_failed` with what it says */
  request(method: string, params: Json): Promise<Json> {
    const id = ++this.#lastId;
    return new Promise<Json>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#send({ id, method, params });
    });
  }

  #send(message: Json): void {
    this.#child.stdin?.write(`${JSON.stringify(message)}\n`);
  }

  #take(line: string): void {
    const message = line.length > MAX_LINE ? undefined : parseObject(line);
    const waiting = typeof message?.id === "number" ? this.#waiting.get(message.id) : undefined;
    if (message === undefined || waiting === undefined) return; // a notification, or something else than a message
    this.#waiting.delete(Number(message.id));
    if (isObject(message.result)) waiting.resolve(message.result);
    else waiting.reject(failed(isObject(message.error) ? String(message.error.message) : "no result"));
  }

  #end(why: string): void {
    const lastWords = this.#said.trim().split("\n").at(-1) ?? "";
    for (const { reject } of this.#waiting.values()) reject(failed(why || lastWords || "it ended"));
    this.#waiting.clear();
    this.#kill();
  }

  #kill(): void {
    const { pid, exitCode, signalCode } = this.#child;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    try {
      process.kill(-pid, "SIGKILL");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
}

function failed(why: string): GateError {
  return new GateError(
    "client_failed",
    `Codex does not answer: ${why}`,
    "run codex once by itself, and mend what it says",
  );
}
