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
import { type LinePart, lineParts } from "./work-words.ts";

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
    allowing: allowingText(view, language, home),
    price: price === null ? null : priceText(price, language),
    judged: judgesSaid(view, language),
    asked: userWordsLine(view, language),
    wantedBy,
    /** The agent's own; "" where it gives none. A request for a host has a command line in its place. */
    reason: wantedBy === null ? reasonOf(view).trim() : "",
  };
}

/** What a call is, as far as these words need it. */
type Described = Pick<Description, "hazards" | "effect"> & Partial<Pick<Description, "kind" | "work" | "to">>;

/**
 * What is dangerous about a call, the worst first; what it does and where it goes, in pieces; and what it leaves behind, where nothing of
 * that says it.
 */
export function callFacts(
  description: Described | null,
  language: Language,
  home: string | null = null,
  confined: Confined | null = null,
): { hazards: string[]; line: LinePart[]; effect: string | null } {
  if (description === null) return { hazards: [], line: [], effect: null };
  const { hazards, effect, kind = "other", work, to } = description;
  const line = lineParts(
    { kind, ...(work === undefined ? {} : { work }), ...(to === undefined ? {} : { to }) },
    language,
    hazards.length > 0,
  );
  const isSaid = effect === "anything" && (confined !== null || (work?.length ?? 0) > 0);
  const isSent = effect === "sends" && (to?.length ?? 0) > 0;
  return {
    hazards: hazards.map(({ path, ...hazard }) => {
      const short = path === undefined || home === null ? path : shortenHome(path, home);
      return hazardText({ ...hazard, ...(short === undefined ? {} : { path: short }) }, language);
    }),
    line,
    effect: hazards.length > 0 || isSaid || isSent ? null : effectText(effect, language),
  };
}

/** What it does, where it goes and what it leaves behind, as one text; "" where there is nothing to say of that. */
export function quietText({ line, effect }: Pick<ReturnType<typeof callFacts>, "line" | "effect">): string {
  return [line.map(({ text }) => text).join(""), effect ?? ""].filter((text) => text !== "").join(" · ");
}
