import { expect, it } from "vitest";
import { RateLimits } from "../../../main/decide/rate/budgets.ts";
import { rateConfigSchema } from "../../../main/decide/rate/config.ts";
import { rate } from "../../../main/decide/stages/rate.ts";
import { examinationOf, type Situation } from "../../support/examinations.ts";
import { freshGrants } from "../../support/gate-stores.ts";

const MAIL: Situation = { executor: "mail_send", args: { to: "a@b.example" } };

function limited(config: object = {}) {
  const { db, clock } = freshGrants();
  const limits = new RateLimits(db, rateConfigSchema.parse(config), clock, () => undefined);
  const examine = (situation: Situation = MAIL) =>
    examinationOf({ ...situation, settings: { ...situation.settings, rate: limits } });
  return { limits, examine, clock };
}

it("without budgets nothing is denied, and the trace says that none are configured", () => {
  const x = examinationOf(MAIL);
  expect(rate(x)).toEqual({ outcome: "allowed", reason: "", rule: "policy.level-allows" });
  expect(x.trace).toEqual([{ stage: "rate", outcome: "not_configured", detail: "no budgets" }]);
});

it("switched off, or for a call of no agent or that touches nothing, there is no budget either", () => {
  const off = limited({ enabled: false });
  const on = limited();
  const situations = [off.examine(), on.examine({ ...MAIL, agent: null }), on.examine({ executor: "time_now" })];
  for (const x of situations) {
    rate(x);
    expect(x.trace).toEqual([{ stage: "rate", outcome: "not_configured", detail: "no budgets" }]);
  }
});

it("denies a call whose capability is used up, in words that say when to send it again", () => {
  const { limits, examine } = limited({ limits: { "mail:send": { per_minute: 2, capacity: 1 } } });
  const x = examine();
  expect(rate(x)).not.toHaveProperty("stage");
  limits.take(x);
  expect(rate(examine())).toEqual({
    stage: "rate",
    reason: "this agent has used up its calls of mail:send",
    explain: {
      rule: "rate.budget-used",
      matched: "mail:send: 2 a minute, 1 at once",
      instead: "wait 31 s, then send it again",
    },
    retry_after_ms: 30_250,
  });
});

it("a call that was counted before, or whose grants alone matter, is not denied for its budget", () => {
  const { limits, examine } = limited({ limits: { "mail:send": { per_minute: 2, capacity: 1 } } });
  limits.take(examine());
  for (const purpose of ["again", "coverage"] as const)
    expect(rate({ ...examine(), purpose })).toMatchObject({ outcome: "allowed" });
});

it("asks about an allowed call that comes again and again, and not about one that is asked about anyway", () => {
  const { limits, examine } = limited({ same_call_per_minute: 2 });
  for (let time = 0; time < 2; time++) limits.noteAllowed(examine());
  const x = examine();
  expect(rate(x)).toMatchObject({
    outcome: "approval_required",
    rule: "rate.same-call-asks",
    repeated: { count: 3, seconds: 1 },
  });
  expect(x.trace).toMatchObject([{ stage: "rate", outcome: "ask", rule: "rate.same-call-asks" }]);
  expect(rate({ ...examine(), purpose: "again" })).toMatchObject({ outcome: "approval_required" });
  expect(rate({ ...examine(), purpose: "coverage" })).toMatchObject({ outcome: "allowed" });
  const asked = { ...examine(), outcome: "approval_required", rule: "policy.level-asks" } as const;
  expect(rate(asked)).toMatchObject({ outcome: "approval_required", rule: "policy.level-asks" });
});

it("denies what the user stopped, also where nothing is limited any more", () => {
  const refusals = { find: () => undefined, hasStopped: () => true };
  for (const settings of [{ refusals }, { refusals, rate: limited({ enabled: false }).limits }])
    expect(rate(examinationOf({ ...MAIL, settings }))).toMatchObject({
      stage: "rate",
      explain: { rule: "rate.same-call-stopped" },
    });
});

it("doesn't count what the gate asks in an agent's name", () => {
  const { limits, examine } = limited({ limits: { "network:http": { per_minute: 1, capacity: 1 } } });
  const connect = { executor: "@box_connect", args: { url: "https://a.example", description: "x", method: "CONNECT" } };
  for (let time = 0; time < 5; time++) {
    const x = examine(connect);
    expect(rate(x)).toMatchObject({ outcome: "allowed" });
    limits.take(x);
  }
});
