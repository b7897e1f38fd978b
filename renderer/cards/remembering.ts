import { excludedFrom } from "../../ipc/choices.ts";
import type { Territory } from "../../ipc/decision.ts";
import { isoSeconds } from "../../ipc/iso-seconds.ts";
import type { Language } from "../../ipc/language.ts";
import type { Answer, ApprovalView, Choice } from "../../ipc/operator-api.ts";
import { shortenHome } from "../../ipc/visible-text.ts";
import { shortDate } from "../parts/RelativeTime.tsx";
import type { CardWords } from "../words/cards.ts";

/** What an answer that is remembered would store. Pure: the clock comes with each step. */

export type Expiry = "never" | "hours" | "days" | "date";

export interface Remembering {
  /** Which of the card's choices that are remembered. */
  index: number;
  /** What would be stored, where the choice stores one grant; it can be edited. */
  target: string;
  expiry: Expiry;
  /** `2027-01-31`, for `date`. */
  date: string;
}

export function rememberedChoices(view: ApprovalView): Choice[] {
  return view.choices.filter(({ scope }) => scope !== "none");
}

/** What it proposes to store as the user would write it: the gate reads `~` as their home folder, too. */
export function withShortHome(view: ApprovalView, home: string | null): ApprovalView {
  if (home === null) return view;
  const short = (choice: Choice): Choice => ({
    ...choice,
    grants: choice.grants.map((grant) => ({ ...grant, target: shortenHome(grant.target, home) })),
  });
  return { ...view, choices: view.choices.map(short) };
}

/** The narrowest choice, and an end that one needn't remember to set. */
export function firstRemembering(view: ApprovalView): Remembering {
  return { index: 0, target: proposedTarget(rememberedChoices(view)[0]) ?? "", expiry: "never", date: "" };
}

/** Another choice has its own target, and an end that suits it. */
export function chosen(before: Remembering, choices: readonly Choice[], index: number): Remembering {
  const choice = choices[index];
  const was_session = choices[before.index]?.scope === "session";
  const is_session = choice?.scope === "session";
  const expiry = was_session === is_session ? before.expiry : is_session ? "never" : "days";
  return { ...before, index, target: proposedTarget(choice) ?? "", expiry };
}

/** Null where several grants would be stored: no one target can represent them. */
export function proposedTarget(choice: Choice | undefined): string | null {
  if (choice === undefined || choice.grants.length !== 1) return null;
  return choice.grants[0]?.target ?? null;
}

/** What the answer would not cover though its folder holds it; null where it reaches below no folder. */
export function excluded(view: ApprovalView, { index, target }: Remembering): string | null {
  const choice = rememberedChoices(view)[index];
  if (choice === undefined) return null;
  return excludedFrom(
    view.choices,
    proposedTarget(choice) === null ? choice.grants.map((grant) => grant.target) : [target],
  );
}

/** When it ends; null: never, or with the session. Undefined while the date isn't one in the future. */
export function endOf({ expiry, date }: Remembering, now: number): Date | null | undefined {
  switch (expiry) {
    case "never":
      return null;
    case "hours":
      return new Date(now + 2 * 3_600_000);
    case "days":
      return new Date(now + 30 * 86_400_000);
    case "date": {
      // The whole of that day, in the user's own time.
      const end = new Date(`${date}T23:59:59`);
      return Number.isNaN(end.getTime()) || end.getTime() <= now ? undefined : end;
    }
  }
}

export function answerFor(view: ApprovalView, remembering: Remembering, now: number): Answer | null {
  const choice = rememberedChoices(view)[remembering.index];
  const end = endOf(remembering, now);
  if (choice === undefined || end === undefined) return null;
  const proposed = proposedTarget(choice);
  if (proposed !== null && remembering.target.trim() === "") return null;
  return {
    token: view.token,
    decision: "approved",
    scope: choice.scope as Exclude<Territory, "none">,
    ...(choice.reach === null ? {} : { reach: choice.reach }),
    ...(proposed === null ? {} : { target: remembering.target }),
    ...(end === null ? {} : { expires_at: isoSeconds(end.getTime()) }),
  };
}

/** "This folder and below, until 20 Dec": the choice as a sentence. */
export function sentence(choice: Choice, end: Date | null | undefined, words: CardWords, language: Language): string {
  const reach = choice.reach === null ? words.approveOnce : words.reach[choice.reach];
  if (end !== null && end !== undefined) {
    const is_soon = end.getTime() - Date.now() < 86_400_000;
    const time = new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit" }).format(end);
    const date = is_soon ? time : shortDate(end, language);
    return choice.scope === "session" ? words.forSessionUntil(reach, date) : words.until(reach, date);
  }
  return choice.scope === "session" ? words.forSession(reach) : words.untilRevoked(reach);
}
