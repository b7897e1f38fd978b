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

interface Share {
  /** Time worked, in milliseconds, on a scale common to all shares. */
  used: number;
  readonly jobs: Set<Job>;
}

export class Turns {
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

  /** Works at once if no job is queued and the turn has time left; otherwise queues the job. */
  add(job: Job): void {
    if (this.#is_working || this.#queued.size > 0 || this.#spent >= TURN_MS) return this.#enqueue(job);
    const began = performance.now();
    this.#is_working = true;
    const has_more = job.work(began + TURN_MS - this.#spent);
    this.#end();
    this.#spent += performance.now() - began;
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
    let share = this.#shares.get(job.share);
    if (share === undefined) {
      share = { used: 0, jobs: new Set() };
      this.#shares.set(job.share, share);
    }
    if (share.jobs.size === 0) share.used = Math.max(share.used, this.#mark - HEAD_START_MS);
    share.jobs.add(job);
    this.#queued.set(job, share);
    this.#schedule();
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
      now = then;
      if (has_more) this.#enqueue(job);
    }
    this.#end();
    if (this.#queued.size > 0) this.#schedule();
    else {
      this.#shares.clear();
      this.#mark = 0;
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
