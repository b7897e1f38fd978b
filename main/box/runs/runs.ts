import { randomBytes, timingSafeEqual } from "node:crypto";
import { closeSync, constants, lstatSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { isAtOrBelow } from "@metnos-gate/shell-reading/files";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import { errorCode } from "../../base/errors.ts";
import { othersPipes, type PipePair, type PipePairs } from "../../base/pipes/pipe-pairs.ts";
import type { ConfinedRun } from "../../decide/confinement/box.ts";
import type { BoxFolder } from "../box-folder.ts";
import { boxEnds, type FirstProcess, firstProcess, goesOn, isOutOfFiles, kill, onceSeen } from "./box-end.ts";
import { endOrphan, hasLostCaller } from "./first-process.ts";
import { type Caller, type Greeting, MAX_GREETING, readGreeting } from "./greeting.ts";

/** Confined runs, each prepared -> starting -> started -> ended. All of it is in memory: a gate that dies lets nothing start any more. */

/** How long a prepared run may be started. */
const START_WITHIN_MS = 60_000;
/** How long one may take that its client says is running in the background: its shell begins at once. */
const BEGINS_WITHIN_MS = 10_000;
/** How long it is known by its call's id after it has ended, and where it never started: a command may take long. */
const KNOWN_ENDED_MS = 60_000;
const KNOWN_UNSTARTED_MS = 3_600_000;
/** Of one agent, prepared and going: so many more would keep the others from running any. */
const MAX_OF_AGENT = 256;
/** How long a refused launcher may take to say so and end. */
const REFUSED_ENDS_WITHIN_MS = 10_000;
/** Whoever ended a launcher that early has ended it: its box begins within less, or never. */
const LOOK_FOR_ORPHAN_MS = 1500;
/** Where too many files are open, its first process is looked for again. */
const LOOK_AGAIN_MS = 50;
/** Bubblewrap says less about what it has made. */
const MAX_INFO = 4096;

type State = "prepared" | "starting" | "started" | "refused" | "expired" | "ended";

export interface Run {
  readonly id: string;
  readonly confined_run: ConfinedRun;
  state: State;
}

/** What a run is made of. */
export interface Plan {
  /** Why it must not start any more, for whoever starts it; null where it may. */
  refusal(): string | null;
  /** Bubblewrap's arguments, each ended by a zero byte, once. @throws GateError where it must not start */
  start(environment: readonly string[], slot: string): Promise<Buffer>;
  /** Nothing of it is left, once it had started. */
  ended(): Promise<void>;
  /** It doesn't start any more, also where it was about to. */
  dropped(): Promise<void>;
}

interface LiveRun extends Run {
  readonly plan: Plan;
  readonly slot: PipePair;
  socket: Socket;
  isDownOpen: boolean;
  chunks: Buffer[];
  size: number;
  /** Undefined until bubblewrap has said which one it is. */
  first: FirstProcess | undefined;
  /** Too many files were open when it said so. */
  isUnseen: boolean;
  caller: Caller | undefined;
  hasToEnd: boolean;
  /** Its client says that it runs. */
  hasToBegin: boolean;
  timer: NodeJS.Timeout;
}

export interface RunsParts {
  folder: BoxFolder;
  slots: PipePairs;
  /** The name of the program that makes the boxes. */
  maker: string;
  /** Its client has said that it runs in the background, and it has begun nothing in its box. */
  bypassed(run: Run): void;
  /** A run's first process went on when its pipe had ended: it was made to look ended. All of it is killed. */
  hidItsEnd(run: Run): void;
  failed(what: string, error: unknown): void;
}

/** Nothing has started by its words. */
export const isUnstarted = ({ state }: Run): boolean => state === "prepared" || state === "expired";

export class Runs {
  readonly #parts: RunsParts;
  readonly #live = new Set<LiveRun>();
  /** By agent, and by call id as well as by their own. */
  readonly #known = new Map<string, Run>();
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor(parts: RunsParts) {
    this.#parts = parts;
  }

  get running(): number {
    return [...this.#live].filter(({ state }) => state === "started").length;
  }

  /** What runs in a box, or may begin to, can write at this path: also a clear line, in whose box another program may run than it names. */
  canBeChanging(path: string): boolean {
    return [...this.#live].some(({ confined_run: { declaration } }) => {
      const { kind, project, writes } = declaration;
      const written = kind === undefined ? [project, ...writes] : writes;
      return written.some((folder) => isAtOrBelow(path, folder));
    });
  }

  /** The words that start it, by this launcher. @throws GateError `box_unavailable`, or the system's error */
  prepare(
    confinedRun: ConfinedRun,
    plan: Plan,
    launcher: string = this.#parts.folder.launcher,
  ): { argv: readonly string[] } {
    const { slots } = this.#parts;
    const slot = slots.take();
    const id = `${slot.name}.${randomBytes(16).toString("hex")}`;
    const run: LiveRun = {
      id,
      confined_run: confinedRun,
      plan,
      state: "prepared",
      slot,
      socket: new Socket({ fd: slot.up, readable: true, writable: false }),
      isDownOpen: true,
      chunks: [],
      size: 0,
      first: undefined,
      isUnseen: false,
      caller: undefined,
      hasToEnd: false,
      hasToBegin: false,
      timer: setTimeout(() => this.#expire(run), START_WITHIN_MS),
    };
    run.timer.unref();
    run.socket.unref();
    run.socket.on("data", (chunk) => this.#received(run, chunk));
    run.socket.on("error", () => run.socket.destroy());
    run.socket.on("end", () => run.socket.destroy());
    run.socket.once("close", () => this.#left(run));
    this.#live.add(run);
    for (const key of keysOf(run)) this.#known.set(key, run);
    return { argv: [launcher, "run", id] };
  }

  /** Before anything is worked out for one more. @throws GateError `box_unavailable` where its agent has too many */
  refuseTooMany({ agent_id }: ConfinedRun): void {
    let others = 0;
    for (const { confined_run } of this.#live) if (confined_run.agent_id === agent_id) others++;
    if (others >= MAX_OF_AGENT)
      throw new GateError("box_unavailable", "too many of this agent's commands run confined", "try again later");
  }

  /** The run that an agent's call was allowed as, by the client's own id or the run's; undefined where it wasn't confined, or is long over. */
  of(agentId: string, id: string): Run | undefined {
    return this.#known.get(keyOf(agentId, id));
  }

  /** An agent's runs whose words nobody has started. */
  unstarted(agentId: string): Run[] {
    const runs = [...this.#known.values()].filter(({ confined_run }) => confined_run.agent_id === agentId);
    return [...new Set(runs)].filter(isUnstarted);
  }

  /** Its report has come. */
  reported(run: Run): void {
    for (const key of keysOf(run)) if (this.#known.get(key) === run) this.#known.delete(key);
  }

  /** Its client says that it runs in the background: it has a short time left to begin. */
  expireSoon({ id }: Run): void {
    const run = [...this.#live].find((live) => live.id === id && live.state === "prepared");
    if (run === undefined || run.hasToBegin) return;
    run.hasToBegin = true;
    clearTimeout(run.timer);
    run.timer = setTimeout(() => this.#expire(run), BEGINS_WITHIN_MS);
    run.timer.unref();
  }

  /** Ends what these words have started, or keeps them from starting anything. */
  end([, , id]: readonly string[]): void {
    const run = [...this.#live].find((live) => live.id === id);
    if (run === undefined) return;
    if (run.state === "prepared" || run.state === "starting") return this.#refuse(run, "it was ended");
    run.hasToEnd = true;
    const { first } = run;
    if (first === undefined) return;
    onceSeen(() => kill(first)).catch((error: unknown) => this.#parts.failed("ending a confined command", error));
  }

  /** Takes back what was prepared: its words were given to nobody. */
  discard([, , id]: readonly string[]): void {
    const run = [...this.#live].find((live) => live.id === id && live.state === "prepared");
    if (run === undefined) return;
    this.reported(run);
    run.state = "refused";
    run.socket.destroy();
  }

  /** Runs that have started continue; nothing starts any more. */
  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    for (const run of [...this.#live]) {
      clearTimeout(run.timer);
      this.#closeDown(run);
      run.socket.removeAllListeners("close");
      run.socket.destroy();
      if (run.state === "started") continue;
      this.#parts.slots.retire(run.slot.name);
      if (run.state === "starting") this.#drop(run);
    }
    this.#live.clear();
  }

  #received(run: LiveRun, chunk: Buffer): void {
    run.size += chunk.length;
    if (run.state === "started") return this.#informed(run, chunk);
    if (run.state !== "prepared") return;
    if (run.size > MAX_GREETING) return this.#cutOff(run);
    run.chunks.push(chunk);
    if (chunk.at(-1) !== 0) return;
    const whole = run.chunks.length === 1 ? chunk : Buffer.concat(run.chunks);
    const greeting = readGreeting(whole);
    if (greeting === "incomplete") return;
    if (greeting === "invalid" || !isSame(greeting.id, run.id)) return this.#refuse(run, "this run is not known");
    run.chunks = [];
    run.size = 0;
    run.caller = greeting.caller;
    void this.#start(run, greeting);
  }

  /** Never throws. */
  async #start(run: LiveRun, greeting: Greeting): Promise<void> {
    const refusal = run.plan.refusal();
    if (refusal !== null) return this.#refuse(run, refusal);
    run.state = "starting";
    clearTimeout(run.timer);
    let words: Buffer;
    try {
      words = await run.plan.start(greeting.environment, run.slot.name);
      if (!this.#isStarting(run)) return;
    } catch (error) {
      if (!this.#isStarting(run)) return;
      if (error instanceof GateError) return this.#refuse(run, `${error.message}: ${error.hint}`);
      this.#parts.failed("starting a confined command", error);
      return this.#refuse(run, "the gate can't start it");
    }
    run.state = "started";
    run.timer = setTimeout(() => this.#endOrphan(run), LOOK_FOR_ORPHAN_MS);
    run.timer.unref();
    this.#say(run, words);
  }

  /** Its launcher is still there, and so is its gate. */
  #isStarting(run: LiveRun): boolean {
    return run.state === "starting" && this.#live.has(run);
  }

  /** What makes the box says which process is its first, before the command begins. What the command writes may come with that. */
  #informed(run: LiveRun, chunk: Buffer): void {
    if (run.first === undefined) this.#readFirst(run, chunk.subarray(0, MAX_INFO));
    if (run.size > MAX_INFO) this.#stopReading(run);
  }

  #readFirst(run: LiveRun, chunk: Buffer = Buffer.alloc(0)): void {
    run.chunks.push(chunk);
    try {
      run.first = this.#firstIn(run);
      if (run.first === undefined) return;
      const isUnwaited = run.caller !== undefined && hasLostCaller(run.first.pid, run.caller);
      if (run.hasToEnd || isUnwaited) kill(run.first);
    } catch (error) {
      if (!isOutOfFiles(error)) return this.#parts.failed("looking for a confined command's first process", error);
      run.isUnseen = run.first === undefined;
      setTimeout(() => (this.#live.has(run) ? this.#readFirst(run) : undefined), LOOK_AGAIN_MS).unref();
    }
  }

  #firstIn({ chunks }: LiveRun): FirstProcess | undefined {
    const found = /"child-pid":\s*(\d+)\D/.exec(Buffer.concat(chunks).toString("latin1"))?.[1];
    return found === undefined ? undefined : firstProcess(Number(found), this.#parts.maker);
  }

  /** Where bubblewrap was ended while it made the box, the box's first process may wait for it. */
  #endOrphan({ first, slot }: LiveRun): void {
    const { folder, maker, failed } = this.#parts;
    try {
      endOrphan(join(folder.path, `${slot.name}.up`), maker, first?.pid);
    } catch (error) {
      failed("ending a box that never began", error);
    }
  }

  /** A command can write into the pipe, by what its box's first process has open: it would keep the gate reading. */
  #stopReading(run: LiveRun): void {
    const { first, socket } = run;
    // Nobody writes so much before the first process is known: it has ended by now.
    if (first === undefined) return void socket.destroy();
    if (socket.isPaused()) return;
    socket.pause();
    void boxEnds(first, () => socket.destroyed)
      .catch((error: unknown) => this.#parts.failed("waiting for a confined command", error))
      .then(() => socket.destroy());
  }

  /** Writes what a launcher waits for, and closes: it reads the end after it. */
  #say(run: LiveRun, words: Buffer): void {
    const { down } = run.slot;
    let written = 0;
    try {
      written = writeSync(down, words);
    } catch (error) {
      if (errorCode(error) !== "EAGAIN") throw error;
    }
    if (written === words.length) return this.#closeDown(run);
    run.isDownOpen = false;
    const rest = new Socket({ fd: down, readable: false, writable: true });
    rest.unref();
    rest.on("error", () => rest.destroy());
    rest.end(words.subarray(written));
  }

  /** Its box says why, and runs nothing: it needs its pipe until then. */
  #refuse(run: LiveRun, why: string): void {
    run.state = "refused";
    clearTimeout(run.timer);
    run.timer = setTimeout(() => run.socket.destroy(), REFUSED_ENDS_WITHIN_MS);
    run.timer.unref();
    try {
      this.#say(run, Buffer.from(`--setenv\0METNOS_BOX_REFUSED\0${why}\0`));
    } catch (error) {
      this.#parts.failed("refusing a confined command", error);
    }
  }

  #cutOff(run: LiveRun): void {
    run.state = "refused";
    run.socket.destroy();
  }

  #expire(run: LiveRun): void {
    if (run.state !== "prepared") return;
    run.state = "expired";
    run.socket.destroy();
    if (!run.hasToBegin) return;
    this.#parts.bypassed(run);
    this.reported(run);
  }

  /** Its launcher, or all of its box, has gone. */
  #left(run: LiveRun): void {
    clearTimeout(run.timer);
    this.#closeDown(run);
    if (run.state === "started") {
      void this.#end(run).catch((error: unknown) => this.#parts.failed("ending a confined command", error));
      return;
    }
    // It came, and said nothing that counts, or went before it could start.
    if (run.state === "prepared" || run.state === "starting") run.state = "refused";
    this.#live.delete(run);
    this.#parts.slots.retire(run.slot.name);
    this.#forgetLater(this.#reduced(run), run.state === "expired" ? KNOWN_UNSTARTED_MS : KNOWN_ENDED_MS);
    this.#drop(run);
  }

  #drop({ plan }: LiveRun): void {
    plan.dropped().catch((error: unknown) => this.#parts.failed("ending a confined command that never began", error));
  }

  async #end(run: LiveRun): Promise<void> {
    const first = run.first ?? (run.isUnseen ? await onceSeen(() => this.#firstIn(run)) : undefined);
    if (first !== undefined) {
      await onceSeen(() => {
        if (!goesOn(first)) return;
        kill(first);
        this.#parts.hidItsEnd(run);
      });
      // Until then what is left of it could write into the pipes, and into the project that is looked at next.
      await boxEnds(first);
    }
    this.#parts.slots.release(run.slot.name);
    try {
      await run.plan.ended();
    } finally {
      run.state = "ended";
      this.#live.delete(run);
      this.#forgetLater(run, KNOWN_ENDED_MS);
    }
  }

  #closeDown(run: LiveRun): void {
    if (!run.isDownOpen) return;
    run.isDownOpen = false;
    closeSync(run.slot.down);
  }

  /** It is known for long: without its line and what it would have been made of. */
  #reduced({ id, state, confined_run }: LiveRun): Run {
    const declaration = { ...confined_run.declaration, reads: [], writes: [] };
    const reduced = { id, state, confined_run: { ...confined_run, line: "", declaration } };
    for (const key of keysOf(reduced)) if (this.#known.get(key)?.id === id) this.#known.set(key, reduced);
    return reduced;
  }

  #forgetLater(run: Run, ms: number): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      if (keysOf(run).some((key) => this.#known.get(key) === run)) this.reported(run);
    }, ms);
    timer.unref();
    this.#timers.add(timer);
  }
}

const keyOf = (agentId: string, id: string): string => `${agentId}\n${id}`;

const keysOf = ({ id, confined_run: { agent_id, call_id } }: Run): string[] =>
  [id, ...(call_id === undefined ? [] : [call_id])].map((each) => keyOf(agent_id, each));

function isSame(said: string, id: string): boolean {
  const [a, b] = [Buffer.from(said), Buffer.from(id)];
  return a.length === b.length && timingSafeEqual(a, b);
}

// Runs of a gate that has ended: they continue, confined, and still hold their pipe.

/** Of the box's other processes, after its first. */
const UNTIL_DEAD_MS = 100;

/** How often it is looked whether a run has ended, and bytes that are read of its pipe then. */
const LOOK_MS = 50;
const MAX_READ = 64 * 1024;

/**
 * Removes the pipes of earlier gates; resolves once the last run that holds one has ended.
 * @param prefix this gate's own
 * @param someEnded called at first, and each time that some have ended and others, by the names of their pipes, have not
 */
export async function earlierRunsEnd(
  folder: string,
  prefix: string,
  signal: AbortSignal,
  someEnded: (others: readonly string[]) => Promise<void>,
): Promise<void> {
  const held = new Map<string, number>();
  try {
    for (const name of othersPipes(folder, prefix)) {
      const path = join(folder, name);
      const isPipe = lstatSync(path, { throwIfNoEntry: false })?.isFIFO() === true;
      if (isPipe && name.endsWith(".up")) held.set(name, openSync(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW));
      else rmSync(path, { force: true, recursive: true });
    }
    for (let before = -1; held.size > 0; before = held.size) {
      for (const [name, fd] of held) {
        if (isHeld(fd)) continue;
        closeSync(fd);
        held.delete(name);
        rmSync(join(folder, name), { force: true });
      }
      if (held.size === before) await wait(LOOK_MS, undefined, { ref: false });
      else {
        await wait(UNTIL_DEAD_MS, undefined, { ref: false });
        if (held.size > 0 && !signal.aborted)
          await someEnded([...held.keys()].map((name) => name.slice(0, -".up".length)));
      }
      if (signal.aborted) return;
    }
  } finally {
    for (const fd of held.values()) closeSync(fd);
  }
}

const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants;

/** A pipe without a writer is at its end. A command can write into it without end: no more is read than one look takes. */
function isHeld(fd: number): boolean {
  try {
    return readSync(fd, Buffer.alloc(MAX_READ)) > 0;
  } catch (error) {
    if (errorCode(error) === "EAGAIN") return true;
    throw error;
  }
}
