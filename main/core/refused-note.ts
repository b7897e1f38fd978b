import { shortened, visible } from "../../ipc/base/visible-text.ts";
import type { RefusedCall } from "../../ipc/contract/judges.ts";
import type { Language } from "../../ipc/contract/language.ts";
import { possibleText, refusedText } from "../../ipc/words/judge-words.ts";
import { withoutSentence } from "../decide/reviews/quotes.ts";
import type { ChannelNote } from "./channel.ts";

/** Of each line, in characters. */
const LINE_LENGTH = 200;

const TITLES: Readonly<Record<Language, (agent: string) => string>> = {
  en: (agent) => `${agent} was refused a call`,
  it: (agent) => `A ${agent} è stata respinta una chiamata`,
};

/** What was refused, why and what is possible, for the user who is away: a line each. Of the call's values only what its card's line shows. */
export function refusedNote(refused: RefusedCall, language: Language): ChannelNote {
  const { agent_name, summary, review, args } = refused;
  // A judge that was asked may quote what it looked at.
  const unquoted = review && { ...review, sentence: withoutSentence(review.sentence, review, args ?? {}) };
  const why = refusedText({ ...refused, review: unquoted }, language);
  return {
    kind: "refused",
    is_urgent: false,
    title: TITLES[language](visible(agent_name)),
    // What a call names could read like a line of the gate's own.
    lines: [`│ ${lineOf(summary)}`, lineOf(why), possibleText(refused, language)],
    only: ["telegram"],
    when_away: true,
  };
}

function lineOf(text: string): string {
  return shortened(visible(text.replace(/\s+/g, " ")), LINE_LENGTH);
}
