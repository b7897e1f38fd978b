import { isObject, type Json, parseObject } from "../../ipc/base/json-object.ts";
import { clientInMeta } from "./clients.ts";

/** What a message to a server over HTTP says, and what its headers repeat of it. */

export interface Said {
  /** As JSON; undefined where nobody waits for an answer. */
  id: string | undefined;
  method: string;
  /** Of a tool, a prompt or a resource. */
  name: string | undefined;
  /** Of a protocol without sessions, which says it in each request. */
  protocol: string | undefined;
  args: Json;
  /** The request that a `notifications/cancelled` is about, as JSON. */
  cancelled: string | undefined;
}

export function saidIn(body: Buffer): Said {
  const message: Json = parseObject(body.toString("utf8")) ?? {};
  const { id, method, params } = message;
  const hasAnswer = typeof method === "string" && isId(id);
  const named: Json = isObject(params) ? params : {};
  const name = named.name ?? named.uri;
  const { requestId } = named;
  return {
    id: hasAnswer ? JSON.stringify(id) : undefined,
    method: typeof method === "string" ? method : "",
    name: typeof name === "string" ? name : undefined,
    protocol: isObject(named._meta) ? clientInMeta(named._meta)?.protocol : undefined,
    args: isObject(named.arguments) ? named.arguments : {},
    cancelled: method === "notifications/cancelled" && isId(requestId) ? JSON.stringify(requestId) : undefined,
  };
}

/** What a protocol without sessions wants on each request. */
export function repeatedHeaders({ method, name, protocol }: Said): Record<string, string> {
  if (protocol === undefined) return {};
  return { "mcp-method": headerText(method), ...(name === undefined ? {} : { "mcp-name": headerText(name) }) };
}

/** What can't be in a header as it is goes in base64, marked as such. */
export function headerText(text: string): string {
  const isPlain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith("=?base64?");
  return isPlain ? text : `=?base64?${Buffer.from(text).toString("base64")}?=`;
}

export function isId(id: unknown): boolean {
  return typeof id === "string" || typeof id === "number";
}
