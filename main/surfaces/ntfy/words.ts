import type { Language } from "../../../ipc/contract/language.ts";

/** What ntfy's messages say beside a title. */
interface Words {
  answerAtMachine: string;
  seeAtMachine: string;
  deny: string;
  open: string;
}

export const NTFY_WORDS: Readonly<Record<Language, Words>> = {
  en: {
    answerAtMachine: "Look at it, and answer, at your machine.",
    seeAtMachine: "See more at your machine.",
    deny: "Deny",
    open: "Open",
  },
  it: {
    answerAtMachine: "Esamina e rispondi al tuo computer.",
    seeAtMachine: "Vedi di più al tuo computer.",
    deny: "Rifiuta",
    open: "Apri",
  },
};
