import { type Failure, type GateError, receivedError } from "../contract/gate-error.ts";
import type { OperatorEvent } from "../contract/operator-api.ts";

/** The messages on the page's WebSocket `/operator`: one JSON object in each text frame. Loaded by the page: no schemas here. */

export const PAGE_SOCKET_PATH = "/operator";

/** The page's requests are short. */
export const MAX_PAGE_FRAME_BYTES = 64 * 1024;

/** Each request is answered once, by its `id`; events are sent in between. */
export type PageAnswer = { id: number; result: unknown } | { id: number; failure: Failure } | { event: OperatorEvent };

/** A frame as the page reads it. */
export type ReadAnswer = { id: number; result: unknown } | { id: number; error: GateError } | { event: OperatorEvent };

/**
 * Reads one frame; undefined where it is none of these. What a result or an event holds is the gate's own, and isn't looked at
 * further than to tell which it is.
 */
export function readAnswer(text: string): ReadAnswer | undefined {
  const frame = parsed(text);
  if (!isRecord(frame)) return undefined;
  const { id, result, failure, event } = frame;
  if (event !== undefined) return isEvent(event) ? { event } : undefined;
  if (typeof id !== "number") return undefined;
  if (failure !== undefined) return isFailure(failure) ? { id, error: receivedError(failure) } : undefined;
  return "result" in frame ? { id, result } : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // no frame
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function isEvent(value: unknown): value is OperatorEvent {
  return isRecord(value) && typeof value.type === "string" && isRecord(value.data);
}

function isFailure(value: unknown): value is Record<keyof Failure, string> {
  return isRecord(value) && [value.code, value.message, value.hint].every((text) => typeof text === "string");
}
