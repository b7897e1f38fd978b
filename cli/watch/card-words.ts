import { ownCommand } from "../../ipc/base/own-command.ts";
import type { ApprovalStatus, Territory } from "../../ipc/contract/decision.ts";
import type { Language } from "../../ipc/contract/language.ts";

/** What `watch` says around a card's own text, and of a request that has ended. */

interface CardWords {
  folder_unknown: string;
  in_folder: (folder: string) => string;
  says: (agent: string, reason: string) => string;
  no_arguments: string;
  target_edited: string;
  stored_on: (capability: string, target: string) => string;
  until: (text: string) => string;
  session_ends: string;
  you_revoke: string;
  /** What can be written as an end. */
  ends: (empty: string) => string;
  not_an_end: string;
  more_choices: (count: number) => string;
  why_not: string;
  more_waiting: (count: number) => string;
  others_waiting: (count: number) => string;
  more_alarms: (count: number) => string;
  still_waiting: (count: number) => string;
  not_taken: () => string;
  ended: {
    own: Readonly<Record<"approved" | "rejected", (what: string, remembered: string) => string>>;
    elsewhere: Readonly<Record<"approved" | "rejected", (what: string, remembered: string, where: string) => string>>;
    /** Where it isn't known in which place. */
    somewhere: string;
    /** Nobody answered it. */
    otherwise: Readonly<
      Record<Exclude<ApprovalStatus, "approved" | "rejected">, (what: string, agent: string) => string>
    >;
  };
  remembered: Readonly<Record<Territory, string>>;
}

export const CARD_WORDS: Readonly<Record<Language, CardWords>> = {
  en: {
    folder_unknown: "folder unknown",
    in_folder: (folder) => `in ${folder}`,
    says: (agent, reason) => `${agent} says: ${reason}`,
    no_arguments: "(no arguments)",
    target_edited: " (target edited)",
    stored_on: (capability, target) => `${capability} on ${target}`,
    until: (text) => `until: ${text}`,
    session_ends: "the session ends",
    you_revoke: "you revoke it",
    ends: (empty) => `2h, today, 30d or 2027-01-31T12:00:00Z; empty: ${empty}`,
    not_an_end: "is neither a span nor a date",
    more_choices: (count) => `… ${count} more ${count === 1 ? "choice" : "choices"}: Up/Down`,
    why_not: "Why not?",
    more_waiting: (count) => `${count} more ${count === 1 ? "request" : "requests"} waiting`,
    others_waiting: (count) => `${count} other ${count === 1 ? "request" : "requests"} waiting`,
    more_alarms: (count) => ` (and ${count} more: ${ownCommand("alarms list")})`,
    still_waiting: (count) => `${count} ${count === 1 ? "request" : "requests"} still waiting for an answer.`,
    not_taken: () => `The gate could not take the answer; try again or see: ${ownCommand("status")}`,
    ended: {
      own: {
        approved: (what, remembered) => `You approved${remembered}: ${what}`,
        rejected: (what) => `You denied: ${what}`,
      },
      elsewhere: {
        approved: (what, remembered, where) => `Approved ${where}${remembered}: ${what}`,
        rejected: (what, _remembered, where) => `Denied ${where}: ${what}`,
      },
      somewhere: "elsewhere",
      otherwise: {
        expired: (what) => `Expired, nobody answered in time: ${what}`,
        cancelled: (what, agent) => `Withdrawn by ${agent}: ${what}`,
        pending: (what) => `No longer asked here: ${what}`,
      },
    },
    remembered: { none: "", session: " for this session", permanent: " permanently" },
  },
  it: {
    folder_unknown: "cartella non indicata",
    in_folder: (folder) => `in ${folder}`,
    says: (agent, reason) => `${agent} dice: ${reason}`,
    no_arguments: "(nessun argomento)",
    target_edited: " (obiettivo modificato)",
    stored_on: (capability, target) => `${capability} su ${target}`,
    until: (text) => `fino a: ${text}`,
    session_ends: "la fine della sessione",
    you_revoke: "quando lo revochi",
    ends: (empty) => `2h, today, 30d o 2027-01-31T12:00:00Z; vuoto: ${empty}`,
    not_an_end: "non è né una durata né una data",
    more_choices: (count) => `… ${count === 1 ? "un'altra scelta" : `altre ${count} scelte`}: Su/Giù`,
    why_not: "Perché no?",
    more_waiting: (count) => (count === 1 ? "un'altra richiesta in attesa" : `altre ${count} richieste in attesa`),
    others_waiting: (count) => (count === 1 ? "un'altra richiesta in attesa" : `altre ${count} richieste in attesa`),
    more_alarms: (count) => ` (e ${count === 1 ? "un altro" : `altri ${count}`}: ${ownCommand("alarms list")})`,
    still_waiting: (count) =>
      count === 1 ? "1 richiesta aspetta ancora una risposta." : `${count} richieste aspettano ancora una risposta.`,
    not_taken: () => `Il gate non ha potuto prendere la risposta; riprova, o vedi: ${ownCommand("status")}`,
    ended: {
      own: {
        approved: (what, remembered) => `Hai approvato${remembered}: ${what}`,
        rejected: (what) => `Hai rifiutato: ${what}`,
      },
      elsewhere: {
        approved: (what, remembered, where) => `Approvata ${where}${remembered}: ${what}`,
        rejected: (what, _remembered, where) => `Rifiutata ${where}: ${what}`,
      },
      somewhere: "altrove",
      otherwise: {
        expired: (what) => `Scaduta, nessuno ha risposto in tempo: ${what}`,
        cancelled: (what, agent) => `Ritirata da ${agent}: ${what}`,
        pending: (what) => `Non più chiesta qui: ${what}`,
      },
    },
    remembered: { none: "", session: " per questa sessione", permanent: " per sempre" },
  },
};
