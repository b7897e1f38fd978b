import type { Clock } from "../../base/clocks/clock.ts";
import { localTime } from "../../base/clocks/local-time.ts";
import type { Route } from "../../config/index.ts";

/** When something is due on a channel. */

/** Whether the user's screen is locked. In doubt it is: then the user is called. */
export interface Screen {
  readonly isLocked: boolean;
  /** Returns the function that ends it. */
  subscribe(changed: () => void): () => void;
}

/** Something that waits to be said. */
export interface Waits {
  /** By a clock that nobody sets, in milliseconds. */
  waitedMs: number;
  is_urgent: boolean;
}

const MINUTE_MS = 60_000;
/** However long it takes by the clock: a machine that slept meanwhile looks again soon after. */
const LONGEST_MS = 30_000;
/** The clock that nobody sets is read a few times a second. */
const SHORTEST_MS = 100;

/** In how many milliseconds to look at what is due in so many. */
export function lookAgainAfter(ms: number): number {
  return Math.min(LONGEST_MS, Math.max(SHORTEST_MS, ms));
}

export class Due {
  readonly #route: Route;
  readonly #screen: Screen;
  readonly #clock: Clock;

  constructor(route: Route, screen: Screen, clock: Clock) {
    this.#route = route;
    this.#screen = screen;
    this.#clock = clock;
  }

  isDue(one: Waits): boolean {
    return this.isAllowed(one.is_urgent) && this.#isTime(one);
  }

  /** Whether the quiet hours let it through now. */
  isAllowed(isUrgent: boolean): boolean {
    const { quiet_hours, in_quiet_hours } = this.#route;
    if (quiet_hours === undefined || !isQuiet(this.#clock.now(), quiet_hours)) return true;
    return isUrgent && in_quiet_hours === "urgent";
  }

  /** In how many milliseconds to look again at what isn't due; undefined: once something happens. */
  lookAgainIn(one: Waits): number | undefined {
    const { when, after_seconds } = this.#route;
    // The wall's time changes by whole minutes, also where it is set for the summer.
    if (!this.isAllowed(one.is_urgent)) return Math.min(LONGEST_MS, MINUTE_MS - (this.#clock.now() % MINUTE_MS));
    if (when !== "unanswered") return undefined;
    return lookAgainAfter(after_seconds * 1000 - one.waitedMs);
  }

  #isTime({ waitedMs }: Waits): boolean {
    const { when, after_seconds } = this.#route;
    if (when === "locked") return this.#screen.isLocked;
    return when === "now" || waitedMs >= after_seconds * 1000;
  }
}

type QuietHours = NonNullable<Route["quiet_hours"]>;

/**
 * Whether it is quiet at this time (Unix milliseconds), by what a clock on the wall shows: over midnight where they end before they
 * begin, and with each change to or from daylight saving. The beginning belongs to them, the end doesn't.
 */
export function isQuiet(at: number, { from, to }: QuietHours): boolean {
  const wall = localTime(at);
  return from < to ? from <= wall && wall < to : from <= wall || wall < to;
}
