import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { connectClaudeCode } from "../../cli/agents/claude-code/adapter.ts";
import type { ToolUse } from "../../cli/agents/pretended-model/messages-api.ts";
import type { GateUnderTest } from "../support/running-gate.ts";
import { type ClaudeCodeOptions, ClaudeCodeRun } from "./claude-code-run.ts";

export const TTL_SECONDS = 60;

export function bash(command: string): ToolUse {
  return { name: "Bash", input: { command, description: "a test" } };
}

/** A gate, and a project that Claude Code was connected for it in. */
export class Seat {
  readonly gate: GateUnderTest;
  readonly project: string;
  readonly #binary: string;

  constructor(gate: GateUnderTest, binary: string) {
    this.gate = gate;
    this.#binary = binary;
    this.project = join(gate.home.home, "project");
    mkdirSync(join(this.project, ".claude"), { recursive: true });
    mkdirSync(join(gate.home.home, ".ssh"));
    writeFileSync(this.key, "the key\n");
    process.env.HOME = gate.home.home;
    connectClaudeCode({ project: false, answerSeconds: TTL_SECONDS });
  }

  get key(): string {
    return join(this.gate.home.home, ".ssh/id_rsa");
  }

  /** Reads what no agent may read. */
  get readKey(): ToolUse {
    return bash(`cat ${this.key}`);
  }

  start(script: readonly ToolUse[], more: Partial<ClaudeCodeOptions> = {}): Promise<ClaudeCodeRun> {
    const { env } = this.gate.home;
    return ClaudeCodeRun.start({ binary: this.#binary, env, project: this.project, script, ...more });
  }

  async results(script: readonly ToolUse[], more: Partial<ClaudeCodeOptions> = {}) {
    const run = await this.start(script, more);
    const results = await run.results();
    expect(results, run.output).toHaveLength(script.length);
    return results;
  }

  projectSettings(settings: object): void {
    writeFileSync(join(this.project, ".claude/settings.json"), JSON.stringify(settings));
  }

  async decisions() {
    return (await this.gate.operator.call("status", {})).decisions;
  }

  /** Answers the next card. */
  async answerNext(decision: "approved" | "rejected"): Promise<void> {
    await this.gate.event(({ type }) => type === "approval.waiting");
    const [token = ""] = await this.gate.waiting();
    await this.gate.operator.call("approvals.resolve", { token, decision });
  }
}
