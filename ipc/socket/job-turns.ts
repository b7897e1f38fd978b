/**
 * Schedules the clients' work. While no other job is queued, work is done at once; otherwise in turns of the event loop that last a
 * few milliseconds each, so that no client and no agent makes the others wait.
 */

/** Work that may take more than one turn. */
export interface Job {
  /** All jobs of one share together get as much time as a single job of another share. */
  readonly share: string;
  /** Works until `ends_at` (`performance.now()`, in milliseconds), one step at the least. True if there is more to do. */
  work(ends_at: number): boolean;
}

/** How long one turn occupies the event loop, in milliseconds. A step that takes longer can't be interrupted. */
const TURN_MS = 4;
/** How long one job works while others are queued, in milliseconds. */
const SLICE_MS = 1;
/** An idle share's credit over the others is at most this, in milliseconds. */
const HEAD_START_MS = 4;
/** A step that takes longer than this is a long one, in milliseconds: for a while a share's jobs then wait until it was seen who else has come. */
const LONG_STEP_MS = 10;
const LONG_STEP_COUNTS_MS = 1000;

interface Share {
  /** Time worked, in milliseconds, on a scale common to all shares. */
  used: number;
  readonly jobs: Set<Job>;
  /** Until then (`performance.now()`) its steps are taken for long ones. */
  long_until: number;
}

export class JobTurns {
  readonly #shares = new Map<string, Share>();
  readonly #queued = new Map<Job, Share>();
  readonly #ended: () => void;
  /** The most that a share had used when it was served. */
  #mark = 0;
  /** Time worked in this iteration of the event loop, in milliseconds. */
  #spent = 0;
  #is_working = false;
  #next: NodeJS.Immediate | undefined;

  /** `ended` is called at each turn's end, still within it. */
  constructor(ended: () => void) {
    this.#ended = ended;
  }

  get isWorking(): boolean {
    return this.#is_working;
  }

  /** Works at once if no job is queued, the turn has time left and the share's last steps were short; otherwise queues the job. */
  add(job: Job): void {
    const [began, long_until] = [performance.now(), this.#shares.get(job.share)?.long_until ?? 0];
    const must_wait = this.#is_working || this.#queued.size > 0 || this.#spent >= TURN_MS || began < long_until;
    if (must_wait) return this.#enqueue(job);
    this.#is_working = true;
    const has_more = job.work(began + TURN_MS - this.#spent);
    this.#end();
    const took = performance.now() - began;
    if (took > LONG_STEP_MS) this.#tookLong(this.#shareOf(job));
    this.#spent += took;
    if (has_more) this.#enqueue(job);
    else if (this.#spent >= SLICE_MS) this.#schedule();
  }

  /** Removes the job, finished or not. */
  remove(job: Job): void {
    this.#queued.get(job)?.jobs.delete(job);
    this.#queued.delete(job);
  }

  #enqueue(job: Job): void {
    if (this.#queued.has(job)) return;
    const share = this.#shareOf(job);
    if (share.jobs.size === 0) share.used = Math.max(share.used, this.#mark - HEAD_START_MS);
    share.jobs.add(job);
    this.#queued.set(job, share);
    this.#schedule();
  }

  #shareOf({ share: name }: Job): Share {
    const share = this.#shares.get(name) ?? { used: 0, jobs: new Set(), long_until: 0 };
    this.#shares.set(name, share);
    return share;
  }

  #tookLong(share: Share): void {
    share.long_until = performance.now() + LONG_STEP_COUNTS_MS;
  }

  /** An immediate runs after pending input was read, and lets more be read after it. */
  #schedule(): void {
    this.#next ??= setImmediate(() => {
      this.#next = undefined;
      this.#turn();
    });
  }

  #turn(): void {
    const ends_at = performance.now() + TURN_MS;
    this.#spent = 0;
    this.#is_working = true;
    for (let now = performance.now(); this.#queued.size > 0 && now < ends_at; ) {
      const share = this.#nextShare();
      const [job] = share.jobs;
      if (job === undefined) break;
      this.remove(job);
      const has_more = job.work(this.#queued.size === 0 ? ends_at : Math.min(ends_at, now + SLICE_MS));
      const then = performance.now();
      share.used += then - now;
      if (then - now > LONG_STEP_MS) this.#tookLong(share);
      now = then;
      if (has_more) this.#enqueue(job);
    }
    this.#end();
    if (this.#queued.size > 0) this.#schedule();
    else this.#beginAnew();
  }

  /** Nobody waits: what was used is forgotten, but that whose steps are long comes after the others. */
  #beginAnew(): void {
    this.#mark = 0;
    const now = performance.now();
    for (const [name, share] of this.#shares) {
      if (share.long_until <= now) this.#shares.delete(name);
      else share.used = HEAD_START_MS;
    }
  }

  #end(): void {
    this.#ended();
    this.#is_working = false;
  }

  #nextShare(): Share {
    let least: Share | undefined;
    for (const share of this.#shares.values())
      if (share.jobs.size > 0 && (least === undefined || share.used < least.used)) least = share;
    if (least === undefined) throw new Error("a queued job has a share");
    this.#mark = Math.max(this.#mark, least.used);
    return least;
  }
}
