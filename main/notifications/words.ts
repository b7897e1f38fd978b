import type { Language } from "../../ipc/language.ts";

/** The texts of notifications, except for the card's lines. */
interface Words {
  approve: string;
  deny: string;
  review: string;
  asks: (agent: string) => string;
  /** What the agent asks, as the card does. */
  question: (agent: string, question: string) => string;
  more: string;
  answer_with: (command: string) => string;
  pair_with: (command: string) => string;
  see: (command: string) => string;
  paused: string;
  review_or: (command: string) => string;
  in_window: string;
  alarm_in_window: string;
  waiting: (count: number, agent: string) => string;
  pairing: (count: number) => string;
  others: (count: number) => string;
}

export const NOTICE_WORDS: Readonly<Record<Language, Words>> = {
  en: {
    approve: "Approve once",
    deny: "Deny",
    review: "Review",
    asks: (agent) => `${agent} asks`,
    question: (agent, question) => `${agent}: ${question}`,
    more: "There is more than fits here.",
    answer_with: (command) => `Answer with: ${command}`,
    pair_with: (command) => `Let it in with: ${command}`,
    see: (command) => `See: ${command}`,
    paused: "Every agent is paused",
    review_or: (command) => `Review, or run: ${command}`,
    in_window: "Open Metnos Gate to answer.",
    alarm_in_window: "Open Metnos Gate to see more.",
    waiting: (count, agent) => `${agent} is waiting: ${count === 1 ? "1 request" : `${count} requests`}`,
    pairing: (count) => (count === 1 ? "An agent wants to connect" : `${count} agents want to connect`),
    others: (count) => `and ${count} more`,
  },
  it: {
    approve: "Approva una volta",
    deny: "Rifiuta",
    review: "Esamina",
    asks: (agent) => `${agent} chiede`,
    question: (agent, question) => `${agent}: ${question}`,
    more: "C'è più di quanto entri qui.",
    answer_with: (command) => `Rispondi con: ${command}`,
    pair_with: (command) => `Accettalo con: ${command}`,
    see: (command) => `Guarda: ${command}`,
    paused: "Tutti gli agenti sono in pausa",
    review_or: (command) => `Esamina, oppure esegui: ${command}`,
    in_window: "Apri Metnos Gate per rispondere.",
    alarm_in_window: "Apri Metnos Gate per saperne di più.",
    waiting: (count, agent) => `${agent} aspetta: ${count === 1 ? "1 richiesta" : `${count} richieste`}`,
    pairing: (count) => (count === 1 ? "Un agente vuole collegarsi" : `${count} agenti vogliono collegarsi`),
    others: (count) => `e altri ${count}`,
  },
};
