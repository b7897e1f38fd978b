import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { startGate } from "../support/running-gate.ts";
import { CodexSeat, command } from "./codex-run.ts";
import { installedClient } from "./installed-client.ts";

/** The real Codex behind a real gate; its model alone is a pretended one. */

describe("codex", () => {
  const binary = installedClient("codex");
  if (binary === undefined) return;

  let seat: CodexSeat;
  const home = process.env.HOME;
  beforeEach(async () => {
    const gate = await startGate();
    await gate.operator.call("agents.pair", { name: "codex", level: "Supervised" });
    seat = await CodexSeat.take(gate, binary);
    return () => {
      process.env.HOME = home;
    };
  });

  it("asks the gate before each tool: what it allows runs, what it denies doesn't, with the reason", async () => {
    const answered = seat.answerNext("approved");
    const [allowed, approved, denied] = await seat.results([
      [command("echo one")],
      [command("touch made.txt")],
      [command(`cat ${seat.key}`)],
    ]);
    await answered;
    expect(allowed).toContain("one");
    expect([approved, existsSync(join(seat.project, "made.txt"))]).toEqual([expect.any(String), true]);
    expect(denied).toContain("Metnos Gate: guard: forbidden path");
  });
});
