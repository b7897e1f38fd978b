import { spawn } from "node:child_process";
import { join } from "node:path";
import xterm from "@xterm/headless";
import { expect, onTestFinished, test } from "vitest";
import { startGate } from "../../support/running-gate.ts";

const LAUNCHER = new URL("../../../bin/metnos-gate.js", import.meta.url).pathname;

/** `metnos-gate watch` in a real pseudo terminal, its screen as a person would see it. */
class WatchTerminal {
  readonly #terminal = new xterm.Terminal({ cols: 100, rows: 36, allowProposedApi: true });
  readonly #child;
  readonly #changed = new Set<() => void>();
  readonly closed: Promise<void>;

  constructor(env: NodeJS.ProcessEnv) {
    const command = `stty cols 100 rows 36; exec '${process.execPath}' '${LAUNCHER}' watch`;
    this.#child = spawn("script", ["-qfec", command, "/dev/null"], {
      env: { ...env, TERM: "xterm-256color" },
      stdio: "pipe",
    });
    this.#child.stdout.on("data", (bytes: Buffer) => {
      this.#terminal.write(bytes, () => {
        for (const look of this.#changed) look();
      });
    });
    this.closed = new Promise((resolve) => this.#child.once("close", () => resolve()));
    onTestFinished(() => {
      this.#child.kill("SIGKILL");
    });
  }

  get screen(): string {
    const { active } = this.#terminal.buffer;
    const rows = Array.from(
      { length: this.#terminal.rows },
      (_, row) => active.getLine(active.viewportY + row)?.translateToString(true) ?? "",
    );
    return rows.join("\n");
  }

  /** Resolves once the screen shows the text. */
  shows(text: string): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!this.screen.includes(text)) return;
        this.#changed.delete(look);
        resolve();
      };
      this.#changed.add(look);
      look();
    });
  }

  /** Presses again until it counts: not in a card's first 500 ms. */
  async pressUntil(key: string, text: string): Promise<void> {
    const again = setInterval(() => this.type(key), 150);
    await this.shows(text);
    clearInterval(again);
  }

  type(keys: string): void {
    this.#child.stdin.write(keys);
  }
}

test("cards appear as they come, keys answer them, and what was answered elsewhere goes away", async () => {
  const gate = await startGate();
  const agent = await gate.agent("claude-code");
  const terminal = new WatchTerminal(gate.home.env);
  await terminal.shows("Nothing is waiting for you");
  await terminal.shows("metnos-gate connect claude-code");

  const file = join(gate.home.home, "project/a.ts");
  agent.send("tool.call", {
    id: "1",
    intent: "write",
    executor: "Write",
    args: { file_path: file, content: "a\u001b[31mb" },
  });
  await terminal.shows("May I write?");
  await terminal.shows("\\u{1b}");
  expect(terminal.screen).toContain("fs_write:~/project/*");

  await terminal.pressUntil("p", "this folder and below, permanently");
  terminal.type("\u001b[B");
  await terminal.shows("> this folder, permanently");
  await terminal.shows(`fs:write on ${join(gate.home.home, "project/*")}`);
  terminal.type("\r");
  await terminal.shows("approved: write");
  const [grant] = await gate.operator.call("grants.list", {});
  expect(grant).toMatchObject({
    capability: "fs:write",
    target: join(gate.home.home, "project/*"),
    agent_name: "claude-code",
  });

  agent.send("tool.call", { id: "2", intent: "run", executor: "Bash", args: { command: "make" } });
  await terminal.shows("May I run?");
  const [token = ""] = await gate.waiting();
  await gate.operator.call("approvals.resolve", { token, decision: "rejected" });
  await terminal.shows("denied: run make");
  await terminal.shows("Nothing is waiting for you");
  terminal.type("q");
  await terminal.closed;
});
