import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { ResponsesApi } from "../../cli/agents/pretended-model/responses-api.ts";
import { CodexSeat, command, flagsFor, PRETENDED_KEY } from "./codex-run.ts";
import { type ConfinableClient, describeConfined, lateHook } from "./confined.ts";

/** The real Codex, whose commands the real gate confines with the real bubblewrap. */

const AGENT = "codex";

async function run(seat: CodexSeat, lines: readonly string[], args: readonly string[] = []) {
  const run = await seat.start({ script: lines.map((line) => [command(line)]), args });
  return { results: await run.results(), received: run.api.conversation };
}

const client: ConfinableClient<CodexSeat> = {
  agent: AGENT,
  client: AGENT,
  async seat(gate, program) {
    await gate.operator.call("agents.pair", { name: AGENT, level: "Supervised" });
    return CodexSeat.take(gate, program);
  },
  run,
  edit(seat, { file, before, after }) {
    const changes = [`*** Update File: ${file}`, `-${before.trimEnd()}`, `+${after.trimEnd()}`];
    const input = ["*** Begin Patch", ...changes, "*** End Patch", ""].join("\n");
    return seat.results([[{ name: "apply_patch", input }]]);
  },
  async inTerminal(seat, lines) {
    const api = await ResponsesApi.start({ script: lines.map((line) => [command(line)]) });
    // Its first questions are answered.
    const answers = `[projects.${JSON.stringify(seat.project)}]\ntrust_level = "trusted"\n[notice.model_migrations]\n"gpt-5.5" = "gpt-6-sol"\n`;
    appendFileSync(seat.config, `\n${answers}`);
    const words = [...flagsFor(api), "-c", 'approval_policy="never"', "go"];
    return {
      api,
      words,
      env: { ...seat.gate.home.env, ...PRETENDED_KEY },
      denied: "Metnos Gate: guard: forbidden path violated",
    };
  },
  replace(seat) {
    const updatedInput = { command: "touch replaced.txt" };
    const output = { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow", updatedInput } };
    const hooks = JSON.parse(seat.read(seat.hooks)) as { hooks: { PreToolUse: object[] } };
    const late = { type: "command", command: lateHook(seat.project, output) };
    hooks.hooks.PreToolUse.push({ matcher: "Bash", hooks: [late] });
    writeFileSync(seat.hooks, JSON.stringify(hooks));
    return (seat, lines) => run(seat, lines, ["--dangerously-bypass-hook-trust"]);
  },
  alarms: ["box_bypassed"],
  code: (code) => `exited with code ${code}`,
};

describeConfined(client, (confined) => {
  it("run confined to their end where Codex no longer waits for them", async () => {
    const slow = confined.script("while [ ! -e go ]; do sleep 0.1; done; echo made > made.txt");
    const waiting = confined.script("while [ ! -e made.txt ]; do sleep 0.1; done; cat made.txt", "wait.sh");
    const [first, , last] = await confined.seat.results([
      [command(slow, { yield_time_ms: 250 })],
      [command("touch go")],
      [command(waiting)],
    ]);
    expect(first).toContain("Process running with session ID");
    expect(last).toMatch(/\bmade$/m);
    expect(await confined.isPaused()).toBe(false);
  });

  it("stay under Codex's own sandbox, rules and questions: there they are asked about as before", async () => {
    const { seat } = confined;
    const rules = join(dirname(seat.config), "rules/default.rules");
    for (const [args, text] of [
      [["-c", 'sandbox_mode="workspace-write"'], ""],
      [["-c", 'approval_policy="on-request"', "-c", 'sandbox_mode="read-only"'], ""],
      [[], 'prefix_rule(pattern=["sh", "work.sh"], decision="forbidden")'],
    ] as const) {
      mkdirSync(dirname(rules), { recursive: true });
      writeFileSync(rules, text);
      const answered = confined.answer("rejected");
      const { results } = await run(seat, [confined.script("touch made.txt")], args);
      await answered;
      expect(results[0]).toContain("the user said no");
    }
    expect(confined.has("made.txt")).toBe(false);
  });
});
