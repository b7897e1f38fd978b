import type { Language } from "../contract/language.ts";
import type { ApprovalView } from "../contract/operator-api.ts";
import { NOTE_WORDS } from "./rule-words.ts";

/** What the judge notes against a call. Its other notes say nothing that helps to answer, and a score alone says nothing at all. */
const DOUBTS = ["judge.path-traversal", "judge.unusual-argument"] as const;
const LOW_SCORE = 0.5;

const WORDS: Readonly<Record<Language, (why: string) => string>> = {
  en: (why) => `The judge doubts it: ${why}`,
  it: (why) => `Il giudice ha un dubbio: ${why}`,
};

/** What the rules note against a call, in words. */
export function doubtsOf(notes: ApprovalView["judge"]["notes"], language: Language): string[] {
  return DOUBTS.filter((note) => notes?.includes(note)).map((note) => NOTE_WORDS[language][note]);
}

/** Why the judge doubts a call, as a sentence for every surface; null where it doesn't. */
export function doubtText({ score, reason, notes }: ApprovalView["judge"], language: Language): string | null {
  const doubts = doubtsOf(notes, language);
  if (doubts.length > 0) return WORDS[language](doubts.join(", "));
  return notes === undefined && score < LOW_SCORE && reason !== "" ? WORDS[language](reason) : null;
}
