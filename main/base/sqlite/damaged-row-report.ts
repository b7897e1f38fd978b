/** Receives reports of unreadable rows of a database: one of them doesn't hide the others, and each is shown to the operator. */
export interface DamagedRowReport {
  /** `what` names the row in a sentence, such as "grant 7"; `hint` says what to do. */
  damaged(what: string, hint: string): void;
  /** The row was repaired, or its content has ended. */
  resolved(what: string): void;
}

/** For callers that only read. */
export const NO_REPORT: DamagedRowReport = { damaged: () => undefined, resolved: () => undefined };
