import type { Reach, Territory } from "../contract/decision.ts";
import type { Language } from "../contract/language.ts";
import type { Choice } from "../contract/operator-api.ts";

/** What the gate's choices are called where there is room for words only. */

const REACH: Readonly<Record<Language, Readonly<Record<Reach, string>>>> = {
  en: {
    file: "this file",
    folder: "this folder",
    tree: "this folder and below",
    project: "this project",
    host: "this host",
    subdomains: "all of its domain",
    exact: "exactly this",
    destination: "this destination, knowing that",
    server: "all tools of this server that only look",
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
    destination: "questa destinazione, sapendolo",
    server: "tutti gli strumenti di questo server che guardano soltanto",
    any: "ogni volta",
  },
};

const SCOPE: Readonly<Record<Language, Readonly<Record<Territory, string>>>> = {
  en: { none: "once", session: "this session", permanent: "permanently" },
  it: { none: "una volta", session: "questa sessione", permanent: "per sempre" },
};

/** `this folder and below, permanently`. */
export function choiceText({ reach, scope }: Choice, language: Language): string {
  const how = SCOPE[language][scope];
  return reach === null ? how : `${REACH[language][reach]}, ${how}`;
}
