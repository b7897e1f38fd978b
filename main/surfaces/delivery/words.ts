import type { Language } from "../../../ipc/contract/language.ts";

/** What channels say beside the card's own words. */
interface Words {
  paused: string;
  testTitle: string;
  testLine: string;
  /** `doing` in this place. */
  at: (doing: string, place: string) => string;
  /** Of a call that needs nothing. */
  nothing: string;
  allow: string;
  refusedCalls: (count: number) => string;
  below: (folder: string) => string;
  directlyIn: (folder: string) => string;
  sessionEnds: string;
  today: (counts: string) => string;
  calls: (calls: number, asked: number) => string;
  /** Of files and hosts; "" where there are none. */
  places: (files: number, hosts: number) => string;
  incomplete: string;
  grants_used: string;
}

export const CHANNEL_WORDS: Readonly<Record<Language, Words>> = {
  en: {
    paused: "Every agent is paused",
    testTitle: "Metnos Gate: a test",
    testLine: "You asked for it. Nothing waits for you because of it.",
    at: (doing, place) => `${doing}: ${place}`,
    nothing: "something else",
    allow: "Allow",
    refusedCalls: (count) => `${count} calls were refused`,
    below: (folder) => `below ${folder}`,
    directlyIn: (folder) => `directly in ${folder}`,
    sessionEnds: "until its session ends",
    today: (counts) => `Today: ${counts}`,
    calls: (calls, asked) => `${calls === 1 ? "1 call" : `${calls} calls`}, ${asked} asked`,
    places: (files, hosts) =>
      [
        files === 0 ? "" : `; ${files === 1 ? "1 file" : `${files} files`}`,
        hosts === 0 ? "" : `; ${hosts === 1 ? "1 host" : `${hosts} hosts`}`,
      ].join(""),
    incomplete: "This isn't all: some calls of today are missing in the list.",
    grants_used: "Grants used:",
  },
  it: {
    paused: "Tutti gli agenti sono in pausa",
    testTitle: "Metnos Gate: una prova",
    testLine: "L'hai chiesta tu. Non devi fare nulla.",
    at: (doing, place) => `${doing}: ${place}`,
    nothing: "altro",
    allow: "Consenti:",
    refusedCalls: (count) => `${count} chiamate sono state respinte`,
    below: (folder) => `sotto ${folder}`,
    directlyIn: (folder) => `direttamente in ${folder}`,
    sessionEnds: "fino alla fine della sua sessione",
    today: (counts) => `Oggi: ${counts}`,
    calls: (calls, asked) => `${calls === 1 ? "1 chiamata" : `${calls} chiamate`}, ${asked} chieste`,
    places: (files, hosts) => [files === 0 ? "" : `; ${files} file`, hosts === 0 ? "" : `; ${hosts} host`].join(""),
    incomplete: "Non è tutto: nell'elenco mancano alcune chiamate di oggi.",
    grants_used: "Permessi usati:",
  },
};
