import { lossIn } from "../../ipc/base/json-losses.ts";
import { isObject, type Json } from "../../ipc/base/json-object.ts";
import type { McpTool } from "../../ipc/contract/mcp.ts";
import { exactText, MAX_DEPTH, membersWithin } from "../../ipc/socket/frames.ts";
import { hasInnerReturn, hasKeyLike, knownKeys, MESSAGE_KEYS } from "../proxy/ambiguous-json.ts";

/** The tools of a server as its client gets them, page by page: what the gate is to know of them. */

/** Beyond these nothing is described, and each call of the server is asked about. */
const MAX_TOOLS = 1024;
const MAX_LIST_BYTES = 768 * 1024;
/** As the gate takes them, in characters. */
const MAX_NAME = 256;
const MAX_TITLE = 1024;
/** A client that never ends a list. */
const MAX_OPEN_REQUESTS = 64;

const LIST_KEYS = knownKeys("tools", "nextCursor");
const TOOL_KEYS = knownKeys("name", "title", "description", "inputSchema", "annotations");

export class ToolList {
  /** By the id of the request whose answer is a page, as a lenient client compares it. */
  readonly #requested = new Map<string, Page>();
  #tools: McpTool[] = [];
  #isUnclear = false;

  /** Whether an answer of the server can be a page of it. */
  get isExpected(): boolean {
    return this.#requested.size > 0;
  }

  /** @param id of the client's request, as JSON */
  requested(id: string, isFirstPage: boolean): void {
    const [oldest] = this.#requested.keys();
    if (this.#requested.size >= MAX_OPEN_REQUESTS && oldest !== undefined) this.#requested.delete(oldest);
    this.#requested.set(lenientId(JSON.parse(id)), { id, isFirstPage });
  }

  /** What the gate is to know after a line of the server's, all pages so far; undefined where the line is no page. A client may ask for no more. */
  answered(line: Buffer): McpTool[] | undefined {
    const text = exactText(line) ?? line.toString("utf8");
    const value = parsed(text.replace(/^\ufeff/, ""));
    const members = value === undefined ? 0 : membersWithin(value, Number.POSITIVE_INFINITY);
    const isAmbiguous = members === undefined || (value !== undefined && lossIn(text, members) === "repeated_key");
    // Some clients find another message in it, which may be the page.
    if (hasInnerReturn(line) || isAmbiguous || Array.isArray(value)) return this.missed();
    return isObject(value) ? this.#page(value, line, text) : undefined;
  }

  #page(message: Json, line: Buffer, text: string): McpTool[] | undefined {
    const page = this.#requested.get(lenientId(message.id));
    if (page === undefined) return hasKeyLike(message, MESSAGE_KEYS) ? this.missed() : undefined;
    this.#requested.delete(lenientId(message.id));
    const { id, method, result, error } = message;
    const isAnswer = JSON.stringify(id) === page.id && method === undefined && error === undefined;
    if (!isObject(result)) return undefined;
    if (page.isFirstPage) this.#forget();
    this.#add(result, isAnswer && this.#isExact(line, text, message));
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
    this.#isUnclear = false;
  }

  /** Where a client may read something else in it than is read here, nothing of it may be shown as what the server says. */
  #isExact(line: Buffer, text: string, message: Json): boolean {
    const members = membersWithin(message, MAX_DEPTH);
    const hasUnclearKey = hasKeyLike(message, MESSAGE_KEYS) || text.startsWith("\ufeff");
    if (exactText(line) === undefined || members === undefined || hasUnclearKey) return false;
    return lossIn(text, members) === undefined;
  }

  #add(result: Json, isExact: boolean): void {
    this.#isUnclear ||= !isExact || hasKeyLike(result, LIST_KEYS);
    if (this.#isUnclear) return;
    const { tools } = result;
    const read = Array.isArray(tools) ? tools.map(toolOf) : [undefined];
    const found = read.filter((tool) => tool !== undefined);
    this.#isUnclear ||= found.length < read.length;
    this.#tools.push(...found);
    this.#isUnclear ||= this.#tools.length > MAX_TOOLS;
  }

  #described(): McpTool[] {
    const names = new Set(this.#tools.map(({ name }) => name));
    // Of two of one name the client may have taken the other one.
    const isUnclear = this.#isUnclear || names.size < this.#tools.length;
    const isTooLong = Buffer.byteLength(JSON.stringify(this.#tools)) > MAX_LIST_BYTES;
    return isUnclear || isTooLong ? [] : [...this.#tools];
  }
}

function toolOf(value: unknown): McpTool | undefined {
  if (!isObject(value) || typeof value.name !== "string" || value.name === "") return undefined;
  if (hasKeyLike(value, TOOL_KEYS)) return undefined;
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

function parsed(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined; // a server's line that is none: its client's matter
  }
}

interface Page {
  /** As JSON. */
  id: string;
  isFirstPage: boolean;
}

/** The same for `1` and `"1"`, which many clients take for the same; empty for what is none. */
function lenientId(id: unknown): string {
  if (typeof id !== "string" && typeof id !== "number") return "";
  const number = Number(id);
  return Number.isNaN(number) ? String(id) : String(number);
}
