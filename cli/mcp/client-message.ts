import { LOSS_TEXTS, type Loss, lossIn } from "../../ipc/base/json-losses.ts";
import { isObject, type Json } from "../../ipc/base/json-object.ts";
import { exactText, membersWithin } from "../../ipc/socket/frames.ts";
import { memberAt } from "../json-members.ts";
import {
  hasInnerReturn,
  hasKeyLike,
  INNER_RETURN,
  knownKeys,
  leniently,
  MESSAGE_KEYS,
  UNCLEAR_KEY,
} from "../proxy/ambiguous-json.ts";

/** What a client's line is to the proxy. What it can't read the way that every server reads it is refused: it could be a call. */

export type ClientMessage =
  /** Not the proxy's business. */
  | { kind: "other" }
  | { kind: "initialize"; params: Json }
  | { kind: "list"; id: string; isFirstPage: boolean }
  | { kind: "cancelled"; id: string }
  | { kind: "call"; call: ToolCall }
  /** Never passed on. `ids`: of the requests in it, as they were written; none where nobody waits for an answer. */
  | { kind: "refused"; ids: readonly string[]; isCall: boolean; why: string };

export interface ToolCall {
  /** As it was written: a text's quotes are part of it. */
  id: string;
  tool: string;
  args: Json;
  meta: Json;
  /** As it was written, if the client wants to know how far it is. */
  progressToken: string | undefined;
  requestState: string | undefined;
}

const CALL = "tools/call";
const CALL_KEYS = knownKeys("name", "arguments", "_meta", "requestState", "inputResponses", "task");
const BLANK = /^[ \t\r\n]*$/;

/** Never throws. @param line with or without its `\n` */
export function readClientLine(line: Buffer): ClientMessage {
  const text = exactText(line);
  if (text === undefined) return refused([], "it is not valid UTF-8");
  if (BLANK.test(text)) return { kind: "other" };
  if (hasInnerReturn(line)) return refused([], INNER_RETURN);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refused([], "it is not JSON");
  }
  if (typeof value !== "object" || value === null) return { kind: "other" };
  const messages = (Array.isArray(value) ? value : [value]).filter(isObject);
  const members = membersWithin(value, Number.POSITIVE_INFINITY);
  const loss = members === undefined ? undefined : lossIn(text, members);
  // Of equal keys a server may take another one than is shown here.
  if (members === undefined || loss === "repeated_key")
    return refused(idsOf(messages), LOSS_TEXTS.repeated_key.join("; "), messages.some(isCall));
  if (messages.some((message) => hasKeyLike(message, MESSAGE_KEYS))) return refused(idsOf(messages), UNCLEAR_KEY);
  if (Array.isArray(value)) return readBatch(value, messages);
  return isObject(value) ? readOne(text, value, loss) : { kind: "other" };
}

function readOne(text: string, value: Json, loss: Loss | undefined): ClientMessage {
  if (value.method === CALL) return readCall(text, value, loss === undefined ? undefined : LOSS_TEXTS[loss].join("; "));
  if (isLikeCall(value)) return refused(idsOf([value]), `its method is ${CALL} to some readers, and not to others`);
  return readOther(value);
}

function isLikeCall({ method }: Json): boolean {
  return typeof method === "string" && leniently(method) === CALL;
}

function readOther({ method, id, params }: Json): ClientMessage {
  if (method === "initialize") return { kind: "initialize", params: isObject(params) ? params : {} };
  if (method === "tools/list" && isId(id))
    return { kind: "list", id: JSON.stringify(id), isFirstPage: !isObject(params) || params.cursor === undefined };
  if (method === "notifications/cancelled" && isObject(params) && isId(params.requestId))
    return { kind: "cancelled", id: JSON.stringify(params.requestId) };
  return { kind: "other" };
}

function readCall(text: string, value: Json, loss: string | undefined): ClientMessage {
  const id = memberAt(text, ["id"]);
  // Without an id it is a notification, which nobody answers.
  if (id === undefined || value.id === null) return refused([], "a call needs an id", true);
  const idText = text.slice(id.valueStart, id.valueEnd);
  const ids = [idText];
  if (loss !== undefined) return refused(ids, loss, true);
  if (!isId(value.id)) return refused(ids, "its id is no text or number", true);
  const { params } = value;
  if (!isObject(params) || typeof params.name !== "string") return refused(ids, "the call names no tool", true);
  if (hasKeyLike(params, CALL_KEYS)) return refused(ids, UNCLEAR_KEY, true);
  const { name, arguments: args = {}, _meta, requestState } = params;
  if (!isObject(args)) return refused(ids, "the call's arguments are no object", true);
  const token = memberAt(text, ["params", "_meta", "progressToken"]);
  return {
    kind: "call",
    call: {
      id: idText,
      tool: name,
      args,
      meta: isObject(_meta) ? _meta : {},
      progressToken: token === undefined ? undefined : text.slice(token.valueStart, token.valueEnd),
      requestState: typeof requestState === "string" ? requestState : undefined,
    },
  };
}

/** No client that is known sends several messages in one. What is looked at would have to be cut out of it. */
function readBatch(values: readonly unknown[], messages: readonly Json[]): ClientMessage {
  const isLookedAt =
    messages.some((message) => isLikeCall(message) || message.method === "tools/list") || values.some(Array.isArray);
  if (!isLookedAt) return { kind: "other" };
  return refused(idsOf(messages), "send it by itself, not together with other messages", messages.some(isCall));
}

function isCall({ method }: Json): boolean {
  return method === CALL;
}

function idsOf(messages: readonly Json[]): string[] {
  return messages.flatMap(({ id, method }) => (typeof method === "string" && isId(id) ? [JSON.stringify(id)] : []));
}

function isId(id: unknown): id is string | number {
  return typeof id === "string" || typeof id === "number";
}

function refused(ids: readonly string[], why: string, isCall = false): ClientMessage {
  return { kind: "refused", ids, isCall, why };
}
