import { LOSS_TEXTS, lossIn } from "../../ipc/base/json-losses.ts";
import { type Json, parseObject } from "../../ipc/base/json-object.ts";
import type { Env } from "../../ipc/base/paths.ts";
import { GIVEN_PATH, shellPathOf } from "../../ipc/contract/shell-path.ts";
import type { CallContext } from "../../ipc/contract/wire.ts";
import { membersWithin } from "../../ipc/socket/frames.ts";

/** What clients write to their hooks' stdin: one JSON object. */

/** Ids longer than this are cut, in characters. */
const MAX_ID = 128;
/** A plain one, as all clients make them. */
const CALL_ID = /^[A-Za-z0-9_-]{1,128}$/;

/** The object, undefined where it is none; why it is refused where it can't be written again as it was sent: a card would show another one. */
export function parsePayload(text: string): { payload: Json | undefined } | { refused: string } {
  const value = parseObject(text);
  if (value === undefined) return { payload: undefined };
  // However deep: what is too deep, or has a key __proto__, is refused by the gate.
  const members = membersWithin(value, Number.POSITIVE_INFINITY);
  const loss = members === undefined ? undefined : lossIn(text, members);
  return loss === undefined ? { payload: value } : { refused: LOSS_TEXTS[loss].join("; ") };
}

/** A field that is a text and not empty, cut to the length of an id or to `most` characters. */
export function textIn(payload: Json, name: string, most = MAX_ID): string | undefined {
  const value = payload[name];
  return typeof value === "string" && value !== "" ? value.slice(0, most) : undefined;
}

/** The id of a call; undefined where it isn't plain. */
export function callIdOf({ tool_use_id }: Json): string | undefined {
  return typeof tool_use_id === "string" && CALL_ID.test(tool_use_id) ? tool_use_id : undefined;
}

/** What clients say alike about a call's context. `turn`: the field with the id of the user's message that the call belongs to. */
export function contextOf(payload: Json, turn: string, env: Env): CallContext {
  const { cwd, permission_mode, agent_type } = payload;
  const server = typeof payload.tool_name === "string" ? /^mcp__(.+?)__/.exec(payload.tool_name)?.[1] : undefined;
  const session = textIn(payload, "session_id");
  const callId = callIdOf(payload);
  const turnId = textIn(payload, turn);
  return {
    ...(typeof cwd === "string" ? { cwd } : {}),
    // The client started this hook, and its shell begins with the same. An earlier version's launcher doesn't keep it.
    ...shellPathOf({ PATH: env[GIVEN_PATH] ?? env.PATH }),
    ...(typeof permission_mode === "string" ? { mode: permission_mode.slice(0, 64) } : {}),
    ...(session === undefined ? {} : { session }),
    ...(server === undefined ? {} : { mcp_server: server.slice(0, MAX_ID) }),
    ...(callId === undefined ? {} : { call_id: callId }),
    // An earlier version of a client has none.
    ...(turnId === undefined ? {} : { turn: turnId }),
    ...(typeof agent_type === "string" ? { subagent: agent_type.slice(0, 64) } : {}),
  };
}
