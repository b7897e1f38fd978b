import { execFile, execFileSync } from "node:child_process";
import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { GateError } from "../../../ipc/contract/gate-error.ts";

/**
 * The pairs of named pipes by which scripts talk to the gate: `NAME.up` and `NAME.down`. Made in advance, as each needs another
 * process; one may be used again once its script has ended.
 */

const MKFIFO = ["/usr/bin/mkfifo", "/bin/mkfifo"];
/** Made as a gate starts, and where one is needed and none is free. */
export const PIPES_AHEAD = 64;
/** When less than this part of them is free, as many more are made: nobody waits for the process that makes them. */
const REFILL = 1 / 4;
/** Prepared and going runs together; each holds two files open. */
const MAX_SLOTS = 1024;

export interface PipePair {
  readonly name: string;
  /** The script's words to the gate: read-only, so that a script notices that its gate has gone. */
  readonly up: number;
  /** Held open for writing: without it a script reads the end. */
  readonly down: number;
}

const { O_RDONLY, O_RDWR, O_NONBLOCK, O_NOFOLLOW } = constants;

export class PipePairs {
  readonly #folder: string;
  /** Of this gate alone: an earlier one's runs may still hold theirs. */
  readonly #prefix: string;
  readonly #failed: (error: unknown) => void;
  readonly #ahead: number;
  readonly #refill: number;
  /** By name, what its two pipes are: another pipe in their place is refused. */
  readonly #made = new Map<string, readonly [up: string, down: string]>();
  /** The one that has been free longest comes first: a launcher that is late rarely meets another run. */
  readonly #free: string[] = [];
  #next = 0;
  #isMaking = false;
  #listener: (() => void) | undefined;
  #isClosed = false;

  constructor(folder: string, prefix: string, failed: (error: unknown) => void, ahead = PIPES_AHEAD) {
    this.#folder = folder;
    this.#prefix = prefix;
    this.#failed = failed;
    this.#ahead = ahead;
    this.#refill = Math.ceil(ahead * REFILL);
  }

  /** Called each time that some were made ahead. */
  onMade(listener: () => void): void {
    this.#listener = listener;
  }

  /** Makes the first ones. @throws the system's error */
  async begin(): Promise<void> {
    await this.#make(this.#ahead);
  }

  /**
   * A slot that is in use until `release`.
   * @throws GateError `box_unavailable` where there is none, or what is in its place isn't the gate's
   */
  take(): PipePair {
    if (this.#free.length === 0 && this.#made.size < MAX_SLOTS) this.#makeNow();
    const name = this.#free.shift();
    if (name === undefined) throw new GateError("box_unavailable", "too many commands run confined", "try again later");
    this.#makeAhead();
    try {
      // One that a late launcher of an earlier run has left.
      rmSync(join(this.#folder, `${name}.taken`), { force: true });
      return this.#open(name);
    } catch (error) {
      this.#remove(name);
      if (error instanceof GateError) throw error;
      throw new GateError("box_unavailable", "a pipe of the box can't be opened", "see box status", { cause: error });
    }
  }

  /**
   * One of those that are made already, whose names the caller removes: it isn't used again. Undefined where there is none, or what is in its
   * place isn't the gate's. Never throws.
   */
  takeMade(): PipePair | undefined {
    const name = this.#free.shift();
    this.#makeAhead();
    if (name === undefined) return undefined;
    try {
      const slot = this.#open(name);
      this.#made.delete(name);
      return slot;
    } catch (error) {
      this.#failed(error);
      this.#remove(name);
      return undefined;
    }
  }

  #makeAhead(): void {
    if (this.#free.length >= this.#refill || this.#made.size >= MAX_SLOTS || this.#isMaking) return;
    void this.#make(this.#refill).then(this.#listener, (error: unknown) => {
      // Once it is closed its folder may be gone, and nobody needs them.
      if (!this.#isClosed) this.#failed(error);
    });
  }

  /** The slot's run has ended, or will never start: its descriptors are closed by the caller. Never throws. */
  release(name: string): void {
    if (!this.#made.has(name)) return;
    try {
      rmSync(join(this.#folder, `${name}.taken`), { force: true });
      this.#free.push(name);
    } catch (error) {
      this.#failed(error);
      this.#remove(name);
    }
  }

  /** Not used again: somebody else may still hold it. Never throws. */
  retire(name: string): void {
    this.#remove(name);
  }

  /** Removes all pipes but those in use. */
  close(): void {
    this.#isClosed = true;
    for (const name of [...this.#free]) this.#remove(name);
    this.#free.length = 0;
  }

  #open(name: string): PipePair {
    const path = join(this.#folder, name);
    const [upIs, downIs] = this.#made.get(name) ?? [];
    const up = openPipe(`${path}.up`, O_RDONLY, upIs);
    try {
      // Read-write, as there is no reader yet; never read.
      return { name, up, down: openPipe(`${path}.down`, O_RDWR, downIs) };
    } catch (error) {
      closeSync(up);
      throw error;
    }
  }

  #remove(name: string): void {
    if (!this.#made.delete(name)) return;
    try {
      for (const end of ["up", "down", "taken"]) rmSync(join(this.#folder, `${name}.${end}`), { force: true });
    } catch (error) {
      this.#failed(error); // the next gate removes it
    }
  }

  #names(count: number): string[] {
    return Array.from({ length: count }, () => `${this.#prefix}-${(this.#next++).toString(16)}`);
  }

  async #make(count: number): Promise<void> {
    this.#isMaking = true;
    try {
      const names = this.#names(count);
      await new Promise<void>((resolve, reject) => {
        execFile(program(), this.#words(names), { env: {} }, (error) => (error === null ? resolve() : reject(error)));
      });
      this.#add(names);
      if (this.#isClosed) this.close();
    } finally {
      this.#isMaking = false;
    }
  }

  #makeNow(): void {
    const names = this.#names(this.#ahead);
    try {
      execFileSync(program(), this.#words(names), { env: {}, stdio: "ignore" });
    } catch (error) {
      throw new GateError("box_unavailable", "no pipe can be made for a confined command", "see box status", {
        cause: error,
      });
    }
    this.#add(names);
  }

  #words(names: readonly string[]): string[] {
    return ["-m", "600", ...names.flatMap((name) => ["up", "down"].map((end) => join(this.#folder, `${name}.${end}`)))];
  }

  #add(names: readonly string[]): void {
    for (const name of names) {
      const path = join(this.#folder, name);
      this.#made.set(name, [identityOf(`${path}.up`), identityOf(`${path}.down`)]);
      this.#free.push(name);
    }
  }
}

/** Pipes and marks in the folder that are another gate's. */
export function othersPipes(folder: string, prefix: string): string[] {
  return readdirSync(folder).filter((name) => /\.(?:up|down|taken)$/.test(name) && !name.startsWith(`${prefix}-`));
}

function openPipe(path: string, flags: number, identity: string | undefined): number {
  const fd = openSync(path, flags | O_NONBLOCK | O_NOFOLLOW);
  const stat = fstatSync(fd);
  if (stat.isFIFO() && `${stat.dev}:${stat.ino}` === identity) return fd;
  closeSync(fd);
  throw new GateError("box_unavailable", `${path} was replaced`, "stop what changes the gate's own folder");
}

function identityOf(path: string): string {
  const { dev, ino } = lstatSync(path);
  return `${dev}:${ino}`;
}

function program(): string {
  const found = MKFIFO.find((path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined);
  if (found === undefined) throw new GateError("box_unavailable", "mkfifo is missing", "install coreutils");
  return found;
}
