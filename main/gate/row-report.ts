/** Hears of rows of a database that can't be read: one of them hides no other, and somebody has to know. */
export interface RowReport {
  /** `what` names the row in a sentence, such as "grant 7"; `hint` says what to do. */
  damaged(what: string, hint: string): void;
  /** It was put right, or has ended. */
  resolved(what: string): void;
}

/** For whoever only looks. */
export const NO_REPORT: RowReport = { damaged: () => undefined, resolved: () => undefined };
