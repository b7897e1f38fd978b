import { errorCode } from "../../base/errors.ts";
import { ModelError } from "../reviews/judge-ports.ts";

/** One HTTP request to a model's provider. Nothing of what is sent or received gets into an error's message. */

export interface Sent {
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Left out: a GET. */
  body?: string;
}

export interface Received {
  status: number;
  /** As the header says it; null where there is none. */
  retry_after: string | null;
  /** Of an answer with status 200; undefined of any other, whose body isn't read. */
  json?: unknown;
}

/**
 * Sends it to that host and no other: a redirect is not followed, as the key would go with it.
 * @param maxBytes of the answer's body, decompressed
 * @throws ModelError `unreachable`, `malformed`; the signal's reason where it was aborted, and the connection is closed at once
 */
export async function send({ url, headers, body }: Sent, maxBytes: number, signal: AbortSignal): Promise<Received> {
  const response = await fetched(url, headers, body, signal);
  const { status } = response;
  const retryAfter = response.headers.get("retry-after");
  if (status >= 300 && status < 400) {
    dropBody(response);
    throw new ModelError("unreachable", "it redirects to another address, which isn't followed");
  }
  if (status !== 200) {
    dropBody(response);
    return { status, retry_after: retryAfter };
  }
  if (!/\bjson\b/i.test(response.headers.get("content-type") ?? "")) {
    dropBody(response);
    throw new ModelError("malformed", "its answer isn't JSON");
  }
  return { status, retry_after: retryAfter, json: parsed(await textOf(response, maxBytes, signal)) };
}

async function fetched(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string | undefined,
  signal: AbortSignal,
): Promise<Response> {
  try {
    return await fetch(url, {
      method: body === undefined ? "GET" : "POST",
      headers: { accept: "application/json", "accept-encoding": "identity", ...headers },
      redirect: "manual",
      signal,
      ...(body === undefined ? {} : { body }),
    });
  } catch (error) {
    signal.throwIfAborted();
    throw new ModelError("unreachable", `it can't be reached (${codeOf(error)})`);
  }
}

/** The body as text, in pieces, so that no more than `maxBytes` of it is ever kept. */
async function textOf(response: Response, maxBytes: number, signal: AbortSignal): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  try {
    for await (const piece of response.body ?? []) {
      size += piece.byteLength;
      // Leaving the loop cancels the body, which closes the connection.
      if (size > maxBytes) throw new ModelError("malformed", "its answer is too long");
      text += decoder.decode(piece, { stream: true });
    }
  } catch (error) {
    if (error instanceof ModelError) throw error;
    signal.throwIfAborted();
    throw new ModelError("unreachable", `its answer broke off (${codeOf(error)})`);
  }
  return text + decoder.decode();
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message quotes what was received.
    throw new ModelError("malformed", "its answer isn't JSON");
  }
}

function dropBody(response: Response): void {
  // It ends with the connection: what goes wrong in that is of no interest.
  response.body?.cancel().catch(() => undefined);
}

/** The system's code: `fetch failed` has it in its cause. */
function codeOf(error: unknown): string {
  return error instanceof Error && error.cause !== undefined ? errorCode(error.cause) : errorCode(error);
}
