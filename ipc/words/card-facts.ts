import { shortenHome } from "../base/visible-text.ts";
import type { Confined } from "../contract/decision.ts";
import type { Description } from "../contract/description.ts";
import type { Language } from "../contract/language.ts";
import type { ApprovalView } from "../contract/operator-api.ts";
import { allowingText, confinedParts, hostWantedBy, outsideText } from "./box-words.ts";
import { repeatedText, STOP_WORDS } from "./call-words.ts";
import { effectText, hazardText } from "./hazard-words.ts";
import { judgesSaid } from "./judge-words.ts";
import { priceText } from "./price-words.ts";
import { reasonOf } from "./shown-call.ts";
import { userWordsLine } from "./user-words.ts";

/**
 * What there is to say of a waiting request beside its call: every surface draws from it what it has room for, in its own order. What a
 * call or a judge says is in it as it is: a surface makes hidden characters visible. Null, or none, where there is nothing to say.
 */
export type CardFacts = ReturnType<typeof cardFacts>;

/** @param home what `~` means; null: no path is shortened */
export function cardFacts(view: ApprovalView, language: Language, home: string | null = null) {
  const { description, confined, repeated, price } = view;
  const wantedBy = hostWantedBy(view.executor, view.intent.trim(), language);
  return {
    ...callFacts(description, language, home, confined),
    /** Of a call that is made again and again: that, its question in place of the card's, and its answers. */
    again: repeated === null ? null : { said: repeatedText(repeated, language), ...STOP_WORDS[language] },
    outside: description?.outside === undefined ? null : outsideText(description.outside.reason, language),
    /** In parts. */
    confined: confined === null ? [] : confinedParts(confined, home, language),
    allowing: view.card.form === "full" ? allowingText(view, language) : null,
    price: price === null ? null : priceText(price, language),
    judged: judgesSaid(view, language),
    asked: userWordsLine(view, language),
    wantedBy,
    /** The agent's own; "" where it gives none. A request for a host has a command line in its place. */
    reason: wantedBy === null ? reasonOf(view).trim() : "",
  };
}

/** What is dangerous about a call, the worst first; where nothing is, what it leaves behind, unless its box says that. */
export function callFacts(
  description: Pick<Description, "hazards" | "effect"> | null,
  language: Language,
  home: string | null = null,
  confined: Confined | null = null,
): { hazards: string[]; effect: string | null } {
  if (description === null) return { hazards: [], effect: null };
  const { hazards, effect } = description;
  const isSaid = hazards.length > 0 || (confined !== null && effect === "anything");
  return {
    hazards: hazards.map(({ path, ...hazard }) => {
      const short = path === undefined || home === null ? path : shortenHome(path, home);
      return hazardText({ ...hazard, ...(short === undefined ? {} : { path: short }) }, language);
    }),
    effect: isSaid ? null : effectText(effect, language),
  };
}
