import { setTimeout as sleep } from "node:timers/promises";

/** How long what takes, in milliseconds unless the name says otherwise. Tests have shorter ones. */
export interface Timing {
  /** How long Telegram is asked to wait for updates. */
  poll_seconds: number;
  /** Before the second try; doubled with each further one. */
  first_wait_ms: number;
  longest_wait_ms: number;
  /** A tap counts so long after its message was shown, or changed. */
  tap_delay_ms: number;
  /** How long a tap's answer waits at the most for the message to say the same. */
  settle_ms: number;
  /** Updates that are refused are written into the trail so often at the most. */
  refused_interval_ms: number;
  /** How long the end of the gate waits for what is being sent. */
  close_ms: number;
}

export const TIMING: Timing = {
  poll_seconds: 50,
  first_wait_ms: 1000,
  longest_wait_ms: 60_000,
  tap_delay_ms: 1000,
  settle_ms: 3000,
  refused_interval_ms: 60_000,
  close_ms: 2000,
};

/** How time passes: the machine's own, or a test's. */
export interface Waits {
  /** A clock that nobody sets, in milliseconds. */
  monotonic(): number;
  /** Resolves after so many milliseconds, or once the signal is aborted. Keeps no process running. */
  pause(ms: number, signal?: AbortSignal): Promise<void>;
}

export const WAITS: Waits = {
  monotonic: () => performance.now(),
  async pause(ms, signal) {
    await sleep(ms, undefined, { ref: false, ...(signal === undefined ? {} : { signal }) }).catch((error: unknown) => {
      if (signal?.aborted !== true) throw error;
    });
  },
};

/** Before the try after so many that failed. */
export function waitBefore(failed: number, { first_wait_ms, longest_wait_ms }: Timing): number {
  return Math.min(longest_wait_ms, first_wait_ms * 2 ** Math.min(failed - 1, 20));
}
