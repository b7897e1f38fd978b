import type { ChannelNote } from "./channel.ts";

/** So many are kept until the channels are there: those of a start. */
const MOST_KEPT = 20;

/** Where parts of the gate say what the user should know of, wherever the user is. */
export class NoteBoard {
  readonly #listeners = new Set<(note: ChannelNote) => void>();
  /** Null once everybody listens who will. */
  #kept: ChannelNote[] | null = [];

  /** Never throws. */
  say(note: ChannelNote): void {
    if (this.#kept !== null) this.#kept = [...this.#kept, note].slice(-MOST_KEPT);
    else for (const listener of this.#listeners) listener(note);
  }

  /** `listener` must not throw. Returns the function that ends it. */
  subscribe(listener: (note: ChannelNote) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Every channel is there: what was said before is said now. */
  begin(): void {
    const kept = this.#kept ?? [];
    this.#kept = null;
    for (const note of kept) this.say(note);
  }
}
