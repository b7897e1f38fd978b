import type { Clock } from "../../base/clocks/clock.ts";
import { bootSecond } from "../../base/clocks/two-clock-end.ts";

/**
 * When a grant is active: not revoked, and not over by either clock. Said twice, for the database and for a lookup that must not
 * wait for it; test/decide/grants/active.test.ts holds both to the same answer.
 */

/** In SQL, with the values of `moment`. Not as an OR of two ranges: that would be looked up by range and then sorted. */
export const IS_ACTIVE =
  "revoked_at IS NULL AND coalesce(expires_at, '~') > $now AND coalesce(boot_expires_at, '') NOT BETWEEN $boot_first AND $boot_now";

/** Over by the time since boot alone: somebody set the wall clock back. */
export const IS_OVER_BY_BOOT_ALONE =
  "revoked_at IS NULL AND boot_expires_at BETWEEN $boot_first AND $boot_now AND expires_at > $now";

/** The columns that say whether a grant is active. */
export interface Duration {
  revoked_at: string | null;
  expires_at: string | null;
  boot_expires_at: string | null;
}

/** Until when a grant is active: the first of both. Infinite where it doesn't end, or says nothing of this boot. */
export interface ActiveUntil {
  /** Unix seconds. */
  endSecond: number;
  /** Seconds since boot. */
  bootEndSecond: number;
}

/** `boot_id` names this boot of the machine. */
export function activeUntil({ revoked_at, expires_at, boot_expires_at }: Duration, bootId: string): ActiveUntil {
  const endSecond = expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(expires_at) / 1000;
  return {
    endSecond: revoked_at === null ? endSecond : Number.NEGATIVE_INFINITY,
    bootEndSecond: bootSecond(boot_expires_at, bootId),
  };
}

export function isActive({ endSecond, bootEndSecond }: ActiveUntil, clock: Clock): boolean {
  return (
    (endSecond === Number.POSITIVE_INFINITY || endSecond > Math.floor(clock.now() / 1000)) &&
    (bootEndSecond === Number.POSITIVE_INFINITY || bootEndSecond > Math.floor(clock.boot().ms / 1000))
  );
}
