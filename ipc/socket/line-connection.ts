import type { Socket } from "node:net";
import { BYTE_LIMITS, type Frame, FrameReader, type Line, type UnfinishedBudget } from "./frames.ts";
import type { Job, JobTurns } from "./job-turns.ts";
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
   * The client is identified. It shares its turns with others of the same `share`; `max_bytes` (left out: no bound) is what it
   * may send from now on.
   */
  admit(share: string, max_bytes?: number): void;
}

export interface ConnectionHost {
  readonly turns: JobTurns;
  readonly unread: UnreadBudget;
  readonly unfinished: UnfinishedBudget;
  readonly frame_timeout_ms: number | undefined;
  /** What a client may send before it is admitted, in bytes. */
  readonly max_unadmitted_bytes: number;
  /** Handles frames until `next` has none: then the turn is over, or all were handled. */
  received(connection: LineConnection, next: () => Frame | undefined): Work | undefined;
  admitted(connection: ServedConnection): void;
  dropped(reason: string): void;
}

/** How long a client may take to read its last message before the connection is cut, in milliseconds. */
export const CLOSE_GRACE_MS = 1000;

export class ServedConnection implements LineConnection, Job, UnreadOwner {
  readonly id: number;
  readonly opened_at = performance.now();
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
  #is_waiting = false;
  #is_paused = false;
  #is_ending = false;
  #is_admitted = false;
  #is_writing = false;
  /** What it may still send, in bytes. */
  #allowance: number;

  constructor(id: number, socket: Socket, host: ConnectionHost) {
    this.id = id;
    this.#socket = socket;
    this.#host = host;
    this.#allowance = host.max_unadmitted_bytes;
    const unfinished = () => this.#take([{ ok: false, problem: "frame_unfinished" }]);
    this.#reader = new FrameReader(unfinished, host.frame_timeout_ms, BYTE_LIMITS, host.unfinished);
    socket.on("drain", () => this.#drained());
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed;
  }

  /** True if everything it sent was handled. */
  get isSilent(): boolean {
    return this.#lines.length === 0 && this.#steps === undefined && !this.#is_waiting;
  }

  send(lines: string): void {
    const socket = this.#socket;
    if (socket.destroyed || !socket.writable) return;
    // False once the system's buffer is full: until then nothing is counted.
    if (!socket.write(lines) || this.#is_writing) this.#note();
  }

  end(lines: string): void {
    if (!this.#is_admitted) return this.endAtOnce(lines);
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
    this.#is_ending = true;
    this.#forget();
  }

  admit(share: string, max_bytes = Number.POSITIVE_INFINITY): void {
    this.share = share;
    this.#is_admitted = true;
    this.#allowance = max_bytes;
    this.#host.admitted(this);
  }

  drop(reason: string): void {
    this.#host.dropped(reason);
    this.ignore();
    this.#socket.destroy();
  }

  /** Takes received text, one character for each byte. */
  read(text: string): void {
    if (this.#is_ending || this.#socket.destroyed) return;
    this.#allowance -= text.length;
    this.#take(this.#reader.lines(text));
  }

  /** The socket was closed. */
  closed(): void {
    this.ignore();
    this.#reader.close();
    this.#host.unread.note(this, 0);
  }

  work(ends_at: number): boolean {
    do {
      if (this.#steps !== undefined) this.#step(this.#steps, ends_at);
      else if (this.#mayHandle()) this.#handle(ends_at);
      else break;
    } while (performance.now() < ends_at);
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
    if (this.#allowance >= 0 || this.#lines.length > 0 || this.#is_ending) return;
    this.#allowance = 0;
    this.#lines.push({ ok: false, problem: "too_much_before_hello" });
  }

  #mayWork(): boolean {
    return this.#steps !== undefined || this.#mayHandle();
  }

  #mayHandle(): boolean {
    return this.#lines.length > 0 && !this.#is_waiting && !this.#isBehind();
  }

  #isBehind(): boolean {
    return this.#is_writing && this.#host.unread.isBehind(this);
  }

  #step(steps: Iterator<void, void>, ends_at: number): void {
    do {
      if (steps.next().done !== true) continue;
      if (this.#steps === steps) this.#steps = undefined;
      return;
    } while (performance.now() < ends_at && this.#steps === steps);
  }

  #handle(ends_at: number): void {
    let is_first = true;
    const next = (): Frame | undefined => {
      const line = this.#lines[this.#first];
      if (line === undefined || (!is_first && performance.now() >= ends_at)) return undefined;
      is_first = false;
      this.#first++;
      this.#grow(-lengthOf(line));
      if (this.#first === this.#lines.length) {
        this.#lines = [];
        this.#first = 0;
      }
      return this.#reader.decode(line);
    };
    const work = this.#host.received(this, next);
    if (!this.#is_ending) this.#refuseExcess();
    if (work === undefined || this.#is_ending) return;
    if (work instanceof Promise) this.#wait(work);
    else this.#steps = work;
  }

  #wait(work: Promise<void>): void {
    this.#is_waiting = true;
    const go = () => {
      this.#is_waiting = false;
      if (!this.#is_ending) this.#go();
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
    this.#is_writing = true;
    this.#host.unread.note(this, this.#socket.writableLength);
    this.#regulate();
  }

  #drained(): void {
    this.#is_writing = false;
    this.#host.unread.note(this, 0);
    if (!this.#is_ending) this.#go();
  }

  /** Pauses reading while lines are unhandled or output is unread. A plan's steps don't count: a disconnection has to end them. */
  #regulate(): void {
    const must_wait = !this.#is_ending && (this.#lines.length > 0 || this.#isBehind());
    if (must_wait === this.#is_paused) return;
    this.#is_paused = must_wait;
    if (must_wait) {
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
