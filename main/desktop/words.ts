import { ALARM_WORDS } from "../../ipc/alarm-words.ts";
import type { Language } from "../../ipc/language.ts";
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
}

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

function clockTime(iso: string, language: Language): string {
  return new Date(iso).toLocaleTimeString(language, { hour: "2-digit", minute: "2-digit" });
}
