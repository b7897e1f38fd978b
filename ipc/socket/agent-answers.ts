import type { z } from "zod";
import { LOSS_TEXTS, type Loss } from "../base/json-losses.ts";
import { PROTOCOL_VERSION, type WireError } from "../contract/wire.ts";
import { type Frame, type FrameProblem, MAX_DEPTH, MAX_FRAME_BYTES } from "./frames.ts";

/** The agent socket's fixed responses: to messages that can't be parsed or are invalid. */

export const FAILED: Omit<WireError, "id"> = {
  code: "internal",
  message: "the gate failed; take it as a no",
  hint: "the gate's own log says more",
};

export const NO_HELLO = {
  code: "hello_required",
  message: "no hello was received in time, or too many other connections had not sent one",
  hint: "connect again and send hello",
} as const;

export const TOKEN_REQUIRED = {
  code: "token_required",
  message: "an agent of this name is paired: its token is needed",
  hint: "send the token, or use another name",
} as const;

export const ALREADY_GREETED = {
  code: "already_greeted",
  message: "hello was sent already",
  hint: "open another connection for another agent",
} as const;

export const OTHER_PROTOCOL = {
  code: "unsupported_protocol",
  message: `this gate speaks protocol ${PROTOCOL_VERSION}`,
  hint: `send "protocol": ${PROTOCOL_VERSION}`,
} as const;

export const TOO_MANY_PAIRINGS = {
  code: "too_many_pairings",
  message: "this name, or too many others, wait to be paired already",
  hint: "try again once the user has answered",
} as const;

export const TOO_MANY_CONNECTIONS = {
  code: "too_many_connections",
  message: "this agent holds half of all connections already",
  hint: "close some of them first",
} as const;

export function idOf(data: unknown): { id?: string } {
  const id = typeof data === "object" && data !== null && "id" in data ? data.id : undefined;
  return typeof id === "string" && id.length <= 128 ? { id } : {};
}

/** Which field is invalid, and what was expected: never the value that was sent. */
export function problemOf(error: z.ZodError): string {
  const [issue] = error.issues;
  if (issue === undefined) return "not valid";
  return `${issue.path.join(".") || "data"}: ${expected(issue)}`;
}

/** Of a string, a list or an object's keys a limit counts these. */
const COUNTED: Readonly<Record<string, string>> = {
  string: " characters",
  array: " entries",
  object: " keys",
  record: " keys",
};

function expected(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return `expected ${issue.expected}`;
    case "invalid_value":
      return `expected ${issue.values.map((value) => JSON.stringify(value)).join(" or ")}`;
    case "too_big":
      return `expected at most ${issue.maximum}${COUNTED[issue.origin] ?? ""}`;
    case "too_small":
      return `expected at least ${issue.minimum}${COUNTED[issue.origin] ?? ""}`;
    case "invalid_format":
      // A pattern has a sentence of its own.
      return issue.format === "regex" ? issue.message : `expected ${issue.format}`;
    case "custom":
      return issue.message;
    default:
      return issue.code.replaceAll("_", " ");
  }
}

const FRAME_HINTS: Readonly<Record<FrameProblem, readonly [message: string, hint: string]>> = {
  not_utf8: ["the line is not valid UTF-8", "send UTF-8; encode other bytes, such as those of a file's name, as text"],
  not_json: ["the line is not JSON", "send one JSON object per line, ended by \\n"],
  not_an_object: ["the line is not a JSON object", 'send {"type": ..., "data": {...}}'],
  too_deep: [`the message is nested deeper than ${MAX_DEPTH}, or has a key __proto__`, "send flatter arguments"],
  ...LOSS_TEXTS,
  frame_too_large: [`a message may have ${MAX_FRAME_BYTES} bytes`, "split the message; this connection is closed"],
  too_much_before_hello: [
    "this is more than a client may send before its hello, or while it waits to be paired",
    "send hello first; this connection is closed",
  ],
  frame_unfinished: ["the line was not ended in time", "end each message with \\n; the unfinished line was dropped"],
};

/** The error for a frame that is refused as a whole. */
export function frameError({ problem, message: read }: Extract<Frame, { ok: false }>): WireError {
  const [message, hint] = FRAME_HINTS[problem];
  const isChanged = problem === "not_utf8" || problem in LOSS_TEXTS;
  const code = isChanged ? "invalid_message" : codeOf(problem as Exclude<FrameProblem, Loss | "not_utf8">);
  return { ...idOf(read?.data), code, message, hint };
}

function codeOf(problem: Exclude<FrameProblem, Loss | "not_utf8">): WireError["code"] {
  return problem === "too_much_before_hello" ? "frame_too_large" : problem;
}
