import { closeSync, mkdirSync, readdirSync, renameSync, rmSync, unlinkSync, writeSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import { errorCode } from "../base/errors.ts";
import { othersPipes, PIPES_AHEAD, type PipePair, type PipePairs } from "../base/pipes/pipe-pairs.ts";
import { type PipeWords, readPipeWords } from "./pipe-words.ts";

/**
 * The pipes over which hooks ask the gate: a launcher that is a shell alone takes a waiting pair by its name, and no Node starts for a call. Each
 * pair is for one hook: its names are gone with its first byte. What isn't answered here, the hook's own program answers.
 */

/** Others take their place a little later, together: not while one is answered. In milliseconds. */
const FILL_AFTER_MS = 25;
/** In bytes, of a payload and the words before it; what is larger isn't answered here (pipe-answers.ts), and need not be held. */
const MAX_MESSAGE = 320 * 1024;
/** A message comes in a few; one byte at a time, each would cost some hundred. */
const MAX_CHUNKS = 4096;
/** A pair that was taken by a launcher which then said nothing, or not all of it, is given up after twice as long. In milliseconds. */
const LOOK_FOR_LEFT_MS = 10_000;

export interface HookPipesParts {
  /** Its own folder; for the gate's user alone. */
  folder: string;
  /** In a folder beside it. */
  slots: PipePairs;
  /** Of this gate alone: what else lies there is an earlier one's. */
  prefix: string;
  /** Pairs that wait: so many hooks may begin at once. */
  ahead?: number | undefined;
  /** Pairs that wait or are in use; while there are so many, hooks that begin are left to their program. Each holds three files open. */
  most?: number | undefined;
  /** One line, without its end; undefined: it is left to the program. Never rejects. @param hook that is answered */
  answer(words: PipeWords, hook: Ending): Promise<string | undefined>;
  failed(what: string, error: unknown): void;
}

interface Waiting {
  slot: PipePair;
  socket: Socket;
  chunks: Buffer[];
  size: number;
  isBegun: boolean;
  isWhole: boolean;
  isDownOpen: boolean;
  ended: Ended;
}

/** Whether a hook has ended, and what is done then: an `AbortSignal` would make an error each time. */
export type Ending = Pick<Ended, "hasEnded" | "once">;

class Ended {
  hasEnded = false;
  #listeners: (() => void)[] = [];

  /** Called once, at once where it has ended already. */
  once(listener: () => void): void {
    if (this.hasEnded) listener();
    else this.#listeners.push(listener);
  }

  end(): void {
    this.hasEnded = true;
    for (const listener of this.#listeners.splice(0)) listener();
  }
}

export class HookPipes {
  readonly #parts: HookPipesParts;
  readonly #made: string;
  readonly #ahead: number;
  readonly #most: number;
  /** Those that no hook has written to. */
  readonly #waiting = new Map<string, Waiting>();
  readonly #begun = new Set<Waiting>();
  /** Taken, and silent, when that was last looked at. */
  #silent = new Set<Waiting>();
  #timer: NodeJS.Timeout | undefined;
  #filling: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** @param made the folder of its slots */
  constructor(parts: HookPipesParts, made: string) {
    this.#parts = parts;
    this.#made = made;
    this.#ahead = parts.ahead ?? PIPES_AHEAD;
    this.#most = parts.most ?? Number.POSITIVE_INFINITY;
    parts.slots.onMade(() => this.#fill());
  }

  /** Removes what an earlier gate has left, and waits for hooks. @throws the system's error */
  async begin(): Promise<void> {
    if (this.#isClosed) return;
    const { folder, slots, prefix } = this.#parts;
    for (const each of [folder, this.#made]) {
      mkdirSync(each, { recursive: true, mode: 0o700 });
      for (const name of othersPipes(each, prefix)) rmSync(join(each, name), { force: true });
    }
    // What can't be made now is tried again then.
    this.#timer = setInterval(() => this.#giveUpSilent(), LOOK_FOR_LEFT_MS).unref();
    try {
      await slots.begin();
    } catch (error) {
      // The next gate has removed them meanwhile.
      if (this.#isClosed) return;
      throw error;
    }
    if (this.#isClosed) return slots.close();
    this.#fill();
  }

  /** Hooks that wait for an answer ask the program: the next gate answers that. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
    clearTimeout(this.#filling);
    for (const waiting of [...this.#waiting.values(), ...this.#begun]) {
      this.#removeNames(waiting.slot.name);
      waiting.socket.destroy();
      this.#ended(waiting);
    }
    this.#parts.slots.close();
  }

  #fill(): void {
    const wanted = Math.min(this.#ahead, this.#most - this.#begun.size);
    while (!this.#isClosed && this.#waiting.size < wanted) {
      const slot = this.#parts.slots.takeMade();
      if (slot === undefined) break;
      try {
        this.#wait(slot);
      } catch (error) {
        this.#parts.failed("making a pipe for hooks", error);
        closeSync(slot.up);
        closeSync(slot.down);
        break; // the next gate removes what is left of it
      }
    }
  }

  #wait(slot: PipePair): void {
    const { folder } = this.#parts;
    // In this order: a launcher looks for the other's name.
    for (const end of ["down", "up"])
      renameSync(join(this.#made, `${slot.name}.${end}`), join(folder, `${slot.name}.${end}`));
    const socket = new Socket({ fd: slot.up, readable: true, writable: false });
    const waiting: Waiting = {
      slot,
      socket,
      chunks: [],
      size: 0,
      isBegun: false,
      isWhole: false,
      isDownOpen: true,
      ended: new Ended(),
    };
    socket.unref();
    socket.on("data", (chunk: Buffer) => this.#received(waiting, chunk));
    socket.on("error", () => socket.destroy());
    socket.on("end", () => socket.destroy());
    socket.once("close", () => this.#ended(waiting));
    this.#waiting.set(slot.name, waiting);
  }

  #received(waiting: Waiting, chunk: Buffer): void {
    if (!waiting.isBegun) this.#begin(waiting);
    if (waiting.ended.hasEnded) return;
    waiting.size += chunk.length;
    if (waiting.size > MAX_MESSAGE || waiting.chunks.length >= MAX_CHUNKS) return void waiting.socket.destroy();
    waiting.chunks.push(chunk);
    if (chunk.at(-1) !== 0) return;
    const words = readPipeWords(waiting.chunks.length === 1 ? chunk : Buffer.concat(waiting.chunks));
    if (words === "incomplete") return;
    if (words === "invalid") return void waiting.socket.destroy();
    waiting.chunks = [];
    // What else it says is nothing that is waited for.
    waiting.size = MAX_MESSAGE;
    waiting.isWhole = true;
    void this.#answer(waiting, words);
  }

  /** Its names are removed: nobody else can write to it, or read it. */
  #begin(waiting: Waiting): void {
    waiting.isBegun = true;
    this.#waiting.delete(waiting.slot.name);
    this.#begun.add(waiting);
    this.#removeNames(waiting.slot.name);
    this.#fillSoon();
  }

  #fillSoon(): void {
    if (this.#waiting.size < this.#ahead / 2) return void setImmediate(() => this.#fill());
    this.#filling ??= setTimeout(() => {
      this.#filling = undefined;
      this.#fill();
    }, FILL_AFTER_MS).unref();
  }

  async #answer(waiting: Waiting, words: PipeWords): Promise<void> {
    const line = await this.#parts.answer(words, waiting.ended);
    if (waiting.ended.hasEnded) return;
    if (line === undefined) return void waiting.socket.destroy();
    try {
      this.#say(waiting, Buffer.from(`${line}\n`));
    } catch (error) {
      this.#parts.failed("answering a hook", error);
      waiting.socket.destroy();
    }
  }

  #say(waiting: Waiting, bytes: Buffer): void {
    let written = 0;
    try {
      written = writeSync(waiting.slot.down, bytes);
    } catch (error) {
      if (errorCode(error) !== "EAGAIN") throw error;
    }
    // Not kept by who has its answer, and stays.
    if (written === bytes.length) return void waiting.socket.destroy();
    waiting.isDownOpen = false;
    const rest = new Socket({ fd: waiting.slot.down, readable: false, writable: true });
    rest.unref();
    rest.on("error", () => rest.destroy());
    rest.once("close", () => waiting.socket.destroy());
    // The gate itself holds it open for reading: that nobody reads any more isn't seen there.
    waiting.ended.once(() => rest.destroy());
    rest.end(bytes.subarray(written));
  }

  /** The hook has gone, or gets no answer here. */
  #ended(waiting: Waiting): void {
    if (waiting.ended.hasEnded) return;
    waiting.ended.end();
    this.#closeDown(waiting);
    this.#begun.delete(waiting);
    if (this.#waiting.delete(waiting.slot.name)) this.#removeNames(waiting.slot.name);
    if (!this.#isClosed) this.#fillSoon();
  }

  #closeDown(waiting: Waiting): void {
    if (!waiting.isDownOpen) return;
    waiting.isDownOpen = false;
    closeSync(waiting.slot.down);
  }

  #removeNames(name: string): void {
    // In this order: see the launcher.
    for (const end of ["up", "down", "taken"]) {
      try {
        unlinkSync(join(this.#parts.folder, `${name}.${end}`));
      } catch (error) {
        // The next gate removes it.
        if (errorCode(error) !== "ENOENT") this.#parts.failed("removing the pipe of a hook", error);
      }
    }
  }

  /** A launcher that was killed before it said anything has left its mark. Pairs whose names are gone are made anew, too. */
  #giveUpSilent(): void {
    try {
      const names = new Set(readdirSync(this.#parts.folder));
      const taken = [...this.#waiting.values()].filter(({ slot: { name } }) => names.has(`${name}.taken`));
      const silent = [...taken, ...[...this.#begun].filter(({ isWhole }) => !isWhole)];
      const gone = [...this.#waiting.values()].filter(
        ({ slot: { name } }) => !names.has(`${name}.up`) || !names.has(`${name}.down`),
      );
      const left = new Set([...silent.filter((waiting) => this.#silent.has(waiting)), ...gone]);
      this.#silent = new Set(silent);
      for (const waiting of left) waiting.socket.destroy();
      // Those that weren't made yet when they were to take the place of others.
      this.#fill();
      // Made by launchers that came too late for a pair: marks, and files where its pipes were.
      for (const name of names)
        if (!this.#waiting.has(name.replace(/\.[a-z]+$/, "")))
          rmSync(join(this.#parts.folder, name), { recursive: true, force: true });
    } catch (error) {
      this.#parts.failed("looking at the pipes of hooks", error);
    }
  }
}
