import type { Capability, Level, Outcome } from "../../ipc/contract/decision.ts";
import type { InEach } from "../../ipc/contract/language.ts";
import type { PolicyRow } from "../../ipc/contract/operator-api.ts";

type Family = PolicyRow["family"];

const en = {
  title: "Policy",
  intro: "What each level may do. Pick a cell to see why, or to make it stricter.",
  inForceFor: "In force for",
  noAgent: "no agent",
  columnInForce: (agent: string) => `in force for ${agent}`,
  agentsAt: (agents: string) => `Agents at this level: ${agents}`,
  /** With soft hyphens: a column may be narrower than the word. */
  levelHeads: { ReadOnly: "Read only", Supervised: "Super\u00advised", Full: "Full" } satisfies Record<Level, string>,
  capability: "Capability",
  family: "Family",
  legend: "What the marks mean",
  families: {
    files: "files",
    code: "code",
    network: "network",
    model: "model",
    mail: "mail",
    channels: "channels",
    local: "local",
  } satisfies Record<Family, string>,
  descriptions: {
    "fs:read": "read files",
    "fs:write": "write or change files",
    "code:exec": "run commands and programs",
    "network:http": "send web requests",
    "llm:local": "ask a model on this machine",
    "llm:online": "ask an online model, at a cost",
    "mail:read": "read a mailbox",
    "mail:send": "send mail",
    "channel:in": "receive messages",
    "channel:out": "send messages",
    "time:read": "read the clock",
    "parse:local": "read known file formats",
    "calendar:read": "read a calendar",
  } satisfies Record<Capability, string>,
  rules: {
    free: (capability: string) => `${capability} touches nothing that needs asking, so it is allowed at every level.`,
    always: (capability: string) =>
      `${capability} can't be undone, so you are asked every time, and no grant is kept for it.`,
    ReadOnly: {
      approval_required: "Read only may read after asking. You are asked, unless a grant covers the target.",
      denied: (what: string) =>
        `Read only never writes, sends, runs code or spends money: to ${what} is more than it may.`,
    },
    Supervised: "Supervised may do everything, after asking. You are asked, unless a grant covers the target.",
    Full: (what: string) => `Full asks only for what can't be undone, and to ${what} can be.`,
  },
  grants: "Grants that bear on it",
  grantsAt: {
    approval_required: "With one of these it isn't asked.",
    denied: "They change nothing here: a grant never lifts a denial.",
    allowed: "They change nothing here: it isn't asked anyway.",
  } satisfies Record<Outcome, string>,
  noGrants: "No grant yet. The next approval that you let last longer than once appears here.",
  noGrantsPossible: "No grant can be kept for it.",
  allGrants: (count: string, isOne: boolean) => (isOne ? "Show it in Grants" : `Show all ${count} in Grants`),
  ends: "ends",
  forGood: "no end",
  everyAgent: "every agent",
  close: "Close",
  overrides: {
    none: "No profile makes a cell stricter. To have one that does, write",
    some: (count: number) =>
      count === 1 ? "A profile makes one cell stricter, in" : `Profiles make ${count} cells stricter, in`,
    how: "; docs/profiles.md says how.",
    inForce: "made stricter",
    ofOthers: "made stricter for other agents",
    cell: (profile: string, outcome: string, before: string) => `For ${profile}: ${outcome}, in place of ${before}.`,
    line: (line: number) => `Line ${line}`,
    byHand: "By hand",
    agents: (agents: string) => `in force for ${agents}`,
    takeBack: "Take back",
    takeBackOf: (whom: string) => `Take back what is stricter for ${whom}`,
  },
  tighten: {
    title: "Make it stricter for",
    whom: "For whom",
    to: (outcome: string, whom: string) => `${outcome} for ${whom}`,
    isNow: (what: string, whom: string, outcome: string) => `${what}, for ${whom}: ${outcome} from now on.`,
    isBack: (what: string, whom: string) => `${what}, for ${whom}: no longer stricter.`,
    undo: "Undo",
  },
};

const it: typeof en = {
  title: "Regole",
  intro: "Che cosa può fare ogni livello. Scegli una casella per sapere perché, o per renderla più severa.",
  inForceFor: "In vigore per",
  noAgent: "nessun agente",
  columnInForce: (agent) => `in vigore per ${agent}`,
  agentsAt: (agents) => `Agenti a questo livello: ${agents}`,
  levelHeads: { ReadOnly: "Sola lettura", Supervised: "Supervi\u00adsionato", Full: "Completo" },
  capability: "Capacità",
  family: "Famiglia",
  legend: "Che cosa significano i segni",
  families: {
    files: "file",
    code: "codice",
    network: "rete",
    model: "modelli",
    mail: "posta",
    channels: "canali",
    local: "locale",
  },
  descriptions: {
    "fs:read": "leggere file",
    "fs:write": "scrivere o modificare file",
    "code:exec": "eseguire comandi e programmi",
    "network:http": "inviare richieste web",
    "llm:local": "usare un modello locale",
    "llm:online": "usare un modello a pagamento",
    "mail:read": "leggere una casella di posta",
    "mail:send": "inviare posta",
    "channel:in": "ricevere messaggi",
    "channel:out": "inviare messaggi",
    "time:read": "leggere l'ora",
    "parse:local": "leggere formati di file noti",
    "calendar:read": "leggere un calendario",
  },
  rules: {
    free: (capability) => `${capability} non tocca nulla che vada chiesto: è consentito a ogni livello.`,
    always: (capability) =>
      `${capability} non si può annullare: ti viene chiesto ogni volta, e nessun permesso viene conservato.`,
    ReadOnly: {
      approval_required:
        "Sola lettura può leggere dopo aver chiesto. Ti viene chiesto, salvo che un permesso copra l'oggetto.",
      denied: (what) =>
        `Sola lettura non scrive, non invia, non esegue codice e non spende: ${what} è più di quanto può.`,
    },
    Supervised:
      "Supervisionato può fare tutto, dopo aver chiesto. Ti viene chiesto, salvo che un permesso copra l'oggetto.",
    Full: (what) => `Completo chiede solo per ciò che non si può annullare, e ${what} si può.`,
  },
  grants: "Permessi che la riguardano",
  grantsAt: {
    approval_required: "Con uno di questi non viene chiesto.",
    denied: "Qui non cambiano nulla: un permesso non toglie mai un divieto.",
    allowed: "Qui non cambiano nulla: non viene chiesto comunque.",
  },
  noGrants: "Ancora nessun permesso. Appare qui la prossima approvazione che fai valere più di una volta.",
  noGrantsPossible: "Nessun permesso può essere conservato.",
  allGrants: (count, isOne) => (isOne ? "Mostralo in Permessi" : `Mostra tutti i ${count} in Permessi`),
  ends: "scade",
  forGood: "senza fine",
  everyAgent: "ogni agente",
  close: "Chiudi",
  overrides: {
    none: "Nessun profilo rende più severa una casella. Per averne uno, scrivi",
    some: (count) =>
      count === 1 ? "Un profilo rende più severa una casella, in" : `I profili rendono più severe ${count} caselle, in`,
    how: "; docs/profiles.md spiega come.",
    inForce: "più severa",
    ofOthers: "più severa per altri agenti",
    cell: (profile, outcome, before) => `Per ${profile}: ${outcome}, al posto di ${before}.`,
    line: (line) => `Riga ${line}`,
    byHand: "A mano",
    agents: (agents) => `in vigore per ${agents}`,
    takeBack: "Togli",
    takeBackOf: (whom) => `Togli ciò che è più severo per ${whom}`,
  },
  tighten: {
    title: "Rendila più severa per",
    whom: "Per chi",
    to: (outcome, whom) => `${outcome} per ${whom}`,
    isNow: (what, whom, outcome) => `${what}, per ${whom}: d'ora in poi ${outcome}.`,
    isBack: (what, whom) => `${what}, per ${whom}: non è più severa.`,
    undo: "Annulla",
  },
};

export const policyWords: InEach<typeof en> = { en, it };
export type PolicyWords = typeof en;
