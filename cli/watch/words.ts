import type { DescribedChange } from "../../ipc/contract/description.ts";
import type { Language } from "../../ipc/contract/language.ts";

/** While no gate answers. */
export const AWAY_WORDS: Readonly<Record<Language, { title: string; next: string }>> = {
  en: {
    title: "Waiting for the gate …",
    next: "It isn't answering; it is asked again every second. Until it is back no key does anything but q, which leaves.",
  },
  it: {
    title: "In attesa del gate …",
    next: "Non risponde; lo si richiede ogni secondo. Finché non torna nessun tasto fa nulla, tranne q, che esce.",
  },
};

interface CallWords {
  change: (change: DescribedChange) => string;
  leftOut: (count: number) => string;
  anotherScript: string;
  unreadable: string;
  firstOf: (shown: number, all: number) => string;
  notRead: (files: readonly string[]) => string;
  more: (count: number) => string;
  says: (server: string) => string;
}

/** What is said of a call beside its own text, as on the page. */
export const callWords: Readonly<Record<Language, CallWords>> = {
  en: {
    change: ({ status, old_lines, added, removed }) => {
      const counts = `+${added} -${removed}`;
      const said = {
        new: `new file, ${added} lines`,
        replaces: `replaces ${old_lines ?? removed} lines, ${counts}`,
        edits: counts,
        deletes: `deletes it, ${old_lines ?? removed} lines`,
        unknown: `not compared with the file that is there, ${counts}`,
      };
      return said[status];
    },
    leftOut: (count) => `${count} more lines, in the arguments below.`,
    anotherScript: "This script is another one than before.",
    unreadable: "isn't there, or can't be read",
    firstOf: (shown, all) => `the first ${shown} of ${all} lines`,
    notRead: (files) => `not read: ${files.join(", ")}`,
    more: (count) => `and ${count} more`,
    says: (server) => `${server} says of it:`,
  },
  it: {
    change: ({ status, old_lines, added, removed }) => {
      const counts = `+${added} -${removed}`;
      const said = {
        new: `file nuovo, ${added} righe`,
        replaces: `sostituisce ${old_lines ?? removed} righe, ${counts}`,
        edits: counts,
        deletes: `lo elimina, ${old_lines ?? removed} righe`,
        unknown: `non confrontato con il file che c'è, ${counts}`,
      };
      return said[status];
    },
    leftOut: (count) => `Altre ${count} righe, negli argomenti sotto.`,
    anotherScript: "Questo script non è più quello di prima.",
    unreadable: "non c'è, o non si può leggere",
    firstOf: (shown, all) => `le prime ${shown} di ${all} righe`,
    notRead: (files) => `non letto: ${files.join(", ")}`,
    more: (count) => (count === 1 ? "e un altro" : `e altri ${count}`),
    says: (server) => `${server} ne dice:`,
  },
};
