import type { Level } from "../contract/decision.ts";
import type { Language } from "../contract/language.ts";

/** What a user is asked where an agent wants to be paired, on every surface. */
interface PairingWords {
  question: (name: string) => string;
  version: (version: string) => string;
  meta: string;
  /** A level's name, and what an agent may do at it. */
  level: Readonly<Record<Level, readonly [string, string]>>;
}

export const PAIRING_WORDS: Readonly<Record<Language, PairingWords>> = {
  en: {
    question: (name) => `May ${name} connect?`,
    version: (version) => `version ${version}`,
    meta: "An agent on this machine wants to be paired with the gate. Its name is what it says of itself.",
    level: {
      ReadOnly: [
        "Read only",
        "It may read once you say so. Writing, running code, the network and sending are denied without asking you.",
      ],
      Supervised: [
        "Supervised",
        "It may do anything once you say so: it asks wherever it touches your files, runs code or goes online.",
      ],
      Full: [
        "Full",
        "It reads, writes and goes online without asking. It still asks before it runs code or sends mail.",
      ],
    },
  },
  it: {
    question: (name) => `${name} può collegarsi?`,
    version: (version) => `versione ${version}`,
    meta: "Un agente su questo computer vuole collegarsi al gate. Il nome è quello che dice lui.",
    level: {
      ReadOnly: [
        "Sola lettura",
        "Può leggere se dici di sì. Scrivere, eseguire codice, la rete e gli invii sono rifiutati senza chiederti.",
      ],
      Supervised: [
        "Supervisionato",
        "Può fare tutto se dici di sì: chiede quando tocca i tuoi file, esegue codice o va in rete.",
      ],
      Full: [
        "Completo",
        "Legge, scrive e va in rete senza chiedere. Chiede ancora prima di eseguire codice o inviare posta.",
      ],
    },
  },
};
