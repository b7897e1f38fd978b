import { randomBytes } from "node:crypto";
import { memberAt } from "../json-members.ts";

/**
 * The state that a client sends a call again with, where the proxy asked it to: in the place of the server's own, which is put back
 * before the server gets the call. Random, and good for this proxy alone: what it means is kept here.
 */

const PREFIX = "metnos-gate:";
const MAX_KEPT = 1024;
const PATH = ["params", "requestState"] as const;

export class RequestStates {
  readonly #originals = new Map<string, string | undefined>();

  /** A new one in the place of the server's, which may have given none. */
  issue(original: string | undefined): string {
    const [oldest] = this.#originals.keys();
    if (this.#originals.size >= MAX_KEPT && oldest !== undefined) this.#originals.delete(oldest);
    const state = PREFIX + randomBytes(16).toString("hex");
    this.#originals.set(state, original);
    return state;
  }

  /** The state that is the server's: the given one, unless it is one of ours. */
  originalOf(state: string | undefined): string | undefined {
    return state?.startsWith(PREFIX) ? this.#originals.get(state) : state;
  }
}

/** The line as the server is to get it: every byte of it, but for a state that isn't the server's. */
export function withOriginalState(line: Buffer, given: string | undefined, original: string | undefined): Buffer {
  if (given === original) return line;
  const text = line.toString("utf8");
  const member = memberAt(text, PATH);
  if (member === undefined) return line;
  if (original !== undefined)
    return Buffer.from(text.slice(0, member.value_start) + JSON.stringify(original) + text.slice(member.value_end));
  // With the comma behind it, or else the one before it.
  const rest = text.slice(member.value_end);
  const comma = /^\s*,/.exec(rest)?.[0];
  if (comma !== undefined) return Buffer.from(text.slice(0, member.start) + rest.slice(comma.length));
  return Buffer.from(text.slice(0, member.start).replace(/,\s*$/, "") + rest);
}
