import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/** A server over HTTP that prints its address. */
export class HttpServerProcess {
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
  }

  /** @throws Error if it ends before it has printed one */
  static async start([program = "", ...args]: readonly string[], env: NodeJS.ProcessEnv): Promise<HttpServerProcess> {
    const child = spawn(program, args, { env, stdio: ["ignore", "pipe", "inherit"] });
    const url = await new Promise<string>((resolve, reject) => {
      createInterface({ input: child.stdout }).once("line", resolve);
      child.once("exit", (code) => reject(new Error(`the server ended with ${code}`)));
    });
    return new HttpServerProcess(child, url);
  }

  async close(): Promise<void> {
    const exited = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await exited;
  }
}
