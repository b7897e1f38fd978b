import { visibleParts } from "../base/visible-text.ts";
import type { Description, Hazard } from "../contract/description.ts";
import type { Language } from "../contract/language.ts";
import type { ApprovalView } from "../contract/operator-api.ts";
import { cardFacts } from "./card-facts.ts";
import { isShownWhole } from "./shown-call.ts";

/**
 * A waiting request as one plain text for a voice. No path, symbol or hidden character of the call is in it, and of its names only
 * letters, digits and full stops between them.
 */

/** Characters of a text at the most. */
export const MAX_SPOKEN = 300;
const AGENT_NAME = 30;
const PROGRAMS_SAID = 3;
const MINUTE_MS = 60_000;

/** Names that were said, and whether one of them had characters that were left out. */
class Names {
  hasHidden = false;

  of({ text, hasHidden }: SpokenName, without: string): string {
    if (hasHidden) this.hasHidden = true;
    return text === "" ? without : text;
  }

  file(path: string, words: SpokenWords): string {
    const { name, folder } = spokenPath(path);
    const said = this.of(name, words.aFile);
    return folder.text === "" ? said : words.inFolder(said, this.of(folder, ""));
  }
}

/** Who asks what, what is dangerous about it, how long it waits, and what can be pressed. @param now Unix milliseconds */
export function spoken(view: ApprovalView, language: Language, now: number): string {
  const words = SPOKEN_WORDS[language];
  const names = new Names();
  const { agent_name, expires_at } = view;
  const agent = names.of(spokenName(agent_name, AGENT_NAME), words.anAgent);
  const asks = words.asks(agent, whatOf(view, words, names));
  const hazards = view.description?.hazards.map((hazard) => sayable(hazard, words, names)) ?? [];
  const description = view.description === null ? null : { ...view.description, hazards };
  const facts = cardFacts({ ...view, description }, language);
  const dangers = facts.hazards.map((sentence) => sentence.replaceAll(" (", ", ").replaceAll(")", ""));
  const again = facts.again === null ? [] : [facts.again.said, facts.again.question];
  const outside = facts.outside === null ? [] : [words.outside];
  const minutes = Math.floor((Date.parse(expires_at) - now) / MINUTE_MS);
  const isWhole = isShownWhole(view, NOTHING);
  const keys =
    facts.again === null ? (isWhole ? words.keys : words.look) : isWhole ? words.keysRepeated : words.lookRepeated;
  const ends = [words.left(minutes), keys];
  // The first ones matter most: what there is no room for is on the card.
  const middle = [...(names.hasHidden ? [words.hidden] : []), ...again, ...new Set(dangers), ...outside];
  return sentences([asks], middle, ends);
}

/** A voice says no argument in full, and no text of a script. */
const NOTHING = { args: new Set<string>(), changes: false, scripts: new Set<never>() };

/** Many requests of one agent. */
export function spokenBundle(agentName: string, views: readonly ApprovalView[], language: Language): string {
  const words = SPOKEN_WORDS[language];
  const { text } = spokenName(agentName, AGENT_NAME);
  const dangerous = views.filter(({ description }) => (description?.hazards.length ?? 0) > 0).length;
  const many = words.asksMany(text === "" ? words.anAgent : text, views.length);
  return sentences([many], dangerous === 0 ? [] : [words.dangerous(dangerous)], [words.keysMany]);
}

function sentences(first: readonly string[], middle: readonly string[], ends: readonly string[]): string {
  const length = (texts: readonly string[]) => texts.reduce((sum, text) => sum + text.length + 2, 0);
  const said = [...first];
  for (const text of middle) if (length(said) + text.length + 2 + length(ends) <= MAX_SPOKEN) said.push(text);
  return [...said, ...ends].map((text) => (/[.?!]$/.test(text) ? text : `${text}.`)).join(" ");
}

function whatOf(view: ApprovalView, words: SpokenWords, names: Names): string {
  const { description, executor } = view;
  switch (description?.kind) {
    case "command":
      return commandOf(description, words, names);
    case "edit":
    case "write":
      return changeOf(view, description, words, names);
    case "read":
      return words.reads(targetOf(view, words, names));
    case "fetch":
      return requestOf(view, description, words, names);
    case "mcp":
      return toolOf(description, executor, words, names);
    default: {
      const tool = names.of(spokenName(executor), "");
      return tool === "" ? words.aTool : words.tool(tool);
    }
  }
}

function commandOf({ commands }: Description, words: SpokenWords, names: Names): string {
  const programs = commands
    .flatMap(({ text, parts }) => parts.map(({ start, end }) => text.slice(start, end)))
    .map((part) => names.of(spokenProgram(part), ""))
    .filter((program) => program !== "");
  const first = [...new Set(programs)].slice(0, PROGRAMS_SAID);
  const more = new Set(programs).size - first.length;
  if (first.length === 0) return words.runsSomething;
  if (more > 0) return words.runs(first.join(", ") + words.morePrograms(more));
  const last = first.pop() ?? "";
  return words.runs(first.length === 0 ? last : first.join(", ") + words.and + last);
}

function changeOf(view: ApprovalView, { changes }: Description, words: SpokenWords, names: Names): string {
  const [change] = changes;
  if (change === undefined) return words.edits(targetOf(view, words, names));
  if (changes.length > 1) return words.changes_files(changes.length);
  const file = names.file(change.path, words);
  switch (change.status) {
    case "new":
      return words.creates(file);
    case "replaces":
      return words.replaces(file);
    case "deletes":
      return words.deletes(file);
    default:
      return words.edits(file);
  }
}

/** The one place that it is about. */
function targetOf({ capabilities }: ApprovalView, words: SpokenWords, names: Names): string {
  const paths = capabilities.filter(({ capability }) => capability.startsWith("fs:"));
  const [first] = paths;
  return first === undefined ? words.aFile : names.file(first.target, words);
}

function requestOf({ capabilities }: ApprovalView, { request }: Description, words: SpokenWords, names: Names): string {
  const host = request?.host ?? capabilities.find(({ capability }) => capability.startsWith("network:"))?.target ?? "";
  const said = names.of(spokenName(host), words.aHost);
  const onlyGets = request === null || request.method === "GET" || request.method === "HEAD";
  return onlyGets ? words.fetches(said) : words.sends(said);
}

function toolOf({ mcp }: Description, executor: string, words: SpokenWords, names: Names): string {
  const tool = names.of(spokenName(mcp?.tool ?? executor), "");
  const server = mcp === null ? "" : names.of(spokenName(mcp.server), "");
  if (tool === "") return words.aTool;
  return server === "" ? words.tool(tool) : words.toolOf(tool, server);
}

/** With names in it that a voice can say. */
function sayable({ path, host, file: script, ...hazard }: Hazard, words: SpokenWords, names: Names): Hazard {
  const { text, hasHidden } = path === undefined ? { text: "", hasHidden: false } : spokenPath(path).name;
  const file = text === "" ? {} : { path: names.of({ text, hasHidden }, "") };
  const at = host === undefined ? {} : { host: names.of(spokenName(host), words.aHost) };
  const named = script === undefined ? "" : names.of(spokenPath(script).name, words.aFile);
  return { ...hazard, ...file, ...at, ...(named === "" ? {} : { file: named }) };
}

// Names from a call as a voice says them: letters, digits and single full stops, and nothing that a speech program could read as its own.

const MAX_NAME = 40;
const MAX_WORD = 24;

interface SpokenName {
  /** Empty where nothing of it can be said. */
  text: string;
  /** Characters were left out that are not seen, or that look like others. */
  hasHidden: boolean;
}

/** @param most characters at the most */
function spokenName(name: string, most = MAX_NAME): SpokenName {
  const parts = visibleParts(
    name
      .slice(0, 4 * most)
      .normalize("NFC")
      .replace(/[\t\r\n]/g, " "),
  );
  const text = parts
    .filter(({ isCode }) => !isCode)
    .map((part) => part.text)
    .join("")
    .replace(/[^\p{Letter}\p{Number}.]+/gu, " ")
    // Only within a name: a sentence of its own would be taken for the gate's.
    .replace(/\.{2,}|(?<=^|\s)\.|\.(?=\s|$)/gu, " ")
    .replace(/\s+/gu, " ")
    .trim();
  return { text: cut(text, most), hasHidden: parts.some(({ isCode }) => isCode) };
}

/** A path by its last name, and that of the folder it is in: empty at the top of the disk. */
function spokenPath(path: string): { name: SpokenName; folder: SpokenName } {
  const names = path.split("/").filter((part) => part !== "");
  return { name: spokenName(names.at(-1) ?? ""), folder: spokenName(names.at(-2) ?? "") };
}

/** The program of a command, without the folder it is in, and its subcommand where that is a plain word. */
function spokenProgram(words: string): SpokenName {
  const [program = "", next = ""] = words.trim().split(/\s+/, 2);
  const { text, hasHidden } = spokenName(program.split("/").at(-1) ?? "", MAX_WORD);
  return { text: /^[a-z][a-z-]{1,15}$/.test(next) ? `${text} ${next.replaceAll("-", " ")}` : text, hasHidden };
}

function cut(text: string, most: number): string {
  const characters = [...text];
  return characters.length <= most ? text : characters.slice(0, most).join("").trim();
}

// The sentences that a voice says about a request. Names in them were made sayable before.

interface SpokenWords {
  asks: (agent: string, what: string) => string;
  asksMany: (agent: string, count: number) => string;
  runs: (programs: string) => string;
  runsSomething: string;
  and: string;
  morePrograms: (count: number) => string;
  edits: (file: string) => string;
  creates: (file: string) => string;
  replaces: (file: string) => string;
  deletes: (file: string) => string;
  changes_files: (count: number) => string;
  reads: (file: string) => string;
  inFolder: (name: string, folder: string) => string;
  aFile: string;
  fetches: (host: string) => string;
  sends: (host: string) => string;
  aHost: string;
  toolOf: (tool: string, server: string) => string;
  tool: (tool: string) => string;
  aTool: string;
  anAgent: string;
  outside: string;
  hidden: string;
  dangerous: (count: number) => string;
  left: (minutes: number) => string;
  keys: string;
  keysRepeated: string;
  /** Where there is more than was said. */
  look: string;
  lookRepeated: string;
  keysMany: string;
}

const SPOKEN_WORDS: Readonly<Record<Language, SpokenWords>> = {
  en: {
    asks: (agent, what) => `${agent} wants to ${what}`,
    asksMany: (agent, count) => `${agent} waits for ${count} answers`,
    runs: (programs) => `run ${programs}`,
    runsSomething: "run a command",
    and: " and ",
    morePrograms: (count) => (count === 1 ? " and one more program" : ` and ${count} more programs`),
    edits: (file) => `change ${file}`,
    creates: (file) => `create ${file}`,
    replaces: (file) => `replace ${file}`,
    deletes: (file) => `delete ${file}`,
    changes_files: (count) => `change ${count} files`,
    reads: (file) => `read ${file}`,
    inFolder: (name, folder) => `${name} in the folder ${folder}`,
    aFile: "a file",
    fetches: (host) => `get something from ${host}`,
    sends: (host) => `send something to ${host}`,
    aHost: "the internet",
    toolOf: (tool, server) => `use the tool ${tool} of ${server}`,
    tool: (tool) => `use the tool ${tool}`,
    aTool: "use a tool",
    anAgent: "An agent",
    outside: "It asks to run outside the box",
    hidden: "Careful: a name in it has characters that can't be seen, or that look like others",
    dangerous: (count) => (count === 1 ? "One of them is dangerous" : `${count} of them are dangerous`),
    left: (minutes) =>
      minutes < 1 ? "Less than a minute left" : minutes === 1 ? "One minute left" : `${minutes} minutes left`,
    keys: "Press A to approve once, D to deny",
    keysRepeated: "Press D to stop it, A to let it continue",
    look: "Look at it, then answer. D denies",
    lookRepeated: "Look at it, then answer. D stops it",
    keysMany: "They wait in the list",
  },
  it: {
    asks: (agent, what) => `${agent} vuole ${what}`,
    asksMany: (agent, count) => `${agent} aspetta ${count} risposte`,
    runs: (programs) => `eseguire ${programs}`,
    runsSomething: "eseguire un comando",
    and: " e ",
    morePrograms: (count) => (count === 1 ? " e un altro programma" : ` e altri ${count} programmi`),
    edits: (file) => `modificare ${file}`,
    creates: (file) => `creare ${file}`,
    replaces: (file) => `sostituire ${file}`,
    deletes: (file) => `eliminare ${file}`,
    changes_files: (count) => `modificare ${count} file`,
    reads: (file) => `leggere ${file}`,
    inFolder: (name, folder) => `${name} nella cartella ${folder}`,
    aFile: "un file",
    fetches: (host) => `prendere qualcosa da ${host}`,
    sends: (host) => `inviare qualcosa a ${host}`,
    aHost: "internet",
    toolOf: (tool, server) => `usare lo strumento ${tool} di ${server}`,
    tool: (tool) => `usare lo strumento ${tool}`,
    aTool: "usare uno strumento",
    anAgent: "Un agente",
    outside: "Chiede di essere eseguito fuori dal box",
    hidden: "Attenzione: un nome contiene caratteri che non si vedono, o che somigliano ad altri",
    dangerous: (count) => (count === 1 ? "Una è pericolosa" : `${count} sono pericolose`),
    left: (minutes) =>
      minutes < 1 ? "Meno di un minuto" : minutes === 1 ? "Ancora un minuto" : `Ancora ${minutes} minuti`,
    keys: "Premi A per approvare una volta, D per rifiutare",
    keysRepeated: "Premi D per fermarla, A per lasciarla continuare",
    look: "Guardala, poi rispondi. D rifiuta",
    lookRepeated: "Guardala, poi rispondi. D la ferma",
    keysMany: "Sono nella lista",
  },
};
