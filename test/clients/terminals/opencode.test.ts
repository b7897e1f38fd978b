import { it } from "vitest";
import { ChatCompletionsApi } from "../../../cli/agents/pretended-model/chat-completions-api.ts";
import type { ToolUse } from "../../../cli/agents/pretended-model/messages-api.ts";
import { startGate } from "../../support/running-gate.ts";
import { installedClient } from "../installed-client.ts";
import { bash, OpenCodeSeat } from "../opencode-seat.ts";
import type { Turn } from "./seated-user.ts";
import { ASKING_TEXTS, inAllSituations } from "./situations.ts";
import { HAS_TMUX, Terminal, WHOLE_MS } from "./tmux-terminal.ts";

const SUBAGENT: ToolUse = {
  name: "task",
  input: { description: "a task", prompt: "make that file", subagent_type: "general" },
};

/** Beside the notice's further lines there is what the session shows. */
const beginningOf = (reason: string) => reason.slice(0, 44);

const binary = installedClient("opencode");
it.skipIf(!HAS_TMUX || binary === undefined)(
  "OpenCode says in its terminal that the gate asks, how to answer, and why a call is denied",
  { timeout: WHOLE_MS },
  async () => {
    const seat = await OpenCodeSeat.connected(await startGate(), binary ?? "");
    const turns: Turn<ToolUse>[] = [];
    const api = await ChatCompletionsApi.start({ turns, subagent: [bash("touch by-subagent")] });
    const terminal = new Terminal([binary ?? ""], seat.project, seat.environmentFor(api));
    const { gate, project, key } = seat;
    try {
      await inAllSituations<ToolUse>({
        ...{ gate, project, terminal, turns, key, subagent: SUBAGENT, call: bash },
        working: /esc (again to )?interrupt/,
        hasToasts: true,
        ready: "Ask anything",
        asking: ASKING_TEXTS,
        denied: beginningOf,
        guard: "guard: a path that agents never get: keys",
        // Ctrl+C ends it, as closing its terminal does.
        stopping: {
          Escape: [
            ["Escape", "again to interrupt"],
            ["Escape", "interrupted"],
          ],
        },
      });
    } finally {
      api.close();
    }
  },
);
