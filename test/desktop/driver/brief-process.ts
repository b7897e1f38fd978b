import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { afterAll } from "vitest";
import { CHECKOUT } from "../../support/gate-process.ts";
import { TextWatch } from "./text-watch.ts";

const started = new Set<BriefProcess>();
afterAll(() => {
  for (const process of started) process.kill("SIGKILL");
});

/** A start of the app that ends by itself. Nobody steers it. */
export class BriefProcess {
  readonly exited: Promise<number | null>;
  readonly #child: ChildProcess;
  readonly #text: TextWatch;
  /** Without stderr, where Chromium prints, too. */
  readonly #stdout: TextWatch;

  constructor(command: string, args: readonly string[], env: NodeJS.ProcessEnv, cwd = CHECKOUT) {
    this.#child = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    this.#text = new TextWatch(this.#child.stdout, this.#child.stderr);
    this.#stdout = new TextWatch(this.#child.stdout);
    this.exited = once(this.#child, "close").then(([code]) => {
      this.#text.end();
      return code as number | null;
    });
    started.add(this);
    void this.exited.then(() => started.delete(this));
  }

  stdout(): string {
    return this.#stdout.text;
  }

  output(): string {
    return this.#text.text;
  }

  printed(pattern: RegExp): Promise<void> {
    return this.#text.printed(pattern);
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }
}
