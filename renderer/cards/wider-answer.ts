import { shortenHome } from "../../ipc/base/visible-text.ts";
import type { Confined, Reach } from "../../ipc/contract/decision.ts";
import { isMcpTarget } from "../../ipc/contract/mcp-names.ts";
import type { Answer, ApprovalView, Choice } from "../../ipc/contract/operator-api.ts";
import { answerWith } from "../../ipc/words/choices.ts";
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
const USEFUL: Readonly<Record<"reading" | "confined" | "other", readonly Reach[]>> = {
  // It can reach no further than its project, whichever command it is.
  confined: ["project"],
  reading: ["tree", "folder", "project", "file", "host", "exact", "any"],
  other: ["file", "host", "folder", "exact", "any"],
};

/** How places are called on a card: from its folder, or from the home. */
export interface Places {
  cwd: string | null;
  home: string | null;
  confined: Confined | null;
}

/** Null where there is none, where something is dangerous about the call, and of one that is made again and again. */
export function widerAnswer(view: ApprovalView, words: CardWords, home: string | null): WiderAnswer | null {
  if (view.description === null || view.description.hazards.length > 0 || view.repeated !== null) return null;
  const { proposal, cwd, confined } = view;
  const places = { cwd, home, confined };
  const choices = view.choices.filter(({ scope }) => scope !== "none");
  if (proposal !== null) {
    const choice = choices.find(({ scope, reach }) => scope === proposal.scope && reach === proposal.reach);
    if (choice !== undefined) {
      const { expires_at, approved_times } = proposal;
      const label = widerLabel(choice, words.today, words, places);
      return { choice, answer: answerWith(view, choice, expires_at), label, why: words.approvedBefore(approved_times) };
    }
  }
  const choice = mostUseful(choices, confined !== null);
  if (choice === undefined) return null;
  const label = widerLabel(choice, words.thisSession, words, places);
  return { choice, answer: answerWith(view, choice), label, why: null };
}

function mostUseful(choices: readonly Choice[], isConfined: boolean): Choice | undefined {
  const inSession = choices.filter(({ scope }) => scope === "session");
  const isReading = inSession.every(({ grants }) => grants.every(({ capability }) => capability === "fs:read"));
  const order = USEFUL[isConfined ? "confined" : isReading ? "reading" : "other"];
  return order
    .map((reach) => inSession.find((choice) => choice.reach === reach))
    .find((choice) => choice !== undefined);
}

/** "Allow reading below src, this session"; of a confined call what it may do from then on: "Let it work in ~/project, this session". */
export function widerLabel(choice: Choice, time: string, words: CardWords, places: Places): string {
  const { confined, home } = places;
  if (confined !== null && choice.reach === "project" && confined.kind !== "needs") {
    const place = home === null ? confined.project : shortenHome(confined.project, home);
    return confined.kind === "looking" ? words.letLook(place, time) : words.letWork(place, time);
  }
  const kinds = [...new Set(choice.grants.map(({ capability }) => capability))];
  const isTold = kinds.length === 1 || (kinds.length === 2 && targetsOf(choice.grants).length === 1);
  const doing = isTold ? kinds.map((capability) => words.doing(capability)).join(words.and) : "";
  const { server } = words.reach;
  if (choice.grants.some(({ target }) => isMcpTarget(target)))
    return words.allowWider(choice.reach === "server" ? server.toLowerCase() : words.thisTool, time);
  // A host says it alone.
  const place = placeOf(choice, words, places);
  return words.allowWider(choice.reach === "host" ? place : `${doing} ${place}`.trim(), time);
}

function targetsOf(grants: Choice["grants"]): string[] {
  return [...new Set(grants.map(({ target }) => target))];
}

function placeOf({ grants, reach }: Choice, words: CardWords, places: Places): string {
  const [target, ...more] = targetsOf(grants);
  if (target === undefined || more.length > 0 || reach === null)
    return reach === null ? "" : words.reach[reach].toLowerCase();
  const [, folder, below] = /^(.+)\/(\*\*?)$/.exec(target) ?? [];
  if (reach === "project") return words.inProject;
  if (folder !== undefined) {
    const name = placeName(folder, places);
    return below === "**" ? words.below(name) : words.directlyIn(name);
  }
  if (reach === "file") return placeName(target, places);
  if (reach === "host") return target;
  return words.reach[reach].toLowerCase();
}

function placeName(path: string, { cwd, home }: Places): string {
  if (cwd !== null && path.startsWith(`${cwd}/`)) return path.slice(cwd.length + 1);
  return home === null ? path : shortenHome(path, home);
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
