import { lossIn } from "../../ipc/base/json-losses.ts";
import { isObject, type Json } from "../../ipc/base/json-object.ts";
import { exactText, membersWithin } from "../../ipc/socket/frames.ts";
import { hasInnerReturn, hasKeyLike, INNER_RETURN, MESSAGE_KEYS, UNCLEAR_KEY } from "../proxy/ambiguous-json.ts";

/** One line of the protocol as a message: only what every reader of it must read alike. */

/** Ids that a JSON-RPC message can have. */
export type Id = string | number;

export type Reading =
  | { kind: "request"; id: Id; method: string; params: Json; isExact: boolean }
  | { kind: "notification"; method: string; params: Json }
  | { kind: "response"; id: Id; result: unknown; is_error: boolean }
  | { kind: "blank" }
  /** `id`: of a request that can be answered all the same. */
  | { kind: "unreadable"; why: string; id?: Id };

/** What one program reads in a line, another one must not read differently: such a line is unreadable. Never throws. */
export function readMessage(line: Buffer): Reading {
  const text = exactText(line);
  if (text === undefined) return unreadable("it is not valid UTF-8", parsed(line.toString("utf8")));
  if (text.trim() === "") return { kind: "blank" };
  if (hasInnerReturn(line)) return unreadable(INNER_RETURN, parsed(text));
  const value = parsed(text);
  if (value === undefined) return unreadable("it is not JSON");
  if (!isObject(value)) return unreadable("it is not a JSON object");
  const members = membersWithin(value, Number.POSITIVE_INFINITY);
  if (members === undefined) return unreadable("it has a key __proto__", value);
  const loss = lossIn(text, members);
  if (loss === "repeated_key") return unreadable("it has the same key twice", value);
  if (hasKeyLike(value, MESSAGE_KEYS)) return unreadable(UNCLEAR_KEY, value);
  return classified(value, loss === undefined);
}

function classified(value: Json, isExact: boolean): Reading {
  const { method, params, result, error } = value;
  const id = idOf(value);
  if (method === undefined) {
    const isError = error !== undefined;
    if (id === undefined || (result !== undefined) === isError)
      return unreadable("it is neither a request nor an answer");
    return { kind: "response", id, result: isError ? error : result, is_error: isError };
  }
  if (typeof method !== "string" || result !== undefined || error !== undefined)
    return unreadable("it is neither a request nor an answer", value);
  if (value.id === undefined) return { kind: "notification", method, params: isObject(params) ? params : {} };
  if (id === undefined) return unreadable("its id is none");
  return { kind: "request", id, method, params: isObject(params) ? params : {}, isExact };
}

/** Of a number only one that is the same in every program. */
function idOf({ id }: Json): Id | undefined {
  return typeof id === "string" || Number.isSafeInteger(id) ? (id as Id) : undefined;
}

function unreadable(why: string, value?: unknown): Reading {
  const id = isObject(value) && typeof value.method === "string" ? idOf(value) : undefined;
  return { kind: "unreadable", why, ...(id === undefined ? {} : { id }) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined; // the caller says so
  }
}

export function encoded(message: object): string {
  return `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
}

/** Of an error that the proxy answers in another's place: the implementation's own range of JSON-RPC. */
const REFUSED = -32_000;

export function refusal(id: Id, why: string): string {
  return encoded({ id, error: { code: REFUSED, message: `Metnos Gate: ${why}` } });
}
