import type { Length } from "../../ipc/contract/answer-lengths.ts";
import type { Capability, Reach } from "../../ipc/contract/decision.ts";
import type { InEach } from "../../ipc/contract/language.ts";

const en = {
  legend: "Approve, and remember",
  what: "What",
  howLong: "How long",
  reach: {
    file: "This file",
    folder: "This folder",
    tree: "This folder and below",
    project: "This project",
    host: "This host",
    subdomains: "All of its domain",
    exact: "Exactly this",
    server: "All tools of this server that only look",
    any: "All of it",
  } as Record<Reach, string>,
  length: {
    session: "This session",
    hour: "1 hour",
    today: "Today",
    month: "30 days",
    revoked: "Until revoked",
  } as Record<Length, string>,
  doing: {
    "fs:read": "reading",
    "fs:write": "writing",
    "network:http": "fetching from",
    "mail:read": "reading mail in",
    "channel:in": "receiving from",
    "calendar:read": "reading the calendar",
    "llm:online": "asking a model online",
    "llm:local": "asking a local model",
  } as Partial<Record<Capability, string>>,
  below: (folder: string) => `below ${folder}`,
  directlyIn: (folder: string) => `directly in ${folder}`,
  hostsBelow: (domain: string) => `every host below ${domain}`,
  result: (what: string, agent: string, until: string) => `${what}, for ${agent}, ${until}`,
  works: (place: string, network: boolean) =>
    `reads, writes and runs confined commands in ${place} without asking; ${network ? "you are asked about each host" : "no network"}`,
  looks: (place: string) => `looks at ${place} without asking; no network`,
  until: {
    session: "for this session",
    clock: (time: string) => `until ${time}`,
    today: (time: string) => `until ${time} today`,
    date: (date: string) => `until ${date}`,
    revoked: "until you revoke it",
  },
  stored: "Stored",
  target: "Target",
  coverage: (covered: number, of: number) => `Would have covered ${covered} of the last ${of}`,
  coverageUnknown: "Counting what it would have covered …",
  cancel: "Cancel",
  approve: "Approve and remember",
};

const it: typeof en = {
  legend: "Approva e ricorda",
  what: "Che cosa",
  howLong: "Per quanto",
  reach: {
    file: "Questo file",
    folder: "Questa cartella",
    tree: "Questa cartella e quelle dentro",
    project: "Questo progetto",
    host: "Questo host",
    subdomains: "Tutto il suo dominio",
    exact: "Esattamente questo",
    server: "Tutti gli strumenti di questo server che guardano soltanto",
    any: "Tutto",
  },
  length: {
    session: "Questa sessione",
    hour: "1 ora",
    today: "Oggi",
    month: "30 giorni",
    revoked: "Finché non revochi",
  },
  doing: {
    "fs:read": "leggere",
    "fs:write": "scrivere",
    "network:http": "scaricare da",
    "mail:read": "leggere la posta in",
    "channel:in": "ricevere da",
    "calendar:read": "leggere il calendario",
    "llm:online": "chiedere a un modello online",
    "llm:local": "chiedere a un modello locale",
  },
  below: (folder) => `sotto ${folder}`,
  directlyIn: (folder) => `direttamente in ${folder}`,
  hostsBelow: (domain) => `ogni host sotto ${domain}`,
  result: (what, agent, until) => `${what}, per ${agent}, ${until}`,
  works: (place, network) =>
    `legge, scrive ed esegue comandi confinati in ${place} senza chiedere; ${network ? "ti viene chiesto ogni host" : "senza rete"}`,
  looks: (place) => `guarda ${place} senza chiedere; senza rete`,
  until: {
    session: "per questa sessione",
    clock: (time) => `fino alle ${time}`,
    today: (time) => `fino alle ${time} di oggi`,
    date: (date) => `fino al ${date}`,
    revoked: "finché non lo revochi",
  },
  stored: "Salvato",
  target: "Destinazione",
  coverage: (covered, of) => `Avrebbe coperto ${covered} delle ultime ${of}`,
  coverageUnknown: "Conto che cosa avrebbe coperto …",
  cancel: "Annulla",
  approve: "Approva e ricorda",
};

export const answerWords: InEach<typeof en> = { en, it };
export type AnswerWords = typeof en;
