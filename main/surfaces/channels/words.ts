import type { Language } from "../../../ipc/contract/language.ts";

/** What channels say beside the card's own words. */
interface Words {
  paused: string;
  test_title: string;
  test_line: string;
  /** `doing` in this place. */
  at: (doing: string, place: string) => string;
  /** Of a call that needs nothing. */
  nothing: string;
  allow: string;
  refused_calls: (count: number) => string;
  below: (folder: string) => string;
  directly_in: (folder: string) => string;
  session_ends: string;
  today: (counts: string) => string;
  counts: (counts: { allowed: number; denied: number; expired: number }) => string;
  grants_used: string;
}

export const CHANNEL_WORDS: Readonly<Record<Language, Words>> = {
  en: {
    paused: "Every agent is paused",
    test_title: "Metnos Gate: a test",
    test_line: "You asked for it. Nothing waits for you because of it.",
    at: (doing, place) => `${doing}: ${place}`,
    nothing: "something else",
    allow: "Allow",
    refused_calls: (count) => `${count} calls were refused`,
    below: (folder) => `below ${folder}`,
    directly_in: (folder) => `directly in ${folder}`,
    session_ends: "until its session ends",
    today: (counts) => `Today: ${counts}`,
    counts: ({ allowed, denied, expired }) => `${allowed} allowed, ${denied} denied, ${expired} expired`,
    grants_used: "Grants used:",
  },
  it: {
    paused: "Tutti gli agenti sono in pausa",
    test_title: "Metnos Gate: una prova",
    test_line: "L'hai chiesta tu. Non devi fare nulla.",
    at: (doing, place) => `${doing}: ${place}`,
    nothing: "altro",
    allow: "Consenti:",
    refused_calls: (count) => `${count} chiamate sono state respinte`,
    below: (folder) => `sotto ${folder}`,
    directly_in: (folder) => `direttamente in ${folder}`,
    session_ends: "fino alla fine della sua sessione",
    today: (counts) => `Oggi: ${counts}`,
    counts: ({ allowed, denied, expired }) => `consentite ${allowed}, rifiutate ${denied}, scadute ${expired}`,
    grants_used: "Permessi usati:",
  },
};
