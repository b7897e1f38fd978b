import type { Socket } from "node:net";
import { BYTE_LIMITS, type Frame, FrameReader, type Line, type UnfinishedBudget } from "./frames.ts";
import type { UnreadBudget, UnreadOwner } from "./unread-budget.ts";

/** One client of a line server: its unhandled lines, its unread output, and when it is read from. */

/** A frame's remaining work: steps that may be taken in several turns, or a promise to wait for. */
export type Work = Iterator<void, void> | Promise<void>;

/** One client. `send` takes whole lines; nothing is sent to a disconnected client. */
export interface LineConnection {
  readonly id: number;
  readonly isOpen: boolean;
  send(lines: string): void;
  /** Sends, then closes. Whatever the client still sends is dropped. */
  end(lines: string): void;
  /** Handles nothing more of what the client has sent: it is about to be ended. */
  ignore(): void;
  /**
   * The client is identified. It shares its turns with others of the same `share`; `maxBytes` (left out: no bound) is what it
   * may send from now on.
   */
  admit(share: string, maxBytes?: number): void;
}

export interface ConnectionHost {
  readonly turns: JobTurns;
  readonly unread: UnreadBudget;
  readonly unfinished: UnfinishedBudget;
  readonly frameTimeoutMs: number | undefined;
  /** What a client may send before it is admitted, in bytes. */
  readonly maxUnadmittedBytes: number;
  /** Handles frames until `next` has none: then the turn is over, or all were handled. */
  received(connection: LineConnection, next: () => Frame | undefined): Work | undefined;
  admitted(connection: ServedConnection): void;
  dropped(reason: string): void;
}

/** How long a client may take to read its last message before the connection is cut, in milliseconds. */
export const CLOSE_GRACE_MS = 1000;

export class ServedConnection implements LineConnection, Job, UnreadOwner {
  readonly id: number;
  readonly openedAt = performance.now();
  share = "";
  readonly #socket: Socket;
  readonly #host: ConnectionHost;
  readonly #reader: FrameReader;
  #lines: Line[] = [];
  /** The first of `#lines` that wasn't handled. */
  #first = 0;
  /** Of the unhandled lines, in characters. */
  #length = 0;
  #steps: Iterator<void, void> | undefined;
  #isWaiting = false;
  #isPaused = false;
  #isEnding = false;
  #isAdmitted = false;
  #isWriting = false;
  /** What it may still send, in bytes. */
  #allowance: number;

  constructor(id: number, socket: Socket, host: ConnectionHost) {
    this.id = id;
    this.#socket = socket;
    this.#host = host;
    this.#allowance = host.maxUnadmittedBytes;
    const unfinished = () => this.#take([{ ok: false, problem: "frame_unfinished" }]);
    this.#reader = new FrameReader(unfinished, host.frameTimeoutMs, BYTE_LIMITS, host.unfinished);
    socket.on("drain", () => this.#drained());
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed;
  }

  /** True if everything it sent was handled. */
  get isSilent(): boolean {
    return this.#lines.length === 0 && this.#steps === undefined && !this.#isWaiting;
  }

  send(lines: string): void {
    const socket = this.#socket;
    if (socket.destroyed || !socket.writable) return;
    // False once the system's buffer is full: until then nothing is counted.
    if (!socket.write(lines) || this.#isWriting) this.#note();
  }

  end(lines: string): void {
    if (!this.#isAdmitted) return this.endAtOnce(lines);
    this.ignore();
    const socket = this.#socket;
    if (socket.destroyed || !socket.writable) return;
    socket.end(lines);
    socket.resume();
    setTimeout(() => socket.destroy(), CLOSE_GRACE_MS).unref();
  }

  /** Ends it as soon as the output is with the system: nothing that an unauthenticated client still sends is read. */
  endAtOnce(lines: string): void {
    this.ignore();
    if (!this.#socket.destroyed) this.#socket.write(lines);
    this.#socket.destroySoon();
  }

  ignore(): void {
    this.#isEnding = true;
    this.#forget();
  }

  admit(share: string, maxBytes = Number.POSITIVE_INFINITY): void {
    this.share = share;
    this.#isAdmitted = true;
    this.#allowance = maxBytes;
    this.#host.admitted(this);
  }

  drop(reason: string): void {
    this.#host.dropped(reason);
    this.ignore();
    this.#socket.destroy();
  }

  /** Takes received text, one character for each byte. */
  read(text: string): void {
    if (this.#isEnding || this.#socket.destroyed) return;
    this.#allowance -= text.length;
    this.#take(this.#reader.lines(text));
  }

  /** The socket was closed. */
  closed(): void {
    this.ignore();
    this.#reader.close();
    this.#host.unread.note(this, 0);
  }

  work(endsAt: number): boolean {
    do {
      if (this.#steps !== undefined) this.#step(this.#steps, endsAt);
      else if (this.#mayHandle()) this.#handle(endsAt);
      else break;
    } while (performance.now() < endsAt);
    this.#regulate();
    return this.#mayWork();
  }

  #take(lines: Line[]): void {
    if (lines.length > 0) {
      if (this.#lines.length === 0) this.#lines = lines;
      else for (const line of lines) this.#lines.push(line);
      this.#grow(lines.reduce((sum, line) => sum + lengthOf(line), 0));
    }
    this.#go();
  }

  /** Schedules the unhandled lines, at once or in a turn. */
  #go(): void {
    this.#refuseExcess();
    if (this.#mayWork()) this.#host.turns.add(this);
    this.#regulate();
  }

  /** Queues an error for a client that has sent more than it may without being admitted. */
  #refuseExcess(): void {
    if (this.#allowance >= 0 || this.#lines.length > 0 || this.#isEnding) return;
    this.#allowance = 0;
    this.#lines.push({ ok: false, problem: "too_much_before_hello" });
  }

  #mayWork(): boolean {
    return this.#steps !== undefined || this.#mayHandle();
  }

  #mayHandle(): boolean {
    return this.#lines.length > 0 && !this.#isWaiting && !this.#isBehind();
  }

  #isBehind(): boolean {
    return this.#isWriting && this.#host.unread.isBehind(this);
  }

  #step(steps: Iterator<void, void>, endsAt: number): void {
    do {
      if (steps.next().done !== true) continue;
      if (this.#steps === steps) this.#steps = undefined;
      return;
    } while (performance.now() < endsAt && this.#steps === steps);
  }

  #handle(endsAt: number): void {
    let isFirst = true;
    const next = (): Frame | undefined => {
      const line = this.#lines[this.#first];
      if (line === undefined || (!isFirst && performance.now() >= endsAt)) return undefined;
      isFirst = false;
      this.#first++;
      this.#grow(-lengthOf(line));
      if (this.#first === this.#lines.length) {
        this.#lines = [];
        this.#first = 0;
      }
      return this.#reader.decode(line);
    };
    const work = this.#host.received(this, next);
    if (!this.#isEnding) this.#refuseExcess();
    if (work === undefined || this.#isEnding) return;
    if (work instanceof Promise) this.#wait(work);
    else this.#steps = work;
  }

  #wait(work: Promise<void>): void {
    this.#isWaiting = true;
    const go = () => {
      this.#isWaiting = false;
      if (!this.#isEnding) this.#go();
    };
    void work.then(go, go);
  }

  #grow(by: number): void {
    this.#host.unfinished.change(this.#length, this.#length + by);
    this.#length += by;
  }

  #forget(): void {
    this.#lines = [];
    this.#first = 0;
    this.#grow(-this.#length);
    this.#steps = undefined;
    this.#host.turns.remove(this);
  }

  #note(): void {
    this.#isWriting = true;
    this.#host.unread.note(this, this.#socket.writableLength);
    this.#regulate();
  }

  #drained(): void {
    this.#isWriting = false;
    this.#host.unread.note(this, 0);
    if (!this.#isEnding) this.#go();
  }

  /** Pauses reading while lines are unhandled or output is unread. A plan's steps don't count: a disconnection has to end them. */
  #regulate(): void {
    const mustWait = !this.#isEnding && (this.#lines.length > 0 || this.#isBehind());
    if (mustWait === this.#isPaused) return;
    this.#isPaused = mustWait;
    if (mustWait) {
      this.#socket.pause();
      this.#reader.suspend();
    } else {
      this.#socket.resume();
      this.#reader.resume();
    }
  }
}

function lengthOf(line: Line): number {
  return typeof line === "string" ? line.length : 0;
}

// Schedules the clients' work. While no other job is queued, work is done at once; otherwise in turns of the event loop that last a
// few milliseconds each, so that no client and no agent makes the others wait.

/** Work that may take more than one turn. */
export interface Job {
  /** All jobs of one share together get as much time as a single job of another share. */
  readonly share: string;
  /** Works until `ends_at` (`performance.now()`, in milliseconds), one step at the least. True if there is more to do. */
  work(endsAt: number): boolean;
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
  longUntil: number;
}

export class JobTurns {
  readonly #shares = new Map<string, Share>();
  readonly #queued = new Map<Job, Share>();
  readonly #ended: () => void;
  /** The most that a share had used when it was served. */
  #mark = 0;
  /** Time worked in this iteration of the event loop, in milliseconds. */
  #spent = 0;
  #isWorking = false;
  #next: NodeJS.Immediate | undefined;

  /** `ended` is called at each turn's end, still within it. */
  constructor(ended: () => void) {
    this.#ended = ended;
  }

  get isWorking(): boolean {
    return this.#isWorking;
  }

  /** Works at once if no job is queued, the turn has time left and the share's last steps were short; otherwise queues the job. */
  add(job: Job): void {
    const [began, longUntil] = [performance.now(), this.#shares.get(job.share)?.longUntil ?? 0];
    const mustWait = this.#isWorking || this.#queued.size > 0 || this.#spent >= TURN_MS || began < longUntil;
    if (mustWait) return this.#enqueue(job);
    this.#isWorking = true;
    const hasMore = job.work(began + TURN_MS - this.#spent);
    this.#end();
    const took = performance.now() - began;
    if (took > LONG_STEP_MS) this.#tookLong(this.#shareOf(job));
    this.#spent += took;
    if (hasMore) this.#enqueue(job);
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
    const share = this.#shares.get(name) ?? { used: 0, jobs: new Set(), longUntil: 0 };
    this.#shares.set(name, share);
    return share;
  }

  #tookLong(share: Share): void {
    share.longUntil = performance.now() + LONG_STEP_COUNTS_MS;
  }

  /** An immediate runs after pending input was read, and lets more be read after it. */
  #schedule(): void {
    this.#next ??= setImmediate(() => {
      this.#next = undefined;
      this.#turn();
    });
  }

  #turn(): void {
    const endsAt = performance.now() + TURN_MS;
    this.#spent = 0;
    this.#isWorking = true;
    for (let now = performance.now(); this.#queued.size > 0 && now < endsAt; ) {
      const share = this.#nextShare();
      const [job] = share.jobs;
      if (job === undefined) break;
      this.remove(job);
      const hasMore = job.work(this.#queued.size === 0 ? endsAt : Math.min(endsAt, now + SLICE_MS));
      const then = performance.now();
      share.used += then - now;
      if (then - now > LONG_STEP_MS) this.#tookLong(share);
      now = then;
      if (hasMore) this.#enqueue(job);
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
      if (share.longUntil <= now) this.#shares.delete(name);
      else share.used = HEAD_START_MS;
    }
  }

  #end(): void {
    this.#ended();
    this.#isWorking = false;
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
