import { z } from "zod";

/** What counts of a session: something private was read in it, or something came in that others may have written (docs/flow.md). */

export const MARKS = ["private", "untrusted"] as const;
export type Mark = (typeof MARKS)[number];

/** What set a mark last: a path, a host, a server or a capability; and the call that did, at an ISO-8601 time. */
export const seenSchema = z.object({ what: z.string(), decision_id: z.string(), at: z.string() });
export type Seen = z.infer<typeof seenSchema>;

export interface Marks {
  readonly private?: Seen;
  readonly untrusted?: Seen;
}

/** What a call is asked about for its session's marks: with what the user is shown. */
export interface Flow {
  rule: "flow.private-untrusted-out" | "flow.untrusted-later";
  read?: Seen;
  came: Seen;
  /** Where it would go, or what it would change: as far as the user hasn't agreed to it. */
  to: readonly string[];
  /** Of sending, how many different private things the session has read by now: an answer for the session holds until there is another. */
  reads: number;
}
