import { it } from "vitest";
import { GenerateContentApi } from "../../../cli/agents/pretended-model/generate-content-api.ts";
import type { ToolUse } from "../../../cli/agents/pretended-model/messages-api.ts";
import { startGate } from "../../support/running-gate.ts";
import { GeminiSeat, shell } from "../gemini-seat.ts";
import { installedClient } from "../installed-client.ts";
import type { Turn } from "./seated-user.ts";
import { ASKING, inAllSituations } from "./situations.ts";
import { HAS_TMUX, Terminal, WHOLE_MS } from "./tmux-terminal.ts";

const SUBAGENT: ToolUse = { name: "invoke_agent", input: { agent_name: "generalist", prompt: "make that file" } };

const program = installedClient("gemini");
it.skipIf(!HAS_TMUX || program === undefined)(
  "Gemini CLI says in its terminal that the gate asks, how to answer, and why a call is denied",
  { timeout: WHOLE_MS },
  async () => {
    const seat = await GeminiSeat.connected(await startGate(), program ?? "");
    const turns: Turn<ToolUse>[] = [];
    const api = await GenerateContentApi.start({ turns, subagent: [shell("touch by-subagent")] });
    const words = [process.execPath, program ?? "", "--approval-mode", "yolo"];
    const terminal = new Terminal(words, seat.project, seat.environmentFor(api));
    const { gate, project, key } = seat;
    try {
      await inAllSituations<ToolUse>({
        ...{ gate, project, terminal, turns, key, subagent: SUBAGENT, call: shell },
        working: /esc to cancel/,
        prompt: "*",
        ready: "Type your message",
        asking: [ASKING],
        denied: (reason) => `ℹ Metnos Gate: ${reason}`,
        guard: "guard: a path that agents never get: keys, passwords, the system's own",
        stopping: {
          Escape: [["Escape", "Request cancelled"]],
          "Ctrl+C": [["C-c", "Request cancelled"]],
        },
        // It doesn't say so to its hooks; what is answered then has no effect.
        keepsCard: true,
      });
    } finally {
      api.close();
    }
  },
);
