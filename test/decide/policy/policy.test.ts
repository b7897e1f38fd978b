import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CAPABILITIES, type Capability, LEVELS, type Level, type Outcome } from "../../../ipc/contract/decision.ts";
import { GrantStore } from "../../../main/decide/grants/store.ts";
import { effectiveOutcome, POLICY_TABLE, strictest } from "../../../main/decide/policy/policy.ts";
import { CAPABILITY_REGISTRY } from "../../../main/targets/capabilities.ts";
import { type CallTarget, namedTarget } from "../../../main/targets/target.ts";
import { freshGrants, openedGrants, ROBERTO } from "../../support/gate-stores.ts";

// docs/decisions/requirements-policy.md

function outcome(grants: GrantStore, level: Level, capability: Capability, target: CallTarget): Outcome {
  return effectiveOutcome(level, capability, () => grants.find(ROBERTO, capability, target)).outcome;
}

describe("the registry", () => {
  // registry_contiene_13_capability_canoniche
  it("holds exactly the required 13 capabilities with their four attributes", () => {
    expect(
      Object.values(CAPABILITY_REGISTRY).map((spec) => [
        spec.name,
        spec.critical,
        spec.default_approval,
        spec.target_kind,
      ]),
    ).toEqual([
      ["fs:read", false, "per_target", "path_glob"],
      ["fs:write", true, "per_target", "path_glob"],
      ["code:exec", true, "always", "exact"],
      ["network:http", false, "per_target", "host"],
      ["llm:local", false, "none", "none"],
      ["llm:online", false, "per_target", "none"],
      ["mail:read", false, "per_target", "exact"],
      ["mail:send", true, "always", "exact"],
      ["channel:in", false, "none", "exact"],
      ["channel:out", false, "per_target", "exact"],
      ["time:read", false, "none", "none"],
      ["parse:local", false, "none", "none"],
      ["calendar:read", false, "per_target", "exact"],
    ]);
    expect(Object.keys(CAPABILITY_REGISTRY)).toEqual([...CAPABILITIES]);
    for (const spec of Object.values(CAPABILITY_REGISTRY)) expect(spec.description).not.toBe("");
  });

  it("is closed: nothing can be added or changed while the gate runs", () => {
    expect(Object.isFrozen(CAPABILITY_REGISTRY)).toBe(true);
    expect(Object.values(CAPABILITY_REGISTRY).every(Object.isFrozen)).toBe(true);
    expect(Object.isFrozen(POLICY_TABLE)).toBe(true);
    expect(Object.values(POLICY_TABLE).every(Object.isFrozen)).toBe(true);
  });
});

describe("the table", () => {
  it("is the required 3 x 13 matrix", () => {
    const a = "allowed";
    const ask = "approval_required";
    const no = "denied";
    // docs/decisions/requirements-policy.md, "Levels and the table": ReadOnly, Supervised, Full
    const seed: Record<Capability, [Outcome, Outcome, Outcome]> = {
      "fs:read": [ask, ask, a],
      "fs:write": [no, ask, a],
      "code:exec": [no, ask, ask],
      "network:http": [no, ask, a],
      "llm:local": [a, a, a],
      "llm:online": [no, ask, a],
      "mail:read": [ask, ask, a],
      "mail:send": [no, ask, ask],
      "channel:in": [a, a, a],
      "channel:out": [no, ask, a],
      "time:read": [a, a, a],
      "parse:local": [a, a, a],
      "calendar:read": [ask, ask, a],
    };
    const generated = Object.fromEntries(
      CAPABILITIES.map((name) => [name, LEVELS.map((level) => POLICY_TABLE[level][name])]),
    );
    expect(generated).toEqual(seed);
    expect(LEVELS).toEqual(["ReadOnly", "Supervised", "Full"]);
  });

  // is_allowed_readonly_blocca_write_e_exec [security]
  it("denies writing, running code and sending mail to ReadOnly", () => {
    for (const name of ["fs:write", "code:exec", "mail:send"] as const) {
      expect(effectiveOutcome("ReadOnly", name).outcome).toBe("denied");
    }
  });

  // is_allowed_supervised_richiede_approval_per_critical
  it("asks Supervised before everything critical, and lets the local model be", () => {
    for (const name of ["fs:write", "mail:send", "code:exec"] as const) {
      expect(effectiveOutcome("Supervised", name).outcome).toBe("approval_required");
    }
    expect(effectiveOutcome("Supervised", "llm:local").outcome).toBe("allowed");
  });

  // is_allowed_full_mantiene_always_per_critical_irreversibili [security]
  it("asks even Full before what can't be undone", () => {
    expect(effectiveOutcome("Full", "mail:send").outcome).toBe("approval_required");
    expect(effectiveOutcome("Full", "code:exec").outcome).toBe("approval_required");
    expect(effectiveOutcome("Full", "fs:write").outcome).toBe("allowed");
  });
});

describe("table and grants together", () => {
  // effective_outcome_grant_alza_a_allowed
  it("an active grant turns approval_required into allowed, and says which grant it was", () => {
    const { grants, home } = freshGrants();
    const { id } = grants.recordGrant({ ...ROBERTO, capability: "fs:write", target: `${home}/work/*` });
    const target = namedTarget("fs:write", `${home}/work/a.txt`, home);
    expect(effectiveOutcome("Supervised", "fs:write", () => grants.find(ROBERTO, "fs:write", target))).toEqual({
      outcome: "allowed",
      grant_id: id,
    });
    expect(outcome(grants, "Supervised", "fs:write", namedTarget("fs:write", `${home}/other/a.txt`, home))).toBe(
      "approval_required",
    );
  });

  // effective_outcome_denied_non_e_alzato_da_grant [security]
  it("a grant never lifts a denied", () => {
    const { grants, home } = freshGrants();
    grants.recordGrant({ ...ROBERTO, capability: "fs:write", target: `${home}/work/*` });
    expect(outcome(grants, "ReadOnly", "fs:write", namedTarget("fs:write", `${home}/work/a.txt`, home))).toBe("denied");
  });

  it("does not even ask for grants where the table decides, nor for what is marked always", () => {
    for (const level of LEVELS) {
      for (const name of CAPABILITIES) {
        let asked = 0;
        const answer = effectiveOutcome(level, name, () => {
          asked++;
          return 7;
        });
        const askable =
          POLICY_TABLE[level][name] === "approval_required" && CAPABILITY_REGISTRY[name].default_approval !== "always";
        expect([level, name, asked, answer.outcome]).toEqual([
          level,
          name,
          askable ? 1 : 0,
          askable ? "allowed" : POLICY_TABLE[level][name],
        ]);
      }
    }
  });

  it("no sequence of grants turns a denied into anything else, and none touches a capability marked always", () => {
    const { grants, home, db, file, clock } = freshGrants();
    const other = openedGrants(file, home, clock);
    const targetTexts = fc.constantFrom(
      `${home}/work/*`,
      `${home}/work/**`,
      `${home}/work/a.txt`,
      "/**",
      "*",
      "example.com",
      "*.example.com",
      "main",
      "rm",
    );
    const steps = fc.array(
      fc.oneof(
        fc.record({
          what: fc.constant("grant" as const),
          capability: fc.constantFrom<Capability>(...CAPABILITIES),
          target: targetTexts,
        }),
        // as if another program had written the row into the file
        fc.record({
          what: fc.constant("row" as const),
          capability: fc.constantFrom<Capability>(...CAPABILITIES),
          target: targetTexts,
        }),
        fc.record({ what: fc.constant("revoke" as const), id: fc.integer({ min: 1, max: 30 }) }),
      ),
      { maxLength: 25 },
    );
    const insert = other.db.prepare(
      `INSERT INTO grants (channel, sender_id, capability, target, granted_at, target_base, target_real) VALUES (?, ?, ?, ?, '2026-01-01T00:00:00Z', ?, ?)`,
    );
    fc.assert(
      fc.property(steps, targetTexts, (sequence, text) => {
        for (const step of sequence) {
          if (step.what === "revoke") grants.revokeGrant(step.id);
          else if (step.what === "row")
            insert.run(ROBERTO.channel, ROBERTO.sender_id, step.capability, step.target, step.target, step.target);
          else {
            const before = grants.countActive();
            try {
              grants.recordGrant({ ...ROBERTO, capability: step.capability, target: step.target });
            } catch {
              expect(grants.countActive()).toBe(before); // refused, and nothing was stored
            }
          }
        }
        const asRestarted = new GrantStore(db, home, clock);
        for (const level of LEVELS) {
          for (const capability of CAPABILITIES) {
            const seen = outcome(asRestarted, level, capability, namedTarget(capability, text, home));
            const table = POLICY_TABLE[level][capability];
            if (table === "denied") expect(seen).toBe("denied");
            if (table === "allowed") expect(seen).toBe("allowed");
            if (CAPABILITY_REGISTRY[capability].default_approval === "always") expect(seen).not.toBe("allowed");
          }
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe("several needs of one call", () => {
  it("the strictest outcome counts, whatever the order", () => {
    const order: Outcome[] = ["allowed", "approval_required", "denied"];
    for (const [i, a] of order.entries())
      for (const [j, b] of order.entries()) expect(strictest(a, b)).toBe(order[Math.max(i, j)]);
  });
});
