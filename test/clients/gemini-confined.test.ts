import { join } from "node:path";
import { expect, it } from "vitest";
import { GenerateContentApi } from "../../cli/agents/pretended-model/generate-content-api.ts";
import { type ConfinableClient, describeConfined, lateHook } from "./confined.ts";
import { GeminiSeat, shell } from "./gemini-seat.ts";

/** The real Gemini CLI, whose commands the real gate confines with the real bubblewrap. */

const client: ConfinableClient<GeminiSeat> = {
  agent: "gemini",
  client: "gemini",
  seat: (gate, program) => GeminiSeat.connected(gate, program),
  async run(seat, lines) {
    const results = (await seat.results(lines.map((line) => shell(line)))).map(({ text }) => text);
    return { results, received: results.join("\n") };
  },
  async inTerminal(seat, lines) {
    const api = await GenerateContentApi.start({ turns: lines.map((line) => shell(line)) });
    return {
      api,
      words: ["--approval-mode", "yolo", "-i", "go"],
      env: seat.environmentFor(api),
      denied: "Metnos Gate: guard: a path that agents never get",
    };
  },
  replace(seat) {
    const command = lateHook(seat.project, {
      decision: "allow",
      hookSpecificOutput: { hookEventName: "BeforeTool", tool_input: { command: "touch replaced.txt" } },
    });
    const late = { matcher: "run_shell_command", hooks: [{ type: "command", command }] };
    seat.projectSettings({ hooks: { BeforeTool: [late] } });
    return undefined;
  },
  alarms: ["box_bypassed", "ran_unasked"],
  code: (code) => `Exit Code: ${code}`,
};

describeConfined(client, (confined) => {
  it("stay under Gemini's own policies: there they are asked about as before", async () => {
    const { seat } = confined;
    const answered = confined.answer("rejected");
    seat.write(
      join(seat.gate.home.home, ".gemini/policies/mine.toml"),
      '[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "sh other"\ndecision = "deny"\npriority = 900\n',
    );
    const [result] = await seat.results([shell(confined.script("touch made.txt"))]);
    await answered;
    expect(result?.is_error).toBe(true);
    expect(confined.has("made.txt")).toBe(false);
  });
});
