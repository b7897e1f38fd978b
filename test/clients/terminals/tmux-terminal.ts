import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { killed } from "../client-process.ts";

export const HAS_TMUX = spawnSync("tmux", ["-V"]).status === 0;
if (!HAS_TMUX) console.log("clients in their terminals are not tested: tmux isn't installed");

/** How long a test may take on a busy machine, in milliseconds. */
export const WHOLE_MS = 300_000;

/** A terminal of its own, in which a client draws its screen as for a user (tmux). */
export class Terminal {
  readonly #socket = join(mkdtempSync(join(tmpdir(), "metnos-tmux-")), "s");

  /** Closed, and what runs in it ended, when the test ends. */
  constructor(words: readonly string[], cwd: string, env: NodeJS.ProcessEnv) {
    const variables = Object.entries({ TERM: "xterm-256color", LANG: "C.UTF-8", ...env }).flatMap(([name, value]) =>
      value === undefined ? [] : ["-e", `${name}=${value}`],
    );
    this.#tmux("new-session", "-d", "-s", "t", "-x", "150", "-y", "45", "-c", cwd, ...variables, "--", ...words);
    const pid = Number(this.#tmux("display-message", "-p", "-t", "t", "#{pane_pid}"));
    onTestFinished(() => {
      this.close();
      // Not every client ends when it is hung up.
      if (pid > 0) killed(-pid);
    });
  }

  /** What is on the screen. */
  get screen(): string {
    return this.#tmux("capture-pane", "-p", "-t", "t");
  }

  /** The same as one line, without what the client draws around its words: they are wrapped where a line is full. */
  get words(): string {
    return this.screen.replaceAll(/[\s\u2500-\u259f]+/g, " ");
  }

  press(...keys: string[]): void {
    this.#tmux("send-keys", "-t", "t", ...keys);
  }

  type(text: string): void {
    this.press("-l", text);
  }

  /** As its window is closed: what runs in it is hung up. */
  close(): void {
    try {
      this.#tmux("kill-server");
    } catch {
      // its client has ended, and the server with it
    }
  }

  #tmux(...words: string[]): string {
    const env = { PATH: process.env.PATH, HOME: "/nowhere", LANG: "C.UTF-8" };
    return execFileSync("tmux", ["-f", "/dev/null", "-S", this.#socket, ...words], {
      env,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  }
}
