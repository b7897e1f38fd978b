import type { Declaration } from "./declaration.ts";

/** What the gate needs of the box (main/box): whether there is one, and that a call's command line gets into it. */

/** One command line that may run confined, once. */
export interface ConfinedRun {
  readonly declaration: Declaration;
  /** A shell's command line. */
  readonly line: string;
  readonly agent_id: string;
  readonly agent_name: string;
  readonly session: string;
  /** The call's hash (approvals/canonical.ts). */
  readonly call_hash: string;
  /** The client's own id of the call, by which it reports what ran; undefined where it has none. */
  readonly call_id: string | undefined;
  /** Of the decision that allowed it; left out of the user's own. */
  readonly decision_id?: string;
  /** Its client doesn't wait for it, and may say that it ran before it has begun. */
  readonly in_background?: boolean;
}

export interface Box {
  /** False: nothing can be confined now. Read for each call. */
  readonly is_available: boolean;
  /** True: a confined line that fetches can reach hosts, each of which is decided on by itself. Read for each call. */
  readonly has_network: boolean;
  /** True: nothing in this folder can be confined, as it holds too much; known once a run there couldn't be prepared. */
  isTooLarge?(project: string): boolean;
  /** True: a command that is confined to a project runs, or may begin, and can change what lies at this path (absolute, real). */
  isBeingChanged?(path: string): boolean;
  /**
   * Prepares a run: for a minute, the words that start it, once.
   * @throws GateError `box_unavailable` where it can't be prepared: the call is denied then
   */
  prepare(run: ConfinedRun): { argv: readonly string[] };
  /** Takes back what was prepared and is not sent after all: these words start nothing any more. Never throws. */
  discard(argv: readonly string[]): void;
}
