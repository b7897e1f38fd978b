import type { Answer, ApprovalView, Choice } from "../contract/operator-api.ts";

/** What an answer with these targets would not cover though a folder among them holds it, as the gate says it; null where none reaches below a folder. */
export function excludedFrom(choices: readonly Choice[], targets: readonly string[]): string | null {
  if (!targets.some((target) => target.trim().endsWith("/**"))) return null;
  return choices.find(({ excludes }) => excludes !== undefined)?.excludes ?? null;
}

/** Exactly this choice; of two with one reach its target tells which. */
export function answerWith(view: ApprovalView, choice: Choice, expiresAt?: string): Answer {
  const [grant, ...more] = choice.grants;
  return {
    token: view.token,
    decision: "approved",
    scope: choice.scope,
    ...(choice.reach === null ? {} : { reach: choice.reach }),
    ...(grant === undefined || more.length > 0 ? {} : { target: grant.target }),
    ...(expiresAt === undefined ? {} : { expires_at: expiresAt }),
  };
}
