import { ownCommand } from "../../ipc/base/own-command.ts";
import type { Language } from "../../ipc/contract/language.ts";
import { STOP_WORDS } from "../../ipc/words/call-words.ts";

/** What `watch` itself says, around the cards. */

interface FrameWords {
  asking: string;
  nothing: string;
  nothingNext: string;
  toConnect: () => string;
  paused: string;
  toResume: (reason: string) => string;
  interrupted: string;
  interruptedNext: string;
  too_small: string;
  sending: string;
  wholeCall: (executor: string) => string;
  wholeBundle: string;
  notAllShown: string;
  linesOf: (from: number, to: number, all: number) => string;
  moreLines: (count: number) => string;
  theEnd: string;
  stored: (isSession: boolean) => string;
  looking: string;
  position: (index: number, count: number) => string;
  keys: Readonly<
    Record<
      | "quit"
      | "help"
      | "continue"
      | "deny"
      | "deny_all"
      | "all_once"
      | "each"
      | "stop"
      | "let_it"
      | "deny_why"
      | "deny_with_message"
      | "back"
      | "take_it"
      | "leave_it"
      | "approve_stored"
      | "choose"
      | "how_long"
      | "deny_session"
      | "deny_session_both"
      | "edit_target"
      | "expiry"
      | "once"
      | "for_session"
      | "permanently"
      | "only_looks"
      | "to_approve"
      | "page"
      | "next"
      | "read_only"
      | "supervised"
      | "full"
      | "refuse"
      | "dismiss"
      | "allow_once"
      | "allow_now"
      | "undo"
      | "take_back",
      string
    >
  >;
  help: readonly string[];
  pasted: string;
  pastedChoices: string;
  only_once: string;
  noLooks: string;
  onlyStop: string;
  callNotShown: string;
  readFirst: string;
  noTarget: string;
  severalGrants: string;
  choiceNotShown: string;
  emptyTarget: string;
  onItsWay: string;
  too_early: string;
  noSpeech: string;
  noDate: (text: string) => string;
  paired: (name: string, level: string) => string;
  notPaired: (name: string) => string;
  asksToPair: (name: string) => string;
  moreJudged: (count: number) => string;
  refusedCalls: (count: number) => string;
  allowAsked: string;
  allowedOnce: (what: string) => string;
  refusedAgo: (agent: string, ago: string) => string;
}

export const FRAME_WORDS: Readonly<Record<Language, FrameWords>> = {
  en: {
    asking: "Asking the gate for requests …",
    nothing: "Nothing is waiting for you.",
    nothingNext: "Connected agents ask here, and those that want to be paired.",
    toConnect: () => `To connect Claude Code: ${ownCommand("connect claude-code")}`,
    paused: "The gate is paused: every call is denied.",
    toResume: (reason) => `${reason}. To resume: ${ownCommand("safety resume")}`,
    interrupted: "The request you were answering has ended.",
    interruptedNext: "What you typed was not sent. Enter or Esc continues.",
    too_small: "The window is too small.",
    sending: "Sending your answer …",
    wholeCall: (executor) => `the whole call: ${executor}`,
    wholeBundle: "each of them, whole",
    notAllShown: "Not all that a yes would cover can be shown in one list: deny all, or look at each.",
    linesOf: (from, to, all) => `lines ${from} to ${to} of ${all}`,
    moreLines: (count) => `▼ ${count} more ${count === 1 ? "line" : "lines"}: space`,
    theEnd: "▲ the end; b goes back",
    looking: "this tool only looks, while its server says the same of it: this would be stored, too",
    stored: (isSession) => `approve ${isSession ? "for this session" : "permanently"}: exactly this would be stored`,
    position: (index, count) => `${index} of ${count}`,
    keys: {
      quit: "q quit",
      help: "? keys",
      continue: "Enter/Esc continue",
      deny: "Enter/d deny",
      deny_all: "Enter/d deny all",
      all_once: "a approve all once",
      each: "e look at each",
      stop: `Enter/d ${STOP_WORDS.en.stop.toLowerCase()}`,
      let_it: `a ${STOP_WORDS.en.let_it.toLowerCase()}`,
      deny_why: "m deny, say why",
      deny_with_message: "Enter deny with this message",
      back: "Esc back",
      take_it: "Enter take it",
      leave_it: "Esc leave it as it was",
      approve_stored: "Enter approve and store this",
      choose: "Up/Down what",
      how_long: "Left/Right how long",
      deny_session: "c deny for the session",
      deny_session_both: "c/t deny for the session: call/target",
      edit_target: "e edit the target",
      expiry: "x expiry",
      once: "a approve once",
      for_session: "s for this session …",
      permanently: "p permanently …",
      only_looks: "l it only looks …",
      to_approve: "to approve, page to its end",
      page: "space/b page",
      next: "Tab next",
      read_only: "r read only",
      supervised: "s supervised",
      full: "f full",
      refuse: "Enter/d refuse",
      dismiss: "Enter/d dismiss",
      allow_once: "o allow once anyway …",
      allow_now: "y allow it once",
      undo: "u take back …",
      take_back: "y take it back",
    },
    help: [
      "Enter, d    deny; refuse an agent that asks to be paired",
      "m           deny, and say why",
      "c, t        deny for this session: this very call, all on its target",
      "a           approve once; of many requests at once: all of them, once each was shown whole",
      "s, p        approve for this session, permanently: with what would be stored",
      "l           approve, and say that a server's tool only looks: with what would be stored",
      "e, x        there: edit the target, set an end; of many requests at once: e looks at each",
      "r, s, f     pair an agent: read only, supervised, full",
      "o           allow once what a judge refused, where gate.toml allows that",
      "u           take back what the last call did to files: they are shown first",
      "space, b    next page of a long call, page before",
      "Tab, j, k   next request, and back",
      "Esc         back; it never approves and never denies",
      "q           quit; what waits keeps waiting",
      "Nothing counts in a request's first 500 ms.",
    ],
    pasted: "Pasted text does nothing here.",
    pastedChoices: "Pasted text does nothing here: e edits the target, x the expiry.",
    only_once: "This can only be approved once: a.",
    noLooks: "Of this it can't be said that it only looks.",
    onlyStop: "It can only be stopped, d, or let continue, a.",
    callNotShown: "Make the window larger: the call isn't shown.",
    readFirst: "Read the whole call first: space shows what comes next, b what came before.",
    noTarget: "It names no target: c denies this very call.",
    severalGrants: "It needs several grants; their targets can't be edited.",
    choiceNotShown: "Make the window larger: not all that would be stored is shown.",
    emptyTarget: "A target can't be empty.",
    onItsWay: "Your last answer is still on its way.",
    too_early: "Too early: this card has only just appeared.",
    noSpeech: "Nothing can be said: there is no spd-say, say or espeak-ng on your PATH.",
    noDate: (text) => `${text} is neither a span nor a date: write 2h, today, 30d or 2027-01-31T12:00:00Z`,
    paired: (name, level) => `You paired ${name}: ${level}`,
    notPaired: (name) => `You refused to pair ${name}`,
    asksToPair: (name) => `${name} asks to be paired`,
    moreJudged: (count) => `and ${count} more`,
    refusedCalls: (count) => `${count} ${count === 1 ? "call" : "calls"} refused: Tab`,
    allowAsked: "Allow it once in spite of the judge?",
    allowedOnce: (what) => `You allowed it once: ${what}`,
    refusedAgo: (agent, ago) => `${agent}  ·  ${ago} ago`,
  },
  it: {
    asking: "Chiedo le richieste al gate …",
    nothing: "Niente aspetta una tua risposta.",
    nothingNext: "Qui chiedono gli agenti collegati, e quelli che vogliono collegarsi.",
    toConnect: () => `Per collegare Claude Code: ${ownCommand("connect claude-code")}`,
    paused: "Il gate è in pausa: ogni chiamata è rifiutata.",
    toResume: (reason) => `${reason}. Per riprendere: ${ownCommand("safety resume")}`,
    interrupted: "La richiesta a cui rispondevi è finita.",
    interruptedNext: "Quello che hai scritto non è stato inviato. Invio o Esc continua.",
    too_small: "La finestra è troppo piccola.",
    sending: "Invio la tua risposta …",
    wholeCall: (executor) => `la chiamata intera: ${executor}`,
    wholeBundle: "ognuna, intera",
    notAllShown:
      "Non tutto ciò che un sì coprirebbe si può mostrare in un elenco: rifiuta tutto, o guardale una a una.",
    linesOf: (from, to, all) => `righe da ${from} a ${to} di ${all}`,
    moreLines: (count) => `▼ ${count === 1 ? "ancora 1 riga" : `ancora ${count} righe`}: spazio`,
    theEnd: "▲ la fine; b torna indietro",
    looking: "questo strumento guarda soltanto, finché il server ne dice le stesse cose: si salva anche questo",
    stored: (isSession) =>
      `approva ${isSession ? "per questa sessione" : "per sempre"}: verrebbe salvato esattamente questo`,
    position: (index, count) => `${index} di ${count}`,
    keys: {
      quit: "q esci",
      help: "? tasti",
      continue: "Invio/Esc continua",
      deny: "Invio/d rifiuta",
      deny_all: "Invio/d rifiuta tutto",
      all_once: "a approva tutto una volta",
      each: "e guarda una a una",
      stop: `Invio/d ${STOP_WORDS.it.stop.toLowerCase()}`,
      let_it: `a ${STOP_WORDS.it.let_it.toLowerCase()}`,
      deny_why: "m rifiuta e di' perché",
      deny_with_message: "Invio rifiuta con questo messaggio",
      back: "Esc indietro",
      take_it: "Invio prendi questo",
      leave_it: "Esc lascia com'era",
      approve_stored: "Invio approva e salva questo",
      choose: "Su/Giù che cosa",
      how_long: "Sinistra/Destra quanto",
      deny_session: "c rifiuta per la sessione",
      deny_session_both: "c/t rifiuta per la sessione: chiamata/obiettivo",
      edit_target: "e modifica l'obiettivo",
      expiry: "x scadenza",
      once: "a approva una volta",
      for_session: "s per questa sessione …",
      permanently: "p per sempre …",
      only_looks: "l guarda soltanto …",
      to_approve: "per approvare vai alla fine",
      page: "spazio/b sfoglia",
      next: "Tab prossima",
      read_only: "r sola lettura",
      supervised: "s supervisionato",
      full: "f completo",
      refuse: "Invio/d rifiuta",
      dismiss: "Invio/d chiudi",
      allow_once: "o consenti una volta …",
      allow_now: "y consentila una volta",
      undo: "u riporta indietro …",
      take_back: "y riportala indietro",
    },
    help: [
      "Invio, d    rifiuta; rifiuta un agente che chiede di collegarsi",
      "m           rifiuta e di' perché",
      "c, t        rifiuta per questa sessione: proprio questa chiamata, tutto sul suo obiettivo",
      "a           approva una volta; di molte richieste insieme: tutte, quando ognuna è stata mostrata intera",
      "s, p        approva per questa sessione, per sempre: con quello che verrebbe salvato",
      "l           approva, e di' che lo strumento di un server guarda soltanto: con ciò che si salva",
      "e, x        lì: modifica l'obiettivo, metti una scadenza; di molte richieste insieme: e le guarda una a una",
      "r, s, f     collega un agente: sola lettura, supervisionato, completo",
      "o           consenti una volta ciò che un giudice ha respinto, se gate.toml lo permette",
      "u           riporta indietro ciò che l'ultima chiamata ha fatto ai file: prima li mostra",
      "spazio, b   pagina dopo di una chiamata lunga, pagina prima",
      "Tab, j, k   richiesta dopo, e indietro",
      "Esc         indietro; non approva e non rifiuta mai",
      "q           esci; ciò che aspetta continua ad aspettare",
      "Nei primi 500 ms di una richiesta niente conta.",
    ],
    pasted: "Il testo incollato qui non fa niente.",
    pastedChoices: "Il testo incollato qui non fa niente: e modifica l'obiettivo, x la scadenza.",
    only_once: "Questo si può approvare solo una volta: a.",
    noLooks: "Di questo non si può dire che guarda soltanto.",
    onlyStop: "Si può solo fermare, d, o lasciar continuare, a.",
    callNotShown: "Allarga la finestra: la chiamata non si vede.",
    readFirst: "Prima leggi tutta la chiamata: spazio mostra il seguito, b ciò che viene prima.",
    noTarget: "Non nomina un obiettivo: c rifiuta proprio questa chiamata.",
    severalGrants: "Servono più permessi; i loro obiettivi non si possono modificare.",
    choiceNotShown: "Allarga la finestra: non si vede tutto quello che verrebbe salvato.",
    emptyTarget: "Un obiettivo non può essere vuoto.",
    onItsWay: "La tua ultima risposta è ancora in viaggio.",
    too_early: "Troppo presto: questa scheda è appena apparsa.",
    noSpeech: "Non si può dire nulla: nel tuo PATH non c'è spd-say, say o espeak-ng.",
    noDate: (text) => `${text} non è né una durata né una data: scrivi 2h, today, 30d o 2027-01-31T12:00:00Z`,
    paired: (name, level) => `Hai collegato ${name}: ${level}`,
    notPaired: (name) => `Hai rifiutato di collegare ${name}`,
    asksToPair: (name) => `${name} chiede di collegarsi`,
    moreJudged: (count) => (count === 1 ? "e un'altra" : `e altre ${count}`),
    refusedCalls: (count) => (count === 1 ? "una chiamata respinta: Tab" : `${count} chiamate respinte: Tab`),
    allowAsked: "Consentirla una volta nonostante il giudice?",
    allowedOnce: (what) => `Hai consentito una volta: ${what}`,
    refusedAgo: (agent, ago) => `${agent}  ·  ${ago} fa`,
  },
};
