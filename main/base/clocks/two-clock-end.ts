import { isoSeconds } from "../../../ipc/contract/iso-seconds.ts";
import type { Clock } from "./clock.ts";

/**
 * When something ends, by the wall clock and by the time since boot. The wall clock can be set, a day ahead or back; the time since
 * boot can't, but is meaningless after a reboot. A pause is over when both say so; a grant or a request when either does.
 */
export interface TwoClockEnd {
  /** ISO-8601 UTC, whole seconds. */
  at: string;
  /** `<boot>:<seconds since boot>`, of one length, so that it compares as text. Null: the wall clock alone counts. */
  boot_at: string | null;
}

/** The end at `atMs` of the wall clock (Unix milliseconds), by both clocks. */
export function endAt(clock: Clock, atMs: number): TwoClockEnd {
  const { id, ms } = clock.boot();
  return { at: isoSeconds(atMs), boot_at: bootText(id, Math.ceil((ms + atMs - clock.now()) / 1000)) };
}

/** The same end, later. */
export function postponed(end: TwoClockEnd, seconds: number): TwoClockEnd {
  const at = isoSeconds(Date.parse(end.at) + seconds * 1000);
  if (end.boot_at === null) return { at, boot_at: null };
  const [id = "", second] = end.boot_at.split(":");
  return { at, boot_at: bootText(id, Number(second) + seconds) };
}

/** The seconds since boot at the end; infinite where it is of another boot than `id`. */
export function bootSecond(bootAt: string | null, id: string): number {
  if (bootAt === null || !bootAt.startsWith(`${id}:`)) return Number.POSITIVE_INFINITY;
  return Number(bootAt.slice(id.length + 1));
}

/** The time until an end by each clock, in milliseconds; infinite by the time since boot where the end is of another boot. */
export function remaining(clock: Clock, end: TwoClockEnd): { wall: number; boot: number } {
  const { id, ms } = clock.boot();
  return { wall: Date.parse(end.at) - clock.now(), boot: bootSecond(end.boot_at, id) * 1000 - ms };
}

/** A difference of the clocks up to this, in milliseconds, is ignored: it comes from small corrections and rounding. */
const APART_MS = 2000;

/** The date to show for an end that comes with the first of both clocks. */
export function earlierEnd(clock: Clock, end: TwoClockEnd): string {
  const { wall, boot } = remaining(clock, end);
  return boot < wall - APART_MS ? isoSeconds(clock.now() + boot) : end.at;
}

/** The date to show for an end that needs both clocks. */
export function laterEnd(clock: Clock, end: TwoClockEnd): string {
  const { wall, boot } = remaining(clock, end);
  return Number.isFinite(boot) && boot > wall + APART_MS ? isoSeconds(clock.now() + boot + 999) : end.at;
}

/** Of two ends that need both clocks the one that comes later; null: it doesn't end by itself. */
export function stricterEnd(current: TwoClockEnd | null, asked: TwoClockEnd | null, clock: Clock): TwoClockEnd | null {
  if (current === null || asked === null) return null;
  return { at: later(current.at, asked.at) ?? asked.at, boot_at: laterInBoot(current.boot_at, asked.boot_at, clock) };
}

function later(a: string | null, b: string | null): string | null {
  return [a ?? "", b ?? ""].sort().at(-1) || null;
}

/** A time since another boot is ignored. */
function laterInBoot(current: string | null, asked: string | null, clock: Clock): string | null {
  return Number.isFinite(bootSecond(current, clock.boot().id)) ? later(current, asked) : asked;
}

/** For statements: this second by both clocks, and the first second of this boot. */
export function moment(clock: Clock): { now: string; boot_first: string; boot_now: string } {
  const { id, ms } = clock.boot();
  return { now: isoSeconds(clock.now()), boot_first: `${id}:`, boot_now: bootText(id, Math.floor(ms / 1000)) };
}

function bootText(id: string, second: number): string {
  return `${id}:${String(Math.max(0, second)).padStart(10, "0")}`;
}
