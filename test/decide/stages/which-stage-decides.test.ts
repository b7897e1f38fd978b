import { describe, expect, it } from "vitest";
import { STAGES, type Stage } from "../../../ipc/contract/decision.ts";
import { decided, manifestOf, REVOKED, type Situation } from "../../support/examinations.ts";

/** Reads and writes one path, inside /srv/in, in one of two modes. */
const BOX = manifestOf({
  needs: [
    { capability: "fs:read", target: { from: "path", arg: "path" } },
    { capability: "fs:write", target: { from: "path", arg: "path" } },
  ],
  args_schema: { type: "object", properties: { path: { type: "string" }, mode: { enum: ["fast", "slow"] } } },
  scope: { paths: ["/srv/in/**"] },
});

/** A call that nothing is wrong with. */
const FINE: Situation = { executor: "box", own: [BOX], args: { path: "/srv/in/a.txt" }, level: "Full" };

/** One thing that is wrong with it, for each stage that can decide without budgets, judges or a session. */
const FAULTS = {
  pairing: { agent: REVOKED },
  safety: { settings: { pause: { reason: "lunch" } } },
  validation: { args: { mode: "sideways" } },
  scope: { args: { path: "/srv/out/a.txt" } },
  policy: { level: "ReadOnly" },
  guard: { args: { note: "/etc/shadow" } },
  judge: { settings: { judge_threshold: 0.99 } },
  approval: { level: "Supervised" },
} as const satisfies Record<Exclude<Stage, "flow" | "rate" | "validators">, Situation>;

const DECIDING = STAGES.filter((stage): stage is keyof typeof FAULTS => Object.hasOwn(FAULTS, stage));

/** The call with these things wrong with it, the later ones first: of two levels the earlier stage's counts. */
function withFaults(...stages: (keyof typeof FAULTS)[]): Situation {
  let situation = FINE;
  for (const stage of stages.toReversed()) {
    const fault: Situation = FAULTS[stage];
    situation = {
      ...situation,
      ...fault,
      args: { ...situation.args, ...fault.args },
      settings: { ...situation.settings, ...fault.settings },
    };
  }
  return situation;
}

const says = (situation: Situation) => {
  const { stage, outcome } = decided(situation);
  return [stage, outcome];
};
const outcomeOf = (stage: Stage) => (stage === "approval" ? "approval_required" : "denied");

describe("with one thing wrong", () => {
  it("nothing: it is allowed", () => {
    expect(says(FINE)).toEqual(["policy", "allowed"]);
  });

  it.each(DECIDING)("%s decides", (stage) => {
    expect(says(withFaults(stage))).toEqual([stage, outcomeOf(stage)]);
  });
});

describe("with two things wrong the earlier stage decides, and what follows is not reached", () => {
  const pairs = DECIDING.flatMap((first, index) => DECIDING.slice(index + 1).map((second) => [first, second] as const));

  it.each(pairs)("%s before %s", (first, second) => {
    const { stage, outcome, trace } = decided(withFaults(first, second));
    expect([stage, outcome]).toEqual([first, "denied"]);
    const after = trace.slice(STAGES.indexOf(first) + 1);
    expect(after.map((step) => [step.outcome, step.detail])).toEqual(
      after.map(() => ["skipped", `not reached: ${first} denied`]),
    );
    expect(trace.slice(0, STAGES.indexOf(first)).some((step) => step.outcome === "denied")).toBe(false);
  });

  it("with everything wrong the first does", () => {
    for (const [index, stage] of DECIDING.entries())
      expect(says(withFaults(...DECIDING.slice(index)))).toEqual([stage, outcomeOf(stage)]);
  });
});

describe("the same with what agents call", () => {
  const HARM = "rm -rf /";
  const PAUSE = { pause: { reason: "lunch" } };
  const bash = (command: string, more: Situation = {}): Situation => ({ executor: "Bash", args: { command }, ...more });

  it.each<[Stage, string, Situation]>([
    ["pairing", "revoked and paused", bash("ls", { agent: REVOKED, settings: PAUSE })],
    ["pairing", "revoked and forbidden", bash(HARM, { agent: REVOKED })],
    ["safety", "paused and without a command", { executor: "Bash", settings: PAUSE }],
    ["safety", "paused and forbidden", bash(HARM, { settings: PAUSE })],
    [
      "validation",
      "a NUL byte and more than it is made for",
      { executor: "fs_read", args: { path: "/srv/a\0" }, context: { capability: "code:exec" } },
    ],
    ["validation", "no arguments, at a level that may not write", { executor: "Write", level: "ReadOnly" }],
    [
      "scope",
      "more than it is made for, at a level that may not",
      { executor: "fs_read", args: { path: "/srv/a" }, context: { capability: "fs:write" }, level: "ReadOnly" },
    ],
    [
      "scope",
      "more than it is made for, on a key",
      { executor: "fs_read", args: { path: "~/.ssh/id" }, context: { capability: "fs:write" } },
    ],
    ["policy", "at a level that may not, and forbidden", bash(HARM, { level: "ReadOnly" })],
    ["guard", "asked about and forbidden", bash(HARM, { level: "Supervised" })],
    [
      "guard",
      "allowed by its level and forbidden",
      { executor: "Read", args: { file_path: "/etc/shadow" }, level: "Full" },
    ],
    ["guard", "forbidden and out of line", bash(HARM, { settings: { judge_threshold: 0.99 } })],
    ["judge", "asked about and out of line", bash("make", { settings: { judge_threshold: 0.99 } })],
    ["approval", "asked about", bash("make")],
  ])("%s: %s", (stage, _what, situation) => {
    expect(says(situation)).toEqual([stage, outcomeOf(stage)]);
  });
});
