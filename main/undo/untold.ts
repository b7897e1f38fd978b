import type { UndoneNote } from "../../ipc/contract/undo.ts";
import { keepLatest } from "../base/keep-latest.ts";

/** What the user took back and put again, until the agent of each session has been told: names below the project, no contents. In memory only. */

/** Sessions, and names of one: of what is beyond there is a number. */
const [MAX_SESSIONS, MAX_NAMES] = [200, 1000];
const TOLD_NAMES = 10;

interface Of {
  agent: string | null;
  session: string;
}

interface Untold {
  names: Map<string, "back" | "again">;
  more: number;
}

export class UntoldUndos {
  readonly #untold = new Map<string, Untold>();

  /** What is there again before its agent has been told of it need not be told. */
  note(sessions: readonly Of[], names: readonly string[], as: "back" | "again"): void {
    for (const key of new Set(sessions.filter(({ agent }) => agent !== null).map(keyOf))) {
      const known = this.#untold.get(key) ?? { names: new Map(), more: 0 };
      for (const name of names) {
        const before = known.names.get(name);
        if (before !== undefined && before !== as) known.names.delete(name);
        else if (known.names.size < MAX_NAMES) known.names.set(name, as);
        else known.more += 1;
      }
      if (known.names.size > 0) keepLatest(this.#untold, key, known, MAX_SESSIONS);
      else this.#untold.delete(key);
    }
  }

  /** Once. */
  take(of: Of): UndoneNote | undefined {
    const untold = this.#untold.get(keyOf(of));
    if (untold === undefined) return undefined;
    this.#untold.delete(keyOf(of));
    const told = [...untold.names].slice(0, TOLD_NAMES);
    const named = (as: "back" | "again") => told.flatMap(([name, how]) => (how === as ? [name] : []));
    const more = untold.names.size - told.length + untold.more;
    return { taken_back: named("back"), put_again: named("again"), more };
  }
}

const keyOf = ({ agent, session }: Of): string => JSON.stringify([agent, session]);
