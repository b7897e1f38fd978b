import { describe, expect, it, onTestFinished } from "vitest";
import type { ChannelNote } from "../../../main/core/channel.ts";
import { NoteBoard } from "../../../main/core/note-board.ts";
import { EveningDigest } from "../../../main/surfaces/channels/evening-message.ts";
import { tokenOf } from "../../support/agent-connection.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { type GateUnderTest, startGate } from "../../support/running-gate.ts";
import { inZone } from "../../support/time-zone.ts";

// main/surfaces/channels/evening-message.ts, on a real gate: once a day, whatever the clock does.

function digestOf({ gate }: GateUnderTest) {
  const said: ChannelNote[] = [];
  const notes = new NoteBoard();
  notes.begin();
  notes.subscribe((note) => said.push(note));
  const core = { ...gate.core, notes };
  const digest = new EveningDigest({ core, api: gate.operator, at: "21:00", log: (line) => expect.unreachable(line) });
  onTestFinished(() => digest.close());
  return { digest, said };
}

/** 19:00 in Rome. */
async function seat() {
  inZone("Europe/Rome");
  const clock = new ManualClock("2026-05-04T17:00:00Z");
  const gate = await startGate({ clock });
  const agent = await gate.agent();
  const answered = await agent.ask({ executor: "shell_exec", args: { command: "cat SECRET" } });
  const token = tokenOf(answered.decision);
  await gate.operator.call("approvals.resolve", { token, decision: "rejected", message: "SECRET" });
  await agent.ask({ executor: "shell_exec", args: { command: "ls" } });
  clock.advance(700);
  await gate.operator.call("approvals.cleanup", {});
  return { clock, gate };
}

describe("the evening digest", () => {
  it("says how what each agent did came out, in numbers that add up, and nothing of a call", async () => {
    const { clock, gate } = await seat();
    const { digest, said } = digestOf(gate);
    await digest.look();
    expect(said).toEqual([]);
    clock.advance(2 * 3600);
    await digest.look();
    expect(said).toEqual([
      {
        kind: "evening",
        is_urgent: false,
        title: "Today: 0 allowed by itself, 0 you approved, 1 you denied, 0 denied, 1 no answer",
        lines: ["tester: 2 calls, 2 asked; 0 allowed by itself, 0 you approved, 1 you denied, 0 denied, 1 no answer"],
      },
    ]);
    expect(JSON.stringify(said)).not.toContain("SECRET");
  });

  it("comes once a day: over a restart, and however the clock is set; a day later it comes again", async () => {
    const { clock, gate } = await seat();
    const first = digestOf(gate);
    clock.advance(2 * 3600);
    await first.digest.look();
    expect(first.said).toHaveLength(1);
    const restarted = digestOf(gate);
    for (const seconds of [0, 3600, -3600, 86_400, -86_400, -2 * 86_400, 2 * 86_400]) {
      clock.jump(seconds);
      await first.digest.look();
      await restarted.digest.look();
    }
    expect([...first.said.slice(1), ...restarted.said]).toEqual([]);
    clock.advance(86_400);
    const agent = await gate.agent();
    await agent.ask({ executor: "shell_exec", args: { command: "ls" } });
    await restarted.digest.look();
    expect(restarted.said).toHaveLength(1);
  });

  it("of a gate that is started later that evening still comes; a day on which nothing happened has none", async () => {
    const { clock, gate } = await seat();
    clock.advance(3 * 3600);
    const { digest, said } = digestOf(gate);
    await digest.look();
    expect(said).toHaveLength(1);
    clock.advance(86_400);
    await digest.look();
    expect(said).toHaveLength(1);
  });
});
