import type { Language } from "../../ipc/language.ts";

/** The texts of notifications, except for the card's lines. */
interface Words {
  approve: string;
  deny: string;
  review: string;
  asks: (agent: string) => string;
  asked_by: (agent: string) => string;
  more: string;
  answer_with: (command: string) => string;
  pair_with: (command: string) => string;
  see: (command: string) => string;
  paused: string;
  in_window: string;
  alarm_in_window: string;
  waiting: (count: number, agent: string) => string;
  pairing: (count: number) => string;
  others: (count: number) => string;
}

export const NOTICE_WORDS: Readonly<Record<Language, Words>> = {
  en: {
    approve: "Approve",
    deny: "Deny",
    review: "Review",
    asks: (agent) => `${agent} asks`,
    asked_by: (agent) => `asked by ${agent}`,
    more: "There is more to it than fits here.",
    answer_with: (command) => `Answer with: ${command}`,
    pair_with: (command) => `Let it in with: ${command}`,
    see: (command) => `See: ${command}`,
    paused: "Every agent is paused",
    in_window: "Open Metnos Gate to answer.",
    alarm_in_window: "Open Metnos Gate to see more.",
    waiting: (count, agent) => (count === 1 ? `1 request of ${agent} waits` : `${count} requests of ${agent} wait`),
    pairing: (count) => (count === 1 ? "An agent wants to connect" : `${count} agents want to connect`),
    others: (count) => `and ${count} more`,
  },
  it: {
    approve: "Approva",
    deny: "Rifiuta",
    review: "Esamina",
    asks: (agent) => `${agent} chiede`,
    asked_by: (agent) => `lo chiede ${agent}`,
    more: "C'è altro che qui non entra.",
    answer_with: (command) => `Rispondi con: ${command}`,
    pair_with: (command) => `Accettalo con: ${command}`,
    see: (command) => `Guarda: ${command}`,
    paused: "Tutti gli agenti sono in pausa",
    in_window: "Apri Metnos Gate per rispondere.",
    alarm_in_window: "Apri Metnos Gate per saperne di più.",
    waiting: (count, agent) =>
      count === 1 ? `1 richiesta di ${agent} in attesa` : `${count} richieste di ${agent} in attesa`,
    pairing: (count) => (count === 1 ? "Un agente vuole collegarsi" : `${count} agenti vogliono collegarsi`),
    others: (count) => `e altri ${count}`,
  },
};
