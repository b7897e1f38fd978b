import { ownCommand } from "../../ipc/base/own-command.ts";
import type { ApprovalStatus, Territory } from "../../ipc/contract/decision.ts";
import type { Language } from "../../ipc/contract/language.ts";

/** What `watch` says around a card's own text, and of a request that has ended. */

interface CardWords {
  folderUnknown: string;
  inFolder: (folder: string) => string;
  says: (agent: string, reason: string) => string;
  noArguments: string;
  targetEdited: string;
  storedOn: (doing: string, target: string) => string;
  until: (text: string) => string;
  sessionEnds: string;
  youRevoke: string;
  /** What can be written as an end. */
  ends: (empty: string) => string;
  notAnEnd: string;
  moreChoices: (count: number) => string;
  why_not: string;
  moreWaiting: (count: number) => string;
  othersWaiting: (count: number) => string;
  bundle: (count: number, kinds: string) => string;
  webRequests: string;
  /** Of a no that is remembered. */
  forSession: string;
  moreAlarms: (count: number) => string;
  stillWaiting: (count: number) => string;
  notTaken: () => string;
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
    folderUnknown: "folder unknown",
    inFolder: (folder) => `in ${folder}`,
    says: (agent, reason) => `${agent} says: ${reason}`,
    noArguments: "(no arguments)",
    targetEdited: " (target edited)",
    storedOn: (doing, target) => `${doing} ${target}`,
    until: (text) => `until: ${text}`,
    sessionEnds: "the session ends",
    youRevoke: "you revoke it",
    ends: (empty) => `2h, today, 30d or 2027-01-31T12:00:00Z; empty: ${empty}`,
    notAnEnd: "is neither a span nor a date",
    moreChoices: (count) => `… ${count} more ${count === 1 ? "choice" : "choices"}: Up/Down`,
    why_not: "Why not?",
    moreWaiting: (count) => `${count} more ${count === 1 ? "request" : "requests"} waiting`,
    othersWaiting: (count) => `${count} other ${count === 1 ? "request" : "requests"} waiting`,
    bundle: (count, kinds) => `${count} requests: ${kinds}`,
    webRequests: "web requests",
    forSession: " for this session",
    moreAlarms: (count) => ` (and ${count} more: ${ownCommand("alarms list")})`,
    stillWaiting: (count) => `${count} ${count === 1 ? "request" : "requests"} still waiting for an answer.`,
    notTaken: () => `The gate could not take the answer; try again or see: ${ownCommand("status")}`,
    ended: {
      own: {
        approved: (what, remembered) => `You approved${remembered}: ${what}`,
        rejected: (what, remembered) => `You denied${remembered}: ${what}`,
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
    folderUnknown: "cartella non indicata",
    inFolder: (folder) => `in ${folder}`,
    says: (agent, reason) => `${agent} dice: ${reason}`,
    noArguments: "(nessun argomento)",
    targetEdited: " (obiettivo modificato)",
    storedOn: (doing, target) => `${doing} ${target}`,
    until: (text) => `fino a: ${text}`,
    sessionEnds: "la fine della sessione",
    youRevoke: "quando lo revochi",
    ends: (empty) => `2h, today, 30d o 2027-01-31T12:00:00Z; vuoto: ${empty}`,
    notAnEnd: "non è né una durata né una data",
    moreChoices: (count) => `… ${count === 1 ? "un'altra scelta" : `altre ${count} scelte`}: Su/Giù`,
    why_not: "Perché no?",
    moreWaiting: (count) => (count === 1 ? "un'altra richiesta in attesa" : `altre ${count} richieste in attesa`),
    othersWaiting: (count) => (count === 1 ? "un'altra richiesta in attesa" : `altre ${count} richieste in attesa`),
    bundle: (count, kinds) => `${count} richieste: ${kinds}`,
    webRequests: "richieste web",
    forSession: " per questa sessione",
    moreAlarms: (count) => ` (e ${count === 1 ? "un altro" : `altri ${count}`}: ${ownCommand("alarms list")})`,
    stillWaiting: (count) =>
      count === 1 ? "1 richiesta aspetta ancora una risposta." : `${count} richieste aspettano ancora una risposta.`,
    notTaken: () => `Il gate non ha potuto prendere la risposta; riprova, o vedi: ${ownCommand("status")}`,
    ended: {
      own: {
        approved: (what, remembered) => `Hai approvato${remembered}: ${what}`,
        rejected: (what, remembered) => `Hai rifiutato${remembered}: ${what}`,
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
