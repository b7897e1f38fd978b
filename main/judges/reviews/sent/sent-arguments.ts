import type { Executor } from "../../../decide/executors/catalog.ts";
import { COMMAND_ARGS } from "../../../decide/executors/command-lines.ts";
import type { Send } from "../../../decide/reviews/config.ts";
import type { Reviewable } from "../../../decide/stages/examination.ts";
import { isSecretName, MASKED, withoutSecrets } from "./masked-secrets.ts";

/** The arguments of a call as a judge gets them. */

/** Of one value, and of all of them together, in characters. */
const LIMITS: Readonly<Record<Exclude<Send, "keys">, { value: number; all: number }>> = {
  redacted: { value: 2000, all: 8000 },
  full: { value: 50_000, all: 100_000 },
};
/** Of a content, with `redacted`. */
const CONTENT_LINES = 12;
const CONTENT_LENGTH = 600;
/** Without a manifest, what is longer, or has more lines, counts as content. */
const MAX_PLAIN_LINES = 12;
const MAX_NAMES = 64;
const MAX_NAME = 64;
const MAX_ENTRIES = 200;
const MAX_DEPTH = 8;
/** Looked at beyond what is shown: what is masked may be shorter afterwards. */
const READ_AHEAD = 4;

/** A name that isn't in the tool's manifest is the agent's own, and may hold a value. */
const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,31}$/;

/** The arguments' names. */
export function argumentNames({ call, executor }: Pick<Reviewable, "call" | "executor">): string[] {
  const described = executor.manifest.args_schema.properties;
  const known = new Set(typeof described === "object" && described !== null ? Object.keys(described) : []);
  const names = Object.keys(call.args);
  const shown = names.slice(0, MAX_NAMES).map((name) => (known.has(name) ? name : ownName(name)));
  return names.length > MAX_NAMES ? [...shown, `(${names.length - MAX_NAMES} more)`] : shown;
}

function ownName(name: string): string {
  return PLAIN_NAME.test(name) && withoutSecrets(name) === name ? name : longName(name);
}

function longName(name: string): string {
  return `(a name of ${name.length} characters)`;
}

/** What was cut of a text. */
interface Cut {
  begins: string;
  characters: number;
  lines: number;
}

/** The arguments with their values, as `send` says. What is cut says so, with its length. @param of what takes the secrets out of a text */
export function argumentsSent(
  { call, executor }: Pick<Reviewable, "call" | "executor">,
  send: Exclude<Send, "keys">,
  of: (text: string) => string,
): Record<string, unknown> {
  return new SentValues(send, of, executor).of(call.args);
}

class SentValues {
  readonly #send: Exclude<Send, "keys">;
  readonly #mask: (text: string) => string;
  readonly #executor: Executor;
  #left: number;
  #entries = MAX_ENTRIES;

  constructor(send: Exclude<Send, "keys">, mask: (text: string) => string, executor: Executor) {
    this.#send = send;
    this.#mask = mask;
    this.#executor = executor;
    this.#left = LIMITS[send].all;
  }

  of(args: Record<string, unknown>): Record<string, unknown> {
    // What the call does is in the short values: contents get what is left.
    const names = Object.keys(args);
    const ordered = [
      ...names.filter((name) => !this.#isContent(name)),
      ...names.filter((name) => this.#isContent(name)),
    ];
    const sent = ordered
      .slice(0, MAX_NAMES)
      .map((name): [string, unknown] => [this.#name(name), this.#value(args[name], name, this.#isContent(name), 0)]);
    const more: [string, unknown][] =
      names.length > MAX_NAMES ? [["...", `${names.length - MAX_NAMES} more arguments`]] : [];
    return withEachName([...sent, ...more]);
  }

  #isContent(name: string): boolean {
    return this.#executor.manifest.content_args.includes(name);
  }

  #name(name: string): string {
    return name.length > MAX_NAME ? longName(name) : this.#mask(name);
  }

  #value(value: unknown, name: string, isContent: boolean, depth: number): unknown {
    const isMasked = this.#send === "redacted" && isSecretName(name);
    if (typeof value === "string") return isMasked ? MASKED : this.#text(value, name, isContent);
    if (typeof value !== "object" || value === null) return isMasked && value !== null ? MASKED : this.#plain(value);
    if (depth >= MAX_DEPTH || this.#entries <= 0) return Array.isArray(value) ? "[...]" : "{...}";
    // Below a secret's name everything is one.
    const inner = (child: unknown, key: string) => this.#value(child, isMasked ? name : key, isContent, depth + 1);
    if (Array.isArray(value)) {
      const taken = this.#taken(value);
      const shown = taken.map((child) => inner(child, name));
      return taken.length < value.length ? [...shown, `(${value.length - taken.length} more)`] : shown;
    }
    const entries = Object.entries(value);
    const taken = this.#taken(entries);
    const shown = taken.map(([key, child]): [string, unknown] => [this.#name(key), inner(child, key)]);
    const left = entries.length - taken.length;
    return withEachName(left > 0 ? [...shown, ["...", `${left} more`]] : shown);
  }

  #taken<T>(children: readonly T[]): T[] {
    const taken = children.slice(0, Math.max(0, this.#entries));
    this.#entries -= taken.length;
    return taken;
  }

  /** A number may be one of a card, or a code. */
  #plain(value: unknown): unknown {
    if (this.#send === "full" || typeof value !== "number") return value;
    const text = String(value);
    return this.#mask(text) === text ? value : MASKED;
  }

  #text(text: string, name: string, isContent: boolean): string | Cut {
    const limit = Math.min(this.#left, LIMITS[this.#send].value);
    const isCommand = (COMMAND_ARGS as readonly string[]).includes(name);
    const countsAsContent =
      isContent || (!this.#executor.is_described && !isCommand && linesOf(text) > MAX_PLAIN_LINES);
    const shown =
      this.#send === "redacted" && countsAsContent
        ? beginning(text, Math.min(limit, CONTENT_LENGTH), CONTENT_LINES, this.#mask)
        : beginning(text, limit, Number.POSITIVE_INFINITY, this.#mask);
    this.#left -= shown.text.length;
    return shown.isCut ? { begins: shown.text, characters: text.length, lines: linesOf(text) } : shown.text;
  }
}

/** Names that are shown alike each keep their value: one must not hide another. */
function withEachName(entries: readonly (readonly [name: string, value: unknown])[]): Record<string, unknown> {
  const shown = new Map<string, unknown>();
  for (const [name, value] of entries) {
    let own = name;
    for (let times = 2; shown.has(own); times++) own = `${name} #${times}`;
    shown.set(own, value);
  }
  return Object.fromEntries(shown);
}

/** The beginning of a text, and that it was cut where it was. */
export function beginningOf(text: string, length: number, mask: (text: string) => string): string {
  const shown = beginning(text, length, Number.POSITIVE_INFINITY, mask);
  return shown.isCut ? `${shown.text} (cut: ${text.length} characters)` : shown.text;
}

/** Masked first, and cut then: a secret that is cut in two isn't recognised. */
function beginning(
  text: string,
  length: number,
  lines: number,
  mask: (text: string) => string,
): { text: string; isCut: boolean } {
  const read = text.slice(0, length * READ_AHEAD);
  const masked = mask(read.length < text.length ? wholeWords(read) : read);
  const short = Number.isFinite(lines) ? masked.split("\n", lines).join("\n") : masked;
  const shown = short.slice(0, Math.max(0, length));
  return { text: shown, isCut: read.length < text.length || shown.length < masked.length };
}

/** Without its last word, which may be a part of one. */
function wholeWords(text: string): string {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) > 32) end--;
  return text.slice(0, end);
}

function linesOf(text: string): number {
  let lines = 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines++;
  return lines;
}
