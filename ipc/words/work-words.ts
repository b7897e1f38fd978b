import type { Description, Destination, Work } from "../contract/description.ts";
import type { WorkId } from "../contract/hazards.ts";
import type { Language } from "../contract/language.ts";

/** What a call does and where it goes, in one line that every surface says. Values are the call's: a surface makes hidden characters visible. */

/** A piece of the line. `strong`: the domain that somebody has registered. `new`: it is worth a second look. */
export interface LinePart {
  text: string;
  look?: "strong" | "new";
}

type Values = Omit<Work, "id">;

interface Words {
  work: Readonly<Record<WorkId, (values: Values) => string>>;
  /** Of several packages, `many`. */
  scripts: (many: boolean) => string;
  unknownAge: string;
  first: string;
  to: string;
  from: string;
  unread: string;
  here: string;
  and: string;
  more: (count: number) => string;
}

const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    work: {
      "runs-tests": () => "runs this project's tests",
      builds: () => "builds this project",
      "checks-code": () => "checks this project's code",
      "formats-code": () => "formats this project's code",
      "starts-project": () => "starts this project",
      "runs-named": ({ name, file }) => `runs ${name ?? "the first entry"} of ${fileName(file)}`,
      "runs-file": ({ file }) => `runs the file ${file ?? ""}`.trim(),
      "runs-line": ({ name, file }) =>
        `runs a one-line ${name ?? ""} program${file === undefined ? "" : ` that reads ${file}`}`,
      "runs-text": ({ name, lines }) =>
        `runs a ${name ?? ""} program${lines === undefined ? "" : ` of ${lines} lines`}`,
      "runs-module": ({ name }) => `runs the Python module ${name ?? ""}`.trim(),
      "lists-containers": () => "lists containers",
      "looks-at-containers": () => "looks at containers",
      "builds-image": () => "builds a container image",
      "runs-container": () => "runs a container",
      "starts-containers": () => "starts containers",
      "stops-containers": () => "stops containers",
      stages: () => "adds files to the next commit",
      commits: () => "commits",
      pushes: () => "pushes",
      fetches: () => "fetches",
      pulls: () => "pulls",
      clones: () => "clones a repository",
      switches: () => "changes branches",
      merges: () => "merges",
      "puts-aside": () => "puts changes aside",
      "looks-at-remote": () => "lists what a remote has",
      "changes-repository": ({ name }) => `changes the repository (git ${name ?? ""})`,
      installs: () => "installs",
      "installs-listed": () => "installs the packages that the project lists",
      uninstalls: () => "removes packages",
      "fetches-and-runs": () => "downloads and runs",
      publishes: () => "publishes",
      uploads: () => "uploads",
      downloads: () => "downloads",
      requests: () => "makes a web request",
      "sends-mail": () => "sends a mail",
      "remote-shell": () => "connects",
      deletes: () => "deletes files",
      program: ({ name }) => `runs ${name ?? "a program"}`,
    },
    scripts: (many) => (many ? "runs their scripts" : "runs its scripts"),
    unknownAge: "age and popularity unknown",
    first: "first time here",
    to: "to",
    from: "from",
    unread: "its address can't be read",
    here: "on this machine",
    and: " and ",
    more: (count) => `${count} more`,
  },
  it: {
    work: {
      "runs-tests": () => "esegue i test di questo progetto",
      builds: () => "compila questo progetto",
      "checks-code": () => "controlla il codice di questo progetto",
      "formats-code": () => "formatta il codice di questo progetto",
      "starts-project": () => "avvia questo progetto",
      "runs-named": ({ name, file }) => `esegue ${name ?? "la prima voce"} di ${fileName(file)}`,
      "runs-file": ({ file }) => `esegue il file ${file ?? ""}`.trim(),
      "runs-line": ({ name, file }) =>
        `esegue un programma ${name ?? ""} di una riga${file === undefined ? "" : ` che legge ${file}`}`,
      "runs-text": ({ name, lines }) =>
        `esegue un programma ${name ?? ""}${lines === undefined ? "" : ` di ${lines} righe`}`,
      "runs-module": ({ name }) => `esegue il modulo Python ${name ?? ""}`.trim(),
      "lists-containers": () => "elenca i container",
      "looks-at-containers": () => "guarda i container",
      "builds-image": () => "crea un'immagine di container",
      "runs-container": () => "esegue un container",
      "starts-containers": () => "avvia dei container",
      "stops-containers": () => "ferma dei container",
      stages: () => "aggiunge file al prossimo commit",
      commits: () => "fa un commit",
      pushes: () => "fa un push",
      fetches: () => "fa un fetch",
      pulls: () => "fa un pull",
      clones: () => "clona un repository",
      switches: () => "cambia branch",
      merges: () => "unisce modifiche",
      "puts-aside": () => "mette da parte le modifiche",
      "looks-at-remote": () => "elenca che cosa ha un remoto",
      "changes-repository": ({ name }) => `cambia il repository (git ${name ?? ""})`,
      installs: () => "installa",
      "installs-listed": () => "installa i pacchetti elencati dal progetto",
      uninstalls: () => "toglie pacchetti",
      "fetches-and-runs": () => "scarica ed esegue",
      publishes: () => "pubblica",
      uploads: () => "carica",
      downloads: () => "scarica",
      requests: () => "fa una richiesta web",
      "sends-mail": () => "invia una mail",
      "remote-shell": () => "si collega",
      deletes: () => "elimina file",
      program: ({ name }) => `esegue ${name ?? "un programma"}`,
    },
    scripts: (many) => (many ? "ne esegue gli script" : "ne esegue gli script"),
    unknownAge: "età e diffusione non note",
    first: "prima volta qui",
    to: "verso",
    from: "da",
    unread: "il suo indirizzo non si può leggere",
    here: "su questa macchina",
    and: " e ",
    more: (count) => (count === 1 ? "un altro" : `altri ${count}`),
  },
};

const fileName = (file: string | undefined): string => (file ?? "").slice((file ?? "").lastIndexOf("/") + 1);

/** More kinds of work than these are counted. */
const WORK_SAID = 3;
const PACKAGES_SAID = 4;

type Described = Pick<Description, "kind"> & Partial<Pick<Description, "work" | "to">>;

/** The line in its pieces; empty where there is nothing to say of it. @param hasHazards what it does is said by those: only where it goes is left */
export function lineParts({ kind, work = [], to = [] }: Described, language: Language, hasHazards = false): LinePart[] {
  const words = WORDS[language];
  const packages = to.filter((one) => one.kind === "package");
  const places = to.filter((one) => one.kind !== "package");
  const said = hasHazards && to.every(({ file }) => file !== undefined) ? [] : workTexts(work, packages, words);
  const parts: LinePart[] = [];
  if (said.length > 0) parts.push({ text: capitalised(listed(said, words), language) });
  // Of a request to the web the address is what is asked about.
  if (kind === "command") {
    const [own, named] = [
      places.filter(({ file }) => file === undefined),
      places.filter(({ file }) => file !== undefined),
    ];
    const last = work.at(-1)?.id ?? "";
    const direction = comesFrom(work) ? words.from : words.to;
    parts.push(
      ...toParts(
        own,
        GOES.test(last) || own.some(isMail) ? ` ${direction} ` : ` · ${direction} `,
        parts.length > 0,
        words,
      ),
    );
    parts.push(...toParts(named, ` · ${words.to} `, parts.length > 0, words));
  }
  if (to.some(({ is_first }) => is_first)) parts.push(...apart(parts, { text: words.first, look: "new" }));
  if (packages.length > 0) parts.push(...apart(parts, { text: words.unknownAge }));
  return parts;
}

/** What one goes to, or comes from: that follows it without a dot. */
const GOES =
  /^(?:pushes|publishes|uploads|remote-shell|fetches|pulls|clones|downloads|looks-at-remote|requests|sends-mail|fetches-and-runs)$/;

function toParts(places: readonly Destination[], start: string, isBehind: boolean, words: Words): LinePart[] {
  const [first, ...others] = places.map((place) => placeParts(place, words));
  if (first === undefined) return [];
  const begin = isBehind ? start : capitalised(start.replace(/^[ ·]+/, ""), "en");
  return [{ text: begin }, ...first, ...others.flatMap((parts) => [{ text: ", " }, ...parts])];
}

const isMail = ({ name }: Destination): boolean => name?.includes("@") === true;

/** The same as one text. */
export function lineText(described: Described, language: Language, hasHazards = false): string {
  return lineParts(described, language, hasHazards)
    .map(({ text }) => text)
    .join("");
}

const apart = (before: readonly LinePart[], part: LinePart): LinePart[] =>
  before.length === 0 ? [{ ...part }] : [{ text: " · " }, part];

function workTexts(work: readonly Work[], packages: readonly Destination[], words: Words): string[] {
  let isSaid = false;
  return work.map(({ id, ...values }) => {
    const text = words.work[id](values);
    if (isSaid || packages.length === 0 || (id !== "installs" && id !== "fetches-and-runs")) return text;
    isSaid = true;
    const names = packages.slice(0, PACKAGES_SAID).map(({ name }) => name ?? "");
    const more = packages.length - names.length;
    const named = `${text} ${[...names, ...(more > 0 ? [words.more(more)] : [])].join(", ")}`;
    return id === "installs" ? `${named}, ${words.scripts(packages.length > 1)}` : named;
  });
}

function listed(texts: readonly string[], words: Words): string {
  const once = [...new Set(texts)];
  const first = once.slice(0, WORK_SAID);
  const more = once.length - first.length;
  if (more > 0) return [...first, words.more(more)].join(", ");
  const last = first.pop() ?? "";
  return first.length === 0 ? last : first.join(", ") + words.and + last;
}

const comesFrom = (work: readonly Work[]): boolean =>
  work.some(({ id }) => /^(?:fetches|pulls|clones|downloads|looks-at-remote|installs|installs-listed)$/.test(id)) &&
  !work.some(({ id }) => id === "pushes");

function placeParts({ file, ...place }: Destination, words: Words): LinePart[] {
  const parts = addressParts(place, words);
  // "In" is the same word in both.
  return file === undefined || parts.length === 0 ? parts : [...parts, { text: ` (in ${file})` }];
}

function addressParts(place: Omit<Destination, "file">, words: Words): LinePart[] {
  const { name, host, domain, path } = place;
  const begin: LinePart[] = name === null ? [] : [{ text: isMail(place) ? name : `${name} = ` }];
  if (isMail(place)) return begin;
  if (host === null) {
    if (path !== "") return [...begin, { text: `${path} (${words.here})` }];
    return [{ text: name === null ? words.unread : `${name} (${words.unread})` }];
  }
  const [start, end] = domain ?? [0, host.length];
  const parts: LinePart[] = [
    ...begin,
    { text: host.slice(0, start) },
    { text: host.slice(start, end), look: "strong" },
    { text: host.slice(end) + path },
  ];
  return parts.filter(({ text }) => text !== "");
}

function capitalised(text: string, language: Language): string {
  return text.charAt(0).toLocaleUpperCase(language) + text.slice(1);
}
