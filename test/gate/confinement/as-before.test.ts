import { beforeAll, describe, expect, it } from "vitest";
import type { ProposedCall } from "../../../ipc/wire.ts";
import { SECTIONS } from "../../attacks/all-rows.ts";
import { CODING_COMMANDS } from "../../support/coding-commands.ts";
import { type ConfinedWorld, confinedWorld, decidedIn } from "../../support/confined-calls.ts";
import { DESCRIBED_CALLS } from "../../support/described-calls.ts";
import { READING_COMMANDS } from "../../support/reading-commands.ts";
import { tempFolderForFile } from "../../support/temp-folder.ts";

/** Whatever isn't confined is decided exactly as without a box: the tables of calls that there are, and the whole decision. */

const home = tempFolderForFile();
let world: ConfinedWorld;
let calls: ProposedCall[] = [];
beforeAll(() => {
  world = confinedWorld(home);
  const attacks = Object.values(SECTIONS).flatMap(({ rows }) => rows.map(({ call }) => call));
  const bash = (command: string) => ({ executor: "Bash", args: { command } });
  const all: { executor: string; args: Readonly<Record<string, unknown>> }[] = [
    ...[...CODING_COMMANDS, ...READING_COMMANDS].map(bash),
    ...DESCRIBED_CALLS.map(([executor, args]) => ({ executor, args })),
    ...attacks,
  ];
  calls = all.map(({ executor, args }) => ({
    intent: "",
    executor,
    args: Object.fromEntries(
      Object.entries(args).map(([name, value]) => [
        name,
        typeof value === "string" ? value.replaceAll("{home}", home).replaceAll("~/project", world.project) : value,
      ]),
    ),
    context: { cwd: world.project },
  }));
});

type Level = "ReadOnly" | "Supervised" | "Full";
type Before = Pick<ReturnType<typeof decidedIn>, "decision" | "trace">;
const known = new Map<Level, Map<ProposedCall, Before>>();

/** With no box at all, and an agent that says nothing of boxes. */
function withoutBox(call: ProposedCall, level: Level): Before {
  const of_level = known.get(level) ?? new Map<ProposedCall, Before>();
  known.set(level, of_level);
  const found = of_level.get(call);
  if (found !== undefined) return found;
  const { box: _, ...settings } = world.settings;
  const subject = { level, can_confine: undefined };
  const { decision, trace } = decidedIn({ settings, subject: world.subject }, call, { subject });
  of_level.set(call, { decision, trace });
  return { decision, trace };
}

it("there are enough of them", () => {
  expect(calls.length).toBeGreaterThan(1000);
});

describe("every call is decided exactly as before", () => {
  it.each<[what: string, change: Parameters<typeof decidedIn>[2]]>([
    ["at ReadOnly, with a box", { subject: { level: "ReadOnly" } }],
    ["where the agent can't be confined", { subject: { can_confine: false } }],
    ["where no box is available", {}],
  ])("%s", (what, change) => {
    world.box.is_available = what !== "where no box is available";
    const level = change?.subject?.level ?? "Supervised";
    for (const call of calls) {
      const { decision, trace } = decidedIn(world, call, change);
      expect({ call, decision, trace }).toEqual({ call, ...withoutBox(call, level) });
    }
    world.box.is_available = true;
  });
});

describe("with a box, a call is decided on as a confined one, or exactly as before", () => {
  it.each(["Supervised", "Full"] as const)("at %s", (level) => {
    let confined = 0;
    for (const call of calls) {
      const { decision, trace } = decidedIn(world, call, { subject: { level } });
      const was = withoutBox(call, level);
      if (decision.confined === undefined) {
        // What the policy would have confined, and another stage denies all the same, says so in its trace alone.
        const policy = was.trace.find(({ stage }) => stage === "policy");
        const now = trace.map((step) => (step.stage === "policy" && decision.outcome === "denied" ? policy : step));
        expect({ call, decision, trace: now }).toEqual({ call, ...was });
        continue;
      }
      confined++;
      // Only what would have been asked about, and for the code that it runs.
      expect([call, was.decision.outcome]).toEqual([call, "approval_required"]);
      expect(was.decision.capabilities.map(({ capability }) => capability)).toContain("code:exec");
      expect(decision.capabilities.map(({ capability }) => capability)).not.toContain("code:exec");
    }
    expect(confined).toBeGreaterThan(50);
  });

  it("what the guard or the judge denies without a box, they deny with one, in the same words", () => {
    const denied = calls.filter((call) => withoutBox(call, "Full").decision.verdict?.approved === false);
    expect(denied.length).toBeGreaterThan(100);
    for (const call of denied)
      expect(decidedIn(world, call, { subject: { level: "Full" } }).decision).toEqual(
        withoutBox(call, "Full").decision,
      );
  });
});
