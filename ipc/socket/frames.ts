/**
 * Framing on both sockets: one JSON object per line, UTF-8, ended by `\n`, at most 1 MiB.
 * Imports nothing that Node >= 20 doesn't run, so that the hook's fast path can use it.
 */

import { type Loss, lossIn } from "../base/json-losses.ts";

export const MAX_FRAME_BYTES = 1024 * 1024;
export const FRAME_TIMEOUT_MS = 30_000;
/** A frame nested deeper than this is refused before anything recurses into it. */
export const MAX_DEPTH = 64;

export interface FrameLimits {
  bytes: number;
  depth: number;
  /** Refuse what JSON.parse would silently change: what is shown must be what was sent. */
  isExact?: boolean;
  /** The pushed text has one character for each byte (`latin1`): a line that is not UTF-8 is refused, not repaired. */
  isBytes?: boolean;
}
const AGENT_LIMITS: FrameLimits = { bytes: MAX_FRAME_BYTES, depth: MAX_DEPTH, isExact: true };
/** The agents' limits, for a socket that is read as bytes. */
export const BYTE_LIMITS: FrameLimits = { ...AGENT_LIMITS, isBytes: true };
/** The gate's messages may be longer and deeper: they wrap what agents sent, with hidden characters as escapes. */
const GATE_LIMITS: FrameLimits = { bytes: 256 * 1024 * 1024, depth: 2 * MAX_DEPTH };

export type FrameProblem =
  | "not_utf8"
  | "not_json"
  | "not_an_object"
  | "too_deep"
  | Loss
  | "frame_too_large"
  | "too_much_before_hello"
  | "frame_unfinished";
/** `message`: of a refused frame that could be parsed, so that the error can carry its id. */
export type Frame =
  | { ok: true; message: Record<string, unknown> }
  | { ok: false; problem: FrameProblem; message?: Record<string, unknown> };

/** A complete line that isn't parsed yet, or the problem that is reported in its place. */
export type Line = string | Frame;

export function encodeFrame(type: string, data: unknown): string {
  return `${JSON.stringify({ type, data })}\n`;
}

/** Parses one line. Never throws: a bad line is a value the server can answer. */
export function decodeFrame(line: string, limits = AGENT_LIMITS): Frame {
  if (line.length > limits.bytes || (line.length * 3 > limits.bytes && utf8Bytes(line) > limits.bytes)) {
    return { ok: false, problem: "frame_too_large" };
  }
  let message: unknown;
  try {
    message = JSON.parse(line);
  } catch {
    return { ok: false, problem: "not_json" };
  }
  if (typeof message !== "object" || message === null || Array.isArray(message)) {
    return { ok: false, problem: "not_an_object" };
  }
  const members = membersWithin(message, limits.depth);
  if (members === undefined) return { ok: false, problem: "too_deep" };
  const problem = limits.isExact === true ? lossIn(line, members) : undefined;
  const read = message as Record<string, unknown>;
  return problem === undefined ? { ok: true, message: read } : { ok: false, problem, message: read };
}

const ASCII = /^[\0-\x7f]*$/;

/** Parses one line that has one character for each byte. */
function decodeBytes(line: string, limits: FrameLimits): Frame {
  if (line.length > limits.bytes) return { ok: false, problem: "frame_too_large" };
  if (ASCII.test(line)) return decodeFrame(line, limits);
  const bytes = Buffer.from(line, "latin1");
  const text = exactText(bytes);
  if (text !== undefined) return decodeFrame(text, limits);
  const { message } = decodeFrame(bytes.toString("utf8"), limits);
  return { ok: false, problem: "not_utf8", ...(message === undefined ? {} : { message }) };
}

/** Decodes UTF-8; undefined for invalid bytes, which a lenient decoder would replace with U+FFFD. */
export function exactText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined; // the caller refuses it
  }
}

function utf8Bytes(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** True if no value is nested deeper than `limit` and no key is `__proto__` (which a copy would lose). Level by level, no recursion. */
export function isWithinDepth(root: object, limit: number): boolean {
  return membersWithin(root, limit) !== undefined;
}

/** The number of members of all objects in `root`, where `isWithinDepth`; otherwise undefined. */
export function membersWithin(root: object, limit: number): number | undefined {
  let members = 0;
  let level: object[] = [root];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limit) return undefined;
    const next: object[] = [];
    for (const value of level) {
      if (Array.isArray(value)) {
        for (const child of value) if (typeof child === "object" && child !== null) next.push(child);
        continue;
      }
      for (const key in value) {
        if (key === "__proto__") return undefined;
        members++;
        const child = (value as Record<string, unknown>)[key];
        if (typeof child === "object" && child !== null) next.push(child);
      }
    }
    level = next;
  }
  return members;
}

/** An unfinished line counts against the server's budget beyond this length: short ones are always accepted. In characters. */
export const FREE_UNFINISHED = 64 * 1024;

/** The total size that a server's unfinished and unhandled lines may have, in characters. */
export class UnfinishedBudget {
  readonly max: number;
  used = 0;
  constructor(max: number) {
    this.max = max;
  }

  /** Updates one client's share. */
  change(from: number, to: number): void {
    this.used += Math.max(0, to - FREE_UNFINISHED) - Math.max(0, from - FREE_UNFINISHED);
  }
}

/**
 * Collects text into frames. Each piece of text is scanned once, however small the pieces are.
 * After an oversized or unfinished frame the rest of that line is dropped and reading continues with the next.
 */
export class FrameReader {
  #pieces: string[] = [];
  #length = 0;
  #isDiscarding = false;
  #timer: NodeJS.Timeout | undefined;
  readonly #onUnfinished: (() => void) | undefined;
  readonly #timeoutMs: number;
  readonly #limits: FrameLimits;
  readonly #budget: UnfinishedBudget | undefined;

  /** `onUnfinished` is called when a frame has been unfinished for `timeoutMs`. */
  constructor(
    onUnfinished?: () => void,
    timeoutMs = FRAME_TIMEOUT_MS,
    limits = AGENT_LIMITS,
    budget?: UnfinishedBudget,
  ) {
    this.#budget = budget;
    this.#onUnfinished = onUnfinished;
    this.#timeoutMs = timeoutMs;
    this.#limits = limits;
  }

  /** A reader for the gate's messages. */
  static forAnswers(): FrameReader {
    return new FrameReader(undefined, FRAME_TIMEOUT_MS, GATE_LIMITS);
  }

  /** Returns the frames that `text` completes, in order. */
  push(text: string): Frame[] {
    return this.lines(text).map((line) => this.decode(line));
  }

  /** Parses one of `lines`. */
  decode(line: Line): Frame {
    if (typeof line !== "string") return line;
    return this.#limits.isBytes === true ? decodeBytes(line, this.#limits) : decodeFrame(line, this.#limits);
  }

  /** Returns the lines that `text` completes, in order, for `decode`. */
  lines(text: string): Line[] {
    const lines: Line[] = [];
    let start = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
      if (this.#isDiscarding) {
        this.#isDiscarding = false;
      } else {
        const line = this.#length === 0 ? text.slice(start, end) : this.#take(text.slice(start, end));
        if (line.trim() !== "") lines.push(line);
      }
      start = end + 1;
    }
    if (start < text.length && !this.#isDiscarding) this.#keep(start === 0 ? text : text.slice(start), lines);
    this.#watch(start > 0);
    return lines;
  }

  /** Stops the unfinished line's timer: its sender isn't read from. */
  suspend(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Restarts that timer. */
  resume(): void {
    this.#watch(true);
  }

  /** Drops the unfinished line and stops the timer. */
  close(): void {
    this.#forget();
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #take(last: string): string {
    this.#pieces.push(last);
    const line = this.#pieces.join("");
    this.#forget();
    return line;
  }

  #forget(): void {
    this.#grow(-this.#length);
    this.#pieces = [];
  }

  /** Counts what is buffered, and charges what exceeds a short line to the budget. */
  #grow(by: number): void {
    const before = this.#length;
    this.#length += by;
    this.#budget?.change(before, this.#length);
  }

  #keep(text: string, lines: Line[]): void {
    this.#pieces.push(text);
    this.#grow(text.length);
    const isOverBudget =
      this.#budget !== undefined && this.#budget.used > this.#budget.max && this.#length > FREE_UNFINISHED;
    if (this.#length <= this.#limits.bytes && !isOverBudget) {
      // Text that arrives byte by byte would otherwise take one array slot per byte.
      if (this.#pieces.length >= 1024) this.#pieces = [this.#pieces.join("")];
      return;
    }
    this.#forget();
    this.#isDiscarding = true;
    lines.push({ ok: false, problem: "frame_too_large" });
  }

  /** Each frame has its own timeout: one that begins after another ended starts anew. */
  #watch(hasEnded: boolean): void {
    if (hasEnded || this.#length === 0) {
      if (this.#timer !== undefined) clearTimeout(this.#timer);
      this.#timer = undefined;
    }
    if (this.#length === 0 || this.#timer !== undefined || this.#onUnfinished === undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#forget();
      this.#isDiscarding = true;
      this.#onUnfinished?.();
    }, this.#timeoutMs);
    this.#timer.unref?.();
  }
}
