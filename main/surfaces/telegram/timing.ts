import { BACKOFF, type Backoff, pause } from "../delivery/retry.ts";

/** How long what takes, in milliseconds unless the name says otherwise. Tests have shorter ones. */
export interface Timing extends Backoff {
  /** How long Telegram is asked to wait for updates. */
  pollSeconds: number;
  /** A message is changed so often at the most: Telegram takes about one call a second in a chat. */
  editIntervalMs: number;
  /** A tap counts so long after its message was shown, or changed. */
  tapDelayMs: number;
  /** How long a tap's answer waits at the most for the message to say the same. */
  settleMs: number;
  /** Updates that are refused are written into the trail so often at the most. */
  refusedIntervalMs: number;
  /** How long the end of the gate waits for what is being sent. */
  closeMs: number;
}

export const TIMING: Timing = {
  ...BACKOFF,
  pollSeconds: 50,
  editIntervalMs: 2500,
  tapDelayMs: 1000,
  settleMs: 3000,
  refusedIntervalMs: 60_000,
  closeMs: 2000,
};

/** How time passes: the machine's own, or a test's. */
export interface Waits {
  /** A clock that nobody sets, in milliseconds. */
  monotonic(): number;
  /** Resolves after so many milliseconds, or once the signal is aborted. Keeps no process running. */
  pause(ms: number, signal?: AbortSignal): Promise<void>;
}

export const WAITS: Waits = { monotonic: () => performance.now(), pause };
