import { writeFileSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { ResponsesApi } from "../../../cli/agents/pretended-model/responses-api.ts";
import { startGate } from "../../support/running-gate.ts";
import { killed } from "../client-process.ts";
import { CodexSeat, command, PRETENDED_KEY } from "../codex-run.ts";
import { installedClient } from "../installed-client.ts";
import { processesOf } from "./processes-of.ts";
import { SHOWN } from "./seated-user.ts";
import { HAS_TMUX, Terminal, WHOLE_MS } from "./tmux-terminal.ts";

/** The real Codex in a terminal, which runs its turns in a daemon. */

describe.skipIf(!HAS_TMUX)("Codex in its terminal", () => {
  const binary = installedClient("codex");
  if (binary === undefined) return;

  it("continues where its terminal is closed, and its card says so", { timeout: WHOLE_MS }, async () => {
    const userHome = process.env.HOME;
    onTestFinished(() => {
      process.env.HOME = userHome;
    });
    const gate = await startGate();
    await gate.operator.call("agents.pair", { name: "codex", level: "Supervised" });
    const seat = await CodexSeat.take(gate, binary);
    const api = await ResponsesApi.start({ script: [[command("touch one")]] });
    onTestFinished(() => api.close());
    writeFileSync(seat.config, `${settingsFor(api)}\n${seat.read(seat.config)}\n${firstAnswers(seat.project)}`);
    // Its daemon is in no group of processes of the terminal's.
    onTestFinished(() => processesOf(gate.home.home).forEach(killed));
    const terminal = new Terminal([binary, "go"], seat.project, { ...gate.home.env, ...PRETENDED_KEY });
    await expect.poll(() => gate.waiting(), SHOWN).toHaveLength(1);
    const [token = ""] = await gate.waiting();
    await expect.poll(() => terminal.screen, SHOWN).toContain("Metnos Gate asks you: ");
    expect((await gate.request(token)).hints).toEqual([]);
    terminal.close();
    await expect
      .poll(async () => (await gate.request(token)).hints, SHOWN)
      .toEqual(["Codex continues without its terminal"]);
    expect(await gate.waiting()).toEqual([token]);
  });
});

/** Given as settings, not by its words: with those it starts no daemon. */
function settingsFor({ url }: ResponsesApi): string {
  return `model = "gpt-5.5"
model_provider = "pretended"
sandbox_mode = "danger-full-access"
approval_policy = "never"
model_providers.pretended = { name = "pretended", base_url = ${JSON.stringify(url)}, wire_api = "responses", env_key = "PRETENDED_KEY" }`;
}

const firstAnswers = (project: string): string =>
  `[projects.${JSON.stringify(project)}]\ntrust_level = "trusted"\n[notice.model_migrations]\n"gpt-5.5" = "gpt-6-sol"\n`;
