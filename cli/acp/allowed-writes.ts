import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { isObject, type Json } from "../../ipc/base/json-object.ts";
import { readRegularFile } from "../../ipc/base/regular-file.ts";
import type { ToolCall } from "./tool-calls.ts";

/**
 * What an agent was allowed to write, and now asks the editor to: it is the same write, and not asked about again. Only with the very
 * text that was shown, and where that was the file's whole text: an edit shown as a part would become the whole. Nor is it asked about
 * when it reads that file while one of the two texts is in it: it has named them itself.
 */
export class AllowedWrites {
  /** Until when each counts, in milliseconds of `performance`. */
  readonly #writes = new Map<string, number>();
  readonly #known = new Set<string>();

  allow({ session, diffs }: ToolCall): void {
    for (const { path, operation, oldText = "", new_text } of diffs) {
      if (operation !== "write" || new_text === undefined || wholeText(path) !== oldText) continue;
      this.#writes.set(keyOf(session, path, new_text), performance.now() + VALID_MS);
      for (const text of [oldText, new_text]) this.#known.add(keyOf(session, path, text));
      forgetOldest(this.#writes);
      forgetOldest(this.#known);
    }
  }

  /** Whether the agent asks to read what it has shown itself. */
  isKnown({ sessionId, path }: Json): boolean {
    if (typeof sessionId !== "string" || typeof path !== "string" || this.#known.size === 0) return false;
    const text = wholeText(path);
    return text !== undefined && this.#known.has(keyOf(sessionId, path, text));
  }

  /** Whether this request is such a write. Once. */
  take(params: Json): boolean {
    const { sessionId, path, content } = params;
    if (typeof sessionId !== "string" || typeof path !== "string" || typeof content !== "string") return false;
    const key = keyOf(sessionId, path, content);
    const until = this.#writes.get(key);
    this.#writes.delete(key);
    return until !== undefined && performance.now() < until;
  }
}

const VALID_MS = 30_000;
const MAX_WRITES = 200;
/** In bytes. */
const MAX_FILE = 4 * 1024 * 1024;

function keyOf(session: string, path: string, text: string): string {
  return createHash("sha256")
    .update(JSON.stringify([session, path, text]))
    .digest("hex");
}

/** All that is in the file; empty where there is none, undefined where it can't be said. */
function wholeText(path: string): string | undefined {
  try {
    return path.startsWith("/") && statSync(path).size <= MAX_FILE ? readRegularFile(path) : undefined;
  } catch (error) {
    return isObject(error) && error.code === "ENOENT" ? "" : undefined;
  }
}

function forgetOldest(kept: Map<string, unknown> | Set<string>): void {
  for (const key of kept.keys()) {
    if (kept.size <= MAX_WRITES) return;
    kept.delete(key);
  }
}
