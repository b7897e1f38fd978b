import { tmpdir } from "node:os";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { ProposedCall } from "../../../ipc/contract/wire.ts";
import { SECTIONS } from "../../attacks/all-rows.ts";
import { CODING_COMMANDS } from "../../support/coding-commands.ts";
import { type ConfinedWorld, confinedWorld, decidedIn } from "../../support/confined-calls.ts";
import { DESCRIBED_CALLS } from "../../support/described-calls.ts";
import { READING_COMMANDS } from "../../support/reading-commands.ts";
import { tempFolderForFile } from "../../support/temp-folder.ts";

/**
 * Whatever isn't confined is decided exactly as without a box, and so is a clear line, which its box only holds to its needs: the tables of
 * calls that there are, and the whole decision.
 */

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
  const ofLevel = known.get(level) ?? new Map<ProposedCall, Before>();
  known.set(level, ofLevel);
  const found = ofLevel.get(call);
  if (found !== undefined) return found;
  const { box: _, ...settings } = world.settings;
  const subject = { level, can_confine: undefined };
  const before = decidedHere({ settings, subject: world.subject }, call, { subject });
  ofLevel.set(call, before);
  return before;
}

/** What a call over the whole disk finds in other tests' folders is none of this one's. */
function decidedHere(...args: Parameters<typeof decidedIn>): Before {
  const { decision, trace } = decidedIn(...args);
  const own = decision.capabilities.filter(
    ({ target }) => !target.startsWith(`${tmpdir()}/`) || target.startsWith(home),
  );
  return { decision: { ...decision, capabilities: own }, trace };
}

/** A shell's line, that asks a host and names files. */
function waitsWithFiles({ decision: { capabilities } }: Before): boolean {
  const all = capabilities.map(({ capability }) => capability);
  return all.includes("network:http") && all.some((capability) => capability.startsWith("fs:"));
}

it("there are enough of them", () => {
  expect(calls.length).toBeGreaterThan(1000);
});

describe("every call is decided exactly as before", () => {
  it.each<[what: string, change: Parameters<typeof decidedIn>[2]]>([
    ["where the agent can't be confined", { subject: { can_confine: false } }],
    ["where no box is available", {}],
  ])("%s", (what, change) => {
    world.box.is_available = what !== "where no box is available";
    onTestFinished(() => {
      world.box.is_available = true;
    });
    const level = "Supervised";
    for (const call of calls) {
      const { decision, trace } = decidedHere(world, call, change);
      expect({ call, decision, trace }).toEqual({ call, ...withoutBox(call, level) });
    }
  });
});

describe("with a box, a call is decided on as a confined one, or exactly as before", () => {
  it.each(["ReadOnly", "Supervised", "Full"] as const)("at %s", (level) => {
    const confined = { project: 0, looking: 0, needs: 0 };
    let waiting = 0;
    for (const call of calls) {
      const { decision, trace } = decidedHere(world, call, { subject: { level } });
      const was = withoutBox(call, level);
      if (was.decision.outcome === "allowed" && waitsWithFiles(was)) {
        // What it asks a host for may come when a confined command has exchanged the file.
        const isAsked = decision.explain.rule === "policy.asked-each-time";
        expect([call, isAsked || decision.confined?.kind === undefined]).toEqual([call, true]);
        waiting++;
        continue;
      }
      if (decision.confined === undefined) {
        // What the policy would have confined, and another stage denies all the same, says so in its trace alone.
        // Where the level alone denied it, a later stage may be the one that denies what only looks.
        if (level === "ReadOnly" && was.decision.stage === "policy" && decision.stage !== "policy") {
          expect([call, was.decision.outcome, decision.outcome]).toEqual([call, "denied", "denied"]);
          continue;
        }
        const policy = was.trace.find(({ stage }) => stage === "policy");
        const now = trace.map((step) => (step.stage === "policy" && decision.outcome === "denied" ? policy : step));
        expect({ call, decision, trace: now }).toEqual({ call, ...was });
        continue;
      }
      const { kind = "project" } = decision.confined;
      confined[kind]++;
      if (kind === "needs") {
        const { confined: _, ...decided } = decision;
        expect({ call, decided, trace }).toEqual({ call, decided: was.decision, trace: was.trace });
        continue;
      }
      // Only what would have been asked about, or denied at the level, for the code that it runs.
      expect([call, was.decision.outcome]).toEqual([call, level === "ReadOnly" ? "denied" : "approval_required"]);
      if (kind === "looking")
        expect(decision.capabilities.map(({ capability }) => capability)).not.toContain("fs:write");
      expect([level, kind]).not.toEqual(["ReadOnly", "project"]);
      expect(was.decision.capabilities.map(({ capability }) => capability)).toContain("code:exec");
      expect(decision.capabilities.map(({ capability }) => capability)).not.toContain("code:exec");
    }
    expect(confined.needs).toBeGreaterThan(100);
    if (level === "Full") expect(waiting).toBeGreaterThan(0);
    expect(confined.looking).toBeGreaterThan(10);
    if (level !== "ReadOnly") expect(confined.project).toBeGreaterThan(50);
  });

  it("what the guard or the judge denies without a box, they deny with one, in the same words", () => {
    const denied = calls.filter((call) => withoutBox(call, "Full").decision.verdict?.approved === false);
    expect(denied.length).toBeGreaterThan(100);
    for (const call of denied)
      expect(decidedHere(world, call, { subject: { level: "Full" } }).decision).toEqual(
        withoutBox(call, "Full").decision,
      );
  });
});
