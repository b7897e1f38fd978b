import { shortened, shortenHome, visible } from "../base/visible-text.ts";
import type { BoxAgent, BoxStatus, UnconfinedReason } from "../contract/box.ts";
import type { Confined } from "../contract/decision.ts";
import type { Description } from "../contract/description.ts";
import type { Language } from "../contract/language.ts";

/** The sentences about confined execution, on every surface, without a full stop. Plain values: the page loads it. */

type Problem = NonNullable<BoxStatus["problem"]>;
/** `changed`: another version of its client was tested. `silent`: it has no client that is tested, and hasn't said that it can. */
type AgentState = BoxAgent["state"] | "changed" | "silent";

/** What `about` and a reason may take of a line. */
const MAX_ABOUT = 120;
const MAX_REASON = 300;

interface ProblemWords {
  what: string;
  /** Null where nothing can be done. */
  todo: string | null;
}

/** Less than the project as a whole. */
interface NarrowWords {
  confined: (project: string) => string;
  meaning: (project: string) => string;
  allowing: ((project: string) => string) | null;
}

interface Words {
  confined: (project: string) => string;
  narrow: Readonly<Record<NonNullable<Confined["kind"]>, NarrowWords>>;
  network: Readonly<Record<"none" | "asked" | "named", string>>;
  meaning: (project: string, network: boolean) => string;
  meaningOfWhole: (project: string) => string;
  allowing: (project: string, network: boolean) => string;
  mark: string;
  outside: (reason: string) => string;
  outsideUnexplained: string;
  hostRequest: string;
  hostWantedBy: (line: string) => string;
  unconfined: Readonly<Record<UnconfinedReason, (about: string) => string>>;
  problems: Readonly<Record<Problem, ProblemWords>>;
  hostsProblems: Readonly<Record<NonNullable<BoxStatus["hosts_problem"]>, ProblemWords>>;
  agents: Readonly<Record<AgentState, ProblemWords>>;
}

const about = (text: string, without: string, before = ""): string => (text === "" ? without : `${before}${text}`);

const EN: Words = {
  confined: (project) => `Confined to ${project}`,
  narrow: {
    looking: {
      confined: (project) => `Confined to reading ${project}`,
      meaning: (project) =>
        `It can read what is in ${project}, and change nothing. Of the rest of your home it sees only your tools, no keys, and it has no network.`,
      allowing: (project) => `It then looks at ${project} without asking; no network`,
    },
    needs: {
      confined: () => "Held to what it names",
      meaning: () => "It can touch the files and folders that it names, nothing else of yours, and it has no network.",
      allowing: null,
    },
  },
  network: {
    none: "no network",
    asked: "network: you are asked about each host",
    named: "with its whole agent, network: the hosts that you named",
  },
  meaningOfWhole: (project) =>
    `Its whole agent runs in a box: it can change ${project} and reach the hosts that you named, and nothing else. What you allow runs there.`,
  meaning: (project, network) =>
    `It can change only what is in ${project}. Of the rest of your home it sees only your tools, no keys, and it ${
      network ? "reaches only the hosts that you allow" : "has no network"
    }.`,
  allowing: (project, network) =>
    `It then reads, writes and runs confined commands in ${project} without asking; ${network ? "you are asked about each host" : "no network"}`,
  mark: "confined",
  outside: (reason) => `Outside the box. The agent's reason: “${reason}”`,
  outsideUnexplained: "Outside the box. The agent gives no reason",
  hostRequest: "confined command",
  hostWantedBy: (line) => `The confined command: ${line}`,
  unconfined: {
    disabled: () => "confining commands is switched off",
    unavailable: () => "no command can be confined on this machine",
    "agent-cannot": () => "the agent's client hasn't passed the test that it runs what it is given",
    level: () => "the agent's level is Read only, or it isn't paired",
    "asked-for": () => "it asks to run outside the box",
    "no-project": (text) =>
      `${about(text, "the folder")} is in no project: no Git repository, and no folder that you granted`,
    "project-too-large": (text) => `${about(text, "the project")} holds more than is looked through for a box`,
    "outside-by-nature": (text) =>
      `${about(text, "it")} needs what no box has: other machines, system services, root, or other processes`,
    background: (text) => `${about(text, "it")} has to continue after the command has ended`,
    "destroys-work": (text) => `it would destroy work in the project that nothing else holds${about(text, "", ": ")}`,
    "leaves-the-box": (text) => `it touches what a box doesn't let through${about(text, "", ": ")}`,
    "unusable-line": () =>
      "the command line can't be read to its end, is too long, or holds a byte that can't be passed on",
    "no-command": () => "it isn't a command line",
    clear: (text) =>
      text === ""
        ? "it is clear what it needs, and the shell does it by itself; it runs as it is"
        : `it is clear what it needs, and no box can hold it to that; it runs as it is (${text})`,
  },
  problems: {
    disabled: {
      what: "It is switched off in the configuration",
      todo: "Set enabled = true under [box] in gate.toml, then start the gate again",
    },
    "unsupported-system": { what: "This version confines commands on Linux only", todo: null },
    "bubblewrap-missing": {
      what: "Bubblewrap isn't installed",
      todo: "Install the package bubblewrap, then start the gate again",
    },
    "bash-missing": { what: "Bash isn't installed", todo: "Install the package bash, then start the gate again" },
    "user-namespaces-restricted": {
      what: "The system doesn't let ordinary users make user namespaces",
      todo: "Allow it for bubblewrap, then start the gate again",
    },
    container: {
      what: "The gate runs in a container that lets it make no box",
      todo: "Run the gate outside of it, or let the container make user namespaces",
    },
    "probe-failed": {
      what: "A test found that the box doesn't do what it should, so nothing runs in it",
      todo: "Mend what the system says, then start the gate again",
    },
    "folder-unusable": {
      what: "The gate's folder for it can't be made or used",
      todo: "Mend the folder, then start the gate again",
    },
  },
  hostsProblems: {
    "no-node": {
      what: "Hosts can't be reached from the box: no Node program found",
      todo: "Install Node, then start the gate again",
    },
  },
  agents: {
    confined: { what: "Commands run confined", todo: null },
    "read-only": { what: "Read only: it runs no commands", todo: null },
    silent: { what: "Not confined: it hasn't said that it runs what it is given", todo: null },
    untested: {
      what: "Not confined: its client was never tested",
      todo: "Test it: connect it again",
    },
    changed: {
      what: "Not confined: its client has changed since it was tested",
      todo: "Test it: connect it again",
    },
    failed: {
      what: "Not confined: its client didn't run what it was given",
      todo: "Use another version of the client, then connect it again",
    },
  },
};

const IT: Words = {
  confined: (project) => `Confinato a ${project}`,
  narrow: {
    looking: {
      confined: (project) => `Confinato alla lettura di ${project}`,
      meaning: (project) =>
        `Può leggere ciò che è in ${project} e non cambiare nulla. Del resto della tua home vede solo i tuoi strumenti, nessuna chiave, e non ha rete.`,
      allowing: (project) => `Poi guarda ${project} senza chiedere; senza rete`,
    },
    needs: {
      confined: () => "Limitato a ciò che nomina",
      meaning: () => "Può toccare i file e le cartelle che nomina, nient'altro di tuo, e non ha rete.",
      allowing: null,
    },
  },
  network: {
    none: "senza rete",
    asked: "rete: ti viene chiesto ogni host",
    named: "con tutto il suo agente, rete: gli host che hai indicato",
  },
  meaningOfWhole: (project) =>
    `Tutto il suo agente è confinato: può cambiare ${project} e raggiungere gli host che hai indicato, e nient'altro. Ciò che permetti resta lì.`,
  meaning: (project, network) =>
    `Può cambiare solo ciò che è in ${project}. Del resto della tua home vede solo i tuoi strumenti, nessuna chiave, e ${
      network ? "raggiunge solo gli host che permetti" : "non ha rete"
    }.`,
  allowing: (project, network) =>
    `Poi legge, scrive ed esegue comandi confinati in ${project} senza chiedere; ${network ? "ti viene chiesto ogni host" : "senza rete"}`,
  mark: "confinato",
  outside: (reason) => `Fuori dal confinamento. Il motivo dell'agente: «${reason}»`,
  outsideUnexplained: "Fuori dal confinamento. L'agente non dice perché",
  hostRequest: "comando confinato",
  hostWantedBy: (line) => `Il comando confinato: ${line}`,
  unconfined: {
    disabled: () => "il confinamento dei comandi è spento",
    unavailable: () => "su questa macchina nessun comando può essere confinato",
    "agent-cannot": () => "il client dell'agente non ha superato la prova che esegue ciò che gli viene dato",
    level: () => "il livello dell'agente è Sola lettura, o non è collegato",
    "asked-for": () => "chiede di essere eseguito fuori dal confinamento",
    "no-project": (text) =>
      `${about(text, "la cartella")} non è in un progetto: nessun repository Git, nessuna cartella concessa da te`,
    "project-too-large": (text) =>
      `${about(text, "il progetto")} contiene più di quanto viene esaminato per confinare un comando`,
    "outside-by-nature": (text) =>
      `${about(text, "il comando")} ha bisogno di ciò che lì non c'è: altre macchine, servizi di sistema, root o altri processi`,
    background: (text) => `${about(text, "il comando")} deve continuare dopo la sua fine`,
    "destroys-work": (text) =>
      `distruggerebbe lavoro del progetto che non è conservato altrove${about(text, "", ": ")}`,
    "leaves-the-box": (text) => `tocca ciò che il confinamento non lascia passare${about(text, "", ": ")}`,
    "unusable-line": () =>
      "la riga di comando non si legge fino in fondo, è troppo lunga, o contiene un byte che non si può passare",
    "no-command": () => "non è una riga di comando",
    clear: (text) =>
      text === ""
        ? "è chiaro che cosa gli serve, e lo fa la shell da sola; viene eseguito così com'è"
        : `è chiaro che cosa gli serve, e nessun confinamento può limitarlo a quello; viene eseguito così com'è (${text})`,
  },
  problems: {
    disabled: {
      what: "È spento nella configurazione",
      todo: "Metti enabled = true sotto [box] in gate.toml, poi riavvia il gate",
    },
    "unsupported-system": { what: "Questa versione confina i comandi solo su Linux", todo: null },
    "bubblewrap-missing": {
      what: "Bubblewrap non è installato",
      todo: "Installa il pacchetto bubblewrap, poi riavvia il gate",
    },
    "bash-missing": { what: "Bash non è installato", todo: "Installa il pacchetto bash, poi riavvia il gate" },
    "user-namespaces-restricted": {
      what: "Il sistema non lascia creare user namespace agli utenti normali",
      todo: "Permettilo a bubblewrap, poi riavvia il gate",
    },
    container: {
      what: "Il gate è in un container che non gli permette di confinare",
      todo: "Esegui il gate fuori dal container, o lascia che crei user namespace",
    },
    "probe-failed": {
      what: "Una prova ha trovato che il confinamento non fa ciò che deve: nulla vi viene eseguito",
      todo: "Rimedia a ciò che dice il sistema, poi riavvia il gate",
    },
    "folder-unusable": {
      what: "La cartella del gate per il confinamento non si può creare o usare",
      todo: "Rimedia alla cartella, poi riavvia il gate",
    },
  },
  hostsProblems: {
    "no-node": {
      what: "Dal confinamento non si raggiunge nessun host: non c'è nessun programma Node",
      todo: "Installa Node, poi riavvia il gate",
    },
  },
  agents: {
    confined: { what: "I comandi sono confinati", todo: null },
    "read-only": { what: "Sola lettura: non esegue comandi", todo: null },
    silent: { what: "Non confinato: non ha detto che esegue ciò che gli viene dato", todo: null },
    untested: {
      what: "Non confinato: il suo client non è mai stato provato",
      todo: "Provalo: collegalo di nuovo",
    },
    changed: {
      what: "Non confinato: il suo client è cambiato dopo la prova",
      todo: "Provalo: collegalo di nuovo",
    },
    failed: {
      what: "Non confinato: il suo client non ha eseguito ciò che gli è stato dato",
      todo: "Usa un'altra versione del client, poi collegalo di nuovo",
    },
  },
};

const WORDS: Readonly<Record<Language, Words>> = { en: EN, it: IT };

/** What a call is confined to, its parts in order: `Confined to ~/project`, `no network`. @param home what `~` means, or null */
export function confinedParts(
  { kind, project, network, whole_agent }: Confined,
  home: string | null,
  language: Language,
): readonly [string, string] {
  const words = WORDS[language];
  const { confined } = kind === undefined ? words : words.narrow[kind];
  return [confined(placeText(project, home)), words.network[whole_agent ? "named" : network ? "asked" : "none"]];
}

/** What that means for the command, in two sentences. */
export function confinedMeaning(
  { kind, project, network, whole_agent }: Confined,
  home: string | null,
  language: Language,
): string {
  const place = placeText(project, home);
  if (kind !== undefined) return WORDS[language].narrow[kind].meaning(place);
  return whole_agent ? WORDS[language].meaningOfWhole(place) : WORDS[language].meaning(place, network);
}

/** What a longer answer to a confined call lets through from then on; null where none can be remembered. */
export function allowingText(
  { confined, choices }: { confined: Confined | null; choices: readonly { scope: string }[] },
  language: Language,
  home: string | null = null,
): string | null {
  if (confined === null || !choices.some(({ scope }) => scope !== "none")) return null;
  const words = WORDS[language];
  const place = placeText(confined.project, home);
  if (confined.kind === undefined) return words.allowing(place, confined.network);
  return words.narrow[confined.kind].allowing?.(place) ?? null;
}

/** One word for what was decided on as confined: `confined`. */
export function confinedMark(language: Language): string {
  return WORDS[language].mark;
}

/** Of a call that asks to run outside the box: the agent's own reason, or that there is none. */
export function outsideText(reason: string | null, language: Language): string {
  const said = (reason ?? "").trim();
  const words = WORDS[language];
  return said === "" ? words.outsideUnexplained : words.outside(shortened(said, MAX_REASON));
}

/** What the gate decides on itself, where a confined command wants to reach a host. No agent can send a call of this name. */
const HOST_REQUEST = "@box_connect";

/** A tool's name as it is shown: what the gate asks itself has words in its place. */
export function toolText(executor: string, language: Language): string {
  return executor === HOST_REQUEST ? WORDS[language].hostRequest : executor;
}

/** What a request asks for, as its question says it: of a host together with its name. */
export function verbAsked({
  executor,
  action_verb,
  description,
}: {
  executor: string;
  action_verb: string;
  description: Pick<Description, "request"> | null;
}): string {
  const host = executor === HOST_REQUEST ? description?.request?.host : undefined;
  return host === undefined ? action_verb : `${action_verb} ${visible(host)}`;
}

/** Of a request for a host: which confined command wants to reach it; null of any other. @param line its command line */
export function hostWantedBy(executor: string, line: string, language: Language): string | null {
  return executor === HOST_REQUEST && line !== "" ? WORDS[language].hostWantedBy(line) : null;
}

/** Why a command would not be confined. @param what it is about, as the gate names it; may be empty */
export function unconfinedText(reason: UnconfinedReason, what: string, language: Language): string {
  return WORDS[language].unconfined[reason](shortened(what, MAX_ABOUT));
}

/** Why no box can be made here, and what to do about it. */
export function boxProblemWords(problem: Problem, language: Language): ProblemWords {
  return WORDS[language].problems[problem];
}

/** Why nothing in a box reaches a host, and what to do about it. */
export function hostsProblemWords(problem: NonNullable<BoxStatus["hosts_problem"]>, language: Language): ProblemWords {
  return WORDS[language].hostsProblems[problem];
}

/** Whether one agent's commands are confined, and what to do where they aren't. */
export function boxAgentWords(agent: BoxAgent, language: Language): ProblemWords {
  return WORDS[language].agents[stateOf(agent)];
}

/** The agents whose client is tested when they are connected; any other says by itself what it can. */
const TESTED: ReadonlySet<string> = new Set(["claude-code"]);

function stateOf({ name, state, client }: BoxAgent): AgentState {
  if (state !== "untested") return state;
  if (client !== null) return "changed";
  return TESTED.has(name) ? "untested" : "silent";
}

function placeText(path: string, home: string | null): string {
  return visible(home === null ? path : shortenHome(path, home));
}
