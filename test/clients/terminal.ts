import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A terminal of its own, in which a client draws its screen as for a user (tmux). */
export class Terminal {
  readonly #socket = join(mkdtempSync(join(tmpdir(), "metnos-tmux-")), "s");

  /** Closed, and what runs in it ended, when the test ends. */
  constructor(words: readonly string[], cwd: string, env: NodeJS.ProcessEnv) {
    const variables = Object.entries({ TERM: "xterm-256color", LANG: "C.UTF-8", ...env }).flatMap(([name, value]) =>
      value === undefined ? [] : ["-e", `${name}=${value}`],
    );
    this.#tmux("new-session", "-d", "-s", "t", "-x", "150", "-y", "45", "-c", cwd, ...variables, "--", ...words);
    onTestFinished(() => this.close());
  }

  /** As when its window is closed. */
  close(): void {
    try {
      this.#tmux("kill-server");
    } catch {
      // its client has ended, and the server with it
    }
  }

  /** What is on the screen. */
  get screen(): string {
    return this.#tmux("capture-pane", "-p", "-t", "t");
  }

  press(...keys: string[]): void {
    this.#tmux("send-keys", "-t", "t", ...keys);
  }

  #tmux(...words: string[]): string {
    const env = { PATH: process.env.PATH, HOME: "/nowhere", LANG: "C.UTF-8" };
    return execFileSync("tmux", ["-f", "/dev/null", "-S", this.#socket, ...words], { env, encoding: "utf8" });
  }
}
