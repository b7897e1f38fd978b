import type { InEach } from "../../ipc/contract/language.ts";
import type { Silence } from "../gate/link.ts";

interface Said {
  title: string;
  next: string;
  /** What to run in a terminal: the command's words. */
  command: string | null;
}

const en: Record<Silence, Said> = {
  silent: {
    title: "The gate isn't answering",
    next: "It is asked again every few seconds. Until it is back nothing here is up to date, and nothing can be answered.",
    command: null,
  },
  stranger: {
    title: "What answers here isn't your gate",
    next: "Another program answers at this page's address. It was sent nothing that counts. Don't reload this page; see what the gate says in a terminal:",
    command: "status",
  },
  shut_out: {
    title: "This page's session has ended",
    next: "The gate is running, but it no longer knows this page. For a new link, run in a terminal:",
    command: "open",
  },
};
const it: typeof en = {
  silent: {
    title: "Il gate non risponde",
    next: "Lo si richiede ogni pochi secondi. Finché non torna, quello che vedi non è aggiornato e non si può rispondere a nulla.",
    command: null,
  },
  stranger: {
    title: "Chi risponde qui non è il tuo gate",
    next: "Un altro programma risponde all'indirizzo di questa pagina. Non ha ricevuto nulla che valga. Non ricaricare la pagina; guarda che cosa dice il gate in un terminale:",
    command: "status",
  },
  shut_out: {
    title: "La sessione di questa pagina è finita",
    next: "Il gate è attivo, ma non riconosce più questa pagina. Per un nuovo link, esegui in un terminale:",
    command: "open",
  },
};
export const awayWords: InEach<typeof en> = { en, it };
