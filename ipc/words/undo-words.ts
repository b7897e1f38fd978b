import type { Language } from "../contract/language.ts";
import type { UndoneCall, UndoneFile, UndoResult } from "../contract/undo.ts";

/** What is said of taking back, on the page and in the terminal. */

type FileWork = "made" | "deleted" | "changed";

interface UndoWords {
  files: (count: number) => string;
  /** What was done to so many. */
  work: Readonly<Record<FileWork, (count: number) => string>>;
  /** Why a call can't be taken back, or not as a whole. */
  missing: Readonly<Record<string, string>>;
  states: Readonly<Partial<Record<UndoneCall["state"], string>>>;
  notKept: string;
  notWhole: string;
  /** Why a file has to be chosen, or can't be. */
  why: Readonly<Record<"changed" | "unsure" | "unkept" | "runs-later" | "git", string>>;
  back: (files: string) => string;
  again: (files: string) => string;
  kept: (paths: string) => string;
  failed: (paths: string) => string;
  left: (files: string) => string;
  cannot: string;
}

export const UNDO_WORDS: Readonly<Record<Language, UndoWords>> = {
  en: {
    files: (count) => (count === 1 ? "1 file" : `${count} files`),
    work: { made: () => "made", deleted: () => "deleted", changed: () => "changed" },
    missing: {
      late: "its project could not be kept in time before it began",
      "too-many-files": "its project holds too many files to be kept",
      "store-full": "there is no room for more that could be taken back",
      disk: "what it could change could not be stored",
      "project-gone": "its project could not be read",
      interrupted: "the gate ended meanwhile",
    },
    states: {
      running: "It runs. Once it has ended, what it changed can be taken back.",
      unended: "Nobody said that it ended, so each file is for you to decide.",
      undone: "You took it back.",
    },
    notKept: "It can't be taken back",
    notWhole: "It can't be taken back as a whole",
    why: {
      changed: "changed since",
      unsure: "may be somebody else's doing",
      unkept: "not kept, as it is too large or is made anew: it stays as it is",
      "runs-later": "is run later, so look at it first",
      git: "the repository's own: a branch, the index, a stash",
    },
    back: (files) => `${files} back as before.`,
    again: (files) => `${files} there again, as the agent left it all.`,
    kept: (paths) => `Left, as somebody changes it at this moment: ${paths}.`,
    failed: (paths) => `Not put back: ${paths}. It can be repeated; what is done stays.`,
    left: (files) => `${files} left as it is now.`,
    cannot:
      "What can't come back: what was sent, databases and services, files outside of the project, folders that are built anew, such as node_modules.",
  },
  it: {
    files: (count) => `${count} file`,
    work: {
      made: (count) => (count === 1 ? "creato" : "creati"),
      deleted: (count) => (count === 1 ? "eliminato" : "eliminati"),
      changed: (count) => (count === 1 ? "modificato" : "modificati"),
    },
    missing: {
      late: "il progetto non si è potuto conservare in tempo prima dell'inizio",
      "too-many-files": "il progetto ha troppi file per conservarli",
      "store-full": "non c'è posto per altro da riportare indietro",
      disk: "ciò che poteva cambiare non si è potuto salvare",
      "project-gone": "il progetto non si è potuto leggere",
      interrupted: "intanto il gate è terminato",
    },
    states: {
      running: "È in corso. Quando sarà finita, ciò che ha cambiato si potrà riportare indietro.",
      unended: "Nessuno ha detto che è finita: di ogni file decidi tu.",
      undone: "L'hai riportata indietro.",
    },
    notKept: "Non si può riportare indietro",
    notWhole: "Non si può riportare indietro per intero",
    why: {
      changed: "cambiato dopo",
      unsure: "forse opera di qualcun altro",
      unkept: "non conservato, perché troppo grande o da ricreare: resta com'è",
      "runs-later": "viene eseguito in seguito: prima guardalo",
      git: "del repository: un ramo, l'indice, uno stash",
    },
    back: (files) => `${files} come prima.`,
    again: (files) => `${files} di nuovo come li aveva lasciati l'agente.`,
    kept: (paths) => `Lasciato, perché qualcuno lo cambia proprio ora: ${paths}.`,
    failed: (paths) => `Non ripristinato: ${paths}. Si può ripetere; ciò che è fatto resta.`,
    left: (files) => `${files} così com'è ora.`,
    cannot:
      "Che cosa non può tornare: ciò che è stato inviato, database e servizi, file fuori dal progetto, cartelle che si ricreano, come node_modules.",
  },
};

/** What was done to a file. */
export function workOf({ before, agent }: Pick<UndoneFile, "before" | "agent">): FileWork {
  return before === null ? "made" : agent === null ? "deleted" : "changed";
}

/** `4 files: 1 deleted, 3 changed`, `2 files deleted`; folders are counted where there is nothing else. */
export function countsText(files: readonly UndoneFile[], language: Language): string {
  const words = UNDO_WORDS[language];
  const counted = filesAmong(files);
  const parts = (["deleted", "made", "changed"] as const).flatMap((work) => {
    const count = counted.filter((file) => workOf(file) === work).length;
    return count === 0 ? [] : [{ count, said: words.work[work](count) }];
  });
  const said = parts.map(({ count, said }) => (parts.length === 1 ? said : `${count} ${said}`)).join(", ");
  return `${words.files(counted.length)}${parts.length === 1 ? "" : ":"} ${said}`;
}

/** Without the folders that they lay in. */
export function filesAmong<F extends UndoneFile>(files: readonly F[]): readonly F[] {
  const isFolder = ({ before, agent }: UndoneFile) => (before ?? agent) === "folder";
  return files.every(isFolder) ? files : files.filter((file) => !isFolder(file));
}

/** An agent's call that may still be taken back. */
export const isOpenCall = ({ agent, state }: Pick<UndoneCall, "agent" | "state">): boolean =>
  agent !== null && state !== "undone" && state !== "not-kept";

/** True where nothing happens to it without a choice. */
export function isForChoice({ state, part }: UndoneFile): boolean {
  return state === "changed" || state === "unsure" || (state === "ready" && part !== "file");
}

/** True where it comes back unasked. */
export const comesBack = ({ state, part }: UndoneFile): boolean => state === "ready" && part === "file";

/** Why a file has to be chosen, or can't be; null where it needn't. */
export function whyText({ state, part }: UndoneFile, language: Language): string | null {
  const { why } = UNDO_WORDS[language];
  if (state === "changed" || state === "unsure" || state === "unkept") return why[state];
  return state === "ready" && part !== "file" ? why[part] : null;
}

/** That a call can't be taken back, or not as a whole, and why; null where it can. */
export function missingText(
  { state, missing }: Pick<UndoneCall, "state" | "missing">,
  language: Language,
): string | null {
  const words = UNDO_WORDS[language];
  if (missing === null) return null;
  return `${state === "not-kept" ? words.notKept : words.notWhole}: ${words.missing[missing] ?? missing}.`;
}

const MOST_NAMED = 3;

/** What became of the files. @param as whether they were taken back, or put again */
export function outcomeText(results: readonly UndoResult[], as: "back" | "again", language: Language): string {
  const words = UNDO_WORDS[language];
  const files = filesAmong(results.flatMap((result) => result.files));
  const of = (outcome: UndoResult["files"][number]["outcome"]) => files.filter((file) => file.outcome === outcome);
  const named = (some: readonly UndoneFile[]) =>
    [...some.slice(0, MOST_NAMED).map(({ path }) => path), ...(some.length > MOST_NAMED ? ["…"] : [])].join(", ");
  const left = of("left").filter(({ state }) => state !== "done");
  return [
    words[as](words.files(of("restored").length)),
    ...(of("kept").length === 0 ? [] : [words.kept(named(of("kept")))]),
    ...(of("failed").length === 0 ? [] : [words.failed(named(of("failed")))]),
    ...(left.length === 0 ? [] : [words.left(words.files(left.length))]),
  ].join(" ");
}
