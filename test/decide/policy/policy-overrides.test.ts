import { expect, it } from "vitest";
import type { PolicyOverride } from "../../../ipc/contract/policy-overrides.ts";
import {
  POLICY_TABLE,
  PolicyOverrides,
  type PolicySubject,
  type ProfileHolder,
  policyFor,
} from "../../../main/decide/policy/policy.ts";
import { ROBERTO } from "../../support/gate-stores.ts";

const cell = (change: Partial<PolicyOverride> = {}): PolicyOverride => ({
  profile: "agent x",
  level: "Full",
  capability: "fs:write",
  before: "allowed",
  outcome: "denied",
  line: 4,
  ...change,
});

const subject = (name?: string, change: Partial<PolicySubject> = {}): PolicySubject => ({
  agent: name === undefined ? null : { name },
  principal: ROBERTO,
  ...change,
});

const only = (holder: ProfileHolder) => new PolicyOverrides([{ holder, cells: [cell()] }]);

it("a profile of an agent fits that agent alone, in whatever capitals its name is written", () => {
  const overrides = only({ by: "agent", name: "Codex-Work" });
  const fits = (one: PolicySubject) => overrides.policyFor(one).table.Full["fs:write"] === "denied";
  expect([fits(subject("codex-work")), fits(subject("CODEX-WORK"))]).toEqual([true, true]);
  expect([fits(subject("codex")), fits(subject("codex-work2")), fits(subject())]).toEqual([false, false, false]);
  expect(fits(subject(undefined, { name: "codex-work" }))).toBe(true);
});

it("a profile of a kind fits every agent of it, by the names that the kinds go by", () => {
  const generic = only({ by: "agent_kind", kinds: ["generic"] });
  const claude = only({ by: "agent_kind", kinds: ["claude-code"] });
  const fits = (overrides: PolicyOverrides, one: PolicySubject) =>
    overrides.policyFor(one).override("Full", "fs:write") !== undefined;
  expect([fits(claude, subject("claude-code")), fits(claude, subject("Claude-Code"))]).toEqual([true, false]);
  expect([fits(generic, subject("aider")), fits(generic, subject("claude-code"))]).toEqual([true, false]);
  expect([fits(generic, subject()), fits(generic, subject(undefined, { kind: "generic" }))]).toEqual([false, true]);
});

it("a profile of a principal fits all of its agents, and no other user's", () => {
  const overrides = only({ by: "principal", principal: ROBERTO });
  const fits = (one: PolicySubject) => overrides.policyFor(one).override("Full", "fs:write") !== undefined;
  expect([fits(subject()), fits(subject("codex"))]).toEqual([true, true]);
  expect(fits(subject("codex", { principal: { ...ROBERTO, sender_id: "Roberto" } }))).toBe(false);
  expect(fits(subject("codex", { principal: { ...ROBERTO, channel: "telegram" } }))).toBe(false);
});

it("of several profiles that fit, each cell's strictest counts, whatever their order", () => {
  const asks = cell({ profile: "agent kind generic", outcome: "approval_required", line: 9 });
  const profiles = [
    {
      holder: { by: "agent", name: "x" },
      cells: [cell(), cell({ capability: "fs:read", outcome: "approval_required" })],
    },
    { holder: { by: "agent_kind", kinds: ["generic"] }, cells: [asks] },
  ] as const;
  for (const order of [profiles, profiles.toReversed()]) {
    const { table, override } = new PolicyOverrides(order).policyFor(subject("x"));
    expect([table.Full["fs:write"], table.Full["fs:read"], table.Full["network:http"]]).toEqual([
      "denied",
      "approval_required",
      "allowed",
    ]);
    expect([override("Full", "fs:write")?.line, override("Supervised", "fs:write")]).toEqual([4, undefined]);
    expect(new PolicyOverrides(order).policyFor(subject("y")).override("Full", "fs:write")).toEqual(asks);
  }
});

it("without a profile that fits, and without a file, it is the table itself", () => {
  expect(only({ by: "agent", name: "x" }).policyFor(subject("y")).table).toBe(POLICY_TABLE);
  expect(policyFor(undefined, subject("x")).table).toBe(POLICY_TABLE);
  expect(policyFor(undefined, subject("x")).override("Full", "fs:write")).toBeUndefined();
});

it("a cell that would loosen, wherever it came from, leaves the table's outcome", () => {
  const looser = cell({ level: "ReadOnly", outcome: "allowed", before: "denied" });
  const { table, override } = new PolicyOverrides([{ holder: { by: "agent", name: "x" }, cells: [looser] }]).policyFor(
    subject("x"),
  );
  expect([table.ReadOnly["fs:write"], override("ReadOnly", "fs:write")]).toEqual(["denied", undefined]);
});
