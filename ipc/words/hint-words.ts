import type { Language } from "../contract/language.ts";

/** What the user should know of the client that waits for an answer, beside its call. */
export type Hint = "asks_too" | "no_terminal";

const WORDS: Readonly<Record<Language, Readonly<Record<Hint, string>>>> = {
  en: {
    asks_too: "Claude Code is in plan mode: it may ask you once more",
    no_terminal: "Codex continues without its terminal",
  },
  it: {
    asks_too: "Claude Code è in modalità plan: può chiedertelo un'altra volta",
    no_terminal: "Codex continua senza il suo terminale",
  },
};

export const hintText = (hint: Hint, language: Language): string => WORDS[language][hint];
