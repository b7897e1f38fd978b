import { spawn } from "node:child_process";
import { copyFileSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { recordTestedClient, type TestedClient } from "../../ipc/base/tested-clients.ts";
import { tempFolder } from "./temp-folder.ts";
import type { TemporaryHome } from "./temporary-home.ts";

/** A program of its own file that calls hooks, in Claude Code's place: a shell under another name. */
export class PretendedClient {
  readonly file = join(tempFolder(), "claude");
  readonly #home: TemporaryHome;

  constructor(home: TemporaryHome) {
    this.#home = home;
    copyFileSync(realpathSync("/bin/sh"), this.file);
  }

  /** Puts it on record as it is now. */
  record(result: Partial<TestedClient> = {}): void {
    const { size, mtimeMs } = statSync(this.file);
    const now = { file: this.file, size, mtime_ms: mtimeMs, version: "1.0", tested_at: "2026-01-01T00:00:00.000Z" };
    recordTestedClient(this.#home.paths.state_dir, "claude-code", { ...now, passed: true, problem: null, ...result });
  }

  /** Calls a hook, and gives back what it printed. */
  async call(
    launcher: string,
    args: readonly string[],
    input: string,
    options: readonly string[] = [],
  ): Promise<string> {
    // Not as its last command: a shell becomes that one.
    const words = ["-c", 'shift "$1"; "$@"; exit $?', "claude", String(options.length + 1), ...options];
    const child = spawn(this.file, [...words, launcher, ...args], {
      cwd: this.#home.home,
      env: this.#home.env,
      stdio: ["pipe", "pipe", "inherit"],
    });
    onTestFinished(() => {
      child.kill("SIGKILL");
    });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    child.stdin.on("error", () => child.stdin.destroy()); // a hook that doesn't read its input
    child.stdin.end(input);
    await new Promise((resolve) => child.once("close", resolve));
    return output;
  }
}
