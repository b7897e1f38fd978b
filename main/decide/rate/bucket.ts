import type { BootTime, Clock } from "../../base/clocks/clock.ts";
import type { Limit } from "./config.ts";

/** A token bucket, as numbers: a call takes one, time brings them back. */

/** What was in a bucket at a moment. */
export interface Level {
  tokens: number;
  /** Unix milliseconds. */
  wall_ms: number;
  boot_id: string;
  /** Milliseconds since that boot began. */
  boot_ms: number;
}

/** This moment by both clocks. */
export interface Moment {
  wall_ms: number;
  boot: BootTime;
}

export function momentOf(clock: Clock): Moment {
  return { wall_ms: clock.now(), boot: clock.boot() };
}

/** For sums of fractions. */
const ROUNDING = 1e-6;

const MINUTE_MS = 60_000;

/** Beyond what is missing: the time since boot is read five times a second, so that it may be that old at both ends. */
const CLOCK_MS = 250;

/**
 * What is in a bucket by now. Within a boot the time since it counts alone: nobody can set that. Across boots the wall clock, whose jump
 * ahead fills the bucket once and no more, and whose jump back takes nothing: this boot's own time has passed in any case.
 */
export function refilled(level: Level, { per_minute, capacity }: Limit, { wall_ms, boot }: Moment): number {
  const passed = level.boot_id === boot.id ? boot.ms - level.boot_ms : Math.max(wall_ms - level.wall_ms, boot.ms);
  return Math.min(capacity, level.tokens + (Math.max(0, passed) * per_minute) / MINUTE_MS);
}

export function levelAt(tokens: number, { wall_ms, boot }: Moment): Level {
  return { tokens, wall_ms, boot_id: boot.id, boot_ms: boot.ms };
}

export function hasOne(tokens: number): boolean {
  return tokens >= 1 - ROUNDING;
}

export function wholeCalls(tokens: number): number {
  return Math.max(0, Math.floor(tokens + ROUNDING));
}

/** True if `tokens` are less than `others`, and not by rounding alone. */
export function isLess(tokens: number, others: number): boolean {
  return tokens < others - ROUNDING;
}

/** Milliseconds until there is one again, from `tokens`. */
export function waitFor(tokens: number, { per_minute }: Limit): number {
  return Math.ceil((Math.max(0, 1 - tokens) * MINUTE_MS) / per_minute) + CLOCK_MS;
}
