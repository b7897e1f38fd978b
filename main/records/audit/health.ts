import type { Loss } from "./head.ts";

/** The state of writing the trail, for its alarms. */
export interface TrailHealth {
  /** The error that keeps lines from being written now, or null. */
  failure: unknown;
  /** The error that keeps the record of the end from being written, or null. */
  headFailure: unknown;
  /** The error of the last sync, or null: a crash of the machine may take more than the last second. */
  syncFailure: unknown;
  /** What has just been found to have happened to the file, as the end of a sentence; null: nothing that wasn't reported before. */
  change: string | null;
  /** The disk is full, and the reserved space is being used up. */
  isOnReserve: boolean;
  /** Lost lines that the trail doesn't report yet. */
  lost: Loss | null;
  /** Number of lost lines that the trail reports, since the start. */
  lostBefore: number;
}

/** The trail's end, as a running gate knows it. */
export interface LiveEnd {
  hash: string;
  recorded: string | undefined;
}
