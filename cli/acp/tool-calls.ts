import { isObject, type Json } from "../../ipc/base/json-object.ts";
import { changesIn, type Diff, withoutEvent } from "./codex-input.ts";

/** What an agent has said of its tool calls so far, put together: their parts come in several messages. */

export interface ToolCall {
  readonly id: string;
  readonly session: string;
  title: string;
  kind: string;
  /** The tool's own name, where the agent says it. */
  name: string | undefined;
  rawInput: Json | undefined;
  /** Whether what was said of the input has changed since it was first said, or since it was allowed. */
  isInputChanged: boolean;
  /** What was allowed last, and until when a second question about just that is answered alike, in milliseconds of `performance`. */
  allowed: { what: string; until: number } | undefined;
  /** What was allowed of it last runs this, as one text. */
  allowedRuns: string | undefined;
  locations: readonly string[];
  diffs: readonly Diff[];
  status: string;
  /** What the gate or the user said; undefined while nobody was asked. */
  decision: "waiting" | "allowed" | "denied" | undefined;
  /** It was allowed in the editor: the gate has no such decision. */
  isOfEditor: boolean;
  /** Whether its end was reported. */
  isReported: boolean;
  /** It has ended, or its turn has: what is asked, or begins, under its id from then on is another call. */
  isOver: boolean;
}

/** An agent may keep no more calls in the proxy's memory than these; the ones that were said first are forgotten. */
const MAX_CALLS = 1000;
const MAX_CHARACTERS = 32 * 1024 * 1024;
const MAX_ID = 1024;

export class ToolCalls {
  readonly #calls = new Map<string, { call: ToolCall; characters: number }>();
  #characters = 0;

  /**
   * Adds what a message says of a call. Models give the ids, and some give the same ones in each turn.
   * @param characters of the message, which is about what is kept of it
   * @param isBegun whether it is a message that calls begin with
   */
  merge(session: string, said: Json, { characters, isBegun }: { characters: number; isBegun: boolean }) {
    const id = said.toolCallId;
    if (typeof id !== "string" || id.length > MAX_ID || session.length > MAX_ID) return undefined;
    const key = JSON.stringify([session, id]);
    const known = this.#calls.get(key)?.call;
    if (known !== undefined && isAnother(known, said, isBegun)) this.#delete(key);
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

  /** A turn has ended: of the calls that still run their end is waited for until the next one has. */
  endTurn(isOfTurn: (session: string) => boolean): void {
    for (const [key, { call }] of this.#calls) {
      if (!isOfTurn(call.session)) continue;
      if (call.isOver) this.#delete(key);
      call.isOver = true;
    }
  }

  #delete(key: string): void {
    this.#characters -= this.#calls.get(key)?.characters ?? 0;
    this.#calls.delete(key);
  }

  #forget(newest: string): void {
    for (const key of this.#calls.keys()) {
      if (this.#calls.size <= MAX_CALLS && this.#characters <= MAX_CHARACTERS) return;
      if (key === newest) return;
      this.#delete(key);
    }
  }
}

export function newCall(session: string, id: string): ToolCall {
  return {
    id,
    session,
    title: "",
    kind: "",
    name: undefined,
    rawInput: undefined,
    isInputChanged: false,
    allowed: undefined,
    allowedRuns: undefined,
    locations: [],
    diffs: [],
    status: "",
    decision: undefined,
    isOfEditor: false,
    isReported: false,
    isOver: false,
  };
}

function update(call: ToolCall, said: Json): void {
  const { title, kind, rawInput, locations, content, status } = said;
  if (typeof title === "string") call.title = title;
  if (typeof kind === "string") call.kind = kind;
  if (typeof status === "string") call.status = status;
  call.isOver ||= hasEnded(call);
  call.name = nameIn(said) ?? call.name;
  if (isObject(rawInput) && Object.keys(rawInput).length > 0) {
    const before = call.rawInput ?? {};
    const input = withoutEvent(rawInput, call);
    call.isInputChanged ||= isChanged(before, input);
    call.rawInput = { ...before, ...input };
  }
  if (Array.isArray(locations)) call.locations = locations.flatMap((one) => pathIn(one, "path"));
  const changes = changesIn(call.rawInput ?? {}) ?? [];
  const shown = Array.isArray(content) ? content.flatMap(diffsIn) : call.diffs;
  // What is shown beside them may be another text of the same file.
  call.diffs = [...changes, ...shown.filter(({ path }) => !changes.some((change) => change.path === path))];
}

/** Whether a message is about another call than the known one of its id. */
function isAnother(known: ToolCall, { status }: Json, isBegun: boolean): boolean {
  if (isBegun) return known.isOver;
  return hasEnded(known) && (status === "pending" || status === "in_progress");
}

export function hasEnded({ status }: Pick<ToolCall, "status">): boolean {
  return status === "completed" || status === "failed";
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
  const { path, oldText, newText, changes, _meta } = value;
  if (Array.isArray(changes)) return changes.flatMap(changeIn);
  if (typeof path !== "string") return [];
  const change = isObject(_meta) ? _meta.kind : undefined;
  // codex-acp 2 deletes with an empty text, and shows some editors a patch of its own beside one.
  if (newText === "" && change === "delete") return [{ path, operation: "delete" }];
  if (newText === "" && typeof change === "string" && typeof oldText !== "string")
    return [{ path, operation: "write" }];
  const texts = typeof newText === "string" ? { new_text: newText } : {};
  return [{ path, operation: "write", ...texts, ...(typeof oldText === "string" ? { oldText: oldText } : {}) }];
}

function changeIn(change: unknown): Diff[] {
  if (!isObject(change)) return [];
  const removed = pathIn(change, "oldPath").map(
    (path): Diff => ({ path, operation: change.operation === "move" ? "delete" : "write" }),
  );
  const operation = change.operation === "delete" ? "delete" : "write";
  return [...removed, ...pathIn(change, "path").map((path): Diff => ({ path, operation }))];
}
