import { spawnSync } from "node:child_process";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "vitest";
import { ResponsesApi, type ResponsesCall } from "../../../cli/agents/pretended-model/responses-api.ts";
import { startGate } from "../../support/running-gate.ts";
import { killed } from "../client-process.ts";
import { CodexSeat, command, PRETENDED_KEY } from "../codex-run.ts";
import { installedClient } from "../installed-client.ts";
import type { Turn } from "./seated-user.ts";
import { ASKING, inAllSituations } from "./situations.ts";
import { HAS_TMUX, Terminal, WHOLE_MS } from "./tmux-terminal.ts";

const SUBAGENT: ResponsesCall = {
  name: "spawn_agent",
  namespace: "multi_agent_v1",
  input: { message: "make that file" },
};

const binary = installedClient("codex");
it.skipIf(!HAS_TMUX || binary === undefined)(
  "Codex says in its terminal that the gate asks, how to answer, and why a call is denied",
  { timeout: WHOLE_MS },
  async () => {
    const home = process.env.HOME;
    const gate = await startGate();
    await gate.operator.call("agents.pair", { name: "codex", level: "Supervised" });
    const seat = CodexSeat.make(gate, binary ?? "");
    const turns: Turn<ResponsesCall>[] = [];
    const api = await ResponsesApi.start({ script: turns, subagent: [[command("touch by-subagent")]] });
    appendFileSync(seat.config, settings(api, seat.project));
    await seat.connect();
    const terminal = new Terminal([seat.binary], seat.project, { ...gate.home.env, ...PRETENDED_KEY });
    try {
      await inAllSituations<ResponsesCall>({
        ...{ gate, project: seat.project, terminal, turns, key: seat.key, subagent: SUBAGENT, call: command },
        working: /esc to interrupt/,
        ready: "Ask Codex to do anything",
        asking: [ASKING],
        // Its model doesn't wait for a subagent: nothing on its screen says that one is asked about.
        askingForSubagent: [],
        denied: (reason) => `Blocked by hook Metnos Gate: ${reason}`,
        guard: "guard: forbidden path violated",
        stopping: {
          Escape: [["Escape", "Conversation interrupted"]],
          "Ctrl+C": [
            ["C-c", "Cancel task"],
            ["Enter", "Conversation interrupted"],
          ],
        },
        outlivesTerminal: true,
      });
    } finally {
      endDaemon(gate.home.home);
      api.close();
      process.env.HOME = home;
    }
  },
);

/** What runs its turns, and what updates that: both outlive its terminal, and are programs in its home. */
function endDaemon(home: string): void {
  const { stdout } = spawnSync("pgrep", ["-f", join(home, ".codex/packages")], { encoding: "utf8" });
  for (const pid of stdout.split("\n").filter(Boolean)) killed(Number(pid));
}

function settings({ url }: ResponsesApi, project: string): string {
  return `model = "gpt-5.5"
model_provider = "pretended"
sandbox_mode = "danger-full-access"
approval_policy = "never"
[notice.model_migrations]
"gpt-5.5" = "gpt-6-sol"
[projects.${JSON.stringify(project)}]
trust_level = "trusted"
[model_providers.pretended]
name = "pretended"
base_url = ${JSON.stringify(url)}
wire_api = "responses"
env_key = "PRETENDED_KEY"
`;
}
