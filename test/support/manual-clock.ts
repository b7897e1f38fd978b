import type { BootTime, Clock } from "../../main/base/clocks/clock.ts";

/** Clocks that only move when they are set. */
export class ManualClock implements Clock {
  ms: number;
  #bootMs = 1_000_000;
  #boot = 1;

  constructor(iso = "2026-05-04T10:00:00Z") {
    this.ms = Date.parse(iso);
  }

  readonly now = (): number => this.ms;

  readonly boot = (): BootTime => ({ id: `boot-${String(this.#boot).padStart(7, "0")}`, ms: this.#bootMs });

  /** Time passes. */
  advance(seconds: number): void {
    this.ms += seconds * 1000;
    this.#bootMs += seconds * 1000;
  }

  /** Somebody sets the wall clock, ahead or back; no time passes. */
  jump(seconds: number): void {
    this.ms += seconds * 1000;
  }

  /** The machine is started anew, half a minute after its end. */
  reboot(): void {
    this.ms += 30_000;
    this.#boot++;
    this.#bootMs = 20_000;
  }
}

/** Of a wall clock alone: both clocks move with it. */
export function clockOf(now: () => number): Clock {
  return { now, boot: () => ({ id: "boot-0000001", ms: now() }) };
}
