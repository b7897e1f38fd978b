import type { Language } from "../../ipc/language.ts";

/** What channels say beside the card's own words. */
interface Words {
  paused: string;
  test_title: string;
  test_line: string;
}

export const CHANNEL_WORDS: Readonly<Record<Language, Words>> = {
  en: {
    paused: "Every agent is paused",
    test_title: "Metnos Gate: a test",
    test_line: "You asked for it. Nothing waits for you because of it.",
  },
  it: {
    paused: "Tutti gli agenti sono in pausa",
    test_title: "Metnos Gate: una prova",
    test_line: "L'hai chiesta tu. Non devi fare nulla.",
  },
};
