import type { Language } from "../../../ipc/contract/language.ts";

/** The texts of notifications, except for the card's lines. */
interface Words {
  approve: string;
  deny: string;
  review: string;
  more: string;
  answerWith: (command: string) => string;
  pairWith: (command: string) => string;
  see: (command: string) => string;
  paused: string;
  reviewOr: (command: string) => string;
  inWindow: string;
  alarmInWindow: string;
}

export const NOTICE_WORDS: Readonly<Record<Language, Words>> = {
  en: {
    approve: "Approve once",
    deny: "Deny",
    review: "Review",
    more: "There is more than fits here.",
    answerWith: (command) => `Answer with: ${command}`,
    pairWith: (command) => `Let it in with: ${command}`,
    see: (command) => `See: ${command}`,
    paused: "Every agent is paused",
    reviewOr: (command) => `Review, or run: ${command}`,
    inWindow: "Open Metnos Gate to answer.",
    alarmInWindow: "Open Metnos Gate to see more.",
  },
  it: {
    approve: "Approva una volta",
    deny: "Rifiuta",
    review: "Esamina",
    more: "C'è più di quanto entri qui.",
    answerWith: (command) => `Rispondi con: ${command}`,
    pairWith: (command) => `Accettalo con: ${command}`,
    see: (command) => `Guarda: ${command}`,
    paused: "Tutti gli agenti sono in pausa",
    reviewOr: (command) => `Esamina, oppure esegui: ${command}`,
    inWindow: "Apri Metnos Gate per rispondere.",
    alarmInWindow: "Apri Metnos Gate per saperne di più.",
  },
};
