import { shortened, visible } from "../base/visible-text.ts";
import type { Language } from "../contract/language.ts";
import type { ApprovalView } from "../contract/operator-api.ts";
import { repeatedText } from "./call-words.ts";
import { callFacts } from "./card-facts.ts";
import { plainLines, plainSummary } from "./plain-lines.ts";

/** What a notification about waiting requests says, on the desktop and in the browser. Pure: the page loads it, too. */

/** Servers show about so many columns of a row without folding it. */
export const ROW_WIDTH = 48;
/** Of many requests these are named, the first ones. */
const REQUESTS_SHOWN = 4;
const HAZARDS_SHOWN = 2;

interface Words {
  asks: (agent: string) => string;
  waiting: (count: number, agent: string) => string;
  pairing: (count: number) => string;
  others: (count: number) => string;
}

const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    asks: (agent) => `${agent} asks`,
    waiting: (count, agent) => `${agent} is waiting: ${count === 1 ? "1 request" : `${count} requests`}`,
    pairing: (count) => (count === 1 ? "An agent wants to connect" : `${count} agents want to connect`),
    others: (count) => `and ${count} more`,
  },
  it: {
    asks: (agent) => `${agent} chiede`,
    waiting: (count, agent) => `${agent} aspetta: ${count === 1 ? "1 richiesta" : `${count} richieste`}`,
    pairing: (count) => (count === 1 ? "Un agente vuole collegarsi" : `${count} agenti vogliono collegarsi`),
    others: (count) => `e altri ${count}`,
  },
};

export interface NoticeText {
  /** Text by the gate, and the agent's name: nothing from a call. */
  title: string;
  lines: string[];
}

/** The card's first line, where the gate alone wrote it and it fits: the smaller forms' has text from the call. */
function cardQuestion({ card }: ApprovalView): string | null {
  const [question = ""] = card.lines;
  return card.form === "full" && question !== "" && columns(question) <= ROW_WIDTH ? question : null;
}

/** What is asked, in the gate's words alone and in a row; null where the card says it otherwise. */
export function questionOf(view: ApprovalView, language: Language): string | null {
  return view.repeated === null ? cardQuestion(view) : repeatedText(view.repeated, language);
}

/** One waiting request: who asks what, then what it is about, what is dangerous about it, and the rest of its card. */
export function requestText(view: ApprovalView, language: Language): NoticeText {
  const question = questionOf(view, language);
  const agent = visible(view.agent_name);
  const cardLines = plainLines(view, language).slice(cardQuestion(view) === null ? 0 : 1);
  const hazards = callFacts(view.description, language).hazards.map((sentence) => visible(sentence));
  const first = [...new Set(hazards)].slice(0, HAZARDS_SHOWN).filter((line) => !cardLines.includes(line));
  const [what = "", ...rest] = cardLines;
  return {
    title: question === null ? asksTitle(view.agent_name, language) : `${agent}: ${question}`,
    lines: [what, ...first, ...rest],
  };
}

/** Many requests of one agent, of which the first ones are named. */
export function bundleText(
  agentName: string,
  views: readonly ApprovalView[],
  language: Language,
  named = REQUESTS_SHOWN,
): NoticeText {
  const words = WORDS[language];
  const first = views.slice(0, named).map(({ card }) => {
    // The full form's second line; the smaller ones have all in their first.
    const what = card.form === "full" ? card.lines[1] : card.lines[0];
    return shortened(plainSummary(what ?? ""), ROW_WIDTH);
  });
  const more = views.length - first.length;
  return {
    title: words.waiting(views.length, visible(agentName)),
    lines: more > 0 ? [...first, words.others(more)] : first,
  };
}

/** That an agent asks, and nothing from its call. */
export function asksTitle(agentName: string, language: Language): string {
  return WORDS[language].asks(visible(agentName));
}

/** Agents that want to be paired. */
export function pairingTitle(count: number, language: Language): string {
  return WORDS[language].pairing(count);
}

/** What follows the first ones of a list. */
export function othersText(count: number, language: Language): string {
  return WORDS[language].others(count);
}

export function isHazardous({ description }: ApprovalView): boolean {
  return description !== null && description.hazards.length > 0;
}

/** Characters beyond Latin may be twice as wide. */
export function columns(text: string): number {
  let width = 0;
  for (const character of text) width += (character.codePointAt(0) ?? 0) < 0x300 ? 1 : 2;
  return width;
}
