import type { ApprovalStatus, Capability, Reach, Territory } from "../../ipc/contract/decision.ts";
import type { Description } from "../../ipc/contract/description.ts";
import type { LineRisk } from "../../ipc/contract/hazards.ts";
import type { InEach } from "../../ipc/contract/language.ts";
import { DOING_WORDS } from "../../ipc/words/capability-words.ts";
import { PAIRING_WORDS } from "../../ipc/words/pairing-words.ts";
import { NOTE_WORDS, RULE_WORDS } from "../../ipc/words/rule-words.ts";

type Ended = Exclude<ApprovalStatus, "pending">;
type McpClaim = NonNullable<Description["mcp"]>["claims"][number];

const CLAIMS: InEach<Readonly<Record<McpClaim, string>>> = {
  en: {
    "read-only": "it only reads",
    destructive: "it may destroy",
    idempotent: "twice is as once",
    "open-world": "it reaches outside",
  },
  it: {
    "read-only": "legge soltanto",
    destructive: "può distruggere",
    idempotent: "due volte è come una",
    "open-world": "va all'esterno",
  },
};

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** More lines than these are not named. */
const LINES_NAMED = 4;

function atLines(
  file: string,
  lines: readonly number[],
  [one, many]: readonly [string, string],
  andMore: string,
): string {
  const named = lines.slice(0, LINES_NAMED).join(", ");
  const more = lines.length > LINES_NAMED ? ` ${andMore}` : "";
  const where = lines.length === 0 ? "" : `${lines.length === 1 ? one : many} ${named}${more}`;
  const parts = [file, where].filter((text) => text !== "");
  return parts.length === 0 ? "" : ` (${parts.join(", ")})`;
}

const en = {
  deny: "Deny",
  denyWhy: "Deny, and say why",
  approveOnce: "Approve once",
  approveMore: "Allow more …",
  showEverything: "Everything",
  showLess: "Show less",
  readOn: { no: "Scroll to the end to approve", end: "Scroll up to approve: the lines above weren't shown yet" },
  wasRead: "All of it was on the screen.",
  tooSoon: "That didn't count: the card had only just appeared or moved. Press again.",
  question: (verb: string) => `May I ${verb}?`,
  toolQuestion: (server: string, tool: string) => `May I use ${server}: ${tool}?`,
  held: "its deadline is extended while you are here",
  inFolder: "in",
  noFolder: "folder unknown",
  newFile: "new file",
  replaces: (lines: number) => `replaces ${counted(lines, "line", "lines")}`,
  deletes: (lines: number) => `deletes it, ${counted(lines, "line", "lines")}`,
  notCompared: "not compared with the file that is there",
  lines: (count: number) => counted(count, "line", "lines"),
  leftOut: (count: number) =>
    count === 1 ? "1 more line, in the arguments below." : `${count} more lines, in the arguments below.`,
  theCommand: (lines: number) => `The command, ${counted(lines, "line", "lines")}`,
  theChange: (added: number, removed: number) => `The change, ${added} added and ${removed} removed`,
  standsFor: (name: string) => `What ${name} runs`,
  anotherScript: "This script is another one than before.",
  unreadable: "isn't there, or can't be read",
  notRead: (files: readonly string[]) => `not read: ${files.join(", ")}`,
  firstOf: (shown: number, all: number) => `the first ${shown} of ${all} lines`,
  theArguments: "The arguments",
  besides: "What else is in the call",
  claims: (server: string, claims: readonly McpClaim[]) =>
    `${server} says of it: ${claims.map((claim) => CLAIMS.en[claim]).join(", ")}`,
  andMore: (count: number) => `and ${count} more`,
  costs: (price: string) => `costs ${price}`,
  /** What raised or lowered the judge's score. */
  scored: (score: string) => `score ${score}`,
  notes: NOTE_WORDS.en,
  needs: "Needs",
  on: "on",
  asked: "Asked",
  youAsked: "You asked",
  judge: "Judge",
  validator: "Validator",
  confident: (confidence: string) => `confidence ${confidence}`,
  folder: "Folder",
  tool: "Tool",
  touchesNothing: "touches nothing",
  wholeCall: "The whole call, as it was sent",
  noArguments: "(no arguments)",

  doing: (capability: Capability) => DOING_WORDS.en[capability],
  doingThis: "this",
  runningConfined: "running confined",
  and: " and ",
  below: (folder: string) => `below ${folder}`,
  directlyIn: (folder: string) => `in ${folder}`,
  inProject: "in this project",
  thisSession: "this session",
  thisTool: "this tool",
  today: "today",
  allowWider: (what: string, time: string) => `Allow ${what}, ${time}`,
  /** Of a confined call: what an answer for its project lets it do from then on. */
  letWork: (place: string, time: string) => `Let it work in ${place}, ${time}`,
  letLook: (place: string, time: string) => `Let it look at ${place}, ${time}`,
  risks: {
    "sends-secret": (line: string) => `Sends a secret${line}`,
    "starts-shell": (line: string) => `Starts a shell or runs a text${line}`,
  } satisfies Record<LineRisk, (line: string) => string> as Record<LineRisk, (line: string) => string>,
  atLines: (file: string, lines: readonly number[]) => atLines(file, lines, ["line", "lines"], "and more"),
  approvedBefore: (times: number) => `You approved this ${times} times.`,
  denyForSession: "Or deny it for this session, without being asked again:",
  refuseCall: "This very call",
  refuseTarget: (what: string) => `All ${what}`,

  keys: {
    title: "The request that has the focus, else the first",
    pressing: {
      d: "deny",
      m: "deny, and say why",
      a: "approve once",
      l: "approve: the tool only looks",
      s: "the wider answer",
      e: "everything about it",
    } as Record<string, string>,
    next: "next request",
    previous: "previous request",
  },

  reach: {
    file: "This file",
    folder: "This folder",
    tree: "This folder and below",
    project: "This project",
    host: "This host",
    subdomains: "This host and those below it",
    exact: "Exactly this",
    destination: "This destination, knowing that",
    server: "All tools of this server that only look",
    any: "Every time",
  } satisfies Record<Reach, string> as Record<Reach, string>,
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
  cancel: "Cancel",
  whyNot: "Why not? The agent reads this.",
  sendDenial: "Deny and send",

  ended: {
    own: {
      approved: (what: string, how: string) => `You approved${how}: ${what}`,
      rejected: (what: string, how: string) => `You denied${how}: ${what}`,
      expired: (what: string) => `Expired, nobody answered in time: ${what}`,
      cancelled: (what: string) => `Withdrawn by the agent: ${what}`,
    } as Record<Ended, (what: string, how: string, where: string) => string>,
    /** Whoever it was, and whenever. `where`: "", or as a word of its own after the verb. */
    elsewhere: {
      approved: (what: string, how: string, where: string) => `Approved${where}${how}: ${what}`,
      rejected: (what: string, _how: string, where: string) => `Denied${where}: ${what}`,
      expired: (what: string) => `Expired, nobody answered in time: ${what}`,
      cancelled: (what: string) => `Withdrawn by the agent: ${what}`,
    } as Record<Ended, (what: string, how: string, where: string) => string>,
    /** Where it isn't known in which place. */
    somewhere: "elsewhere",
    /** Why it was withdrawn, where the agent didn't do it. */
    withdrawn: RULE_WORDS.en,
    gone: (what: string) => `No longer asked: ${what}`,
    undo: "Undo",
    undone: (what: string) => `Taken back, you are asked again: ${what}`,
    nothingToUndo: "Nothing is left to take back.",
    many: (count: number) => `${count} requests`,
  },
  territory: { none: "", session: " for this session", permanent: " and remembered" } satisfies Record<
    Territory,
    string
  > as Record<Territory, string>,

  digest: {
    question: (agent: string, count: number) => `${agent} asks ${count} things`,
    all: "all",
    longer: "longer than this list shows",
    hosts: "web requests",
    more: (count: number) => `+ ${count} more`,
    denyAll: "Deny all",
    approveAll: (count: number) => `Approve ${count} once`,
    lookAtEach: "Look at each",
    long: (count: number) =>
      count === 1
        ? "1 is longer than this list shows: it must be opened by itself."
        : `${count} are longer than this list shows: they must be opened one by one.`,
    failed: (count: number) => `${count} could not be answered: they have ended, or the gate refused.`,
    list: "Every request in this bundle",
  },

  pairing: {
    ...PAIRING_WORDS.en,
    levels: "What may it do?",
    reject: "Don't pair",
    pair: "Pair",
    choose: "Choose a level to pair it.",
  },
};

const it: typeof en = {
  deny: "Rifiuta",
  denyWhy: "Rifiuta e spiega",
  approveOnce: "Approva una volta",
  approveMore: "Permetti di più …",
  showEverything: "Tutto",
  showLess: "Mostra meno",
  readOn: {
    no: "Scorri fino alla fine per approvare",
    end: "Scorri in su per approvare: le righe sopra non sono ancora state mostrate",
  },
  wasRead: "È stato tutto sullo schermo.",
  tooSoon: "Non è valso: la scheda era appena apparsa o si era appena mossa. Premi di nuovo.",
  question: (verb) => `Vuoi che ${verb}?`,
  toolQuestion: (server, tool) => `Vuoi che usi ${server}: ${tool}?`,
  held: "il tempo è fermo finché sei qui",
  inFolder: "in",
  noFolder: "cartella non indicata",
  newFile: "file nuovo",
  replaces: (lines) => `sostituisce ${counted(lines, "riga", "righe")}`,
  deletes: (lines) => `lo elimina, ${counted(lines, "riga", "righe")}`,
  notCompared: "non confrontato con il file che c'è",
  lines: (count) => counted(count, "riga", "righe"),
  leftOut: (count) =>
    count === 1 ? "Un'altra riga, negli argomenti sotto." : `Altre ${count} righe, negli argomenti sotto.`,
  theCommand: (lines) => `Il comando, ${counted(lines, "riga", "righe")}`,
  theChange: (added, removed) => `La modifica, ${added} aggiunte e ${removed} tolte`,
  standsFor: (name) => `Che cosa esegue ${name}`,
  anotherScript: "Questo script non è più quello di prima.",
  unreadable: "non c'è, o non si può leggere",
  notRead: (files) => `non letto: ${files.join(", ")}`,
  firstOf: (shown, all) => `le prime ${shown} di ${all} righe`,
  theArguments: "Gli argomenti",
  besides: "Che altro c'è nella chiamata",
  claims: (server, claims) => `${server} ne dice: ${claims.map((claim) => CLAIMS.it[claim]).join(", ")}`,
  andMore: (count) => (count === 1 ? "e un altro" : `e altri ${count}`),
  costs: (price) => `costa ${price}`,
  scored: (score) => `punteggio ${score.replace(".", ",")}`,
  notes: NOTE_WORDS.it,
  needs: "Gli serve",
  on: "su",
  asked: "Chiesto",
  youAsked: "Hai chiesto",
  judge: "Giudice",
  validator: "Validatore",
  confident: (confidence) => `fiducia ${confidence.replace(".", ",")}`,
  folder: "Cartella",
  tool: "Strumento",
  touchesNothing: "non tocca nulla",
  wholeCall: "La chiamata intera, com'è arrivata",
  noArguments: "(nessun argomento)",

  doing: (capability) => DOING_WORDS.it[capability],
  doingThis: "questo",
  runningConfined: "eseguire confinato",
  and: " e ",
  below: (folder) => `sotto ${folder}`,
  directlyIn: (folder) => `in ${folder}`,
  inProject: "in questo progetto",
  thisSession: "questa sessione",
  thisTool: "questo strumento",
  today: "oggi",
  allowWider: (what, time) => `Permetti: ${what}, ${time}`,
  letWork: (place, time) => `Lascialo lavorare in ${place}, ${time}`,
  letLook: (place, time) => `Lascialo guardare ${place}, ${time}`,
  risks: {
    "sends-secret": (line) => `Invia un segreto${line}`,
    "starts-shell": (line) => `Avvia una shell o esegue un testo${line}`,
  },
  atLines: (file, lines) => atLines(file, lines, ["riga", "righe"], "e altre"),
  approvedBefore: (times) => `L'hai già approvato ${times} volte.`,
  denyForSession: "Oppure rifiuta per questa sessione, senza che te lo richieda:",
  refuseCall: "Proprio questa chiamata",
  refuseTarget: (what) => `Sempre: ${what}`,

  keys: {
    title: "La richiesta che ha il fuoco, altrimenti la prima",
    pressing: {
      d: "rifiuta",
      m: "rifiuta e spiega",
      a: "approva una volta",
      l: "approva: lo strumento guarda soltanto",
      s: "la risposta più ampia",
      e: "tutto su di essa",
    },
    next: "richiesta dopo",
    previous: "richiesta prima",
  },

  reach: {
    file: "Questo file",
    folder: "Questa cartella",
    tree: "Questa cartella e quelle dentro",
    project: "Questo progetto",
    host: "Questo host",
    subdomains: "Questo host e quelli sotto di esso",
    exact: "Esattamente questo",
    destination: "Questa destinazione, sapendolo",
    server: "Tutti gli strumenti di questo server che guardano soltanto",
    any: "Ogni volta",
  },
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
  cancel: "Annulla",
  whyNot: "Perché no? L'agente lo legge.",
  sendDenial: "Rifiuta e invia",

  ended: {
    own: {
      approved: (what, how) => `Hai approvato${how}: ${what}`,
      rejected: (what, how) => `Hai rifiutato${how}: ${what}`,
      expired: (what) => `Scaduta, nessuno ha risposto in tempo: ${what}`,
      cancelled: (what) => `Ritirata dall'agente: ${what}`,
    },
    elsewhere: {
      approved: (what, how, where) => `Approvata${where}${how}: ${what}`,
      rejected: (what, _how, where) => `Rifiutata${where}: ${what}`,
      expired: (what) => `Scaduta, nessuno ha risposto in tempo: ${what}`,
      cancelled: (what) => `Ritirata dall'agente: ${what}`,
    },
    somewhere: "altrove",
    withdrawn: RULE_WORDS.it,
    gone: (what) => `Non più in attesa: ${what}`,
    undo: "Annulla",
    undone: (what) => `Revocato, ti verrà richiesto: ${what}`,
    nothingToUndo: "Non c'è più nulla da revocare.",
    many: (count) => `${count} richieste`,
  },
  territory: { none: "", session: " per questa sessione", permanent: " anche per le prossime volte" },

  digest: {
    question: (agent, count) => `${agent} chiede ${count} cose`,
    all: "tutte:",
    longer: "più lunga di quanto mostra questo elenco",
    hosts: "richieste web",
    more: (count) => `+ altre ${count}`,
    denyAll: "Rifiuta tutto",
    approveAll: (count) => `Approva ${count} una volta`,
    lookAtEach: "Guarda una per una",
    long: (count) =>
      count === 1
        ? "1 è più lunga di quanto mostra questo elenco: va guardata da sola."
        : `${count} sono più lunghe di quanto mostra questo elenco: vanno guardate da sole.`,
    failed: (count) => `${count} senza risposta: sono finite, o il gate ha rifiutato.`,
    list: "Tutte le richieste di questo gruppo",
  },

  pairing: {
    ...PAIRING_WORDS.it,
    levels: "Che cosa può fare?",
    reject: "Non collegare",
    pair: "Collega",
    choose: "Scegli un livello per collegarlo.",
  },
};

export const cardWords: InEach<typeof en> = { en, it };
export type CardWords = typeof en;
