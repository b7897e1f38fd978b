/** The clients' unread output, bounded for each and for all of a server together. */

export interface UnreadLimits {
  /** A client with more unread output isn't read from until it has read it. Bytes. */
  pauseBytes: number;
  /** While all clients together have more unread, no client with unread output is read from. Bytes. */
  total_bytes: number;
  /** A client with more unread than this that reads nothing for `patienceMs` is dropped. Bytes. */
  maxBytes: number;
  patienceMs: number;
}

export interface UnreadOwner {
  /** `reason` is for the log. */
  drop(reason: string): void;
}

/** Answers in progress may exceed the total; beyond this many times the total a client is dropped. */
const MAX_TOTALS = 2;

export class UnreadBudget {
  readonly #limits: UnreadLimits;
  /** In order of the last read: the client that has read nothing for the longest is first. */
  readonly #unread = new Map<UnreadOwner, number>();
  readonly #overdue = new Map<UnreadOwner, { timer: NodeJS.Timeout; bytes: number }>();
  #used = 0;

  constructor(limits: UnreadLimits) {
    this.#limits = limits;
  }

  /** The unread output of all clients, in bytes. */
  get used(): number {
    return this.#used;
  }

  /** Records how much a client has unread. Zero removes it. May drop it, or another client. */
  note(owner: UnreadOwner, bytes: number): void {
    const before = this.#unread.get(owner) ?? 0;
    this.#used += bytes - before;
    if (bytes < before || bytes === 0) this.#unread.delete(owner);
    if (bytes > 0) this.#unread.set(owner, bytes);
    this.#watch(owner, bytes);
    const { total_bytes } = this.#limits;
    // Of several clients the one that has read nothing for the longest. A single one may have requested something long.
    while (this.#used > MAX_TOTALS * total_bytes && this.#unread.size > 1) {
      const [slowest] = this.#unread.keys();
      if (slowest === undefined) break;
      this.#drop(slowest, `clients left more than ${MAX_TOTALS * total_bytes} bytes unread together`);
    }
  }

  /** True while the client isn't read from. */
  isBehind(owner: UnreadOwner): boolean {
    const bytes = this.#unread.get(owner) ?? 0;
    return bytes > this.#limits.pauseBytes || (bytes > 0 && this.#used > this.#limits.total_bytes);
  }

  #watch(owner: UnreadOwner, bytes: number): void {
    const { maxBytes, patienceMs } = this.#limits;
    const overdue = this.#overdue.get(owner);
    if (bytes <= maxBytes) {
      if (overdue === undefined) return;
      clearTimeout(overdue.timer);
      this.#overdue.delete(owner);
      return;
    }
    // A client that has read some of it gets the full time again.
    if (overdue !== undefined && bytes >= overdue.bytes) return;
    clearTimeout(overdue?.timer);
    const timer = setTimeout(
      () => this.#drop(owner, `a client left more than ${maxBytes} bytes unread for ${patienceMs / 1000} s`),
      patienceMs,
    );
    timer.unref();
    this.#overdue.set(owner, { timer, bytes });
  }

  #drop(owner: UnreadOwner, reason: string): void {
    this.note(owner, 0);
    owner.drop(reason);
  }
}
