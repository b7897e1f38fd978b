import type { ChannelNote } from "./channel.ts";

/** So many are kept while nobody listens: those of a start, before the channels are there. */
const MOST_KEPT = 20;

/** Where parts of the gate say what the user should know of, wherever the user is. */
export class NoteBoard {
  readonly #listeners = new Set<(note: ChannelNote) => void>();
  #kept: ChannelNote[] = [];

  /** Never throws. */
  say(note: ChannelNote): void {
    if (this.#listeners.size === 0) this.#kept = [...this.#kept, note].slice(-MOST_KEPT);
    for (const listener of this.#listeners) listener(note);
  }

  /** What was said before comes first, to the first who listens. `listener` must not throw. Returns the function that ends it. */
  subscribe(listener: (note: ChannelNote) => void): () => void {
    this.#listeners.add(listener);
    const kept = this.#kept;
    this.#kept = [];
    for (const note of kept) listener(note);
    return () => this.#listeners.delete(listener);
  }
}
