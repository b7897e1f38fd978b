import type { Clock } from "../../base/clocks/clock.ts";

/** A user's revocation can be taken back for so long. */
export const UNDO_SECONDS = 10;

/** What is known of a grant that the user has just revoked. */
interface Revocation {
  /** As it was written. */
  revoked_at: string;
  agent: string | null;
  session: string | null;
  /** By the time since boot: a wall clock that is set back makes it no longer. */
  boot_ms: number;
}

/** The user's last revocations, in memory: a restart makes them final. */
export class Revocations {
  readonly #clock: Clock;
  readonly #last = new Map<number, Revocation>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  note(id: number, revocation: Omit<Revocation, "boot_ms">): void {
    this.#forgetOld();
    this.#last.set(id, { ...revocation, boot_ms: this.#clock.boot().ms });
  }

  /** Undefined where it was too long ago, or was none of the user's. */
  find(id: number): Revocation | undefined {
    this.#forgetOld();
    return this.#last.get(id);
  }

  forget(id: number): void {
    this.#last.delete(id);
  }

  /** The session, or all of the agent's, is over: nothing of it is given back. */
  end(agent: string, session?: string): void {
    for (const [id, one] of this.#last)
      if (one.agent === agent && (session === undefined || one.session === session)) this.#last.delete(id);
  }

  /** They are in the order in which they were made. */
  #forgetOld(): void {
    const since = this.#clock.boot().ms - UNDO_SECONDS * 1000;
    for (const [id, { boot_ms }] of this.#last) {
      if (boot_ms >= since) return;
      this.#last.delete(id);
    }
  }
}
