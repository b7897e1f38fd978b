/** What of the browser the link to the gate needs. */
export interface Seat {
  /** Of the page: what the gate proves is worth something here only. */
  origin: string;
  /** Null where there is none, or the browser keeps nothing for this page: no gate can prove itself then. */
  secret(): string | null;
  /** Something happened that makes another attempt worth it. The function that is returned ends it. */
  onHint(listener: (hint: Hint) => void): () => void;
}

export type Hint =
  /** A new link was used in another tab: it brought a session for this one, too. */
  | "new_session"
  /** The tab is seen again: the browser slows the timers of one that nobody sees. */
  | "seen";
