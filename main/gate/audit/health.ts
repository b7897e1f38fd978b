import type { Loss } from "./head.ts";

/** How the writing goes, for whoever warns of it. */
export interface TrailHealth {
  /** What keeps the lines from being written now; null: nothing. */
  failure: unknown;
  /** What keeps the record of the end from being written; null: nothing. */
  head_failure: unknown;
  /** The disk is full, and the room that was kept aside is being used up. */
  is_on_reserve: boolean;
  /** Lines that were lost and that the trail doesn't tell of yet. */
  lost: Loss | null;
  /** Lines that were lost and that the trail tells of, since the start. */
  lost_before: number;
}

/** Where a running gate knows the trail to end. */
export interface LiveEnd {
  hash: string;
  recorded: string | undefined;
}
