import { readFileSync } from "node:fs";
import { setTimeout as passed } from "node:timers/promises";
import { isFollowingOver, realForm, withScanLimit } from "@metnos-gate/shell-reading/files";
import type { Level } from "../../../ipc/contract/decision.ts";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import type { ConfinedRun } from "../../decide/confinement/box.ts";
import type { Declaration } from "../../decide/confinement/declaration.ts";
import { getsIn } from "../../decide/confinement/environment.ts";
import {
  boxArguments,
  closedWords,
  commonArguments,
  holdWords,
  pipeWords,
  refuseUnusable,
} from "../arguments/bubblewrap.ts";
import { NO_SETTINGS, userGitSettings } from "../arguments/git.ts";
import type { Machine } from "../arguments/machine.ts";
import { mountChecks } from "../arguments/mounts.ts";
import type { RunNetwork } from "../network/run-network.ts";
import type { AfterRuns } from "../project/after-runs.ts";
import { type Look, type Places, TooLarge } from "../project/places.ts";
import { TimeSlice } from "../project/time-slice.ts";

/** What one run is made of: worked out once it is allowed and while its launcher starts, as others have their turns. */

/** So long after it was looked at, a project is looked at again as its run starts; in milliseconds. */
const LOOK_IS_GOOD_FOR_MS = 1000;
/** While other runs in the same folders end, what is there is what they have left: looked again so many times. */
const MAX_LOOKS = 5;

/** So often its paths are followed where that takes long: the machine may have been the reason. */
const MAX_TRIES = 3;

/** How long a run waits for those that it can't run beside, and how often it looks. */
const ALONE_WITHIN_MS = 3000;
const ALONE_LOOK_MS = 25;

/** Bubblewrap takes 9000 words. */
const MAX_WORDS = 8900;
/** For what an environment adds to them. */
const KEPT_FREE = 900;
/** In bytes: a variable may have 128 KiB, with all else that begins a run. */
const MAX_CHECKS = 120 * 1024;

/** Variables that the box itself says, or that would be wrong in it. */
const NEVER_KEPT: ReadonlySet<string> = new Set([
  "METNOS_BOX_COMMAND",
  "METNOS_BOX_REFUSED",
  "METNOS_BOX_START",
  "METNOS_BOX_WHOLE",
]);

/** What of an agent's state lets its calls run. */
export interface AgentState {
  /** Undefined where it isn't paired any more. */
  level: Level | undefined;
  /** Why nothing of it may start, such as a pause; null where that is not so. */
  stopped: string | null;
}

/** Keeps what runs could destroy. */
export interface AroundRuns {
  /** @throws GateError `box_unavailable` where it must not start */
  beforeRun(run: ConfinedRun): Promise<void>;
  /** Nothing of it is left. */
  afterRun(run: ConfinedRun): void;
}

export interface RunPlanParts {
  machine: Machine;
  places: Places;
  after: AfterRuns;
  /** Under what an agent's calls are decided now. */
  stateOf(agentId: string): AgentState;
  /** Its network's arguments add places to the box, and close it. */
  isOpen?: boolean;
  /** Opens a run's way to hosts. @throws GateError `box_unavailable` */
  openNetwork(run: ConfinedRun): RunNetwork;
  /** This project, or a folder in it, holds more than a box can be made for. */
  tooLarge(folder: string): void;
  /** Left out: nothing is kept. */
  around?: readonly AroundRuns[] | undefined;
}

interface Made {
  readonly look: Look;
  /** Bubblewrap's arguments. */
  readonly words: readonly string[];
  /** Lines of bash that end a box whose mounts aren't these. */
  readonly checks: string;
}

export class RunPlan {
  readonly agent_name: string;
  readonly #parts: RunPlanParts;
  readonly #run: ConfinedRun;
  readonly #level: Level | undefined;
  #made: Promise<Made>;
  #isDropped = false;
  #hasStarted = false;
  #network: RunNetwork | undefined;

  /** @throws GateError `box_unavailable`, or the system's error */
  constructor(parts: RunPlanParts, run: ConfinedRun) {
    this.#parts = parts;
    this.#run = run;
    this.agent_name = run.agent_name;
    this.#level = parts.stateOf(run.agent_id).level;
    refuseUnusable(run.declaration, parts.machine);
    this.#made = this.#make();
    // Said as the run starts; it may never do.
    this.#made.catch(() => undefined);
  }

  async #make(): Promise<Made> {
    const { places, machine, tooLarge, isOpen } = this.#parts;
    const { declaration } = this.#run;
    const turns = new TimeSlice();
    const { kind, programs = [], project } = declaration;
    const hasGit = kind === undefined || programs.includes("git");
    const settings = hasGit ? userGitSettings(machine.env, machine.home, project) : NO_SETTINGS;
    try {
      // Whoever allowed it gets the answer first.
      await turns.next();
      const look = await places.before(kind === undefined ? withCommonReads(declaration, machine) : declaration, turns);
      const ownSettings = await settings;
      const words = await followedWords(
        () => boxArguments(declaration, machine, look.found, ownSettings, isOpen),
        turns,
      );
      const checks = mountChecks(words, declaration.reads);
      if (words.length > MAX_WORDS - KEPT_FREE || Buffer.byteLength(checks) > MAX_CHECKS)
        throw new TooLarge("too much that is run later");
      return { look, words, checks };
    } catch (error) {
      if (error instanceof TooLarge) {
        const { writes, is_project_too_large } = declaration;
        const narrow = error.folder === undefined ? writes : [error.folder];
        for (const folder of is_project_too_large === true ? narrow : [project]) tooLarge(folder);
      }
      throw error;
    }
  }

  /** As its folders are now, but for what runs there that are still going have left. */
  async #current(): Promise<Made> {
    const { project, writes } = this.#run.declaration;
    for (let looks = 1; looks <= MAX_LOOKS; looks++) {
      const made = await this.#made;
      const { began, ended } = made.look;
      const isOld = performance.now() - ended > LOOK_IS_GOOD_FOR_MS;
      // What another run had left when this one was looked at may not stay, were it left again.
      if (!isOld && !this.#parts.after.hasEndedSince([project, ...writes], began)) return made;
      this.#made = this.#make();
    }
    throw new GateError("box_unavailable", "other commands keep changing its project", "try again");
  }

  /** The same, once no run changes settings there, nor this one beside any other. */
  async #alone(): Promise<Made> {
    const { after } = this.#parts;
    const isAlone = this.#run.declaration.changes_settings !== undefined;
    for (const until = performance.now() + ALONE_WITHIN_MS; ; ) {
      const made = await this.#current();
      if (!after.isOccupied(made.look.known, isAlone)) return made;
      if (performance.now() > until || this.#isDropped) break;
      await passed(ALONE_LOOK_MS);
    }
    const others = isAlone ? "other commands run" : "git changes settings";
    throw new GateError("box_unavailable", `${others} in its project`, "try again when that has ended");
  }

  /** It was allowed to an agent as that was then: a pause or another level since counts, as for a call that is sent now. */
  refusal(): string | null {
    const { level, stopped } = this.#parts.stateOf(this.#run.agent_id);
    if (stopped !== null) return stopped;
    return level === this.#level ? null : "what its agent may do was changed since it was allowed";
  }

  /** Its agent isn't the one any more that it was allowed to. */
  isOver(): boolean {
    return this.#parts.stateOf(this.#run.agent_id).level !== this.#level;
  }

  /**
   * Bubblewrap's arguments, each ended by a zero byte; `environment`: of the caller; `slot`: its pipes' name.
   * @throws GateError, or the system's error
   */
  async start(environment: readonly string[], slot: string): Promise<Buffer> {
    const { machine, after, openNetwork } = this.#parts;
    const { declaration, line } = this.#run;
    // First: what is looked at after that may not be old as it starts.
    await Promise.all((this.#parts.around ?? []).map((each) => each.beforeRun(this.#run)));
    const { look, words: made, checks } = await this.#alone();
    const refusal = this.#isDropped ? "it was ended" : this.refusal();
    if (refusal !== null) throw new GateError("box_unavailable", refusal, "send it again");
    if (declaration.network) this.#network = openNetwork(this.#run);
    const kept = keptVariables(environment, machine.settings.environment);
    const unnamed = [
      ...look.unnamedHolding.flatMap(holdWords),
      ...look.unnamed.flatMap((path) => ["--ro-bind", path, path]),
      ...closedWords(look.unnamedSecrets, machine),
      ...pipeWords(look.unnamedPipes),
    ];
    const begin = [
      bytesOf(checks),
      ...(unnamed.length === 0 ? [] : [mountChecks(unnamed, ["/"], readFileSync("/proc/self/mountinfo", "latin1"))]),
      ...(this.#network === undefined ? [] : [bytesOf(this.#network.start)]),
    ].join("\n");
    // The launcher has the first ones already.
    const rest = made.slice(commonArguments(machine).length);
    const words = [...(this.#network?.first ?? []), ...rest, ...(this.#network?.arguments ?? [])];
    // The last of it says that nothing is missing: a gate may die while it writes.
    const own = { METNOS_BOX_START: begin, METNOS_BOX_COMMAND: bytesOf(line), METNOS_BOX_WHOLE: "1" };
    const last = Object.entries(own).flatMap(([name, value]) => ["--setenv", name, value]);
    if (kept.length + unnamed.length + words.length + last.length > MAX_WORDS)
      throw new GateError("box_unavailable", "its project holds too much that is run later", "run it outside the box");
    // Also where the disk is full before all of it is written.
    this.#hasStarted = true;
    after.started(this, look.known, declaration.changes_settings, slot);
    // Kept variables come first: what the box says of itself counts.
    return Buffer.concat([ended(kept, "latin1"), ended(words, "utf8"), ended([...unnamed, ...last], "latin1")]);
  }

  /** Nothing of it is left running; resolves once what it left was looked at. */
  async ended(): Promise<void> {
    this.#network?.close();
    await this.#parts.after.ended(this);
    for (const each of this.#parts.around ?? []) each.afterRun(this.#run);
  }

  /** Nothing of it starts any more. */
  async dropped(): Promise<void> {
    this.#isDropped = true;
    if (this.#hasStarted) return this.ended();
    this.#network?.close();
    for (const each of this.#parts.around ?? []) each.afterRun(this.#run);
  }
}

/** @throws TooLarge where paths take too long to be followed: what is hidden, or kept, at the others wouldn't be known */
async function followedWords(make: () => string[], turns: TimeSlice): Promise<string[]> {
  for (let tries = 1; tries <= MAX_TRIES; tries++) {
    const words = withScanLimit(() => {
      const made = make();
      return isFollowingOver() ? null : made;
    });
    if (words !== null) return words;
    await turns.next();
  }
  throw new TooLarge("links that take too long");
}

/** With what the configuration lets every such box read. */
function withCommonReads(declaration: Declaration, { reads }: Machine): Declaration {
  return { ...declaration, reads: [...declaration.reads, ...reads.map((path) => realForm(path) ?? path)] };
}

function keptVariables(environment: readonly string[], askedFor: readonly string[]): string[] {
  return environment.flatMap((entry) => {
    const equals = entry.indexOf("=");
    const [name, value] = [entry.slice(0, equals), entry.slice(equals + 1)];
    return equals > 0 && !NEVER_KEPT.has(name) && getsIn(name, value, askedFor) ? ["--setenv", name, value] : [];
  });
}

/** One character for each byte. */
const bytesOf = (text: string): string => Buffer.from(text).toString("latin1");

function ended(words: readonly string[], encoding: BufferEncoding): Buffer {
  return Buffer.from(words.map((word) => `${word}\0`).join(""), encoding);
}
