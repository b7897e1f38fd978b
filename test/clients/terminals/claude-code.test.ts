import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { MessagesApi, type ToolUse } from "../../../cli/agents/pretended-model/messages-api.ts";
import { startGate } from "../../support/running-gate.ts";
import { API_KEY, environmentFor } from "../claude-code-run.ts";
import { CLIENTS, TRIED_CLAUDE_CODES } from "../clients.ts";
import { installedClient } from "../installed-client.ts";
import { bash, Seat } from "../seat.ts";
import type { SeatedUser, Turn } from "./seated-user.ts";
import { ASKING, inAllSituations } from "./situations.ts";
import { HAS_TMUX, Terminal, WHOLE_MS } from "./tmux-terminal.ts";

const SUBAGENT: ToolUse = {
  name: "Agent",
  input: { description: "a task", prompt: "make that file", subagent_type: "general-purpose" },
};

const OWN_PROMPT = "Do you want to proceed";

/** What differs on the screens of the versions. */
const SCREENS = {
  // Its subagents work in the background: its screen says that it waits for them.
  "claude-code": {
    asking: [ASKING],
    askingForSubagent: ["background agent"],
    subagentEnded: "finished",
    asksInPlanMode: true,
  },
  "claude-code-earlier": { asking: ["Waiting…"], askingForSubagent: ["Running…"], asksInPlanMode: false },
} as const;

describe.each(TRIED_CLAUDE_CODES)("%s", (name) => {
  const binary = installedClient(name);
  it.skipIf(!HAS_TMUX || binary === undefined)(
    `${CLIENTS[name].title} says in its terminal that the gate asks, how to answer, and why a call is denied`,
    { timeout: WHOLE_MS },
    async () => {
      const home = process.env.HOME;
      const gate = await startGate();
      await gate.operator.call("agents.pair", { name: "claude-code", level: "Supervised" });
      const seat = new Seat(gate, binary ?? "");
      writeFileSync(join(gate.home.home, ".claude.json"), JSON.stringify(asUsed(seat.project)));
      const turns: Turn<ToolUse>[] = [];
      const api = await MessagesApi.start(turns, undefined, [bash("touch by-subagent")]);
      const terminal = new Terminal([binary ?? ""], seat.project, environmentFor(api, gate.home.env));
      const { asksInPlanMode, ...screen } = SCREENS[name as keyof typeof SCREENS];
      try {
        await inAllSituations<ToolUse>({
          ...{ gate, project: seat.project, terminal, turns, key: seat.key, subagent: SUBAGENT, call: bash, ...screen },
          working: /esc to interrupt/,
          ready: "❯",
          denied: (reason) => `PreToolUse:Bash says: Metnos Gate: ${reason}`,
          guard: "guard: a path that agents never get: keys, passwords, the system's own",
          stopping: { Escape: [["Escape", "Interrupted"]], "Ctrl+C": [["C-c", "Interrupted"]] },
          ownPrompt: OWN_PROMPT,
          more: { "it is in plan mode": (user) => inPlanMode(user, asksInPlanMode) },
        });
      } finally {
        api.close();
        process.env.HOME = home;
      }
    },
  );
});

/** Its own file, as it is after the first start: nothing is asked then. */
function asUsed(project: string): object {
  return {
    hasCompletedOnboarding: true,
    theme: "dark",
    customApiKeyResponses: { approved: [API_KEY], rejected: [] },
    projects: { [project]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
  };
}

/** A newer version asks by itself, too, after the gate's yes. */
async function inPlanMode(user: SeatedUser<ToolUse>, asksItself: boolean): Promise<void> {
  await user.seesNot(/esc to interrupt/);
  for (let mode = 0; mode < 5 && !user.terminal.words.includes("plan mode on"); mode += 1) {
    user.terminal.press("BTab");
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  await user.sees("plan mode on");
  await user.says(bash("touch planned"));
  await user.answers("touch planned", "approved");
  if (!asksItself) {
    await user.made("planned");
    return user.isDone();
  }
  await user.leaves(OWN_PROMPT);
  expect(user.hasMade("planned")).toBe(false);
}
