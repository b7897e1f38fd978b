import type { Description, Hazard } from "../contract/description.ts";
import type { Language } from "../contract/language.ts";
import type { ApprovalView } from "../contract/operator-api.ts";
import { cardFacts } from "./card-facts.ts";
import { type SpokenName, spokenName, spokenPath, spokenProgram } from "./spoken-names.ts";
import { SPOKEN_WORDS, type SpokenWords } from "./spoken-words.ts";

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
  has_hidden = false;

  of({ text, has_hidden }: SpokenName, without: string): string {
    if (has_hidden) this.has_hidden = true;
    return text === "" ? without : text;
  }

  file(path: string, words: SpokenWords): string {
    const { name, folder } = spokenPath(path);
    const said = this.of(name, words.a_file);
    return folder.text === "" ? said : words.in_folder(said, this.of(folder, ""));
  }
}

/** Who asks what, what is dangerous about it, how long it waits, and what can be pressed. @param now Unix milliseconds */
export function spoken(view: ApprovalView, language: Language, now: number): string {
  const words = SPOKEN_WORDS[language];
  const names = new Names();
  const { agent_name, expires_at } = view;
  const agent = names.of(spokenName(agent_name, AGENT_NAME), words.an_agent);
  const asks = words.asks(agent, whatOf(view, words, names));
  const hazards = view.description?.hazards.map((hazard) => sayable(hazard, words, names)) ?? [];
  const description = view.description === null ? null : { ...view.description, hazards };
  const facts = cardFacts({ ...view, description }, language);
  const dangers = facts.hazards.map((sentence) => sentence.replace(" (", ", ").replace(")", ""));
  const again = facts.again === null ? [] : [facts.again.said, facts.again.question];
  const outside = facts.outside === null ? [] : [words.outside];
  const minutes = Math.floor((Date.parse(expires_at) - now) / MINUTE_MS);
  const ends = [words.left(minutes), facts.again === null ? words.keys : words.keys_repeated];
  // The first ones matter most: what there is no room for is on the card.
  const middle = [...(names.has_hidden ? [words.hidden] : []), ...again, ...new Set(dangers), ...outside];
  return sentences([asks], middle, ends);
}

/** Many requests of one agent. */
export function spokenBundle(agent_name: string, views: readonly ApprovalView[], language: Language): string {
  const words = SPOKEN_WORDS[language];
  const { text } = spokenName(agent_name, AGENT_NAME);
  const dangerous = views.filter(({ description }) => (description?.hazards.length ?? 0) > 0).length;
  const many = words.asks_many(text === "" ? words.an_agent : text, views.length);
  return sentences([many], dangerous === 0 ? [] : [words.dangerous(dangerous)], [words.keys_many]);
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
      return tool === "" ? words.a_tool : words.tool(tool);
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
  if (first.length === 0) return words.runs_something;
  if (more > 0) return words.runs(first.join(", ") + words.more_programs(more));
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
  return first === undefined ? words.a_file : names.file(first.target, words);
}

function requestOf({ capabilities }: ApprovalView, { request }: Description, words: SpokenWords, names: Names): string {
  const host = request?.host ?? capabilities.find(({ capability }) => capability.startsWith("network:"))?.target ?? "";
  const said = names.of(spokenName(host), words.a_host);
  const only_gets = request === null || request.method === "GET" || request.method === "HEAD";
  return only_gets ? words.fetches(said) : words.sends(said);
}

function toolOf({ mcp }: Description, executor: string, words: SpokenWords, names: Names): string {
  const tool = names.of(spokenName(mcp?.tool ?? executor), "");
  const server = mcp === null ? "" : names.of(spokenName(mcp.server), "");
  if (tool === "") return words.a_tool;
  return server === "" ? words.tool(tool) : words.tool_of(tool, server);
}

/** With names in it that a voice can say. */
function sayable({ path, host, ...hazard }: Hazard, words: SpokenWords, names: Names): Hazard {
  const { text, has_hidden } = path === undefined ? { text: "", has_hidden: false } : spokenPath(path).name;
  const file = text === "" ? {} : { path: names.of({ text, has_hidden }, "") };
  const at = host === undefined ? {} : { host: names.of(spokenName(host), words.a_host) };
  return { ...hazard, ...file, ...at };
}
