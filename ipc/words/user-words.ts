import type { Language } from "../contract/language.ts";

/**
 * What the user asked the agent for, as every surface shows it: as the word of the agent's client, which nothing proves. Plain values: the
 * page loads no schemas.
 */

/** Of a message this much is shown at all, in characters. */
export const MAX_SHOWN_WORDS = 2000;
/** And this much where a line is all there is. */
const MAX_LINE = 200;

const LABELS: Readonly<Record<Language, (agent: string) => string>> = {
  en: (agent) => `You asked, says ${agent}:`,
  it: (agent) => `Hai chiesto, dice ${agent}:`,
};

interface Asked {
  user_words: string | null;
  agent_name: string;
}

/** The label, and the beginning of the words in one line. What they hide is made visible by the surface. Null where nothing is known. */
export function userWordsLine(
  { user_words, agent_name }: Asked,
  language: Language,
): { label: string; text: string } | null {
  if (user_words === null) return null;
  const text = user_words.replace(/[ \t\r\n]+/g, " ").trim();
  return text === "" ? null : { label: LABELS[language](agent_name), text: beginningOf(text, MAX_LINE) };
}

/** At most so many characters, with an ellipsis where some are left out. */
export function beginningOf(text: string, length: number): string {
  const characters = [...text.slice(0, 2 * length + 2)];
  return characters.length > length ? `${characters.slice(0, length - 1).join("")}…` : text;
}
