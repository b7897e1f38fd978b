/**
 * What is said to an ntfy server, and read from it. Neither the server's words nor an address, a topic or a token leave here in an
 * error: each becomes one of this file's own.
 */

export type NtfyProblem = "token-refused" | "too-many" | "redirects" | "refused" | "unreachable" | "malformed";

export class NtfyError extends Error {
  override readonly name = "NtfyError";
  readonly problem: NtfyProblem;
  /** How long nothing should be sent, in milliseconds. */
  readonly retry_after_ms: number | undefined;

  constructor(problem: NtfyProblem, retryAfterMs?: number) {
    super(PROBLEM_TEXT[problem]);
    this.problem = problem;
    this.retry_after_ms = retryAfterMs;
  }
}

const PROBLEM_TEXT: Readonly<Record<NtfyProblem, string>> = {
  "token-refused": "the server refuses this token, or this topic without one",
  "too-many": "the server wants fewer messages for a while",
  redirects: "the server sends elsewhere: give the address that it sends to",
  refused: "the server refuses what is sent",
  unreachable: "the server can't be reached",
  malformed: "what answers isn't an ntfy server",
};

/** As ntfy's JSON has it. Priorities: 3 is usual, 4 high. */
export interface NtfyMessage {
  topic: string;
  title: string;
  message: string;
  priority: 3 | 4;
  click?: string;
  actions?: readonly NtfyAction[];
}
export type NtfyAction =
  | { action: "view"; label: string; url: string }
  | { action: "http"; label: string; url: string; method: "POST"; body: string; clear: true };

export interface NtfyServer {
  /** Without a slash at its end. */
  url: string;
  /** Read anew for each request. @throws SecretError */
  token(): string | undefined;
}

const PUBLISH_MS = 10_000;
/** A server says something every 45 seconds at least. */
const SILENT_MS = 100_000;
/** What is read for may be as long, one message a line. */
const MAX_LINE = 4096;
/** Of the answer to what was sent: the message with what the server adds. */
const MAX_ANSWER = 65_536;
const MAX_RETRY_AFTER_MS = 300_000;

/** @throws NtfyError, SecretError; the signal's reason */
export async function publish(server: NtfyServer, message: NtfyMessage, signal: AbortSignal): Promise<void> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(PUBLISH_MS)]);
  const init = { method: "POST", body: JSON.stringify(message) };
  const response = await request(server, "/", init, limit, signal);
  // An ntfy server repeats the message. What answers with a page, as a hotel's network does, has passed nothing on.
  if (!(await isRepeated(response, signal))) throw new NtfyError("malformed");
}

/** @throws NtfyError; the signal's reason */
async function isRepeated({ body }: Response, wanted: AbortSignal): Promise<boolean> {
  let text = "";
  const decoder = new TextDecoder();
  try {
    for await (const bytes of body ?? []) {
      text += decoder.decode(bytes, { stream: true });
      if (text.length > MAX_ANSWER) return false;
    }
  } catch (error) {
    throw ownError(error, wanted);
  }
  return messageOf(text.trim(), MAX_ANSWER)?.event === "message";
}

/** One message of a topic. */
export interface Received {
  id: string;
  /** Unix seconds, by the server's clock. */
  time: number;
  text: string;
}

export interface Reading {
  topic: string;
  /** The id of a message, or Unix seconds: what came after it. */
  since: string;
  /** Whatever else was read is counted here. */
  ignored(): void;
  received(message: Received): void;
  /** The server has answered. */
  opened(): void;
}

/** Reads a topic until the server ends that. @throws NtfyError, SecretError; the signal's reason */
export async function read(server: NtfyServer, reading: Reading, signal: AbortSignal): Promise<void> {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), SILENT_MS).unref();
  const limit = AbortSignal.any([signal, silence.signal]);
  try {
    const path = `/${reading.topic}/json?since=${encodeURIComponent(reading.since)}`;
    const response = await request(server, path, {}, limit, signal);
    if (response.body === null) throw new NtfyError("malformed");
    reading.opened();
    let rest = "";
    const decoder = new TextDecoder();
    for await (const bytes of response.body) {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENT_MS).unref();
      const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) readLine(line, reading);
      if (rest.length > MAX_LINE) throw new NtfyError("malformed");
    }
  } catch (error) {
    throw ownError(error, signal);
  } finally {
    clearTimeout(timer);
    silence.abort();
  }
}

function readLine(line: string, reading: Reading): void {
  if (line === "") return;
  const message = messageOf(line);
  if (message === undefined) return reading.ignored();
  if (message.event !== "message") return;
  const { id, time, message: text } = message;
  if (typeof id !== "string" || !/^[A-Za-z0-9_-]{1,64}$/.test(id) || typeof text !== "string") return reading.ignored();
  reading.received({ id, time: typeof time === "number" ? time : 0, text });
}

function messageOf(line: string, longest = MAX_LINE): Record<string, unknown> | undefined {
  if (line.length > longest) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined; // counted by the caller
  }
}

async function request(
  { url, token }: NtfyServer,
  path: string,
  init: RequestInit,
  limit: AbortSignal,
  wanted: AbortSignal,
): Promise<Response> {
  const secret = token();
  const headers = secret === undefined ? {} : { authorization: `Bearer ${secret}` };
  let response: Response;
  try {
    // Whoever is named by a redirect would be sent the token.
    response = await fetch(`${url}${path}`, { ...init, headers, redirect: "manual", signal: limit });
  } catch (error) {
    throw ownError(error, wanted);
  }
  if (response.status === 200) return response;
  await response.body?.cancel().catch(() => undefined);
  throw statusError(response);
}

function statusError({ status, headers }: Response): NtfyError {
  if (status >= 300 && status < 400) return new NtfyError("redirects");
  if (status === 401 || status === 403) return new NtfyError("token-refused");
  if (status === 429) return new NtfyError("too-many", retryAfterMs(headers.get("retry-after")));
  return new NtfyError(status >= 500 ? "unreachable" : "refused");
}

function retryAfterMs(text: string | null): number | undefined {
  const seconds = text === null ? Number.NaN : Number(text);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds * 1000, MAX_RETRY_AFTER_MS) : undefined;
}

function ownError(error: unknown, wanted: AbortSignal): unknown {
  if (wanted.aborted) return wanted.reason;
  return error instanceof NtfyError ? error : new NtfyError("unreachable");
}
