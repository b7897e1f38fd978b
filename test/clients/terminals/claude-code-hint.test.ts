import { describe, expect, it, onTestFinished } from "vitest";
import { testClient } from "../../../cli/agents/client-test/client-test.ts";
import { MessagesApi } from "../../../cli/agents/pretended-model/messages-api.ts";
import { startGate } from "../../support/running-gate.ts";
import { answerFirstQuestions, environmentFor } from "../claude-code-run.ts";
import { TRIED_CLAUDE_CODES } from "../clients.ts";
import { installedClient } from "../installed-client.ts";
import { bash, Seat } from "../seat.ts";
import { SHOWN } from "./seated-user.ts";
import { HAS_TMUX, Terminal, WHOLE_MS } from "./tmux-terminal.ts";

/** What a user sees of the gate in Claude Code's own terminal while somebody is asked. */

const [AT_START, WHILE_ASKED] = ["SessionStart:startup says: Metnos Gate asks you: ", "(Metnos Gate asks you: "];

describe.skipIf(!HAS_TMUX).each(TRIED_CLAUDE_CODES)("%s in its terminal", (name) => {
  const binary = installedClient(name);
  if (binary === undefined) return;

  it("shows how to answer: while the user is asked, or where it can't, once at the session's start", {
    timeout: WHOLE_MS,
  }, async () => {
    const home = process.env.HOME;
    onTestFinished(() => {
      process.env.HOME = home;
    });
    const gate = await startGate();
    await gate.operator.call("agents.pair", { name: "claude-code", level: "Supervised" });
    const seat = new Seat(gate, binary);
    expect(await testClient("claude-code", binary, gate.home.env)).toMatchObject({ tested: { passed: true } });
    const api = await MessagesApi.start([bash("touch one")]);
    onTestFinished(() => api.close());
    answerFirstQuestions(gate.home.home, seat.project);
    const terminal = new Terminal([binary, "go"], seat.project, environmentFor(api, gate.home.env));
    await expect.poll(() => gate.waiting(), SHOWN).toHaveLength(1);
    await expect.poll(() => terminal.screen, SHOWN).toContain("Metnos Gate asks you: ");
    const isEarlier = name === "claude-code-earlier";
    expect([terminal.screen.includes(AT_START), terminal.screen.includes(WHILE_ASKED)]).toEqual([
      isEarlier,
      !isEarlier,
    ]);
  });
});
