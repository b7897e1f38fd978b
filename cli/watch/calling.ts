import type { WatchState } from "./state.ts";
import { AWAY_WORDS } from "./words.ts";

/** Calls the user who looks at another window: the terminal's bell for what is new, and its title. Nothing of a call is in it. */

const BELL = "\u0007";
const NAME = "Metnos Gate";
/** The terminal keeps its title, and puts it back. */
const KEEP_TITLE = "\u001b[22;0t";
const PUT_BACK_TITLE = "\u001b[23;0t";

export class Calling {
  readonly #stdout: NodeJS.WriteStream;
  readonly #has_bell: boolean;
  #known: ReadonlySet<string> = new Set();
  #title = "";

  constructor(stdout: NodeJS.WriteStream, has_bell: boolean) {
    this.#stdout = stdout;
    this.#has_bell = has_bell;
    this.#stdout.write(KEEP_TITLE);
  }

  /** What waits now. */
  waits({ cards, is_away, is_loaded, language }: WatchState): void {
    const tokens = new Set(cards.map(({ token }) => token));
    const has_new = [...tokens].some((token) => !this.#known.has(token));
    // What waited before the gate went is nothing new.
    if (is_loaded) this.#known = tokens;
    if (has_new && this.#has_bell) this.#stdout.write(BELL);
    this.#say(
      is_away ? `${AWAY_WORDS[language].title} ${NAME}` : cards.length === 0 ? NAME : `(${cards.length}) ${NAME}`,
    );
  }

  end(): void {
    // A terminal that keeps none gets an empty one, which most fill with their own.
    this.#say("");
    this.#stdout.write(PUT_BACK_TITLE);
  }

  #say(title: string): void {
    if (title === this.#title) return;
    this.#title = title;
    this.#stdout.write(`\u001b]0;${title}${BELL}`);
  }
}
