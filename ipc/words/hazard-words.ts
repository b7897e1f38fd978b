import type { Hazard } from "../contract/description.ts";
import type { Effect, HazardId } from "../contract/hazards.ts";
import type { Language } from "../contract/language.ts";

/** The sentences about what a call does, on every surface, without a full stop. */

type Values = Omit<Hazard, "id" | "span">;

const HAZARD_WORDS: Readonly<Record<Language, Readonly<Record<HazardId, (values: Values) => string>>>> = {
  en: {
    "sends-after-reading": ({ read, came, host }) =>
      `This session read ${seen(read, "en", "something private")} and took in ${seen(came, "en", "something from outside")}. Now it would send to ${host ?? "somewhere"}`,
    "changes-what-runs-for-others": ({ came, path }) =>
      `This session took in ${seen(came, "en", "something from outside")}. Now it would change what runs later or instructs agents${path === undefined ? "" : `: ${path}`}`,
    "deletes-cloud-resources": () => "Deletes resources in the cloud: can't be undone",
    "deletes-database": () => "Deletes data in a database: can't be undone",
    "overwrites-disk": () => "Writes over a disk: can't be undone",
    "rewrites-remote-history": () => "Rewrites history on a remote: can't be undone",
    "looks-like-another": ({ path, host }) => `Looks like ${path ?? "another name"}, but is ${host ?? "not it"}`,
    "runs-downloaded-script": ({ host }) => `Runs a script from the internet${host === undefined ? "" : ` (${host})`}`,
    "runs-hidden-code": () => "Runs code that is hidden in data",
    "runs-unasked": () => "Commands in its text run without being asked about",
    "typed-into-later": () => "What is typed into it later does not pass the gate",
    "as-root": () => "As root",
    publishes: () => "Publishes: can't be taken back",
    "sends-file": ({ path, host }) => `Sends ${path ?? "a file"} to ${host ?? "the internet"}`,
    "sends-mail": () => "Sends a mail",
    "discards-changes": () => "Throws away changes",
    "deletes-files": (values) => `Deletes ${counted(values, EN)}`,
    "deletes-container-data": () => "Deletes containers' data",
    "leaves-container": () => "Gives a container access to this machine",
    "changes-what-runs-later": ({ path }) => `Changes what runs later${path === undefined ? "" : `: ${path}`}`,
    "instructs-agents": ({ path }) =>
      `Changes what agents read as instructions${path === undefined ? "" : `: ${path}`}`,
    "hides-changes": () => "Hides changes of a file from Git",
    "changes-rights": () => "Changes who may read or write",
    "stops-processes": () => "Stops programs that run",
    "stops-services": () => "Stops or changes the system's services",
    "writes-outside-project": ({ path }) => `Writes outside the project${path === undefined ? "" : `: ${path}`}`,
    "reads-secrets": ({ path }) => `Reads secrets${path === undefined ? "" : `: ${path}`}`,
    "unpinned-package": () => "Downloads a package and runs it",
  },
  it: {
    "sends-after-reading": ({ read, came, host }) =>
      `Questa sessione ha letto ${seen(read, "it", "qualcosa di privato")} e ha ricevuto ${seen(came, "it", "qualcosa da fuori")}. Ora invierebbe a ${host ?? "qualcuno"}`,
    "changes-what-runs-for-others": ({ came, path }) =>
      `Questa sessione ha ricevuto ${seen(came, "it", "qualcosa da fuori")}. Ora cambierebbe ciò che verrà eseguito poi o istruisce gli agenti${path === undefined ? "" : `: ${path}`}`,
    "deletes-cloud-resources": () => "Elimina risorse nel cloud: non si può annullare",
    "deletes-database": () => "Elimina dati in un database: non si può annullare",
    "overwrites-disk": () => "Sovrascrive un disco: non si può annullare",
    "rewrites-remote-history": () => "Riscrive la storia su un server remoto: non si può annullare",
    "looks-like-another": ({ path, host }) => `Sembra ${path ?? "un altro nome"}, ma è ${host ?? "un altro"}`,
    "runs-downloaded-script": ({ host }) => `Esegue uno script da internet${host === undefined ? "" : ` (${host})`}`,
    "runs-hidden-code": () => "Esegue codice nascosto nei dati",
    "runs-unasked": () => "I comandi nel suo testo partono senza chiederti",
    "typed-into-later": () => "Ciò che vi viene scritto dopo non passa dal gate",
    "as-root": () => "Come root",
    publishes: () => "Pubblica: non si può ritirare",
    "sends-file": ({ path, host }) => `Invia ${path ?? "un file"} a ${host ?? "internet"}`,
    "sends-mail": () => "Invia una mail",
    "discards-changes": () => "Getta via modifiche",
    "deletes-files": (values) => `Elimina ${counted(values, IT)}`,
    "deletes-container-data": () => "Elimina i dati dei container",
    "leaves-container": () => "Dà a un container l'accesso a questa macchina",
    "changes-what-runs-later": ({ path }) =>
      `Cambia ciò che verrà eseguito poi${path === undefined ? "" : `: ${path}`}`,
    "instructs-agents": ({ path }) =>
      `Cambia ciò che gli agenti leggono come istruzioni${path === undefined ? "" : `: ${path}`}`,
    "hides-changes": () => "Nasconde a Git le modifiche di un file",
    "changes-rights": () => "Cambia chi può leggere o scrivere",
    "stops-processes": () => "Ferma programmi in esecuzione",
    "stops-services": () => "Ferma o cambia i servizi di sistema",
    "writes-outside-project": ({ path }) => `Scrive fuori dal progetto${path === undefined ? "" : `: ${path}`}`,
    "reads-secrets": ({ path }) => `Legge dei segreti${path === undefined ? "" : `: ${path}`}`,
    "unpinned-package": () => "Scarica un pacchetto e lo esegue",
  },
};

/** What has no name of its own. */
const SEEN: Readonly<Record<Language, Readonly<Record<string, string>>>> = {
  en: {
    "mail:read": "your mail",
    "calendar:read": "your calendar",
    "channel:in": "a message",
    "mail:send": "mail",
    "channel:out": "a channel",
  },
  it: {
    "mail:read": "la tua mail",
    "calendar:read": "il tuo calendario",
    "channel:in": "un messaggio",
    "mail:send": "mail",
    "channel:out": "un canale",
  },
};

/** What was seen, as people call it. */
export const seenName = (what: string, language: Language): string => SEEN[language][what] ?? what;

/** `docs.example.net (10:32)`, in the time of whoever reads it. */
function seen(by: Values["read"], language: Language, unknown: string): string {
  if (by === undefined || by.what === "") return unknown;
  const what = seenName(by.what, language);
  const at = new Date(by.at);
  if (Number.isNaN(at.getTime())) return what;
  return `${what} (${String(at.getHours()).padStart(2, "0")}:${String(at.getMinutes()).padStart(2, "0")})`;
}

const EFFECT_WORDS: Readonly<Record<Language, Readonly<Record<Effect, string>>>> = {
  en: {
    reads: "reads only",
    in_git: "in Git, can be taken back",
    kept: "can be taken back here",
    changes_files: "changes files that Git doesn't hold",
    sends: "sends something out",
    anything: "what it changes isn't known",
    final: "can't be undone",
  },
  it: {
    reads: "legge soltanto",
    in_git: "in Git, si può annullare",
    kept: "qui si può riportare indietro",
    changes_files: "cambia file che Git non conserva",
    sends: "invia qualcosa fuori",
    anything: "non si sa che cosa cambia",
    final: "non si può annullare",
  },
};

/** Of what runs code in a box. */
const CONFINED_EFFECT_WORDS: Readonly<Record<Language, string>> = {
  en: "can change the project",
  it: "può cambiare il progetto",
};

interface CountWords {
  locale: string;
  folder: readonly [string, string];
  file: readonly [string, string];
  filesUnknown: string;
  more: (count: string) => string;
}

const EN: CountWords = {
  locale: "en",
  folder: ["folder", "folders"],
  file: ["file", "files"],
  filesUnknown: "files",
  more: (count) => `more than ${count}`,
};
const IT: CountWords = {
  locale: "it",
  folder: ["cartella", "cartelle"],
  file: ["file", "file"],
  filesUnknown: "dei file",
  more: (count) => `più di ${count}`,
};

/** `2 folders (1,204 files)`. */
function counted({ folders = 0, files, is_more }: Values, words: CountWords): string {
  const number = (count: number, [one, many]: readonly [string, string]) => {
    const text = count.toLocaleString(words.locale);
    return `${text} ${count === 1 ? one : many}`;
  };
  if (files === undefined) return folders === 0 ? words.filesUnknown : number(folders, words.folder);
  const inFiles = is_more === undefined ? number(files, words.file) : words.more(number(files, words.file));
  return folders === 0 ? inFiles : `${number(folders, words.folder)} (${inFiles})`;
}

/** The sentence about a hazard. Its values are the call's: a surface makes hidden characters in it visible. */
export function hazardText({ id, ...values }: Hazard, language: Language): string {
  const text = HAZARD_WORDS[language][id](values);
  // "In" is the same word in both.
  return values.file === undefined ? text : `${text} (in ${values.file})`;
}

/** What a call leaves behind, in a few words. @param isConfined it can't leave its project */
export function effectText(effect: Effect, language: Language, isConfined = false): string {
  return isConfined && effect === "anything" ? CONFINED_EFFECT_WORDS[language] : EFFECT_WORDS[language][effect];
}
