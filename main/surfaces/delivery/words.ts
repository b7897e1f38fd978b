import type { Language } from "../../../ipc/contract/language.ts";

/** What channels say beside the card's own words. */
interface Words {
  paused: string;
  testTitle: string;
  testLine: string;
  /** `doing` in this place. */
  at: (doing: string, place: string) => string;
  /** Of a call that needs nothing. */
  nothing: string;
  allow: string;
  refusedCalls: (count: number) => string;
  below: (folder: string) => string;
  directlyIn: (folder: string) => string;
  sessionEnds: string;
  today: (counts: string) => string;
  counts: (counts: { allowed: number; denied: number; expired: number }) => string;
  grants_used: string;
}

export const CHANNEL_WORDS: Readonly<Record<Language, Words>> = {
  en: {
    paused: "Every agent is paused",
    testTitle: "Metnos Gate: a test",
    testLine: "You asked for it. Nothing waits for you because of it.",
    at: (doing, place) => `${doing}: ${place}`,
    nothing: "something else",
    allow: "Allow",
    refusedCalls: (count) => `${count} calls were refused`,
    below: (folder) => `below ${folder}`,
    directlyIn: (folder) => `directly in ${folder}`,
    sessionEnds: "until its session ends",
    today: (counts) => `Today: ${counts}`,
    counts: ({ allowed, denied, expired }) => `${allowed} allowed, ${denied} denied, ${expired} expired`,
    grants_used: "Grants used:",
  },
  it: {
    paused: "Tutti gli agenti sono in pausa",
    testTitle: "Metnos Gate: una prova",
    testLine: "L'hai chiesta tu. Non devi fare nulla.",
    at: (doing, place) => `${doing}: ${place}`,
    nothing: "altro",
    allow: "Consenti:",
    refusedCalls: (count) => `${count} chiamate sono state respinte`,
    below: (folder) => `sotto ${folder}`,
    directlyIn: (folder) => `direttamente in ${folder}`,
    sessionEnds: "fino alla fine della sua sessione",
    today: (counts) => `Oggi: ${counts}`,
    counts: ({ allowed, denied, expired }) => `consentite ${allowed}, rifiutate ${denied}, scadute ${expired}`,
    grants_used: "Permessi usati:",
  },
};
