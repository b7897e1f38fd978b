import type { UndoneNote } from "../../ipc/contract/undo.ts";
import { keepLatest } from "../base/keep-latest.ts";

/** What the user took back and put again, until the agent of each session knows it: names below the project, no contents. In memory only. */

/** Sessions, and names of one: of what is beyond there is a number. */
const [MAX_SESSIONS, MAX_NAMES] = [200, 1000];
const SHOWN_NAMES = 10;

interface Of {
  agent: string | null;
  session: string;
}

interface Unreported {
  names: Map<string, "back" | "again">;
  more: number;
}

export class UnreportedUndos {
  readonly #unreported = new Map<string, Unreported>();

  /** What is there again before its agent knew of it needs no word. */
  note(sessions: readonly Of[], names: readonly string[], as: "back" | "again"): void {
    for (const key of new Set(sessions.filter(({ agent }) => agent !== null).map(keyOf))) {
      const known = this.#unreported.get(key) ?? { names: new Map(), more: 0 };
      for (const name of names) {
        const before = known.names.get(name);
        if (before !== undefined && before !== as) known.names.delete(name);
        else if (known.names.size < MAX_NAMES) known.names.set(name, as);
        else known.more += 1;
      }
      if (known.names.size > 0) keepLatest(this.#unreported, key, known, MAX_SESSIONS);
      else this.#unreported.delete(key);
    }
  }

  /** Once. */
  take(of: Of): UndoneNote | undefined {
    const unreported = this.#unreported.get(keyOf(of));
    if (unreported === undefined) return undefined;
    this.#unreported.delete(keyOf(of));
    const shown = [...unreported.names].slice(0, SHOWN_NAMES);
    const named = (as: "back" | "again") => shown.flatMap(([name, how]) => (how === as ? [name] : []));
    const more = unreported.names.size - shown.length + unreported.more;
    return { taken_back: named("back"), put_again: named("again"), more };
  }
}

const keyOf = ({ agent, session }: Of): string => JSON.stringify([agent, session]);
