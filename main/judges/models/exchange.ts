import { setTimeout as sleep } from "node:timers/promises";
import { ModelError, type ModelQuestion } from "../reviews/judge-ports.ts";
import type { Dialect, DialectAnswer } from "./dialect.ts";
import { type Received, send } from "./request.ts";

/** One question to a provider: sent once more where it asks for that. */

/** Of an answer: what isn't the model's text, and what a token of it can be at most. */
export const ENVELOPE_BYTES = 65_536;
const TOKEN_BYTES = 8;

/** Before the second try where the provider doesn't say when. */
const RETRY_MS = 500;

export interface Limit {
  signal: AbortSignal;
  /** By the clock of `performance.now()`. */
  ends_at: number;
}

export interface Provider {
  dialect: Dialect;
  /** Without a slash at its end. */
  base_url: string;
  model: string;
  key: string | undefined;
  keeps_connection: boolean;
  with_schema: boolean;
  /** Called before each request. @throws ModelError where it may not be sent */
  beforeSending(): void;
}

/** The key isn't the provider's. */
export class KeyRefused extends ModelError {}

/** @throws ModelError; the limit's reason */
export async function exchange(
  provider: Provider,
  question: ModelQuestion,
  limit: Limit,
): Promise<{ answer: DialectAnswer; took_schema: boolean }> {
  const hadSchema = provider.with_schema && question.schema !== undefined;
  let tookSchema = hadSchema;
  let received = await sendOnce(provider, question, limit, hadSchema);
  const againMs = retryMs(received);
  if (againMs !== undefined && performance.now() + againMs < limit.ends_at) {
    await sleep(againMs, undefined, { signal: limit.signal, ref: false }).catch(() => limit.signal.throwIfAborted());
    received = await sendOnce(provider, question, limit, hadSchema);
  } else if (hadSchema && (received.status === 400 || received.status === 422)) {
    // An older model takes no schema: the prompt says the answer's form, too.
    tookSchema = false;
    received = await sendOnce(provider, question, limit, false);
  }
  if (received.status !== 200) throw statusError(received.status);
  return { answer: provider.dialect.read(received.json), took_schema: tookSchema };
}

function sendOnce(
  { dialect, base_url, model, key, keeps_connection, beforeSending }: Provider,
  question: ModelQuestion,
  { signal }: Limit,
  withSchema: boolean,
): Promise<Received> {
  const body = JSON.stringify(dialect.body(question, model, withSchema));
  const headers = {
    "content-type": "application/json",
    ...(keeps_connection ? {} : { connection: "close" }),
    ...dialect.headers(key),
  };
  beforeSending();
  return send({ url: `${base_url}${dialect.path}`, headers, body }, maxBytes(question), signal);
}

function maxBytes({ max_tokens }: ModelQuestion): number {
  return ENVELOPE_BYTES + TOKEN_BYTES * max_tokens;
}

export function statusError(status: number): ModelError {
  if (status === 401 || status === 403) return new KeyRefused("refused", `the key is refused (${status})`);
  if (status === 404) return new ModelError("refused", "there is no such model or address (404)");
  return new ModelError(status === 429 || status >= 500 ? "not-answering" : "refused", `it answers ${status}`);
}

/** How long to wait before the second try, in milliseconds; undefined where there is to be none. */
function retryMs({ status, retry_after }: Received): number | undefined {
  if (status !== 429 && status < 500) return undefined;
  if (retry_after === null) return RETRY_MS;
  const seconds = Number(retry_after);
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(retry_after) - Date.now();
  return Number.isFinite(ms) ? Math.max(ms, 0) : RETRY_MS;
}
