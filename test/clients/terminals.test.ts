import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { ChatCompletionsApi, FIRST_WORDS } from "../../cli/agents/pretended-model/chat-completions-api.ts";
import { GenerateContentApi } from "../../cli/agents/pretended-model/generate-content-api.ts";
import { type GateUnderTest, startGate } from "../support/running-gate.ts";
import { GeminiSeat, shell } from "./gemini-seat.ts";
import { installedClient } from "./installed-client.ts";
import { bash, OpenCodeSeat } from "./opencode-seat.ts";
import { Terminal } from "./terminal.ts";

/** What a user sees of the gate in a client's own terminal: that somebody is asked, how to answer, and why a call didn't run. */

const has_tmux = spawnSync("tmux", ["-V"]).status === 0;
if (!has_tmux) console.log("clients in their terminals are not tested: tmux isn't installed");

/** A busy machine takes long to start a client, in milliseconds. */
const SHOWN = { timeout: 120_000, interval: 250 };
const WHOLE_MS = 300_000;

async function rejectNext(gate: GateUnderTest, message: string): Promise<void> {
  const [token = ""] = await gate.waiting();
  await gate.operator.call("approvals.resolve", { token, decision: "rejected", message });
}

describe.skipIf(!has_tmux)("in its terminal", () => {
  const opencode = installedClient("opencode");
  it.skipIf(opencode === undefined)(
    "OpenCode says that the gate asks and how to answer, and why a call is denied",
    { timeout: WHOLE_MS },
    async () => {
      const seat = await OpenCodeSeat.connected(await startGate(), opencode ?? "");
      const api = await ChatCompletionsApi.start({ turns: [bash("touch one"), bash(`cat ${seat.key}`)] });
      const words = [opencode ?? "", "--prompt", FIRST_WORDS];
      const terminal = new Terminal(words, seat.project, seat.environmentFor(api));
      try {
        await expect.poll(() => terminal.screen, SHOWN).toContain("Metnos Gate asks you");
        expect(terminal.screen).toContain(" watch");
        await rejectNext(seat.gate, "not on a Friday");
        await expect.poll(() => terminal.screen, SHOWN).toContain("a path that agents never get");
      } finally {
        await api.close();
      }
    },
  );

  const gemini = installedClient("gemini");
  it.skipIf(gemini === undefined)(
    "Gemini CLI says that the gate asks and how to answer, and why a call is denied",
    { timeout: WHOLE_MS },
    async () => {
      const seat = await GeminiSeat.connected(await startGate(), gemini ?? "");
      const api = await GenerateContentApi.start({ turns: [shell("touch one"), shell(`cat ${seat.key}`)] });
      const words = [process.execPath, gemini ?? "", "--approval-mode", "yolo", "-i", "go"];
      const terminal = new Terminal(words, seat.project, seat.environmentFor(api));
      try {
        await expect.poll(() => terminal.screen, SHOWN).toContain("Executing Hook: Metnos Gate asks you: ");
        await expect.poll(() => seat.gate.waiting()).toHaveLength(1);
        await rejectNext(seat.gate, "not on a Friday");
        await expect.poll(() => terminal.screen, SHOWN).toContain("Metnos Gate: the user said no: not on a Friday");
        await expect.poll(() => terminal.screen, SHOWN).toContain("Metnos Gate: guard: a path that agents never get");
      } finally {
        await api.close();
      }
    },
  );
});
