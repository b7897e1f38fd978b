import { describe, expect, it } from "vitest";
import type { ApprovalStatus, Decision } from "../../ipc/contract/decision.ts";
import { begun, type CallEvent, type CallState, DECISION, LIFE, type Made, next } from "../../main/calls/life.ts";
import type { Denial, Examined, Reviewable } from "../../main/decide/stages/examination.ts";
import { decided, examinationOf } from "../support/examinations.ts";
import { freshApprovals, pendingOf } from "../support/gate-stores.ts";
import { HeldJudge } from "../support/judged-calls.ts";

const CALL = { executor: "fs_write", args: { path: "/srv/a.txt", content: "x" } };
const TTL_SECONDS = 600;

/** The final decision on a call that waited, and how often it was evaluated again. */
function final(status: ApprovalStatus, again: (before: Reviewable) => Examined): [Decision, number] {
  const { trace: _, ...asked } = decided(CALL);
  return finalOf(examinationOf(CALL), asked, status, again);
}

function finalOf(
  x: Reviewable,
  asked: Decision,
  status: ApprovalStatus,
  again: (before: Reviewable) => Examined,
): [Decision, number] {
  const { registry } = freshApprovals();
  const request = { ...registry.createPending(pendingOf()), status };
  let count = 0;
  let step = next({ is: "asked", x, asked }, { type: "ended", request, ttl_seconds: TTL_SECONDS });
  for (const effect of step.effects) {
    if (effect.do !== "examineAgain") continue;
    count++;
    step = next(step.state, { type: "examined", examined: again(effect.x) });
  }
  const made = step.effects.map((effect) => (effect.do === "record" ? effect.made.decision : undefined))[0];
  if (made === undefined) throw new Error("nothing is recorded");
  return [made, count];
}

const unchanged = (x: Reviewable): Examined => ({ x, denial: null });

describe("the final decision on a call that waited", () => {
  it("allows it where it was approved, and nothing has changed", () => {
    const [decision, count] = final("approved", unchanged);
    expect(decision).toMatchObject({ outcome: "allowed", stage: "approval", status: "approved" });
    expect(decision.explain.rule).toBe("approval.approved-once");
    expect(count).toBe(1);
  });

  it.each([
    ["rejected", "approval.rejected"],
    ["expired", "approval.expired"],
    ["cancelled", "approval.withdrawn"],
  ] as const)("denies it where its request is %s, without another look", (status, rule) => {
    const [decision, count] = final(status, unchanged);
    expect(decision).toMatchObject({ outcome: "denied", stage: "approval", status, explain: { rule } });
    expect(count).toBe(0);
  });

  it("denies what a stage denies by now, in that stage's words, though it was approved", () => {
    const denial: Denial = {
      stage: "guard",
      reason: "it is protected by now",
      explain: { rule: "guard.protected-path" },
    };
    const [decision] = final("approved", (x) => ({ x, denial }));
    expect(decision).toMatchObject({ outcome: "denied", status: "approved", ...denial });
  });

  it("denies what needs something else by now, though it was approved and its own needs are allowed", () => {
    const { needs } = examinationOf({ ...CALL, args: { path: "/srv/elsewhere.txt", content: "x" } });
    const [decision] = final("approved", (x) => ({ x: { ...x, needs }, denial: null }));
    expect(decision).toMatchObject({
      outcome: "denied",
      stage: "approval",
      status: "approved",
      explain: { rule: "approval.changed-while-waiting" },
    });
  });

  it("denies what would run in another box by now, or in none, or in one at all", () => {
    const declaration = { project: "/srv", cwd: "/srv", reads: [], writes: [], network: false };
    const confined = (change = {}) => ({
      confinement: { reason: null, line: "make", needs: [], declaration: { ...declaration, ...change } },
    });
    const changes = [
      [confined(), confined({ network: true })],
      [confined(), confined({ cwd: "/srv/a" })],
      [confined(), confined({ reads: ["/etc"] })],
      [confined(), { confinement: null }],
      [{ confinement: null }, confined()],
    ] as const;
    for (const [asked, now] of changes) {
      const before = { ...examinationOf(CALL), ...asked };
      const { trace: _, ...decision } = decided(CALL);
      const again = (x: Reviewable): Examined => ({ x: { ...x, ...now }, denial: null });
      expect(finalOf(before, decision, "approved", again)[0]).toMatchObject({
        outcome: "denied",
        explain: { rule: "approval.changed-while-waiting" },
      });
    }
  });
});

const { trace: _, ...ASKED } = decided(CALL);
const EXAMINED = examinationOf(CALL);
const X: Reviewable = { ...EXAMINED, outcome: "approval_required" };
const ALLOWED: Reviewable = { ...EXAMINED, outcome: "allowed" };
const JUDGES = [new HeldJudge()];
const NO: Denial = { stage: "guard", reason: "no", explain: { rule: "guard.protected-path" } };
const WHY = { reason: "withdrawn", explain: { rule: "approval.withdrawn" as const } };
const JUDGED = { noted: [], verdict: undefined, scripts: [] };
const requestOf = (status: ApprovalStatus) => ({ ...freshApprovals().registry.createPending(pendingOf()), status });

const STATES: { [Name in CallState["is"]]: () => Extract<CallState, { is: Name }> } = {
  proposed: () => ({ is: "proposed", decision_id: "11111111-1111-4111-8111-111111111111" }),
  examined: () => ({ is: "examined", x: X, asked: ASKED, reviewers: JUDGES }),
  judged: () => ({ is: "judged", x: X, asked: ASKED }),
  passed: () => ({ is: "passed", x: X, asked: ASKED, reviews: { ...JUDGED, denial: null } }),
  asked: () => ({ is: "asked", x: X, asked: ASKED }),
  answered: () => ({ is: "answered", x: X, asked: ASKED, how: "final", request: requestOf("approved") }),
  leaving: () => ({ is: "leaving", x: X, asked: ASKED }),
  decided: () => ({ is: "decided" }),
};

const ended = (status: ApprovalStatus): CallEvent => ({
  type: "ended",
  request: requestOf(status),
  ttl_seconds: TTL_SECONDS,
});

const EVENTS: { [name: string]: () => CallEvent } = {
  "examined: denied": () => ({ type: "examined", examined: { x: X, denial: NO } }),
  "examined: allowed": () => ({ type: "examined", examined: { x: ALLOWED, denial: null } }),
  "examined: asks": () => ({ type: "examined", examined: { x: X, denial: null } }),
  "examined: allowed, judges": () => ({ type: "examined", examined: { x: ALLOWED, denial: null }, reviewers: JUDGES }),
  "examined: asks, judges": () => ({ type: "examined", examined: { x: X, denial: null }, reviewers: JUDGES }),
  notAnswered: () => ({ type: "notAnswered" }),
  "overridden: by the user": () => ({ type: "overridden", byUser: true }),
  "overridden: not": () => ({ type: "overridden", byUser: false }),
  inReview: () => ({ type: "inReview" }),
  notReviewed: () => ({ type: "notReviewed", denial: NO }),
  "reviewed: denied": () => ({ type: "reviewed", reviews: { ...JUDGED, denial: NO } }),
  "reviewed: passed": () => ({ type: "reviewed", reviews: { ...JUDGED, denial: null } }),
  waits: () => ({ type: "waits", pending: undefined }),
  cannotWait: () => ({ type: "cannotWait", refusal: { outcome: "denied", ...WHY } }),
  "ended: approved": () => ended("approved"),
  "ended: rejected": () => ended("rejected"),
  "ended: expired": () => ended("expired"),
  "ended: cancelled": () => ended("cancelled"),
  failed: () => ({ type: "failed" }),
  unstored: () => ({ type: "unstored" }),
  withdrawn: () => ({ type: "withdrawn", why: WHY }),
  "left: others wait": () => ({ type: "left", why: WHY, isLast: false }),
  "left: the last": () => ({ type: "left", why: WHY, isLast: true }),
};

/** What becomes of a call: its state, then what is to be done, of a decision whether it allows. Whatever isn't here is impossible. */
const BECOMES: { [Name in CallState["is"]]: { [event: string]: string } } = {
  proposed: {
    "examined: denied": "decided, record first denied",
    "examined: allowed": "decided, noteAllowed, record first allowed",
    "examined: asks": "examined, ask",
    "examined: allowed, judges": "examined, usePass",
    "examined: asks, judges": "examined, lookForAnswer",
  },
  examined: {
    notAnswered: "examined, usePass",
    "overridden: by the user": "examined, ask",
    "overridden: not": "examined, review",
    inReview: "judged",
    notReviewed: "decided, record first denied",
    waits: "asked, record first approval_required",
    cannotWait: "decided, record first denied",
    "ended: approved": "answered, examineAgain",
    "ended: rejected": "decided, record first denied",
    "ended: expired": "decided, record first denied",
    "ended: cancelled": "decided, record first denied",
  },
  judged: {
    "reviewed: denied": "decided, record first denied",
    "reviewed: passed": "passed, examineAgain",
    failed: "decided, record only denied",
    withdrawn: "decided, record only denied",
  },
  passed: {
    "examined: denied": "decided, record first denied",
    "examined: allowed": "decided, noteAllowed, record first allowed",
    "examined: asks": "examined, ask",
    "examined: allowed, judges": "decided, noteAllowed, record first allowed",
    "examined: asks, judges": "examined, ask",
  },
  asked: {
    "ended: approved": "answered, examineAgain",
    "ended: rejected": "decided, record final denied",
    "ended: expired": "decided, record final denied",
    "ended: cancelled": "decided, record final denied",
    failed: "decided, record final denied",
    unstored: "decided, denyUnstored",
    withdrawn: "decided, record final denied",
    "left: others wait": "decided, record left denied",
    "left: the last": "leaving",
  },
  answered: {
    "examined: denied": "decided, record final denied",
    "examined: allowed": "decided, record final allowed",
    "examined: asks": "decided, record final allowed",
    "examined: allowed, judges": "decided, record final allowed",
    "examined: asks, judges": "decided, record final allowed",
  },
  leaving: {
    "ended: approved": "decided, record left denied",
    "ended: rejected": "decided, record left denied",
    "ended: expired": "decided, record left denied",
    "ended: cancelled": "decided, record left denied",
    unstored: "leaving, denyUnstored",
  },
  decided: { unstored: "decided, denyUnstored" },
};

describe.each(Object.keys(BECOMES) as CallState["is"][])("a call that is %s", (name) => {
  it.each(Object.entries(EVENTS))("%s", (event, happens) => {
    const becomes = BECOMES[name][event];
    const [before, now] = [STATES[name](), happens()];
    if (becomes === undefined) {
      expect(() => next(before, now)).toThrow(`a call that is ${name} can't be ${now.type}`);
      return;
    }
    const { state, effects } = next(before, now);
    const done = effects.map((effect) =>
      effect.do === "record" ? `record ${effect.made.how} ${effect.made.decision.outcome}` : effect.do,
    );
    expect([state.is, ...done].join(", ")).toBe(becomes);
  });

  it("has every event in the table that can happen to it", () => {
    const named = new Set(Object.keys(BECOMES[name]).map((event) => EVENTS[event]?.().type));
    expect([...named].sort()).toEqual(Object.keys(LIFE[name]).sort());
  });
});

describe("a decision that is made", () => {
  const { trace: _, ...allowed } = decided({});
  const denied: Decision = { ...allowed, outcome: "denied" };

  function effectsOf(how: Made["how"], sent: Decision): string[][] {
    const first = begun({ how });
    const second = DECISION[first.state].recorded?.(how, sent) ?? { ...first, effects: [] };
    const third = DECISION[second.state].sent?.(how, sent);
    expect(third?.state).toBe("shown");
    return [first, second, third].map((step) => [...(step?.effects ?? [])]);
  }

  it.each<[Made["how"], Decision, string[][]]>([
    ["first", allowed, [["prepareRun", "append", "mark"], ["spend"], ["count", "noteUse", "noteAllowed", "show"]]],
    ["first", denied, [["prepareRun", "append", "mark"], ["spend"], ["count", "show"]]],
    ["only", allowed, [["prepareRun", "append", "mark"], ["spend"], ["count", "noteAllowed", "show"]]],
    ["final", allowed, [["prepareRun", "append", "mark"], ["spend"], ["count", "noteAllowed", "show"]]],
    // The end of its request is in the trail, and nobody gets it.
    ["left", denied, [[], [], ["show"]]],
  ])("as the %s one is recorded, sent and shown in this order, and each once", (how, sent, effects) => {
    expect(effectsOf(how, sent)).toEqual(effects);
    expect(DECISION.made.sent).toBeUndefined();
    expect(DECISION.recorded.recorded).toBeUndefined();
    expect(DECISION.shown).toEqual({});
  });
});
