import type { Reach, Territory } from "../../ipc/decision.ts";
import type { Language } from "../../ipc/language.ts";
import type { ApprovalView, Choice } from "../../ipc/operator-api.ts";
import { NOTE_WORDS } from "../../ipc/rule-words.ts";

/** What `watch` calls the gate's choices and the judge's notes, in the language of the cards. */

const REACH: Readonly<Record<Language, Readonly<Record<Reach, string>>>> = {
  en: {
    file: "this file",
    folder: "this folder",
    tree: "this folder and below",
    project: "this project",
    host: "this host",
    subdomains: "all of its domain",
    exact: "exactly this",
    any: "always",
  },
  it: {
    file: "questo file",
    folder: "questa cartella",
    tree: "questa cartella e quelle dentro",
    project: "questo progetto",
    host: "questo host",
    subdomains: "tutto il suo dominio",
    exact: "esattamente questo",
    any: "ogni volta",
  },
};

const SCOPE: Readonly<Record<Language, Readonly<Record<Territory, string>>>> = {
  en: { none: "once", session: "this session", permanent: "permanently" },
  it: { none: "una volta", session: "questa sessione", permanent: "per sempre" },
};

const SCORE: Readonly<Record<Language, (score: string) => string>> = {
  en: (score) => `score ${score}`,
  it: (score) => `punteggio ${score}`,
};

/** `this folder and below, permanently`. */
export function choiceText({ reach, scope }: Choice, language: Language): string {
  const how = SCOPE[language][scope];
  return reach === null ? how : `${REACH[language][reach]}, ${how}`;
}

/** `score 0.80, intent matches`; the gate's own sentence where it names no notes, as one of an earlier version does. */
export function judgedText({ score, reason, notes }: ApprovalView["judge"], language: Language): string {
  if (notes === undefined && reason !== "") return reason;
  const words = (notes ?? []).map((note) => NOTE_WORDS[language][note]);
  return [SCORE[language](score.toFixed(2)), ...words].join(", ");
}

/** While no gate answers. */
export const AWAY_WORDS: Readonly<Record<Language, { title: string; next: string }>> = {
  en: {
    title: "Waiting for the gate …",
    next: "It isn't answering; it is asked again every second. Until it is back no key does anything but q, which leaves.",
  },
  it: {
    title: "In attesa del gate …",
    next: "Non risponde; lo si richiede ogni secondo. Finché non torna nessun tasto fa nulla, tranne q, che esce.",
  },
};
