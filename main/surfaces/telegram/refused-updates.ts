/** Updates that aren't the user's, in the trail: a line for each kind at once, and then only how many there were in a while. */

export type RefusedWhy =
  /** Somebody who isn't linked. */
  | "not-linked"
  | "group"
  | "forwarded"
  /** A button on a message that doesn't show what it answers. */
  | "not-shown-here"
  | "not-offered"
  | "unknown-callback"
  | "wrong-link"
  /** The linked user, under another name than the one that was confirmed. */
  | "changed-name"
  | "wrong-pin"
  | "malformed";

export interface RefusedParts {
  intervalMs: number;
  /** Writes one line. */
  write(fields: { why: RefusedWhy; user_id?: number; count: number }): void;
}

interface Since {
  count: number;
  user_id: number | undefined;
  timer: NodeJS.Timeout;
}

export class RefusedUpdates {
  readonly #parts: RefusedParts;
  readonly #since = new Map<RefusedWhy, Since>();

  constructor(parts: RefusedParts) {
    this.#parts = parts;
  }

  note(why: RefusedWhy, userId?: number): void {
    const since = this.#since.get(why);
    if (since !== undefined) {
      since.count += 1;
      since.user_id = userId;
      return;
    }
    this.#write(why, userId, 1);
    this.#begin(why);
  }

  close(): void {
    for (const why of [...this.#since.keys()]) this.#end(why);
  }

  #begin(why: RefusedWhy): void {
    const timer = setTimeout(() => {
      if (this.#end(why)) this.#begin(why);
    }, this.#parts.intervalMs).unref();
    this.#since.set(why, { count: 0, user_id: undefined, timer });
  }

  /** Whether there were any. */
  #end(why: RefusedWhy): boolean {
    const since = this.#since.get(why);
    if (since === undefined) return false;
    clearTimeout(since.timer);
    this.#since.delete(why);
    if (since.count > 0) this.#write(why, since.user_id, since.count);
    return since.count > 0;
  }

  #write(why: RefusedWhy, userId: number | undefined, count: number): void {
    this.#parts.write({ why, ...(userId === undefined ? {} : { user_id: userId }), count });
  }
}
