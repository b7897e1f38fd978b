import { ownCommand } from "../../ipc/base/own-command.ts";
import type { Description } from "../../ipc/contract/description.ts";
import type { Language } from "../../ipc/contract/language.ts";
import { ALARM_WORDS } from "../../ipc/words/alarm-words.ts";
import type { TrayState } from "./tray-state.ts";

/** The texts of the tray, the menu and the shell's dialogs. */

export interface ShellWords {
  nothing_waits: string;
  waiting(count: number): string;
  paused: string;
  pausedUntil(time: string): string;
  no_answer: string;
  open: string;
  pause: string;
  pause_5_minutes: string;
  pause_1_hour: string;
  pause_until_resumed: string;
  resume: string;
  agentsOnline(count: number): string;
  no_agents: string;
  start_at_login: string;
  quit: string;
  couldNot(what: string): string;
  could_not_start: string;
  gate_ended: string;
  died_again: string;
  died_again_next: string;
  /** A waiting request in the menu: who, and what kind of call. */
  asks(agent: string, kind: Description["kind"]): string;
  review: string;
  deny: string;
  start_gate: string;
  wait: string;
  away: string;
  away_next: string;
  /** Of an app that uses another process's gate. */
  quit_app: string;
  quit_question: string;
  quit_next(agents: number, waiting: number): string;
  stay: string;
  page_failed: string;
  page_failed_next(reason: string): string;
  edit: string;
  undo: string;
  redo: string;
  cut: string;
  copy: string;
  paste: string;
  select_all: string;
  view: string;
  zoom_in: string;
  zoom_out: string;
  actual_size: string;
  full_screen: string;
  close_window: string;
  look_for_newer: string;
  newest: string;
  newer(version: string): string;
  this_version(version: string): string;
  newer_unknown: string;
  newer_no_address: string;
  newer_how: string;
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
    nothing_waits: "Nothing is waiting",
    waiting: (count) => (count === 1 ? "1 request is waiting for you" : `${count} requests are waiting for you`),
    paused: "Paused: every call is denied",
    pausedUntil: (time) => `Paused until ${time}: every call is denied`,
    no_answer: "The gate doesn't answer",
    open: "Open Metnos Gate",
    pause: "Pause",
    pause_5_minutes: "For 5 minutes",
    pause_1_hour: "For 1 hour",
    pause_until_resumed: "Until I resume",
    resume: "Resume",
    agentsOnline: (count) => `Agents online (${count})`,
    no_agents: "None",
    start_at_login: "Start at login",
    quit: "Quit",
    couldNot: (what) => `This didn't work: ${what}`,
    could_not_start: "Metnos Gate could not start",
    gate_ended: "Metnos Gate has stopped",
    died_again: "Metnos Gate failed again",
    died_again_next:
      "It was started again once and has ended now: agents find no gate. Start it when you want to continue.",
    asks: (agent, kind) => `${agent} asks to ${KINDS_EN[kind]}`,
    review: "Review",
    deny: "Deny",
    start_gate: "Start the gate here",
    wait: "Wait for it",
    away: "The gate has ended",
    away_next:
      "It ran in another process. Metnos Gate waits for it and continues by itself when it is there again; meanwhile agents find no gate.",
    quit_app: "Quit (the gate keeps running)",
    quit_question: "Quit the gate, too?",
    quit_next: (agents, waiting) =>
      `It runs in this app. ${counted(agents, "1 agent is connected", "agents are connected")}, ${counted(waiting, "1 request waits", "requests wait")}.`,
    stay: "Keep it running",
    page_failed: "The page of Metnos Gate failed",
    page_failed_next: (reason) =>
      `It was loaded again three times (${reason}). The gate itself runs. Answer with: ${ownCommand("watch")}; or quit the app and start it again.`,
    edit: "Edit",
    undo: "Undo",
    redo: "Redo",
    cut: "Cut",
    copy: "Copy",
    paste: "Paste",
    select_all: "Select all",
    view: "View",
    zoom_in: "Larger",
    zoom_out: "Smaller",
    actual_size: "Actual size",
    full_screen: "Full screen",
    close_window: "Close window",
    look_for_newer: "Look for a newer version…",
    newest: "This is the newest version",
    newer: (version) => `Version ${version} is there`,
    this_version: (version) => `You have version ${version}.`,
    newer_unknown: "It could not be found out",
    newer_no_address: "No address is set to ask",
    newer_how: "Set update.url in gate.toml. Nothing is asked unless you do it here, and nothing is downloaded.",
  },
  it: {
    nothing_waits: "Nessuna richiesta in attesa",
    waiting: (count) => (count === 1 ? "1 richiesta ti aspetta" : `${count} richieste ti aspettano`),
    paused: "In pausa: ogni chiamata è negata",
    pausedUntil: (time) => `In pausa fino alle ${time}: ogni chiamata è negata`,
    no_answer: "Il gate non risponde",
    open: "Apri Metnos Gate",
    pause: "Pausa",
    pause_5_minutes: "Per 5 minuti",
    pause_1_hour: "Per 1 ora",
    pause_until_resumed: "Finché non riprendo",
    resume: "Riprendi",
    agentsOnline: (count) => `Agenti collegati (${count})`,
    no_agents: "Nessuno",
    start_at_login: "Avvia all'accesso",
    quit: "Esci",
    couldNot: (what) => `Non ha funzionato: ${what}`,
    could_not_start: "Metnos Gate non è riuscito ad avviarsi",
    gate_ended: "Metnos Gate si è fermato",
    died_again: "Metnos Gate ha avuto un altro errore",
    died_again_next:
      "Era già stato riavviato una volta e ora è terminato: gli agenti non trovano il gate. Avvialo quando vuoi continuare.",
    asks: (agent, kind) => `${agent} chiede di ${KINDS_IT[kind]}`,
    review: "Esamina",
    deny: "Rifiuta",
    start_gate: "Avvia il gate qui",
    wait: "Aspetta",
    away: "Il gate è terminato",
    away_next:
      "Girava in un altro processo. Metnos Gate lo aspetta e riprende da solo quando torna; intanto gli agenti non trovano il gate.",
    quit_app: "Esci (il gate resta attivo)",
    quit_question: "Chiudere anche il gate?",
    quit_next: (agents, waiting) =>
      `Gira in questa app. ${counted(agents, "1 agente è collegato", "agenti sono collegati")}, ${counted(waiting, "1 richiesta ti aspetta", "richieste ti aspettano")}.`,
    stay: "Tienilo attivo",
    page_failed: "La pagina di Metnos Gate ha avuto un errore",
    page_failed_next: (reason) =>
      `È stata ricaricata tre volte (${reason}). Il gate è attivo. Rispondi con: ${ownCommand("watch")}; oppure esci dall'app e riavviala.`,
    edit: "Modifica",
    undo: "Annulla",
    redo: "Ripeti",
    cut: "Taglia",
    copy: "Copia",
    paste: "Incolla",
    select_all: "Seleziona tutto",
    view: "Vista",
    zoom_in: "Più grande",
    zoom_out: "Più piccolo",
    actual_size: "Dimensione originale",
    full_screen: "Schermo intero",
    close_window: "Chiudi finestra",
    look_for_newer: "Cerca una versione più recente…",
    newest: "Questa è la versione più recente",
    newer: (version) => `C'è la versione ${version}`,
    this_version: (version) => `Hai la versione ${version}.`,
    newer_unknown: "Non è stato possibile saperlo",
    newer_no_address: "Nessun indirizzo a cui chiedere",
    newer_how: "Imposta update.url in gate.toml. Si chiede solo da qui, quando vuoi, e non si scarica nulla.",
  },
};

/** The tooltip, and the menu's first lines. Times are formatted for the language. */
export function summary(
  words: ShellWords,
  state: Pick<TrayState, "waiting" | "is_paused" | "paused_until" | "is_answering" | "alarms">,
  language: Language,
): string {
  if (!state.is_answering) return words.no_answer;
  const lines = [...new Set(state.alarms)].map((code) => ALARM_WORDS[language][code].title);
  if (state.is_paused) {
    const until = state.paused_until === null ? undefined : clockTime(state.paused_until, language);
    lines.push(until === undefined ? words.paused : words.pausedUntil(until));
  }
  if (state.waiting > 0 || !state.is_paused) {
    lines.push(state.waiting > 0 ? words.waiting(state.waiting) : words.nothing_waits);
  }
  return lines.join("\n");
}

function counted(count: number, one: string, more: string): string {
  return count === 1 ? one : `${count} ${more}`;
}

function clockTime(iso: string, language: Language): string {
  return new Date(iso).toLocaleTimeString(language, { hour: "2-digit", minute: "2-digit" });
}
