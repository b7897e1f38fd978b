import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { CHECKOUT } from "../../support/gate-process.ts";
import { TextWatch } from "./text-watch.ts";

/** A start of the app that ends by itself. Nobody steers it. */
export class BriefProcess {
  readonly exited: Promise<number | null>;
  readonly #child: ChildProcess;
  readonly #text: TextWatch;

  constructor(command: string, args: readonly string[], env: NodeJS.ProcessEnv) {
    this.#child = spawn(command, args, { cwd: CHECKOUT, env, stdio: ["ignore", "pipe", "pipe"] });
    this.#text = new TextWatch(this.#child.stdout, this.#child.stderr);
    this.exited = once(this.#child, "close").then(([code]) => code as number | null);
  }

  output(): string {
    return this.#text.text;
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }
}
