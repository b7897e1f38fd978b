import type { Language } from "../../../ipc/contract/language.ts";

/** What ntfy's messages say beside a title. */
interface Words {
  answer_at_machine: string;
  see_at_machine: string;
  deny: string;
  open: string;
}

export const NTFY_WORDS: Readonly<Record<Language, Words>> = {
  en: {
    answer_at_machine: "Look at it, and answer, at your machine.",
    see_at_machine: "See more at your machine.",
    deny: "Deny",
    open: "Open",
  },
  it: {
    answer_at_machine: "Esamina e rispondi al tuo computer.",
    see_at_machine: "Vedi di più al tuo computer.",
    deny: "Rifiuta",
    open: "Apri",
  },
};
