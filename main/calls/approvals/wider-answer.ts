import { endOfToday } from "../../../ipc/contract/answer-lengths.ts";
import type { Reach, Requirement } from "../../../ipc/contract/decision.ts";
import { isoSeconds } from "../../../ipc/contract/iso-seconds.ts";
import type { Choice, Proposal } from "../../../ipc/contract/operator-api.ts";
import { coversAsked } from "./choices.ts";

/** So often a request of one class must have been approved before a wider answer is proposed. */
export const PROPOSED_FROM = 3;

/** What is proposed as a request is made: by the choice's reach. */
export interface WiderAnswer {
  reach: Reach;
  approved_times: number;
}

/**
 * The narrowest choice that would have covered the last ones too; undefined where there is none, or they are too few.
 * @param times how many of this agent and class were approved
 * @param last the last of them, `PROPOSED_FROM` at the most: of the needs of each, what is kept
 */
export function widerAnswer(
  choices: readonly Choice[],
  times: number,
  last: () => readonly { extra: { capabilities: readonly Requirement[] } }[],
  home: string,
): WiderAnswer | undefined {
  const remembered = choices.filter(({ scope }) => scope === "permanent");
  if (times < PROPOSED_FROM || remembered.length === 0) return undefined;
  const asked = last().map(({ extra }) => extra.capabilities);
  const narrowest = remembered.find((choice) => asked.every((needs) => wouldCover(choice, needs, home)));
  if (narrowest === undefined || narrowest.reach === null) return undefined;
  return { reach: narrowest.reach, approved_times: times };
}

/** What is kept of a request names paths and hosts only: one that named none says nothing of what it was about. */
function wouldCover({ grants }: Choice, asked: readonly Requirement[], home: string): boolean {
  const granted = new Set(grants.map(({ capability }) => capability));
  const needs = asked.filter(({ capability }) => granted.has(capability));
  return (
    needs.length > 0 &&
    needs.every((need) =>
      grants.some(({ capability, target }) => capability === need.capability && coversAsked(need, target, home)),
    )
  );
}

/** As it is shown: for today, until midnight of the user's own time. `now` in Unix milliseconds. */
export function shownProposal({ reach, approved_times }: WiderAnswer, now: number): Proposal {
  return { scope: "permanent", reach, expires_at: isoSeconds(endOfToday(now).getTime()), approved_times };
}
