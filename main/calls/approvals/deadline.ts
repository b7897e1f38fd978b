import { isoSeconds } from "../../../ipc/contract/iso-seconds.ts";
import type { Clock } from "../../base/clocks/clock.ts";
import { bootSecond, remaining, type TwoClockEnd } from "../../base/clocks/two-clock-end.ts";
import type { PreparedStatements } from "../../base/sqlite/prepared-statements.ts";

/** When a request's time is over: the first of both clocks that says so ends it. */

interface Deadline {
  expires_at: string;
  boot_expires_at: string | null;
}

/** Of a request whose deadline, at the `moment`, neither clock has passed. */
export const IS_IN_TIME =
  "expires_at >= $now AND NOT (coalesce(boot_expires_at, '') >= $boot_first AND coalesce(boot_expires_at, '') < $boot_now)";

export function isLate({ expires_at, boot_expires_at }: Deadline, clock: Clock): boolean {
  const { id, ms } = clock.boot();
  return expires_at < isoSeconds(clock.now()) || bootSecond(boot_expires_at, id) < Math.floor(ms / 1000);
}

export function deadlineOf({ expires_at, boot_expires_at }: Deadline): TwoClockEnd {
  return { at: expires_at, boot_at: boot_expires_at };
}

/** How long it is until a waiting request expires, in milliseconds, or undefined if none waits. */
export function nextDeadline(db: PreparedStatements, clock: Clock): number | undefined {
  // A damaged date would come first, and say nothing.
  const { at } = db.one<{ at: unknown }>(
    "SELECT min(expires_at) AS at FROM pending INDEXED BY idx_pending_deadline WHERE status = 'pending' AND expires_at GLOB '[12][0-9][0-9][0-9]-*'",
  );
  if (typeof at !== "string") return undefined;
  const { id, ms } = clock.boot();
  const { boot_at } = db.one<{ boot_at: string | null }>(
    "SELECT min(boot_expires_at) AS boot_at FROM pending INDEXED BY idx_pending_boot WHERE status = 'pending' AND boot_expires_at >= ?",
    `${id}:`,
  );
  return Math.min(Date.parse(at) - clock.now(), bootSecond(boot_at, id) * 1000 - ms);
}

/** How long it is until a request expires, in milliseconds. */
export function remainingOf(request: Deadline, clock: Clock): number {
  const { wall, boot } = remaining(clock, deadlineOf(request));
  return Math.min(wall, boot);
}
