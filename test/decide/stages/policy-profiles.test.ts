import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { CAPABILITIES, type Capability, LEVELS, type Level, type Outcome } from "../../../ipc/contract/decision.ts";
import type { PolicyOverride } from "../../../ipc/contract/policy-overrides.ts";
import { openDatabase } from "../../../main/base/sqlite/database.ts";
import { choicesFor } from "../../../main/calls/approvals/choices.ts";
import { grantsSchema } from "../../../main/core/storage/grants-schema.ts";
import { Prices } from "../../../main/decide/costs/prices.ts";
import {
  effectiveOutcome,
  isStricter,
  POLICY_TABLE,
  PolicyOverrides,
  type PolicyTable,
  strictest,
  tableOf,
} from "../../../main/decide/policy/policy.ts";
import { RateLimits } from "../../../main/decide/rate/budgets.ts";
import { rateConfigSchema } from "../../../main/decide/rate/config.ts";
import { confinedWorld, decidedIn, shellCall } from "../../support/confined-calls.ts";
import { decided, manifestOf, PAIRED, type Situation } from "../../support/examinations.ts";
import { freshGrants, ROBERTO } from "../../support/gate-stores.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { tempFolder } from "../../support/temp-folder.ts";

function cell(level: Level, capability: Capability, outcome: Outcome, line = 7): PolicyOverride {
  return { profile: "agent claude", level, capability, before: POLICY_TABLE[level][capability], outcome, line };
}

/** For PAIRED, whose name is claude. */
const overridesOf = (...cells: PolicyOverride[]) =>
  new PolicyOverrides([{ holder: { by: "agent", name: "claude" }, cells }]);

function pricesOf(perCall: Record<string, number>, askAbove: Partial<Record<Level, number>> = {}): Prices {
  return new Prices({
    costs: { currency: "USD", ask_above: { ReadOnly: 0, Supervised: 0.05, Full: 0.05, ...askAbove } },
    prices: Object.entries(perCall).map(([executor, amount]) => ({ executor, per_call: amount, answer_tokens: 1000 })),
  });
}

const policyStep = (situation: Situation) => {
  const { trace, ...decision } = decided(situation);
  return { ...decision, step: trace.find(({ stage }) => stage === "policy") };
};

const FETCH: Situation = { executor: "http_get", args: { url: "https://example.com/a" }, level: "Full" };

describe("a cell that the user made stricter", () => {
  it("denied: the rule says so, the agent whose profile it is, and the trace which line", () => {
    const overrides = overridesOf(cell("Full", "network:http", "denied"));
    expect(policyStep({ ...FETCH, settings: { overrides } })).toMatchObject({
      outcome: "denied",
      stage: "policy",
      reason: "the profile of agent claude does not allow network:http at level Full",
      explain: { rule: "policy.override-denies", matched: "policy_overrides.toml, line 7" },
      step: { outcome: "denied", rule: "policy.override-denies" },
    });
  });

  it("approval_required: asked, with the line in the trace, and a grant answers for it as for the table's own", () => {
    const overrides = overridesOf(cell("Full", "network:http", "approval_required"));
    expect(policyStep({ ...FETCH, settings: { overrides } })).toMatchObject({
      outcome: "approval_required",
      reason: "the profile of agent claude asks before network:http at level Full",
      explain: { rule: "policy.override-asks" },
      step: {
        outcome: "ask",
        detail: "the profile of agent claude asks before network:http at level Full (policy_overrides.toml, line 7)",
      },
    });
    const { grants } = freshGrants();
    const { id } = grants.recordGrant({ ...ROBERTO, capability: "network:http", target: "example.com" });
    expect(policyStep({ ...FETCH, settings: { overrides, grants } })).toMatchObject({
      outcome: "allowed",
      reason: `allowed by grant ${id}`,
      explain: { rule: "policy.grant-allows" },
    });
  });

  it("is stricter at its level alone, for whom it is, and for nothing else", () => {
    const overrides = overridesOf(cell("Full", "network:http", "denied"));
    const ruled = (change: Situation) => policyStep({ ...FETCH, ...change, settings: { overrides } }).explain.rule;
    expect(ruled({ level: "Supervised" })).toBe("policy.level-asks");
    expect(ruled({ agent: { ...PAIRED, name: "aider" } })).toBe("policy.level-allows");
    expect(ruled({ executor: "fs_read", args: { path: "/srv/a" } })).toBe("policy.level-allows");
    expect(ruled({ agent: { ...PAIRED, name: "CLAUDE" } })).toBe("policy.override-denies");
  });

  it("of what needs no asking at any level is asked, and can be granted to nobody", () => {
    const overrides = overridesOf(cell("Full", "time:read", "approval_required"));
    expect(policyStep({ executor: "time_now", level: "Full", settings: { overrides } }).explain.rule).toBe(
      "policy.override-asks",
    );
  });

  it("code:exec denied is denied in a box, too, and what a box would let through as well", () => {
    const world = confinedWorld();
    const call = shellCall("npm test", world.project);
    const within = (...cells: PolicyOverride[]) =>
      decidedIn(world, call, { settings: { overrides: overridesOf(...cells) }, subject: { level: "Full" } }).decision;
    expect(within().confined).toBeDefined();
    expect(within().outcome).toBe("allowed");
    expect(within(cell("Full", "code:exec", "denied"))).toMatchObject({
      outcome: "denied",
      explain: { rule: "policy.override-denies" },
      reason: expect.stringContaining("code:exec"),
    });
    expect(within(cell("Full", "fs:write", "denied"))).toMatchObject({
      outcome: "denied",
      reason: expect.stringContaining("fs:write"),
    });
    expect(within(cell("Full", "fs:write", "approval_required"))).toMatchObject({
      outcome: "approval_required",
      explain: { rule: "policy.override-asks" },
    });
  });
});

describe("what a call costs", () => {
  it("above its level's threshold it is asked about each time, whatever the level allows and whatever was granted", () => {
    const { grants } = freshGrants();
    grants.recordGrant({ ...ROBERTO, capability: "network:http", target: "example.com" });
    for (const level of ["Supervised", "Full"] as const) {
      const at = (price: number) =>
        policyStep({ ...FETCH, level, settings: { grants, prices: pricesOf({ http_get: price }) } });
      expect(at(0.05)).toMatchObject({
        outcome: "allowed",
        price: { amount: 0.05, currency: "USD", is_estimated: false },
      });
      expect(at(0.17)).toMatchObject({
        outcome: "approval_required",
        explain: { rule: "policy.price-asks" },
        reason: `it costs 0.17 USD, more than level ${level} may spend without asking`,
        price: { amount: 0.17 },
      });
    }
  });

  it("asked for its price it can only be approved once", () => {
    const world = confinedWorld();
    const { x } = decidedIn(
      world,
      { intent: "", executor: "http_get", args: { url: "https://example.com" } },
      { settings: { prices: pricesOf({ http_get: 1 }) }, subject: { level: "Full" } },
    );
    expect(choicesFor(x.needs ?? [], world).map(({ scope }) => scope)).toEqual(["none"]);
  });

  it("what touches nothing is asked about for its price, too", () => {
    const own = [manifestOf({ name: "box", needs: [], price: { per_call: 2 } })];
    const settings = { prices: pricesOf({}) };
    expect(policyStep({ executor: "box", own, level: "Full", settings })).toMatchObject({
      outcome: "approval_required",
      explain: { rule: "policy.price-asks" },
      capabilities: [],
    });
  });

  it("never loosens: neither a low price nor a high threshold allows what the level or a profile asks about or denies", () => {
    const prices = pricesOf({ http_get: 0.001 }, { ReadOnly: 1000, Supervised: 1000, Full: 1000 });
    const at = (level: Level, overrides = overridesOf()) =>
      policyStep({ ...FETCH, level, settings: { prices, overrides } }).outcome;
    expect(LEVELS.map((level) => at(level))).toEqual(["denied", "approval_required", "allowed"]);
    expect(at("Full", overridesOf(cell("Full", "network:http", "denied")))).toBe("denied");
    const dear = pricesOf({ http_get: 5 });
    expect(policyStep({ ...FETCH, level: "ReadOnly", settings: { prices: dear } }).outcome).toBe("denied");
  });
});

const outcomes = fc.constantFrom<Outcome>("allowed", "approval_required", "denied");
const levels = fc.constantFrom<Level>(...LEVELS);
const capabilities = fc.constantFrom<Capability>(...CAPABILITIES);

test("whatever table is given, its outcome is never looser than the table's, and a grant lifts an ask alone", () => {
  const table = fc
    .array(outcomes, { minLength: LEVELS.length * CAPABILITIES.length, maxLength: LEVELS.length * CAPABILITIES.length })
    .map(
      (cells): PolicyTable =>
        tableOf(
          (level, capability) =>
            cells[LEVELS.indexOf(level) * CAPABILITIES.length + CAPABILITIES.indexOf(capability)] ?? "denied",
        ),
    );
  fc.assert(
    fc.property(table, levels, capabilities, fc.boolean(), (given, level, capability, hasGrant) => {
      const before = strictest(POLICY_TABLE[level][capability], given[level][capability]);
      const { outcome } = effectiveOutcome(level, capability, () => (hasGrant ? 1 : undefined), given);
      expect(effectiveOutcome(level, capability, undefined, given).outcome).toBe(before);
      if (before === "denied") expect(outcome).toBe("denied");
      if (outcome === "allowed")
        expect(before === "allowed" || (before === "approval_required" && hasGrant)).toBe(true);
    }),
  );
});

test("no sequence of overrides, grants, levels, prices and budgets lifts a denial, or makes a call looser than the table", () => {
  const clock = new ManualClock();
  const { grants, home } = freshGrants(clock);
  const db = openDatabase(`${tempFolder()}/rate.db`, grantsSchema(home));
  const rate = new RateLimits(
    db,
    rateConfigSchema.parse({ limits: { "llm:online": { per_minute: 2, capacity: 1 } } }),
    clock,
    () => undefined,
  );
  const own = [
    ...CAPABILITIES.map((capability) =>
      manifestOf({
        name: `need_${capability.replace(":", "_")}`,
        needs: [{ capability, target: { from: "command", args: ["target"] } }],
      }),
    ).filter(({ needs }) =>
      needs.every(({ capability }) => !["fs:read", "fs:write", "network:http"].includes(capability)),
    ),
    manifestOf({ name: "need_fs_read", needs: [{ capability: "fs:read", target: { from: "path", arg: "target" } }] }),
    manifestOf({ name: "need_fs_write", needs: [{ capability: "fs:write", target: { from: "path", arg: "target" } }] }),
    manifestOf({
      name: "need_network_http",
      needs: [{ capability: "network:http", target: { from: "fixed", value: "example.com" } }],
    }),
  ];
  const step = fc.oneof(
    fc.record({ what: fc.constant("override" as const), level: levels, capability: capabilities, outcome: outcomes }),
    fc.record({
      what: fc.constant("grant" as const),
      capability: capabilities,
      target: fc.constantFrom(`${home}/**`, "*", "example.com", "x"),
    }),
    fc.record({
      what: fc.constant("price" as const),
      amount: fc.double({ min: 0, max: 10, noNaN: true }),
      above: fc.double({ min: 0, max: 10, noNaN: true }),
    }),
    fc.record({ what: fc.constant("wait" as const), seconds: fc.nat(90) }),
  );
  let denials = 0;
  let asks = 0;
  let allowed = 0;
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), levels, capabilities, (steps, level, capability) => {
      const cells: PolicyOverride[] = [];
      let prices = pricesOf({});
      let [amount, above] = [0, 0];
      const executor = `need_${capability.replace(":", "_")}`;
      const args = { target: capability.startsWith("fs:") ? `${home}/a.txt` : "x" };
      for (const one of steps) {
        if (one.what === "override") cells.push(cell(one.level, one.capability, one.outcome));
        else if (one.what === "price") {
          ({ amount, above } = one);
          prices = pricesOf({ [executor]: amount }, { ReadOnly: above, Supervised: above, Full: above });
        } else if (one.what === "wait") clock.advance(one.seconds);
        else
          try {
            grants.recordGrant({ ...ROBERTO, capability: one.capability, target: one.target });
          } catch {
            // nothing that can be granted: tried all the same
          }
        const situation = {
          executor,
          args,
          own,
          level,
          settings: { home, grants, prices, overrides: overridesOf(...cells), rate },
        };
        const { outcome, explain } = decided(situation);
        const ownCells = cells.filter((found) => found.level === level && found.capability === capability);
        const table = ownCells.reduce<Outcome>(
          (found, { outcome: stricter }) => strictest(found, stricter),
          POLICY_TABLE[level][capability],
        );
        const canBeGranted = table === "approval_required" && explain.rule === "policy.grant-allows";
        if (!canBeGranted)
          expect([table, explain.rule, isStricter(table, outcome)]).toEqual([table, explain.rule, false]);
        if (table === "denied") {
          denials += 1;
          expect(outcome).toBe("denied");
        } else if (outcome === "allowed") allowed += 1;
        else if (outcome === "approval_required") asks += 1;
        if (outcome === "allowed") expect(amount).toBeLessThanOrEqual(above);
      }
    }),
    { numRuns: 120 },
  );
  expect(Math.min(denials, asks, allowed)).toBeGreaterThan(10);
  db.close();
});
