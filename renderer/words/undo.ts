import type { InEach } from "../../ipc/contract/language.ts";
import type { UndoChoice } from "../../ipc/contract/undo.ts";

const en = {
  title: "Files it changed",
  hour: "Take it back",
  hourCalls: (count: string) =>
    count === "1" ? "1 call of the last hour changed files." : `${count} calls of the last hour changed files.`,
  off: "Nothing is kept that could be taken back. Why not, says",
  takeAll: "Take all back …",
  close: "Close",
  nothingChanged: "It changed no file of its project.",
  takeBack: (files: string) => `Take back ${files}`,
  allDone: "All of it is as it was before.",
  putAgain: "Put again",
  putAgainOf: (when: string) => `Put again what was taken back at ${when}`,
  youTook: (calls: string) => (calls === "1" ? "You took back 1 call" : `You took back ${calls} calls`),
  toDecide: (count: number) => (count === 1 ? "1 file for you to decide" : `${count} files for you to decide`),
  toDecideWhy: "Without a choice nothing happens. A press on a name shows what it was, and what it is.",
  choices: { before: "as before", agent: "the agent's", now: "as it is now" } satisfies Record<
    UndoChoice["choice"],
    string
  >,
  choiceOf: (path: string) => `What becomes of ${path}`,
  forAll: "For all of them",
  done: "as before",
  more: (count: string) => `Show ${count} more`,
  agentDid: "What the agent did",
  sinceThen: "And what came since",
  tooLong: "Too long to be shown here, or not kept.",
  noText: "It isn't text.",
  onlyRights: "The text is the same: only its rights differ.",
  folder: "Folders have no text to compare.",
  sent: "What it sent can't come back.",
  outside: "It ran outside of the box: what it changed outside of its project isn't kept.",
  rebuilt: "Folders that are built anew, such as node_modules, aren't kept.",
  sessions: "What its sessions changed",
  noSession: "without a session",
  calls: (count: string) => (count === "1" ? "1 call" : `${count} calls`),
  takeSession: (session: string) => `Take back all of ${session}`,
};

const it: typeof en = {
  title: "File che ha cambiato",
  hour: "Riporta indietro",
  hourCalls: (count) =>
    count === "1"
      ? "Una chiamata dell'ultima ora ha cambiato file."
      : `${count} chiamate dell'ultima ora hanno cambiato file.`,
  off: "Non si conserva nulla da riportare indietro. Il motivo lo dice",
  takeAll: "Riporta tutto indietro …",
  close: "Chiudi",
  nothingChanged: "Non ha cambiato nessun file del suo progetto.",
  takeBack: (files) => `Riporta indietro ${files}`,
  allDone: "È tutto com'era prima.",
  putAgain: "Rimetti",
  putAgainOf: (when) => `Rimetti ciò che è stato riportato indietro alle ${when}`,
  youTook: (calls) =>
    calls === "1" ? "Hai riportato indietro 1 chiamata" : `Hai riportato indietro ${calls} chiamate`,
  toDecide: (count) => (count === 1 ? "Di 1 file decidi tu" : `Di ${count} file decidi tu`),
  toDecideWhy: "Senza una scelta non succede nulla. Premi un nome per vedere com'era e com'è.",
  choices: { before: "com'era prima", agent: "dell'agente", now: "com'è ora" },
  choiceOf: (path) => `Che cosa diventa ${path}`,
  forAll: "Per tutti",
  done: "come prima",
  more: (count) => `Mostra altri ${count}`,
  agentDid: "Che cosa ha fatto l'agente",
  sinceThen: "E che cosa è cambiato poi",
  tooLong: "Troppo lungo per mostrarlo qui, o non conservato.",
  noText: "Non è un testo.",
  onlyRights: "Il testo è lo stesso: cambiano solo i permessi del file.",
  folder: "Le cartelle non hanno un testo da confrontare.",
  sent: "Ciò che ha inviato non può tornare.",
  outside: "È stata eseguita fuori dal box: ciò che ha cambiato fuori dal progetto non è conservato.",
  rebuilt: "Le cartelle che si ricreano, come node_modules, non si conservano.",
  sessions: "Che cosa hanno cambiato le sue sessioni",
  noSession: "senza sessione",
  calls: (count) => (count === "1" ? "1 chiamata" : `${count} chiamate`),
  takeSession: (session) => `Riporta indietro tutto di ${session}`,
};

export const undoWords: InEach<typeof en> = { en, it };
