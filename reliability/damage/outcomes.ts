/** The outcomes for a gate whose file was damaged. */

/** These are right, where the table of what is expected says so. */
export const ALLOWED_OUTCOMES = {
  refused: "it doesn't start, and names the file and what to do",
  noticed: "it continues, and an alarm or its log names the file",
  killed:
    "the system ends it (SIGBUS), and nothing is lost: SQLite keeps that file in its memory; `npm start` restarts it",
  ends: "the running gate stops deciding and ends, and names the file",
  verify: "it continues, and `audit verify`, or for receipts `receipts verify`, names it",
  harmless: "nothing that counts is lost; what can be recreated is",
  unseen: "it can't be distinguished from what was there before",
} as const;

/** These never are. */
const FAILURES = {
  hang: "neither starts nor ends",
  crash: "ended with a stack, by a signal, or silently",
  raw: "an error without the file's name or without what to do",
  lost: "acknowledged although it couldn't last",
  "written elsewhere": "a file that isn't the gate's was changed",
} as const;

export type AllowedOutcome = keyof typeof ALLOWED_OUTCOMES;
export type Outcome = AllowedOutcome | keyof typeof FAILURES;

/** When the damage is done. */
export const MOMENTS = ["at rest", "running"] as const;
export type Moment = (typeof MOMENTS)[number];
