import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { confinedCommand } from "../../../ipc/base/confined-command.ts";
import type { GateUnderTest } from "../../support/running-gate.ts";
import { shellRuns, withoutBox } from "../box-under-test.ts";
import { workingAgent } from "../working-agent.ts";

const reason = withoutBox();
if (reason !== undefined) console.log(`confined runs of a whole gate are not tested: ${reason}`);

describe.skipIf(reason !== undefined)("a confined call that was allowed and hasn't started", () => {
  it.each<[what: string, stop: (gate: GateUnderTest) => Promise<unknown>, why: string]>([
    ["the gate is paused", ({ operator }) => operator.call("safety.pause", {}), "the gate is paused"],
    [
      "its agent is paused",
      ({ operator }) => operator.call("agents.pause", { name: "tester" }),
      "the user has paused this agent",
    ],
    [
      "its agent may only read",
      ({ operator }) => operator.call("agents.level", { name: "tester", level: "ReadOnly" }),
      "was changed",
    ],
    ["its agent is revoked", ({ operator }) => operator.call("agents.revoke", { name: "tester" }), "was changed"],
  ])("doesn't start once %s", async (_, stop, why) => {
    const { gate, project, decide } = await workingAgent();
    const decision = await decide("node -e 0; touch ran");
    expect(decision).toMatchObject({ outcome: "allowed", confined: { project } });
    await stop(gate);
    const ran = await shellRuns(confinedCommand(decision.confine?.argv ?? []), project);
    expect(ran).toEqual({ code: 126, signal: null, stdout: "", stderr: expect.stringContaining(why) });
    expect(existsSync(join(project, "ran"))).toBe(false);
  });

  it("is not started by another call that holds its words", async () => {
    const { decide } = await workingAgent();
    const argv = (await decide("node -e 0")).confine?.argv ?? [];
    for (const command of [
      argv.join(" "),
      confinedCommand(argv),
      `node -e 0; ${argv.join(" ")}`,
      `bash ${argv.join(" ")}`,
    ])
      expect(await decide(command)).toMatchObject({ outcome: "denied", explain: { rule: "guard.gate-files" } });
  });
});
