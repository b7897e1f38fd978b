import { ownCommand } from "../../ipc/base/own-command.ts";
import type { Description } from "../../ipc/contract/description.ts";
import type { Language } from "../../ipc/contract/language.ts";
import { ALARM_WORDS } from "../../ipc/words/alarm-words.ts";
import type { TrayState } from "./tray-state.ts";

/** The texts of the tray, the menu and the shell's dialogs. */

export interface ShellWords {
  nothingWaits: string;
  waiting(count: number): string;
  paused: string;
  pausedUntil(time: string): string;
  noAnswer: string;
  open: string;
  pause: string;
  pause5Minutes: string;
  pause1Hour: string;
  pauseUntilResumed: string;
  resume: string;
  agentsOnline(count: number): string;
  noAgents: string;
  start_at_login: string;
  quit: string;
  couldNot(what: string): string;
  couldNotStart: string;
  gateEnded: string;
  diedAgain: string;
  diedAgainNext: string;
  /** A waiting request in the menu: who, and what kind of call. */
  asks(agent: string, kind: Description["kind"]): string;
  review: string;
  deny: string;
  startGate: string;
  wait: string;
  away: string;
  awayNext: string;
  /** Of an app that uses another process's gate. */
  quitApp: string;
  quitQuestion: string;
  quitNext(agents: number, waiting: number): string;
  stay: string;
  pageFailed: string;
  pageFailedNext(reason: string): string;
  edit: string;
  undo: string;
  redo: string;
  cut: string;
  copy: string;
  paste: string;
  selectAll: string;
  view: string;
  zoomIn: string;
  zoomOut: string;
  actualSize: string;
  fullScreen: string;
  closeWindow: string;
  lookForNewer: string;
  newest: string;
  newer(version: string): string;
  thisVersion(version: string): string;
  newerUnknown: string;
  newerNoAddress: string;
  newerHow: string;
}

const KINDS_EN: Readonly<Record<Description["kind"], string>> = {
  command: "run a command",
  edit: "edit a file",
  write: "write a file",
  read: "read a file",
  fetch: "fetch from the web",
  mcp: "use a tool",
  other: "use a tool",
};

const KINDS_IT: Readonly<Record<Description["kind"], string>> = {
  command: "eseguire un comando",
  edit: "modificare un file",
  write: "scrivere un file",
  read: "leggere un file",
  fetch: "scaricare dal web",
  mcp: "usare uno strumento",
  other: "usare uno strumento",
};

export const shellWords: Readonly<Record<Language, ShellWords>> = {
  en: {
    nothingWaits: "Nothing is waiting",
    waiting: (count) => (count === 1 ? "1 request is waiting for you" : `${count} requests are waiting for you`),
    paused: "Paused: every call is denied",
    pausedUntil: (time) => `Paused until ${time}: every call is denied`,
    noAnswer: "The gate doesn't answer",
    open: "Open Metnos Gate",
    pause: "Pause",
    pause5Minutes: "For 5 minutes",
    pause1Hour: "For 1 hour",
    pauseUntilResumed: "Until I resume",
    resume: "Resume",
    agentsOnline: (count) => `Agents online (${count})`,
    noAgents: "None",
    start_at_login: "Start at login",
    quit: "Quit",
    couldNot: (what) => `This didn't work: ${what}`,
    couldNotStart: "Metnos Gate could not start",
    gateEnded: "Metnos Gate has stopped",
    diedAgain: "Metnos Gate failed again",
    diedAgainNext:
      "It was started again once and has ended now: agents find no gate. Start it when you want to continue.",
    asks: (agent, kind) => `${agent} asks to ${KINDS_EN[kind]}`,
    review: "Review",
    deny: "Deny",
    startGate: "Start the gate here",
    wait: "Wait for it",
    away: "The gate has ended",
    awayNext:
      "It ran in another process. Metnos Gate waits for it and continues by itself when it is there again; meanwhile agents find no gate.",
    quitApp: "Quit (the gate keeps running)",
    quitQuestion: "Quit the gate, too?",
    quitNext: (agents, waiting) =>
      `It runs in this app. ${counted(agents, "1 agent is connected", "agents are connected")}, ${counted(waiting, "1 request waits", "requests wait")}.`,
    stay: "Keep it running",
    pageFailed: "The page of Metnos Gate failed",
    pageFailedNext: (reason) =>
      `It was loaded again three times (${reason}). The gate itself runs. Answer with: ${ownCommand("watch")}; or quit the app and start it again.`,
    edit: "Edit",
    undo: "Undo",
    redo: "Redo",
    cut: "Cut",
    copy: "Copy",
    paste: "Paste",
    selectAll: "Select all",
    view: "View",
    zoomIn: "Larger",
    zoomOut: "Smaller",
    actualSize: "Actual size",
    fullScreen: "Full screen",
    closeWindow: "Close window",
    lookForNewer: "Look for a newer version…",
    newest: "This is the newest version",
    newer: (version) => `Version ${version} is there`,
    thisVersion: (version) => `You have version ${version}.`,
    newerUnknown: "It could not be found out",
    newerNoAddress: "No address is set to ask",
    newerHow: "Set update.url in gate.toml. Nothing is asked unless you do it here, and nothing is downloaded.",
  },
  it: {
    nothingWaits: "Nessuna richiesta in attesa",
    waiting: (count) => (count === 1 ? "1 richiesta ti aspetta" : `${count} richieste ti aspettano`),
    paused: "In pausa: ogni chiamata è negata",
    pausedUntil: (time) => `In pausa fino alle ${time}: ogni chiamata è negata`,
    noAnswer: "Il gate non risponde",
    open: "Apri Metnos Gate",
    pause: "Pausa",
    pause5Minutes: "Per 5 minuti",
    pause1Hour: "Per 1 ora",
    pauseUntilResumed: "Finché non riprendo",
    resume: "Riprendi",
    agentsOnline: (count) => `Agenti collegati (${count})`,
    noAgents: "Nessuno",
    start_at_login: "Avvia all'accesso",
    quit: "Esci",
    couldNot: (what) => `Non ha funzionato: ${what}`,
    couldNotStart: "Metnos Gate non è riuscito ad avviarsi",
    gateEnded: "Metnos Gate si è fermato",
    diedAgain: "Metnos Gate ha avuto un altro errore",
    diedAgainNext:
      "Era già stato riavviato una volta e ora è terminato: gli agenti non trovano il gate. Avvialo quando vuoi continuare.",
    asks: (agent, kind) => `${agent} chiede di ${KINDS_IT[kind]}`,
    review: "Esamina",
    deny: "Rifiuta",
    startGate: "Avvia il gate qui",
    wait: "Aspetta",
    away: "Il gate è terminato",
    awayNext:
      "Girava in un altro processo. Metnos Gate lo aspetta e riprende da solo quando torna; intanto gli agenti non trovano il gate.",
    quitApp: "Esci (il gate resta attivo)",
    quitQuestion: "Chiudere anche il gate?",
    quitNext: (agents, waiting) =>
      `Gira in questa app. ${counted(agents, "1 agente è collegato", "agenti sono collegati")}, ${counted(waiting, "1 richiesta ti aspetta", "richieste ti aspettano")}.`,
    stay: "Tienilo attivo",
    pageFailed: "La pagina di Metnos Gate ha avuto un errore",
    pageFailedNext: (reason) =>
      `È stata ricaricata tre volte (${reason}). Il gate è attivo. Rispondi con: ${ownCommand("watch")}; oppure esci dall'app e riavviala.`,
    edit: "Modifica",
    undo: "Annulla",
    redo: "Ripeti",
    cut: "Taglia",
    copy: "Copia",
    paste: "Incolla",
    selectAll: "Seleziona tutto",
    view: "Vista",
    zoomIn: "Più grande",
    zoomOut: "Più piccolo",
    actualSize: "Dimensione originale",
    fullScreen: "Schermo intero",
    closeWindow: "Chiudi finestra",
    lookForNewer: "Cerca una versione più recente…",
    newest: "Questa è la versione più recente",
    newer: (version) => `C'è la versione ${version}`,
    thisVersion: (version) => `Hai la versione ${version}.`,
    newerUnknown: "Non è stato possibile saperlo",
    newerNoAddress: "Nessun indirizzo a cui chiedere",
    newerHow: "Imposta update.url in gate.toml. Si chiede solo da qui, quando vuoi, e non si scarica nulla.",
  },
};

/** The tooltip, and the menu's first lines. Times are formatted for the language. */
export function summary(
  words: ShellWords,
  state: Pick<TrayState, "waiting" | "is_paused" | "pausedUntil" | "isAnswering" | "alarms">,
  language: Language,
): string {
  if (!state.isAnswering) return words.noAnswer;
  const lines = [...new Set(state.alarms)].map((code) => ALARM_WORDS[language][code].title);
  if (state.is_paused) {
    const until = state.pausedUntil === null ? undefined : clockTime(state.pausedUntil, language);
    lines.push(until === undefined ? words.paused : words.pausedUntil(until));
  }
  if (state.waiting > 0 || !state.is_paused) {
    lines.push(state.waiting > 0 ? words.waiting(state.waiting) : words.nothingWaits);
  }
  return lines.join("\n");
}

function counted(count: number, one: string, more: string): string {
  return count === 1 ? one : `${count} ${more}`;
}

function clockTime(iso: string, language: Language): string {
  return new Date(iso).toLocaleTimeString(language, { hour: "2-digit", minute: "2-digit" });
}
