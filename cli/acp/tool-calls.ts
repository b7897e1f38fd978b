import { isObject, type Json } from "../../ipc/json-object.ts";

/** What an agent has said of its tool calls so far, put together: their parts come in several messages. */

export interface ToolCall {
  readonly id: string;
  readonly session: string;
  title: string;
  kind: string;
  /** The tool's own name, where the agent says it. */
  name: string | undefined;
  raw_input: Json | undefined;
  /** Whether what was said of the input has changed since it was first said, or since it was allowed. */
  is_input_changed: boolean;
  /** What was allowed last, and until when a second question about just that is answered alike, in milliseconds of `performance`. */
  allowed: { what: string; until: number } | undefined;
  locations: readonly string[];
  diffs: readonly Diff[];
  status: string;
  /** What the gate or the user said; undefined while nobody was asked. */
  decision: "waiting" | "allowed" | "denied" | undefined;
  /** It was allowed in the editor: the gate has no such decision. */
  is_of_editor: boolean;
  /** Whether its end was reported. */
  is_reported: boolean;
}

export interface Diff {
  path: string;
  operation: "write" | "delete";
  /** Undefined where the agent shows no texts. */
  old_text?: string;
  new_text?: string;
}

/** An agent may keep no more calls in the proxy's memory than these; the ones that were said first are forgotten. */
const MAX_CALLS = 1000;
const MAX_CHARACTERS = 32 * 1024 * 1024;
const MAX_ID = 1024;

export class ToolCalls {
  readonly #calls = new Map<string, { call: ToolCall; characters: number }>();
  #characters = 0;

  /** Adds what a message says of a call. @param characters of the message, which is about what is kept of it */
  merge(session: string, said: Json, characters: number): ToolCall | undefined {
    const id = said.toolCallId;
    if (typeof id !== "string" || id.length > MAX_ID || session.length > MAX_ID) return undefined;
    const key = JSON.stringify([session, id]);
    const kept = this.#calls.get(key) ?? { call: newCall(session, id), characters: 0 };
    update(kept.call, said);
    kept.characters += characters;
    this.#characters += characters;
    this.#calls.set(key, kept);
    this.#forget(key);
    return kept.call;
  }

  /** What is known of a call with what a message says besides, without keeping it. */
  with(session: string, said: Json): ToolCall {
    const id = typeof said.toolCallId === "string" ? said.toolCallId : "";
    const known = this.#calls.get(JSON.stringify([session, id]))?.call;
    const call = { ...(known ?? newCall(session, id)) };
    update(call, said);
    return call;
  }

  find(session: string, id: string): ToolCall | undefined {
    return this.#calls.get(JSON.stringify([session, id]))?.call;
  }

  #forget(newest: string): void {
    for (const [key, { characters }] of this.#calls) {
      if (this.#calls.size <= MAX_CALLS && this.#characters <= MAX_CHARACTERS) return;
      if (key === newest) return;
      this.#calls.delete(key);
      this.#characters -= characters;
    }
  }
}

function newCall(session: string, id: string): ToolCall {
  return {
    id,
    session,
    title: "",
    kind: "",
    name: undefined,
    raw_input: undefined,
    is_input_changed: false,
    allowed: undefined,
    locations: [],
    diffs: [],
    status: "",
    decision: undefined,
    is_of_editor: false,
    is_reported: false,
  };
}

function update(call: ToolCall, said: Json): void {
  const { title, kind, rawInput, locations, content, status } = said;
  if (typeof title === "string") call.title = title;
  if (typeof kind === "string") call.kind = kind;
  if (typeof status === "string") call.status = status;
  call.name = nameIn(said) ?? call.name;
  if (isObject(rawInput) && Object.keys(rawInput).length > 0) {
    const before = call.raw_input ?? {};
    call.is_input_changed ||= isChanged(before, rawInput);
    call.raw_input = { ...before, ...rawInput };
  }
  if (Array.isArray(locations)) call.locations = locations.flatMap((one) => pathIn(one, "path"));
  if (Array.isArray(content)) call.diffs = content.flatMap(diffsIn);
}

/** Agents say an input while their model still writes it, and their question may have only a part of it: what is there twice must be the same. */
function isChanged(before: Json, after: Json): boolean {
  return Object.keys(before).some((key) => key in after && JSON.stringify(before[key]) !== JSON.stringify(after[key]));
}

function nameIn({ name, _meta }: Json): string | undefined {
  if (typeof name === "string") return name;
  const claude = isObject(_meta) ? _meta.claudeCode : undefined;
  return isObject(claude) && typeof claude.toolName === "string" ? claude.toolName : undefined;
}

function pathIn(value: unknown, key: string): string[] {
  const path = isObject(value) ? value[key] : undefined;
  return typeof path === "string" ? [path] : [];
}

/** Version 1 of the protocol gives both texts of one file, version 2 the paths of several. */
function diffsIn(value: unknown): Diff[] {
  if (!isObject(value) || value.type !== "diff") return [];
  const { path, oldText, newText, changes } = value;
  if (Array.isArray(changes)) return changes.flatMap(changeIn);
  if (typeof path !== "string") return [];
  const texts = typeof newText === "string" ? { new_text: newText } : {};
  return [{ path, operation: "write", ...texts, ...(typeof oldText === "string" ? { old_text: oldText } : {}) }];
}

function changeIn(change: unknown): Diff[] {
  if (!isObject(change)) return [];
  const removed = pathIn(change, "oldPath").map(
    (path): Diff => ({ path, operation: change.operation === "move" ? "delete" : "write" }),
  );
  const operation = change.operation === "delete" ? "delete" : "write";
  return [...removed, ...pathIn(change, "path").map((path): Diff => ({ path, operation }))];
}
