import type { Language } from "../../../ipc/contract/language.ts";

/** What the bot says, beside the card's own lines. */
interface Words {
  asks: (agent: string) => string;
  somethingWaits: string;
  inFolder: (folder: string) => string;
  needs: (capability: string, target: string) => string;
  says: (agent: string) => string;
  arguments: string;
  noArguments: string;
  openUntil: (time: string) => string;
  tooLong: (characters: string) => string;
  left_out: (characters: string) => string;
  hash: (hash: string) => string;
  notPlain: string;
  notWhole: string;
  unreadable: string;
  atMachine: string;
  stored: (agent: string) => string;
  storedOn: (capability: string, target: string) => string;
  sessionEnds: string;
  youRevoke: string;
  store: string;
  back: string;
  ended: Readonly<{
    approved: (what: string, how: string) => string;
    rejected: (what: string, how: string) => string;
    expired: (what: string) => string;
    cancelled: (what: string) => string;
  }>;
  endedBare: Readonly<Record<"approved" | "rejected" | "expired" | "cancelled", (how: string) => string>>;
  for_session: string;
  permanently: string;
  covered: string;
  unlinkedMessage: string;
  oldCopy: string;
  noneWaits: (agent: string) => string;
  pressed: Readonly<{
    unknown: string;
    notHere: string;
    renamed: string;
    too_early: string;
    changed: string;
    busy: string;
    failed: (why: string) => string;
  }>;
  refused: Readonly<Record<"unknown_token" | "already_resolved" | "expired" | "not_authorised" | "other", string>>;
  claimed: string;
  linked: string;
  unlinked: string;
  hello: string;
  paused: string;
  pausedAlready: string;
  askResume: string;
  resume: string;
  stayPaused: string;
  resumed: string;
  notPaused: string;
  stillPaused: string;
  waiting: (count: string) => string;
  nothingWaits: string;
  andMore: (count: string) => string;
  status: (paused: boolean, waiting: string, alarms: string) => string[];
  pin_wanted: string;
  pinRight: string;
  pinWrong: (left: string) => string;
  pinLocked: string;
  deniedAll: (count: string) => string;
  denyAll: (count: string) => string;
  showEach: string;
  storedForSeveral: (covered: string, all: string) => string;
  commands: Readonly<Record<"pause" | "resume" | "pending" | "status", string>>;
}

export const TELEGRAM_WORDS: Readonly<Record<Language, Words>> = {
  en: {
    asks: (agent) => `${agent} asks`,
    somethingWaits: "A request waits for your answer.",
    inFolder: (folder) => `in ${folder}`,
    needs: (capability, target) => `needs ${capability} on ${target}`,
    says: (agent) => `${agent} says:`,
    arguments: "The call:",
    noArguments: "(no arguments)",
    openUntil: (time) => `Waits until ${time}, or longer.`,
    tooLong: (characters) => `The call is longer than a message: ${characters} characters.`,
    left_out: (characters) => `… ${characters} characters are left out …`,
    hash: (hash) => `SHA-256 of the call: ${hash}`,
    notPlain: "Parts of it can't be shown here as they are.",
    notWhole: "Not all that it would run or change can be shown here.",
    unreadable: "This request can't be shown here.",
    atMachine: "Review it at the machine.",
    stored: (agent) => `You would approve it, and this is stored for ${agent}:`,
    storedOn: (capability, target) => `${capability} on ${target}`,
    sessionEnds: "until the session ends",
    youRevoke: "until you revoke it",
    store: "Approve and store",
    back: "Back",
    ended: {
      approved: (what, how) => `Approved${how}: ${what}`,
      rejected: (what, how) => `Denied${how}: ${what}`,
      expired: (what) => `Expired, nobody answered in time: ${what}`,
      cancelled: (what) => `Withdrawn: ${what}`,
    },
    endedBare: {
      approved: (how) => `Approved${how}.`,
      rejected: (how) => `Denied${how}.`,
      expired: () => "Expired, nobody answered in time.",
      cancelled: () => "Withdrawn.",
    },
    for_session: " for this session",
    permanently: " permanently",
    covered: " by a grant",
    unlinkedMessage: "This chat is no longer linked.",
    oldCopy: "This message is out of date. Send /pending to see what waits.",
    noneWaits: (agent) => `Nothing of ${agent} waits any more.`,
    pressed: {
      unknown: "This button isn't known.",
      notHere: "This message isn't the one that asks.",
      renamed:
        "Your name here is another one than you confirmed. Confirm it at the machine; until then you can only deny.",
      too_early: "Too fast: read it, then press again.",
      changed: "It has changed: read it, then press again.",
      busy: "Not now: press again in a moment.",
      failed: (why) => `Not answered: ${why}.`,
    },
    refused: {
      unknown_token: "this request isn't known",
      already_resolved: "it was answered already, or withdrawn",
      expired: "it has expired",
      not_authorised: "you aren't who is asked",
      other: "the gate could not take the answer",
    },
    claimed: "Almost done. Confirm this chat on your machine: your name and number are shown there.",
    linked: "This chat is linked. Agents' requests come here.",
    unlinked: "This chat is no longer linked.",
    hello: "/pause stops every agent. /resume lets them continue. /pending lists what waits. /status says how it is.",
    paused: "Every agent is paused. /resume ends it.",
    pausedAlready: "Every agent is paused already. /resume ends it.",
    askResume: "Let every agent continue?",
    resume: "Resume",
    stayPaused: "Stay paused",
    resumed: "Resumed. Agents continue.",
    notPaused: "Nothing is paused.",
    stillPaused: "Still paused.",
    waiting: (count) => `${count} waiting`,
    nothingWaits: "Nothing waits.",
    andMore: (count) => `and ${count} more`,
    status: (paused, waiting, alarms) => [
      paused ? "Paused: every call is denied." : "Not paused.",
      `${waiting} waiting`,
      alarms === "0" ? "No alarm." : `Alarms: ${alarms}. See them on your machine.`,
    ],
    pin_wanted: "Send your PIN first, then press again. It is asked for once a day.",
    pinRight: "Right. Press again.",
    pinWrong: (left) => `Wrong. Tries left today: ${left}.`,
    pinLocked: "Too many wrong PINs: approve on your machine until tomorrow.",
    deniedAll: (count) => `Denied: ${count}`,
    denyAll: (count) => `Deny all ${count}`,
    showEach: "Show each",
    storedForSeveral: (covered, all) => `You would let through ${covered} of ${all}, and this is stored:`,
    commands: {
      pause: "Pause every agent at once",
      resume: "Let agents continue",
      pending: "What waits for you",
      status: "How the gate is",
    },
  },
  it: {
    asks: (agent) => `${agent} chiede`,
    somethingWaits: "Una richiesta aspetta la tua risposta.",
    inFolder: (folder) => `in ${folder}`,
    needs: (capability, target) => `richiede ${capability} su ${target}`,
    says: (agent) => `${agent} dice:`,
    arguments: "La chiamata:",
    noArguments: "(nessun argomento)",
    openUntil: (time) => `Aspetta fino alle ${time}, o più a lungo.`,
    tooLong: (characters) => `La chiamata è più lunga di un messaggio: ${characters} caratteri.`,
    left_out: (characters) => `… ${characters} caratteri omessi …`,
    hash: (hash) => `SHA-256 della chiamata: ${hash}`,
    notPlain: "Alcune parti non si possono mostrare qui come sono.",
    notWhole: "Non tutto ciò che eseguirebbe o cambierebbe si può mostrare qui.",
    unreadable: "Questa richiesta non si può mostrare qui.",
    atMachine: "Esaminala al computer.",
    stored: (agent) => `La approvi, e questo viene salvato per ${agent}:`,
    storedOn: (capability, target) => `${capability} su ${target}`,
    sessionEnds: "fino alla fine della sessione",
    youRevoke: "finché non lo revochi",
    store: "Approva e salva",
    back: "Indietro",
    ended: {
      approved: (what, how) => `Approvata${how}: ${what}`,
      rejected: (what, how) => `Rifiutata${how}: ${what}`,
      expired: (what) => `Scaduta, nessuno ha risposto in tempo: ${what}`,
      cancelled: (what) => `Ritirata: ${what}`,
    },
    endedBare: {
      approved: (how) => `Approvata${how}.`,
      rejected: (how) => `Rifiutata${how}.`,
      expired: () => "Scaduta, nessuno ha risposto in tempo.",
      cancelled: () => "Ritirata.",
    },
    for_session: " per questa sessione",
    permanently: " per sempre",
    covered: " da un permesso",
    unlinkedMessage: "Questa chat non è più collegata.",
    oldCopy: "Questo messaggio non è aggiornato. Invia /pending per vedere che cosa aspetta.",
    noneWaits: (agent) => `Nulla di ${agent} aspetta più.`,
    pressed: {
      unknown: "Questo pulsante non è conosciuto.",
      notHere: "Non è questo il messaggio che chiede.",
      renamed:
        "Il tuo nome qui non è quello che hai confermato. Confermalo al computer; fino ad allora puoi solo rifiutare.",
      too_early: "Troppo presto: leggi, poi premi di nuovo.",
      changed: "È cambiata: leggi, poi premi di nuovo.",
      busy: "Non ora: premi di nuovo fra poco.",
      failed: (why) => `Nessuna risposta data: ${why}.`,
    },
    refused: {
      unknown_token: "questa richiesta non è conosciuta",
      already_resolved: "ha già una risposta, o è stata ritirata",
      expired: "è scaduta",
      not_authorised: "non è a te che si chiede",
      other: "il gate non ha potuto prendere la risposta",
    },
    claimed: "Ci siamo quasi. Conferma questa chat sul tuo computer: lì vedi il tuo nome e numero.",
    linked: "Questa chat è collegata. Le richieste degli agenti arrivano qui.",
    unlinked: "Questa chat non è più collegata.",
    hello:
      "/pause ferma ogni agente. /resume li lascia continuare. /pending elenca ciò che aspetta. /status dice come va.",
    paused: "Ogni agente è in pausa. /resume la termina.",
    pausedAlready: "Ogni agente è già in pausa. /resume la termina.",
    askResume: "Lasciare continuare ogni agente?",
    resume: "Riprendi",
    stayPaused: "Resta in pausa",
    resumed: "Ripreso. Gli agenti continuano.",
    notPaused: "Nulla è in pausa.",
    stillPaused: "Ancora in pausa.",
    waiting: (count) => `In attesa: ${count}`,
    nothingWaits: "Nulla aspetta.",
    andMore: (count) => `e altre ${count}`,
    status: (paused, waiting, alarms) => [
      paused ? "In pausa: ogni chiamata è rifiutata." : "Non in pausa.",
      `In attesa: ${waiting}`,
      alarms === "0" ? "Nessun allarme." : `Allarmi: ${alarms}. Guardali sul tuo computer.`,
    ],
    pin_wanted: "Invia prima il tuo PIN, poi premi di nuovo. Viene chiesto una volta al giorno.",
    pinRight: "Giusto. Premi di nuovo.",
    pinWrong: (left) => `Sbagliato. Tentativi rimasti oggi: ${left}.`,
    pinLocked: "Troppi PIN sbagliati: approva sul tuo computer fino a domani.",
    deniedAll: (count) => `Rifiutate: ${count}`,
    denyAll: (count) => `Rifiuta tutte e ${count}`,
    showEach: "Mostra una per una",
    storedForSeveral: (covered, all) => `Ne lasci passare ${covered} su ${all}, e questo viene salvato:`,
    commands: {
      pause: "Mette subito in pausa ogni agente",
      resume: "Lascia continuare gli agenti",
      pending: "Che cosa ti aspetta",
      status: "Come va il gate",
    },
  },
};
