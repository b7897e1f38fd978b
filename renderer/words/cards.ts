import type { ApprovalStatus, Level, Reach, Territory } from "../../ipc/decision.ts";
import { NOTE_WORDS, RULE_WORDS } from "../../ipc/rule-words.ts";

type Ended = Exclude<ApprovalStatus, "pending">;

const en = {
  deny: "Deny",
  denyWhy: "Deny, and say why",
  approveOnce: "Approve once",
  approveMore: "Approve …",
  showEverything: "Show everything",
  showLess: "Show less",
  readFirst: "Show everything first: the request is longer than what you see here.",
  readOn: "Approve opens when the end of the request has been on the screen.",
  tooSoon: "That didn't count: the card had only just appeared or moved. Press again.",
  expiresIn: (clock: string) => `expires in ${clock}`,
  held: "its deadline is extended while you are here",
  waited: (clock: string) => `waited ${clock}`,
  inFolder: "in",
  noFolder: "folder unknown",
  scored: (score: string) => `score ${score}`,
  /** What raised or lowered the judge's score. */
  notes: NOTE_WORDS.en,
  subagent: (kind: string) => `(${kind})`,
  says: (agent: string) => `${agent} says`,
  needs: "Needs",
  on: "on",
  asked: "Asked",
  judge: "Judge",
  folder: "Folder",
  agent: "Agent",
  call: (executor: string) => `The whole call: ${executor}`,
  noArguments: "(no arguments)",
  lines: (count: number) => `${count} lines`,
  sending: "One moment",

  remember: "Approve, and remember",
  rememberWhat: "What may it do from now on without asking?",
  reach: {
    file: "This file",
    folder: "This folder",
    tree: "This folder and below",
    project: "This project",
    host: "This host",
    subdomains: "This host and those below it",
    exact: "Exactly this",
    any: "Every time",
  } satisfies Record<Reach, string> as Record<Reach, string>,
  forSession: (reach: string) => `${reach}, for this session`,
  untilRevoked: (reach: string) => `${reach}, until you revoke it`,
  until: (reach: string, date: string) => `${reach}, until ${date}`,
  forSessionUntil: (reach: string, date: string) => `${reach}, for this session, at most until ${date}`,
  stored: "Stored:",
  target: "Target",
  expiry: "Ends",
  expiries: {
    never: "when you revoke it",
    session: "with the session",
    hours: "in 2 hours",
    days: "in 30 days",
    date: "on a date",
  },
  date: "Date",
  coverage: (covered: number, of: number) => `Would have covered ${covered} of the last ${of} requests of this kind.`,
  coverageUnknown: "Counting what it would have covered …",
  approveAndRemember: "Approve and remember",
  cancel: "Cancel",
  whyNot: "Why not? The agent reads this.",
  sendDenial: "Deny and send",

  ended: {
    own: {
      approved: (what: string, how: string) => `You approved${how}: ${what}`,
      rejected: (what: string) => `You denied: ${what}`,
      expired: (what: string) => `Expired, nobody answered in time: ${what}`,
      cancelled: (what: string) => `Withdrawn by the agent: ${what}`,
    } as Record<Ended, (what: string, how: string) => string>,
    elsewhere: {
      approved: (what: string, how: string) => `Approved elsewhere${how}: ${what}`,
      rejected: (what: string) => `Denied elsewhere: ${what}`,
      expired: (what: string) => `Expired, nobody answered in time: ${what}`,
      cancelled: (what: string) => `Withdrawn by the agent: ${what}`,
    } as Record<Ended, (what: string, how: string) => string>,
    /** Whoever it was, and whenever. */
    before: {
      approved: (what: string, how: string) => `Approved${how}: ${what}`,
      rejected: (what: string) => `Denied: ${what}`,
      expired: (what: string) => `Expired, nobody answered in time: ${what}`,
      cancelled: (what: string) => `Withdrawn by the agent: ${what}`,
    } as Record<Ended, (what: string, how: string) => string>,
    /** Why it was withdrawn, where the agent didn't do it. */
    withdrawn: RULE_WORDS.en,
    gone: (what: string) => `No longer asked: ${what}`,
    many: (count: number) => `${count} requests`,
  },
  territory: { none: "", session: " for this session", permanent: " and remembered" } satisfies Record<
    Territory,
    string
  > as Record<Territory, string>,

  digest: {
    question: (agent: string, count: number) => `${agent} asks ${count} things at once`,
    summary: (count: number, groups: string) => `${count} requests: ${groups}`,
    below: (count: number, capability: string, location: string) => `${count} ${capability} below ${location}`,
    plain: (count: number, capability: string) => `${count} ${capability}`,
    irreversible: (count: number) => `${count} irreversible`,
    irreversibleOne: "irreversible",
    denyAll: "Deny all",
    approveAll: (count: number) => `Approve ${count} once`,
    lookAtEach: "Look at each",
    showAll: (count: number) => `Show all ${count}`,
    readFirst: "Show them all first.",
    readOn: "Approve opens when the end of the list has been on the screen.",
    long: (count: number) =>
      count === 1
        ? "1 is longer than this list shows: it must be opened by itself."
        : `${count} are longer than this list shows: they must be opened one by one.`,
    failed: (count: number) => `${count} could not be answered: they have ended, or the gate refused.`,
    list: "Every request in this bundle",
  },

  pairing: {
    question: (name: string) => `May ${name} connect?`,
    version: (version: string) => `version ${version}`,
    meta: "An agent on this machine wants to be paired with the gate. Its name is what it says of itself.",
    levels: "What may it do?",
    level: {
      ReadOnly: [
        "Read only",
        "It may read once you say so. Writing, running code, the network and sending are denied without asking you.",
      ],
      Supervised: [
        "Supervised",
        "It may do anything once you say so: it asks wherever it touches your files, runs code or goes online.",
      ],
      Full: [
        "Full",
        "It reads, writes and goes online without asking. It still asks before it runs code or sends mail.",
      ],
    } as Record<Level, readonly [string, string]>,
    reject: "Don't pair",
    pair: "Pair",
    choose: "Choose a level to pair it.",
  },
};

const it: typeof en = {
  deny: "Rifiuta",
  denyWhy: "Rifiuta e spiega",
  approveOnce: "Approva una volta",
  approveMore: "Approva …",
  showEverything: "Mostra tutto",
  showLess: "Mostra meno",
  readFirst: "Prima mostra tutto: la richiesta è più lunga di quello che vedi qui.",
  readOn: "Potrai approvare quando la fine della richiesta sarà stata sullo schermo.",
  tooSoon: "Non è valso: la scheda era appena apparsa o si era appena mossa. Premi di nuovo.",
  expiresIn: (clock) => `scade tra ${clock}`,
  held: "il tempo è fermo finché sei qui",
  waited: (clock) => `attende da ${clock}`,
  inFolder: "in",
  noFolder: "cartella non indicata",
  scored: (score) => `punteggio ${score}`,
  notes: NOTE_WORDS.it,
  subagent: (kind) => `(${kind})`,
  says: (agent) => `${agent} dice`,
  needs: "Gli serve",
  on: "su",
  asked: "Chiesto",
  judge: "Giudice",
  folder: "Cartella",
  agent: "Agente",
  call: (executor) => `La chiamata intera: ${executor}`,
  noArguments: "(nessun argomento)",
  lines: (count) => `${count} righe`,
  sending: "Un momento",

  remember: "Approva e ricorda",
  rememberWhat: "Che cosa può fare da ora in poi senza chiedere?",
  reach: {
    file: "Questo file",
    folder: "Questa cartella",
    tree: "Questa cartella e quelle dentro",
    project: "Questo progetto",
    host: "Questo host",
    subdomains: "Questo host e quelli sotto di esso",
    exact: "Esattamente questo",
    any: "Ogni volta",
  },
  forSession: (reach) => `${reach}, per questa sessione`,
  untilRevoked: (reach) => `${reach}, finché non lo revochi`,
  until: (reach, date) => `${reach}, fino al ${date}`,
  forSessionUntil: (reach, date) => `${reach}, per questa sessione, al massimo fino al ${date}`,
  stored: "Salvato:",
  target: "Destinazione",
  expiry: "Finisce",
  expiries: {
    never: "quando lo revochi",
    session: "con la sessione",
    hours: "tra 2 ore",
    days: "tra 30 giorni",
    date: "in una data",
  },
  date: "Data",
  coverage: (covered, of) => `Avrebbe coperto ${covered} delle ultime ${of} richieste di questo tipo.`,
  coverageUnknown: "Conto che cosa avrebbe coperto …",
  approveAndRemember: "Approva e ricorda",
  cancel: "Annulla",
  whyNot: "Perché no? L'agente lo legge.",
  sendDenial: "Rifiuta e invia",

  ended: {
    own: {
      approved: (what, how) => `Hai approvato${how}: ${what}`,
      rejected: (what) => `Hai rifiutato: ${what}`,
      expired: (what) => `Scaduta, nessuno ha risposto in tempo: ${what}`,
      cancelled: (what) => `Ritirata dall'agente: ${what}`,
    },
    elsewhere: {
      approved: (what, how) => `Approvata altrove${how}: ${what}`,
      rejected: (what) => `Rifiutata altrove: ${what}`,
      expired: (what) => `Scaduta, nessuno ha risposto in tempo: ${what}`,
      cancelled: (what) => `Ritirata dall'agente: ${what}`,
    },
    before: {
      approved: (what, how) => `Approvata${how}: ${what}`,
      rejected: (what) => `Rifiutata: ${what}`,
      expired: (what) => `Scaduta, nessuno ha risposto in tempo: ${what}`,
      cancelled: (what) => `Ritirata dall'agente: ${what}`,
    },
    withdrawn: RULE_WORDS.it,
    gone: (what) => `Non più in attesa: ${what}`,
    many: (count) => `${count} richieste`,
  },
  territory: { none: "", session: " per questa sessione", permanent: " anche per le prossime volte" },

  digest: {
    question: (agent, count) => `${agent} chiede ${count} cose insieme`,
    summary: (count, groups) => `${count} richieste: ${groups}`,
    below: (count, capability, location) => `${count} ${capability} sotto ${location}`,
    plain: (count, capability) => `${count} ${capability}`,
    irreversibleOne: "irreversibile",
    irreversible: (count) => (count === 1 ? "1 irreversibile" : `${count} irreversibili`),
    denyAll: "Rifiuta tutto",
    approveAll: (count) => `Approva ${count} una volta`,
    lookAtEach: "Guarda una per una",
    showAll: (count) => `Mostra tutte e ${count}`,
    readFirst: "Prima mostrale tutte.",
    readOn: "Potrai approvare quando la fine dell'elenco sarà stata sullo schermo.",
    long: (count) =>
      count === 1
        ? "1 è più lunga di quanto mostra questo elenco: va guardata da sola."
        : `${count} sono più lunghe di quanto mostra questo elenco: vanno guardate da sole.`,
    failed: (count) => `${count} senza risposta: sono finite, o il gate ha rifiutato.`,
    list: "Tutte le richieste di questo gruppo",
  },

  pairing: {
    question: (name) => `${name} può collegarsi?`,
    version: (version) => `versione ${version}`,
    meta: "Un agente su questo computer vuole collegarsi al gate. Il nome è quello che dice lui.",
    levels: "Che cosa può fare?",
    level: {
      ReadOnly: [
        "Sola lettura",
        "Può leggere se dici di sì. Scrivere, eseguire codice, la rete e gli invii sono rifiutati senza chiederti.",
      ],
      Supervised: [
        "Supervisionato",
        "Può fare tutto se dici di sì: chiede quando tocca i tuoi file, esegue codice o va in rete.",
      ],
      Full: [
        "Completo",
        "Legge, scrive e va in rete senza chiedere. Chiede ancora prima di eseguire codice o inviare posta.",
      ],
    },
    reject: "Non collegare",
    pair: "Collega",
    choose: "Scegli un livello per collegarlo.",
  },
};

export const cardWords = { en, it };
export type CardWords = typeof en;
