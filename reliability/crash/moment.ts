import type { Seeded } from "../../fuzz/seeded.ts";
import type { Ledger } from "./ledger.ts";

/**
 * When a gate is killed: at any moment, within an act of the operator, as a decision arrives, or while it starts; or, however long that
 * takes, as soon as a decision arrives and the ledger holds what is wanted.
 */
export type Moment =
  | { kind: "any"; afterMs: number }
  | { kind: "act"; count: number; delay: number }
  | { kind: "decision"; count: number }
  | { kind: "start"; afterMs: number }
  | { kind: "loaded"; isLoaded(ledger: Ledger): boolean };

/** A gate is killed by then in any other case, in milliseconds. All times are those of a machine that does nothing else. */
const LONGEST_LOAD_MS = 600;

export function drawMoment(random: Seeded): Moment {
  switch (
    random.weighted<Exclude<Moment["kind"], "loaded">>([
      [3, "any"],
      [3, "act"],
      [3, "decision"],
      [1, "start"],
    ])
  ) {
    case "any":
      return { kind: "any", afterMs: random.real(1) ** 2 * 400 };
    case "act":
      return { kind: "act", count: 1 + random.below(20), delay: random.real(4) };
    case "decision":
      return { kind: "decision", count: 1 + random.below(150) };
    case "start":
      return { kind: "start", afterMs: 20 + random.real(300) };
  }
}

interface TriggerParts {
  ledger: Ledger;
  /** Times of the moment are multiplied by it. */
  slowness: number;
}

/** Kills once, when the moment has come. */
export class Trigger {
  readonly #moment: Moment;
  readonly #around: TriggerParts;
  readonly #kill: () => void;
  #acts = 0;
  #decisions = 0;
  #timers: NodeJS.Timeout[] = [];
  #isPulled = false;

  constructor(moment: Moment, around: TriggerParts, kill: () => void) {
    this.#moment = moment;
    this.#around = around;
    this.#kill = kill;
    if (moment.kind === "loaded") return;
    const afterMs = moment.kind === "any" ? moment.afterMs : LONGEST_LOAD_MS;
    this.#after(afterMs);
  }

  /** An act was sent. */
  act(): void {
    if (this.#moment.kind !== "act" || ++this.#acts !== this.#moment.count) return;
    const { delay } = this.#moment;
    // The first part of the range: at once, or as soon as the act is on its way. The rest: milliseconds.
    if (delay < 0.5) this.#pull();
    else if (delay < 1) setImmediate(() => this.#pull());
    else this.#after(delay - 1);
  }

  /** An agent received a decision. */
  decision(): void {
    if (this.#moment.kind === "decision" && ++this.#decisions === this.#moment.count) this.#pull();
    if (this.#moment.kind === "loaded" && this.#moment.isLoaded(this.#around.ledger)) this.#pull();
  }

  #after(ms: number): void {
    this.#timers.push(setTimeout(() => this.#pull(), ms * this.#around.slowness));
  }

  #pull(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    if (this.#isPulled) return;
    this.#isPulled = true;
    this.#kill();
  }
}
