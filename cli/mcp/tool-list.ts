import { createHash } from "node:crypto";
import { lossIn } from "../../ipc/exact-json.ts";
import { exactText, membersWithin } from "../../ipc/frames.ts";
import type { McpTool } from "../../ipc/mcp.ts";
import { isObject, type Json } from "../json-object.ts";

/** The tools of a server as its client gets them, page by page: what the gate is to know of them. */

/** Beyond these nothing is described, and each call of the server is asked about. */
const MAX_TOOLS = 1024;
const MAX_LIST_BYTES = 768 * 1024;
/** As the gate takes them, in characters. */
const MAX_NAME = 256;
const MAX_TITLE = 1024;
/** A client that never ends a list. */
const MAX_OPEN_REQUESTS = 64;

/** What the server is: the SHA-256 of the words that start it, or of its address. */
export function sourceOf(words: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(words)).digest("hex");
}

export class ToolList {
  /** By the id of the request whose answer is a page; true for a first page. */
  readonly #requested = new Map<string, boolean>();
  #tools: McpTool[] = [];
  #is_unclear = false;

  /** Whether an answer of the server can be a page of it. */
  get isExpected(): boolean {
    return this.#requested.size > 0;
  }

  /** @param id of the client's request, as JSON */
  requested(id: string, is_first_page: boolean): void {
    const [oldest] = this.#requested.keys();
    if (this.#requested.size >= MAX_OPEN_REQUESTS && oldest !== undefined) this.#requested.delete(oldest);
    this.#requested.set(id, is_first_page);
  }

  /** What the gate is to know after a line of the server's; undefined where the line is no page, or another one follows. */
  answered(line: Buffer): McpTool[] | undefined {
    const text = exactText(line) ?? line.toString("utf8");
    const message = parsed(text);
    const id = message === undefined || message.id === undefined ? undefined : JSON.stringify(message.id);
    const is_first_page = id === undefined ? undefined : this.#requested.get(id);
    if (message === undefined || id === undefined || is_first_page === undefined) return undefined;
    this.#requested.delete(id);
    if (!isObject(message.result)) return undefined;
    if (is_first_page) this.#forget();
    this.#add(message.result, this.#isExact(line, text, message));
    if (typeof message.result.nextCursor === "string") return undefined;
    return this.#described();
  }

  /** A line that was too long to be looked at: it may have been a page. @returns that nothing is described, where it may */
  missed(): McpTool[] | undefined {
    if (!this.isExpected) return undefined;
    this.#requested.clear();
    this.#forget();
    return [];
  }

  #forget(): void {
    this.#tools = [];
    this.#is_unclear = false;
  }

  /** Where a client may read something else in it than is read here, nothing of it may be shown as what the server says. */
  #isExact(line: Buffer, text: string, message: Json): boolean {
    const members = membersWithin(message, Number.POSITIVE_INFINITY);
    return exactText(line) !== undefined && members !== undefined && lossIn(text, members) === undefined;
  }

  #add({ tools }: Json, is_exact: boolean): void {
    const read = Array.isArray(tools) ? tools.map(toolOf) : [undefined];
    const found = read.filter((tool) => tool !== undefined);
    this.#is_unclear ||= !is_exact || found.length < read.length;
    this.#tools.push(...found);
    this.#is_unclear ||= this.#tools.length > MAX_TOOLS;
  }

  #described(): McpTool[] {
    const counts = new Map<string, number>();
    for (const { name } of this.#tools) counts.set(name, (counts.get(name) ?? 0) + 1);
    // Of two of one name the client may have taken the other one.
    const tools = this.#tools.filter(({ name }) => counts.get(name) === 1);
    const is_too_long = Buffer.byteLength(JSON.stringify(tools)) > MAX_LIST_BYTES;
    return this.#is_unclear || is_too_long ? [] : tools;
  }
}

function toolOf(value: unknown): McpTool | undefined {
  if (!isObject(value) || typeof value.name !== "string" || value.name === "") return undefined;
  const { name, title, description, inputSchema, annotations } = value;
  // What the gate would not take, and the rest of the list with it.
  if (name.length > MAX_NAME || (typeof title === "string" && title.length > MAX_TITLE)) return undefined;
  return {
    name,
    ...(typeof title === "string" ? { title } : {}),
    ...(typeof description === "string" ? { description } : {}),
    input_schema: isObject(inputSchema) ? inputSchema : {},
    ...(isObject(annotations) ? { annotations } : {}),
  };
}

function parsed(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined; // a server's line that is none: its client's matter
  }
}
