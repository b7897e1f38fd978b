import type { Grant } from "./rows.ts";
import type { StaleBatch } from "./stale-rows.ts";
import type { GrantStore } from "./store.ts";

/** A gate's start doesn't wait for it. */
const BEGINS_AFTER_MS = 1000;
const LOOK_EVERY_MS = 3_600_000;

export interface StaleGrantsParts {
  grants: Pick<GrantStore, "keepObserved" | "revokeStale">;
  /** Grants that nobody used for so many days are revoked; 0: never. */
  afterDays: number;
  /** The databases aren't this gate's any more. */
  isLost(): boolean;
  revoked(batch: StaleBatch<Grant>): void;
  /** Logs an unexpected error after which the gate continues. */
  failed(what: string, error: unknown): void;
}

/** Revokes the grants that nobody uses any more: at a start, and once on each day of the gate's own count. */
export class StaleGrants {
  readonly #parts: StaleGrantsParts;
  #timer: NodeJS.Timeout | undefined;
  #lookedOn = -1;

  constructor(parts: StaleGrantsParts) {
    this.#parts = parts;
  }

  /** Looks soon, and from then on as long as the gate runs. */
  begin(): void {
    this.#timer = setTimeout(() => {
      this.look();
      this.#timer = setInterval(() => this.look(), LOOK_EVERY_MS).unref();
    }, BEGINS_AFTER_MS).unref();
  }

  /** Looks now. What fails, as on a full disk, is done the next time. */
  look(): void {
    const { grants, afterDays, isLost, revoked, failed } = this.#parts;
    if (isLost()) return;
    try {
      const day = grants.keepObserved();
      if (afterDays === 0 || day === this.#lookedOn) return;
      const batch = grants.revokeStale(afterDays);
      this.#lookedOn = day;
      if (batch !== undefined) revoked(batch);
    } catch (error) {
      failed("revoking unused grants", error);
    }
  }

  /** Keeps how long the gate has been there. */
  close(): void {
    clearTimeout(this.#timer);
    const { grants, isLost, failed } = this.#parts;
    if (isLost()) return;
    try {
      grants.keepObserved();
    } catch (error) {
      failed("keeping the days that passed", error);
    }
  }
}
