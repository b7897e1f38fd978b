import type { Language } from "../../../ipc/contract/language.ts";

/** The texts of notifications, except for the card's lines. */
interface Words {
  approve: string;
  deny: string;
  review: string;
  more: string;
  answer_with: (command: string) => string;
  pair_with: (command: string) => string;
  see: (command: string) => string;
  paused: string;
  review_or: (command: string) => string;
  in_window: string;
  alarm_in_window: string;
}

export const NOTICE_WORDS: Readonly<Record<Language, Words>> = {
  en: {
    approve: "Approve once",
    deny: "Deny",
    review: "Review",
    more: "There is more than fits here.",
    answer_with: (command) => `Answer with: ${command}`,
    pair_with: (command) => `Let it in with: ${command}`,
    see: (command) => `See: ${command}`,
    paused: "Every agent is paused",
    review_or: (command) => `Review, or run: ${command}`,
    in_window: "Open Metnos Gate to answer.",
    alarm_in_window: "Open Metnos Gate to see more.",
  },
  it: {
    approve: "Approva una volta",
    deny: "Rifiuta",
    review: "Esamina",
    more: "C'è più di quanto entri qui.",
    answer_with: (command) => `Rispondi con: ${command}`,
    pair_with: (command) => `Accettalo con: ${command}`,
    see: (command) => `Guarda: ${command}`,
    paused: "Tutti gli agenti sono in pausa",
    review_or: (command) => `Esamina, oppure esegui: ${command}`,
    in_window: "Apri Metnos Gate per rispondere.",
    alarm_in_window: "Apri Metnos Gate per saperne di più.",
  },
};
