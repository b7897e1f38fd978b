import type { Reach } from "../../ipc/decision.ts";
import type { Answer, ApprovalView, Choice } from "../../ipc/operator-api.ts";
import type { CardWords } from "../words/cards.ts";

/** The one wider answer that a card offers beside "once": the most useful one, which says exactly what it stores. */

export interface WiderAnswer {
  choice: Choice;
  answer: Answer;
  label: string;
  /** Why it is offered, where the gate proposes it. */
  why: string | null;
}

/** Reading is allowed a folder at a time; what changes or sends something no further than what was asked. */
const USEFUL: Readonly<Record<"reading" | "other", readonly Reach[]>> = {
  reading: ["tree", "folder", "project", "file", "host", "exact", "any"],
  other: ["file", "host", "folder", "exact", "any"],
};

/** Null where there is none, and where something is dangerous about the call: then nothing wider is one press away. */
export function widerAnswer(view: ApprovalView, words: CardWords): WiderAnswer | null {
  if (view.description === null || view.description.hazards.length > 0) return null;
  const { proposal } = view;
  const choices = view.choices.filter(({ scope }) => scope !== "none");
  if (proposal !== null) {
    const choice = choices.find(({ scope, reach }) => scope === proposal.scope && reach === proposal.reach);
    if (choice !== undefined) {
      const { expires_at, approved_times } = proposal;
      const label = widerLabel(choice, words.today, words);
      return { choice, answer: answerWith(view, choice, expires_at), label, why: words.approvedBefore(approved_times) };
    }
  }
  const choice = mostUseful(choices);
  if (choice === undefined) return null;
  return { choice, answer: answerWith(view, choice), label: widerLabel(choice, words.thisSession, words), why: null };
}

function mostUseful(choices: readonly Choice[]): Choice | undefined {
  const in_session = choices.filter(({ scope }) => scope === "session");
  const is_reading = in_session.every(({ grants }) => grants.every(({ capability }) => capability === "fs:read"));
  const order = USEFUL[is_reading ? "reading" : "other"];
  return order
    .map((reach) => in_session.find((choice) => choice.reach === reach))
    .find((choice) => choice !== undefined);
}

/** Exactly this choice; of two with one reach its target tells which. */
export function answerWith(view: ApprovalView, choice: Choice, expires_at?: string): Answer {
  const [grant, ...more] = choice.grants;
  return {
    token: view.token,
    decision: "approved",
    scope: choice.scope,
    ...(choice.reach === null ? {} : { reach: choice.reach }),
    ...(grant === undefined || more.length > 0 ? {} : { target: grant.target }),
    ...(expires_at === undefined ? {} : { expires_at }),
  };
}

/** "Allow reading below src, this session". */
export function widerLabel(choice: Choice, time: string, words: CardWords): string {
  const [grant] = choice.grants;
  const is_one_kind = choice.grants.every(({ capability }) => capability === grant?.capability);
  const doing = is_one_kind && grant !== undefined ? words.doing(grant.capability) : words.doingThis;
  // A host says it alone.
  const place = placeOf(choice, words);
  return words.allowWider(choice.reach === "host" ? place : `${doing} ${place}`, time);
}

function placeOf({ grants, reach }: Choice, words: CardWords): string {
  const [grant, ...more] = grants;
  if (grant === undefined || more.length > 0 || reach === null)
    return reach === null ? "" : words.reach[reach].toLowerCase();
  const [, folder, below] = /([^/]+)\/(\*\*?)$/.exec(grant.target) ?? [];
  if (reach === "project") return words.inProject;
  if (folder !== undefined) return below === "**" ? words.below(folder) : words.directlyIn(folder);
  if (reach === "file") return grant.target.slice(grant.target.lastIndexOf("/") + 1);
  if (reach === "host") return grant.target;
  return words.reach[reach].toLowerCase();
}

/** Whether an answer with this choice covers what this request needs, as far as its targets tell. */
export function covers({ grants }: Choice, { capabilities }: ApprovalView): boolean {
  return capabilities.every((need) =>
    grants.some(({ capability, target }) => capability === need.capability && isWithin(need.target, target)),
  );
}

function isWithin(target: string, place: string): boolean {
  if (target === place) return true;
  return place.endsWith("/**") && target.startsWith(place.slice(0, -2)) && !target.includes("*");
}
