/** The stable names of the rules by which the gate decides. Only these are compared, counted and translated, never a sentence. */

/** By the stage that they belong to. Each in a sentence: docs/protocol.md, "Rules". */
export const RULES = [
  "pairing.revoked",
  "safety.gate-replaced",
  "safety.paused",
  "safety.agent-paused",
  "safety.trail-unwritable",
  "safety.not-undoable",
  "validation.invalid-arguments",
  "validation.unusable-path",
  "validation.too-many-targets",
  "validation.not-a-web-address",
  "scope.undeclared-capability",
  "scope.outside-perimeter",
  "policy.level-denies",
  "policy.level-asks",
  "policy.unclear-path-asks",
  "policy.plan-mode-asks",
  "policy.asked-each-time",
  "policy.box-unavailable",
  "policy.override-denies",
  "policy.override-asks",
  "policy.price-asks",
  "policy.level-allows",
  "policy.grant-allows",
  "policy.allowed-for-hook",
  "policy.nothing-needed",
  "flow.private-untrusted-out",
  "flow.untrusted-later",
  "rate.budget-used",
  "rate.same-call-asks",
  "rate.same-call-stopped",
  "guard.protected-path",
  "guard.secrets-folder",
  "guard.irrecoverable-command",
  "guard.irrecoverable-change",
  "guard.gate-files",
  "guard.gate-process",
  "guard.gate-command",
  "guard.agent-settings",
  "guard.cloud-metadata",
  "judge.low-score",
  "judge.model-low-score",
  "judge.changed-while-judged",
  "judge.too-many-at-once",
  "judge.failed",
  "validators.rejected",
  "validators.unusable-answer",
  "validators.failed",
  "validators.timed-out",
  "approval.approved-once",
  "approval.approved-for-session",
  "approval.approved-permanently",
  "approval.covered-by-grant",
  "approval.rejected",
  "approval.refused-for-session",
  "approval.expired",
  "approval.withdrawn",
  "approval.withdrawn-disconnect",
  "approval.withdrawn-pause",
  "approval.withdrawn-level",
  "approval.withdrawn-pairing",
  "approval.withdrawn-session",
  "approval.changed-while-waiting",
  "approval.too-many-waiting",
  "approval.too-much-waiting",
  "approval.not-stored",
  "approval.not-examined-again",
] as const;
export type Rule = (typeof RULES)[number];

/** What a person can do about a denial by a stage: whatever it is, no agent can. */
export type Possible = "by_hand" | "level" | "profile" | "scope" | "judge_rules";

/** Null: it passes by itself, is the agent's to mend, or is the user's own word. Of what a judge that was asked refused, its review says more. */
export function possibleAfter(rule: Rule | undefined): Possible | null {
  if (rule?.startsWith("guard.")) return "by_hand";
  switch (rule) {
    case "policy.level-denies":
      return "level";
    case "policy.override-denies":
      return "profile";
    case "scope.outside-perimeter":
      return "scope";
    case "judge.low-score":
      return "judge_rules";
    default:
      return null;
  }
}

/** Why a request was withdrawn. */
export type WithdrawalRule = Extract<Rule, `approval.withdrawn${string}`>;

/** What raised or lowered a judge's score. */
export const JUDGE_NOTES = [
  "judge.intent-matches",
  "judge.path-traversal",
  "judge.unusual-argument",
  "judge.not-critical",
] as const;
export type JudgeNote = (typeof JUDGE_NOTES)[number];
