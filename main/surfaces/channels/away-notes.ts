import type { Language } from "../../../ipc/contract/language.ts";
import { othersText } from "../../../ipc/words/notice-text.ts";
import type { Clock } from "../../base/clocks/clock.ts";
import type { ChannelNote } from "../../core/channel.ts";
import type { Screen } from "./when-due.ts";
import { CHANNEL_WORDS } from "./words.ts";

/** Between two of them there is at least so much time, in milliseconds: whatever agents do, they can't fill a chat. */
export const AWAY_APART_MS = 600_000;
/** Of several this many are said whole, the newest; the others are counted. */
const MOST_SAID = 3;

export interface AwayNotesParts {
  screen: Pick<Screen, "isLocked">;
  clock: Pick<Clock, "boot">;
  language(): Language;
}

/** Notes about what the user sees on the page once they are back: gathered into one at a time, and dropped where the screen isn't locked. */
export class AwayNotes {
  readonly #parts: AwayNotesParts;
  /** Newest first. */
  #notes: ChannelNote[] = [];
  #count = 0;
  #said_at = Number.NEGATIVE_INFINITY;

  constructor(parts: AwayNotesParts) {
    this.#parts = parts;
  }

  add(note: ChannelNote): void {
    this.#notes = [note, ...this.#notes].slice(0, MOST_SAID);
    this.#count += 1;
  }

  /** In so many milliseconds one may be said; undefined where there is nothing to say. */
  dueIn(): number | undefined {
    const { screen, clock } = this.#parts;
    if (!screen.isLocked) this.#clear();
    return this.#count === 0 ? undefined : Math.max(0, this.#said_at + AWAY_APART_MS - clock.boot().ms);
  }

  /** All of them as one; from now on they are said. Undefined where none is due. */
  take(): ChannelNote | undefined {
    if (this.dueIn() !== 0) return undefined;
    this.#said_at = this.#parts.clock.boot().ms;
    const [first] = this.#notes;
    const all = this.#notes;
    const left = this.#count - all.length;
    const count = this.#count;
    this.#clear();
    if (first === undefined || count === 1) return first;
    const language = this.#parts.language();
    const lines = all.flatMap((note) => [note.title, ...note.lines]);
    const title = CHANNEL_WORDS[language].refused_calls(count);
    return { ...first, title, lines: [...lines, ...(left > 0 ? [othersText(left, language)] : [])] };
  }

  #clear(): void {
    this.#notes = [];
    this.#count = 0;
  }
}
