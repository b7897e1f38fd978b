import { isObject, type Json } from "../../ipc/base/json-object.ts";
import { headerText } from "./http-headers.ts";

/** Arguments that a server over HTTP wants in headers, too: those that the schema of its tool marks with `x-mcp-header`. */

const KEY = "x-mcp-header";
const PREFIX = "mcp-param-";
/** RFC 9110, 5.6.2. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES = new Set<unknown>(["string", "integer", "boolean"]);
/** What they hold is a value, and no schema. */
const VALUES = new Set(["const", "default", "enum", "examples"]);
const MAX_DEPTH = 64;
const MAX_KEPT = 4096;

/** Where a marked argument is, and its header. */
interface Marked {
  path: readonly string[];
  header: string;
}

export class ParamHeaders {
  /** By the tool's name; undefined for one whose marks aren't valid. */
  readonly #tools = new Map<string, readonly Marked[] | undefined>();

  /** @param result of a `tools/list` */
  learn({ tools }: Json): void {
    for (const tool of Array.isArray(tools) ? tools : [])
      if (isObject(tool) && typeof tool.name === "string") this.#keep(tool.name, markedIn(tool.inputSchema));
  }

  /** Undefined for a tool that must not be called: its marks aren't valid. */
  of(tool: string, args: Json): Record<string, string> | undefined {
    if (!this.#tools.has(tool)) return {};
    const headers = this.#tools.get(tool)?.flatMap(({ path, header }) => {
      const value = valueAt(args, path);
      return value === undefined ? [] : [[PREFIX + header, headerText(String(value))] as const];
    });
    return headers === undefined ? undefined : Object.fromEntries(headers);
  }

  #keep(tool: string, marked: readonly Marked[] | undefined): void {
    this.#tools.delete(tool);
    if (marked?.length === 0) return;
    const [oldest] = this.#tools.keys();
    if (this.#tools.size >= MAX_KEPT && oldest !== undefined) this.#tools.delete(oldest);
    this.#tools.set(tool, marked);
  }
}

/** Undefined where a mark is at another place than on a plain argument, is none that can be a header, or is there twice. */
function markedIn(schema: unknown): Marked[] | undefined {
  const marked: Marked[] = [];
  if (!collect(schema, [], true, marked, 0)) return undefined;
  const names = new Set(marked.map(({ header }) => header.toLowerCase()));
  return names.size < marked.length ? undefined : marked;
}

/** @param is_argument false within what isn't reached by `properties` alone. @returns false where a mark isn't valid */
function collect(
  node: unknown,
  path: readonly string[],
  is_argument: boolean,
  marked: Marked[],
  depth: number,
): boolean {
  if (typeof node !== "object" || node === null) return true;
  if (depth > MAX_DEPTH) return false;
  if (Array.isArray(node)) return node.every((one) => collect(one, path, false, marked, depth + 1));
  if (!isObject(node)) return true;
  if (Object.hasOwn(node, KEY)) {
    const header = node[KEY];
    const is_valid = is_argument && path.length > 0 && typeof header === "string" && TOKEN.test(header);
    if (!is_valid || !TYPES.has(node.type)) return false;
    marked.push({ path, header });
  }
  return Object.entries(node).every(([key, child]) => {
    if (VALUES.has(key)) return true;
    if (key !== "properties" || !isObject(child)) return collect(child, path, false, marked, depth + 1);
    return Object.entries(child).every(([name, one]) => collect(one, [...path, name], is_argument, marked, depth + 1));
  });
}

function valueAt(args: Json, path: readonly string[]): string | number | boolean | undefined {
  let value: unknown = args;
  for (const name of path) value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return ["string", "number", "boolean"].includes(typeof value) ? (value as string | number | boolean) : undefined;
}
