import { randomBytes } from "node:crypto";
import { accessSync, chmodSync, constants, lstatSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Env, GatePaths } from "../../../ipc/base/paths.ts";
import { isUnchanged, testedClients } from "../../../ipc/base/tested-clients.ts";
import type { BoxAgent, BoxStatus } from "../../../ipc/contract/box.ts";
import type { Confined, Level } from "../../../ipc/contract/decision.ts";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import { type AgentPauses, KNOWN_AGENTS } from "../../agents/index.ts";
import { PipePairs } from "../../base/pipes/pipe-pairs.ts";
import type { Config } from "../../config/index.ts";
import type { Box, ConfinedRun } from "../../decide/confinement/box.ts";
import { confinedTo, type Declaration } from "../../decide/confinement/declaration.ts";
import { AgentPlan } from "../agent-runs/agent-plan.ts";
import type { AgentRun } from "../agent-runs/agent-run.ts";
import { commonArguments } from "../arguments/bubblewrap.ts";
import { limitCommands } from "../arguments/limits.ts";
import { findMachine } from "../arguments/machine.ts";
import { systemCallFilter } from "../arguments/system-calls.ts";
import { type BoxFolder, hasGoing, openBoxFolder } from "../box-folder.ts";
import type { BoxNetwork } from "../network/box-network.ts";
import type { AddressRules } from "../network/lookup.ts";
import { makeSocketFolder, type RunNetwork } from "../network/run-network.ts";
import { AfterRuns, type AfterRunsParts } from "../project/after-runs.ts";
import { Places } from "../project/places.ts";
import { TREE_LIMITS } from "../project/project-tree.ts";
import { listSetAside } from "../project/set-aside.ts";
import { type LauncherParts, launcherText } from "../runs/launcher-text.ts";
import { type AgentState, type AroundRuns, RunPlan, type RunPlanParts } from "../runs/run-plan.ts";
import { earlierRunsEnd, isUnstarted, type Run, Runs } from "../runs/runs.ts";
import { removeOldFolders } from "./old-folders.ts";
import { probeBox } from "./probe.ts";

export interface BoxServiceParts extends Pick<AfterRunsParts, "clock" | "alarms" | "audit" | "failed"> {
  paths: Pick<GatePaths, "state_dir">;
  home: string;
  env: Env;
  config: Config["box"];
  agent_pauses: Pick<AgentPauses, "begin">;
  /** Under what an agent's calls are decided now: asked as a run is prepared, and again as it starts. */
  stateOf(agentId: string): AgentState;
  /** The agents, for the status. */
  agents(): readonly Omit<KnownAgent, "supports">[];
  /** Other folders of the gate than its state's, which no box shows. */
  gateFolders: readonly string[];
  /** Confined runs' ways to hosts, with their sockets in this folder and relays on this Node. Left out: no run has one. */
  network?(folder: string, node: string): BoxNetwork;
  /** How whole agents reach hosts; another one only in tests. */
  addressRules?: AddressRules;
  /** Keeps what runs could destroy. Left out: nothing is kept. */
  around?: readonly AroundRuns[] | undefined;
  /** Left out: COMMANDS_AHEAD. */
  pipesAhead?: number | undefined;
}

/** A whole agent's run that is prepared, or going. */
export interface PreparedAgent {
  argv: readonly string[];
  end(): void;
  /** The gate or the agent may have been paused, or the agent be another one than it was: then it is stopped, or ended. */
  review(): void;
  /** The gate ends. */
  close(): void;
}

/** What of this machine a running box needs. */
interface Open {
  folder: BoxFolder;
  launcher: Launcher;
  agentLauncher: Launcher;
  /** For the sockets of whole agents' runs. */
  agentsFolder: string;
  slots: PipePairs;
  plan: RunPlanParts;
  runs: Runs;
  network: BoxNetwork | undefined;
}

/** What the gate keeps of its box, and what an earlier one has left, also where there is no box any more. */
interface Own {
  folder: BoxFolder;
  /** Of this gate's pipes. */
  prefix: string;
  places: Places;
  after: AfterRuns;
}

type Problem = Pick<BoxStatus, "problem" | "detail" | "fix">;

/** So many commands may begin at once before more pipes for them are made. */
const COMMANDS_AHEAD = 32;

/** The gate's start, and what ends soon after it, doesn't wait for a probe. */
const BEGINS_AFTER_MS = 400;

/** Looking again takes as long as it did. */
const STAYS_TOO_LARGE_MS = 3_600_000;

/** Of each process of an agent, which may run for days: a week. */
const AGENT_CPU_SECONDS = 604_800;

const NONE_YET: Problem = { problem: "probe-failed", detail: "it is being tried", fix: null };

/** The box of a running gate: whether there is one, its runs, and what was set aside after them. */
export class BoxService implements Box {
  /** False until the probe has passed. */
  is_available = false;
  has_network = false;
  readonly #parts: BoxServiceParts;
  #open: Open | undefined;
  #own: Own | undefined;
  #problem: Problem = NONE_YET;
  #maker: string | null = null;
  /** What makes boxes, absolute; null while that isn't known, and where nothing can. */
  makerPath: string | null = null;
  #hostsProblem: BoxStatus["hosts_problem"] = null;
  /** By the agent's name, as it last said. */
  readonly #greeted = new Map<string, boolean>();
  /** Projects, until when they count as too large. */
  readonly #tooLarge = new Map<string, number>();
  readonly #closing = new AbortController();
  #beginning: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Settled once the runs of an earlier gate have ended and were looked after. */
  settled: Promise<void> = Promise.resolve();

  constructor(parts: BoxServiceParts) {
    this.#parts = parts;
    if (!parts.config.enabled) this.#problem = { problem: "disabled", detail: "", fix: null };
  }

  /** Finds out whether there is a box, once the gate has begun to answer: nothing is confined before. */
  begin(): void {
    try {
      this.#openOwn();
    } catch {
      // It is tried again, and said, as the box is made.
    }
    this.#timer = setTimeout(() => void this.ready, BEGINS_AFTER_MS);
    this.#timer.unref();
  }

  /** Settled once it is known whether there is a box; begins to find out where that hasn't yet. */
  get ready(): Promise<void> {
    clearTimeout(this.#timer);
    this.#beginning ??= this.#begin();
    return this.#beginning;
  }

  prepare(run: ConfinedRun): { argv: readonly string[] } {
    const open = this.#required();
    open.launcher.check();
    open.runs.refuseTooMany(run);
    return open.runs.prepare(run, new RunPlan(open.plan, run));
  }

  /** A path for the agents' socket of a run. @throws GateError `box_unavailable` */
  agentSocketPath(): string {
    return join(this.#required().agentsFolder, randomBytes(6).toString("hex"));
  }

  /**
   * Prepares a whole agent's run, for its user alone: for a minute, the words that start it, once.
   * @throws GateError `box_unavailable`; the system's error
   */
  prepareAgent(agent: AgentRun, declaration: Declaration): PreparedAgent {
    const open = this.#required();
    open.agentLauncher.check();
    const { machine } = open.plan;
    if (machine.node === null)
      throw new GateError(
        "box_unavailable",
        "no host can be reached from a box here",
        "install Node, and have it in PATH",
      );
    const { failed, addressRules: rules } = this.#parts;
    const way = { folder: open.agentsFolder, node: machine.node, failed, ...(rules === undefined ? {} : { rules }) };
    const plan = new AgentPlan({ plan: open.plan, way }, agent, declaration);
    open.runs.refuseTooMany(plan.run);
    const { argv } = open.runs.prepare(plan.run, plan, open.folder.agentLauncher);
    const end = () => open.runs.end(argv);
    return { argv, end, review: () => (plan.review() ? end() : undefined), close: () => plan.close() };
  }

  #required(): Open {
    if (this.#open !== undefined) return this.#open;
    throw new GateError("box_unavailable", "no command can run confined here", "see box status");
  }

  isTooLarge(project: string): boolean {
    return performance.now() < (this.#tooLarge.get(project) ?? 0);
  }

  isBeingChanged(path: string): boolean {
    return this.#open?.runs.canBeChanging(path) === true || this.#own?.after.canEarlierChange(path) === true;
  }

  /** A prepared run whose words are given to nobody. */
  discard(argv: readonly string[]): void {
    this.#open?.runs.discard(argv);
  }

  /**
   * Whether this agent's call, by the client's own id of it, ran confined as it was allowed to; null where it wasn't to be confined.
   * One that ran without having started in the box pauses its agent; one in the background, where it doesn't begin soon. One that is named by
   * its run ran by that run's words, which run nothing outside: they may have come too late.
   */
  ran(agentId: string, id: string): { confined: Confined | null } {
    const runs = this.#open?.runs;
    const run = runs?.of(agentId, id);
    if (runs === undefined || run === undefined) return { confined: null };
    const { state, confined_run } = run;
    if (state === "prepared" && confined_run.in_background === true) runs.expireSoon(run);
    else {
      if (isUnstarted(run) && id !== run.id) this.#bypassed(run);
      if (state !== "starting" && state !== "started") runs.reported(run);
    }
    return { confined: confinedTo(confined_run.declaration, false) };
  }

  /** This agent ran a command that nobody was asked about. In the place of one that was given words and never started them, it is paused. */
  ranUnasked(agentId: string): void {
    const [run] = this.#open?.runs.unstarted(agentId) ?? [];
    if (run === undefined) return;
    this.#bypassed(run);
    this.#open?.runs.reported(run);
  }

  /** The client's own id of the call that a run's words were given for; `id` itself where it names no run. */
  callIdOf(agentId: string, id: string): string {
    return this.#open?.runs.of(agentId, id)?.confined_run.call_id ?? id;
  }

  /** An agent has greeted the gate, and said whether it runs what it is given. */
  greeted(agentName: string, supports: boolean): void {
    this.#greeted.set(agentName, supports);
  }

  status(): BoxStatus {
    const { is_available } = this;
    return {
      is_available,
      ...(is_available ? { problem: null, detail: "", fix: null } : this.#problem),
      hosts_problem: this.#hostsProblem,
      maker: this.#maker,
      agents: boxAgents(
        this.#parts.paths.state_dir,
        this.#parts.agents().map((agent) => ({ ...agent, supports: this.#greeted.get(agent.name) })),
      ),
      running: this.#open?.runs.running ?? 0,
      set_aside: this.#own === undefined ? [] : listSetAside(this.#own.folder.set_aside),
    };
  }

  /** Nothing starts any more; what runs continues, confined. */
  close(): void {
    clearTimeout(this.#timer);
    this.#closing.abort();
    const open = this.#open;
    this.#opened(undefined);
    open?.runs.close();
    this.#own?.after.close();
    open?.network?.close();
    open?.slots.close();
  }

  #opened(open: Open | undefined): void {
    this.#open = open;
    this.is_available = open !== undefined;
    this.has_network = open?.network !== undefined;
  }

  async #begin(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    try {
      const own = this.#openOwn();
      const open = own === undefined ? undefined : await this.#made(own);
      if (this.#closing.signal.aborted) {
        open?.network?.close();
        open?.slots.close();
      } else this.#opened(open);
      if (own !== undefined)
        removeOldFolders(own.folder.path).catch((error: unknown) =>
          this.#parts.failed("removing what nobody uses any more", error),
        );
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error);
      this.#problem = { problem: "folder-unusable", detail, fix: null };
      this.#parts.failed("preparing the box", error);
    }
  }

  /** @returns undefined where there is to be no box, and nothing of an earlier one. @throws the system's error */
  #openOwn(): Own | undefined {
    if (this.#own !== undefined) return this.#own;
    const { config, paths, clock, alarms, audit, failed } = this.#parts;
    if (!config.enabled && !hasGoing(paths.state_dir)) return undefined;
    const folder = openBoxFolder(paths.state_dir);
    const places = new Places(TREE_LIMITS, this.#parts.home);
    const after = new AfterRuns({ folder, places, clock, alarms, audit, failed });
    const own = { folder, prefix: randomBytes(4).toString("hex"), places, after };
    this.#lookAfterEarlier(own);
    this.#own = own;
    return own;
  }

  async #made({ folder, prefix, places, after }: Own): Promise<Open | undefined> {
    const { home, env, config, paths, gateFolders, pipesAhead: ahead = COMMANDS_AHEAD, failed } = this.#parts;
    if (!config.enabled) return undefined;
    const machine = findMachine({ env, home, config, state_dir: paths.state_dir, gateFolders });
    const { maker, ...problem } = await probeBox(machine);
    // Of a gate that has ended nothing is written any more: the next one may be there already.
    if (this.#closing.signal.aborted) return undefined;
    this.#maker = maker && `${maker.name} ${maker.version || "of an unknown version"}`;
    this.#problem = problem;
    if (problem.problem !== null || maker === null || machine.bash === null) return undefined;
    const slots = new PipePairs(folder.path, prefix, (error) => failed("making or removing pipes", error), ahead);
    await slots.begin();
    if (this.#closing.signal.aborted) {
      slots.close();
      return undefined;
    }
    const hasFilter = writeFilter(folder);
    const launcher = new Launcher(folder.launcher);
    const agentLauncher = new Launcher(folder.agentLauncher);
    const common = commonArguments(machine);
    this.makerPath = maker.path;
    const written = { folder: folder.path, maker: maker.path, bash: machine.bash, hasFilter };
    launcher.write({ ...written, common, limits: limitCommands(config) });
    agentLauncher.write({
      ...written,
      common,
      // To be resized and interrupted: the filter keeps words from being put into it.
      keepsTerminal: hasFilter,
      limits: limitCommands({ ...config, cpu_seconds: AGENT_CPU_SECONDS }),
    });
    const network = machine.node === null ? undefined : this.#parts.network?.(folder.path, machine.node);
    this.#hostsProblem = machine.node === null ? "no-node" : null;
    const stateOf = (agentId: string) => this.#parts.stateOf(agentId);
    const plan = {
      machine,
      places,
      after,
      stateOf,
      openNetwork: (run: ConfinedRun) => wayOf(run, network),
      tooLarge: (project: string) => this.#tooLarge.set(project, performance.now() + STAYS_TOO_LARGE_MS),
      around: this.#parts.around,
    };
    return {
      folder,
      launcher,
      agentLauncher,
      agentsFolder: makeSocketFolder(join(folder.path, "agents")),
      slots,
      plan,
      runs: new Runs({
        folder,
        slots,
        maker: basename(maker.path),
        bypassed: (run) => this.#bypassed(run),
        hidItsEnd: (run) => this.#hidItsEnd(run),
        failed,
      }),
      network,
    };
  }

  /** Of a gate that has ended: what its runs leave is looked at when they end. */
  #lookAfterEarlier({ after, folder, prefix }: Own): void {
    const { signal } = this.#closing;
    const earlier = after.takeOver();
    this.settled = earlierRunsEnd(folder.path, prefix, signal, (held) => after.someEarlierEnded(held))
      .then(() => (signal.aborted ? undefined : after.ended(earlier)))
      .catch((error: unknown) => this.#parts.failed("looking after an earlier gate's commands", error));
  }

  #bypassed({ confined_run: { agent_id, agent_name } }: Run): void {
    const { agent_pauses, alarms, audit, clock, failed } = this.#parts;
    try {
      agent_pauses.begin(agent_id);
    } catch (error) {
      failed("pausing an agent", error);
    }
    audit.append({ event: "box.bypassed", ts: clock.now() / 1000, agent: agent_name });
    alarms.raise({
      code: "box_bypassed",
      subject: agent_name,
      message: `${agent_name} ran a command outside the box that was allowed only inside it`,
      hint: "the agent is paused: look at what the command did, then test its client again and resume it",
    });
  }

  #hidItsEnd({ confined_run: { agent_name, declaration } }: Run): void {
    const { alarms, audit, clock } = this.#parts;
    audit.append({ event: "box.hid_its_end", ts: clock.now() / 1000, agent: agent_name });
    alarms.raise({
      code: "box_hid_its_end",
      subject: declaration.project,
      message: `a confined command of ${agent_name} made itself look ended and ran on: it was killed`,
      hint: "it was hostile: find what in the project made it, such as a package that was just installed",
    });
  }
}

/** Whether there is a filter of system calls for this processor. @throws the system's error */
function writeFilter(folder: BoxFolder): boolean {
  const filter = systemCallFilter();
  const file = join(folder.path, "system-calls");
  rmSync(file, { force: true });
  if (filter !== null) writeFileSync(file, filter, { mode: 0o600, flag: "wx" });
  return filter !== null;
}

function wayOf(run: ConfinedRun, network: BoxNetwork | undefined): RunNetwork {
  if (network !== undefined) return network.open(run);
  throw new GateError("box_unavailable", "a confined command has no way to hosts here", "run it outside the box");
}

// Whether the agents are confined, as `box.status` tells it.

interface KnownAgent {
  name: string;
  level: Level;
  /** Whether it said in its last greeting that it runs what it is given; undefined where it has not greeted this gate. */
  supports: boolean | undefined;
}

/** The agents that clients ask for, which have to be tested, and how their programs are called. */
const TESTED: ReadonlyMap<string, string> = new Map(
  KNOWN_AGENTS.flatMap(({ program, connects_as }) => (connects_as === null ? [] : [[connects_as, program]])),
);

export function boxAgents(stateDir: string, agents: readonly KnownAgent[]): BoxAgent[] {
  return agents.map((agent) => ({ name: agent.name, ...stateOf(stateDir, agent) }));
}

function stateOf(stateDir: string, { name, level, supports }: KnownAgent): Omit<BoxAgent, "name"> {
  const program = TESTED.get(name);
  const tested = program === undefined ? [] : testedClients(stateDir, name);
  // An earlier one's file may still be there: the last one tested is the one that is used.
  const client = tested[0];
  const about = {
    client: client === undefined ? null : `${program} ${client.version}`.trim(),
    tested_at: client?.tested_at ?? null,
  };
  if (level === "ReadOnly") return { state: "read-only", ...about };
  if (program === undefined) return { state: supports === true ? "confined" : "untested", ...about };
  if (client === undefined || !isUnchanged(client)) return { state: "untested", ...about };
  return { state: client.passed ? "confined" : "failed", ...about };
}

/** A launcher as a file: written as the gate starts, and still the same one at each run. */
class Launcher {
  readonly #file: string;
  #identity = "";

  constructor(file: string) {
    this.#file = file;
  }

  /** @throws the system's error, also where nothing that lies there can be run */
  write(parts: LauncherParts): void {
    const made = `${this.#file}.new`;
    rmSync(made, { force: true });
    writeFileSync(made, launcherText(parts), { mode: 0o700, flag: "wx" });
    chmodSync(made, 0o700);
    renameSync(made, this.#file);
    accessSync(this.#file, constants.X_OK);
    this.#identity = identityOf(this.#file) ?? "";
  }

  /** @throws GateError `box_unavailable` where something else is in its place */
  check(): void {
    if (this.#identity !== "" && identityOf(this.#file) === this.#identity) return;
    throw new GateError("box_unavailable", `${this.#file} was changed`, "restart the gate, which writes it again");
  }
}

function identityOf(file: string): string | undefined {
  const stat = lstatSync(file, { throwIfNoEntry: false });
  return stat === undefined
    ? undefined
    : [stat.dev, stat.ino, stat.size, stat.mode, stat.mtimeMs, stat.ctimeMs].join(":");
}
