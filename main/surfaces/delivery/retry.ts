import { setTimeout as sleep } from "node:timers/promises";

/** How a channel tries again what the other side didn't take. */

export interface Backoff {
  /** Before the second try; doubled with each further one. */
  firstWaitMs: number;
  longestWaitMs: number;
}

export const BACKOFF: Backoff = { firstWaitMs: 1000, longestWaitMs: 60_000 };

/** How long to wait after so many failures one after the other, in milliseconds. */
export function waitAfter(failures: number, { firstWaitMs, longestWaitMs }: Backoff = BACKOFF): number {
  return Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(failures - 1, 20));
}

/** Waits so many milliseconds, or until `signal` is aborted. Never throws, and keeps no process alive. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { ref: false, ...(signal === undefined ? {} : { signal }) }).catch((error: unknown) => {
    if (signal?.aborted !== true) throw error;
  });
}
