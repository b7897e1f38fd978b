/** What counts of a session: something private was read in it, or something came in that others may have written. */

export const MARKS = ["private", "untrusted"] as const;
export type Mark = (typeof MARKS)[number];

/** What set a mark last. */
export interface MarkedBy {
  /** A path, a host, a server or a capability. */
  what: string;
  /** Of the call that did. */
  decision_id: string;
  /** ISO-8601. */
  at: string;
}

export interface Marks {
  readonly private?: MarkedBy;
  readonly untrusted?: MarkedBy;
}

/** What a session is asked about for its marks: with what the user is shown. */
export interface Flow {
  rule: "flow.private-untrusted-out" | "flow.untrusted-later";
  read?: MarkedBy;
  came: MarkedBy;
  /** Where it would go, or what it would change. */
  to: string;
  /** How many different private things the session has read by now: an answer for the session holds until there is another. */
  reads: number;
}
