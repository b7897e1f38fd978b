import type { BoxStatus } from "../../ipc/box.ts";
import type { Confined } from "../../ipc/decision.ts";
import { GateError } from "../../ipc/gate-error.ts";
import type { Env, GatePaths } from "../../ipc/paths.ts";
import type { Config } from "../config.ts";
import type { AgentPauses } from "../gate/agent-pauses.ts";
import type { Alarms } from "../gate/alarms.ts";
import type { AuditLog } from "../gate/audit/log.ts";
import type { Clock } from "../gate/clock.ts";
import type { Box, ConfinedRun } from "../gate/confinement/box.ts";
import { boxAgents, type KnownAgent } from "./agents.ts";
import type { BoxNetwork } from "./network/box-network.ts";
import type { OpenBox } from "./open-box.ts";
import { listSetAside } from "./project/set-aside.ts";
import type { AgentState } from "./runs/run-plan.ts";
import type { Run } from "./runs/runs.ts";

export interface BoxServiceParts {
  paths: Pick<GatePaths, "state_dir">;
  home: string;
  env: Env;
  config: Config["box"];
  clock: Clock;
  alarms: Pick<Alarms, "raise">;
  audit: Pick<AuditLog, "append">;
  agent_pauses: Pick<AgentPauses, "begin">;
  /** Under what an agent's calls are decided now: asked as a run is prepared, and again as it starts. */
  stateOf(agent_id: string): AgentState;
  /** The agents, for the status. */
  agents(): readonly Omit<KnownAgent, "supports">[];
  /** Other folders of the gate than its state's, which no box shows. */
  gate_folders: readonly string[];
  /** Confined runs' ways to hosts, with their sockets in this folder. Left out: no run has one. */
  network?(folder: string): Promise<BoxNetwork>;
  /** Logs an unexpected error after which the gate continues. */
  failed(what: string, error: unknown): void;
}

export type Problem = Pick<BoxStatus, "problem" | "detail" | "fix">;

/** The gate's start, and what ends soon after it, doesn't wait for a probe. */
const BEGINS_AFTER_MS = 400;

const NONE_YET: Problem = { problem: "probe-failed", detail: "it is being tried", fix: null };

/** The box of a running gate: whether there is one, its runs, and what was set aside after them. */
export class BoxService implements Box {
  /** False until the probe has passed. */
  is_available = false;
  has_network = false;
  readonly #parts: BoxServiceParts;
  #open: OpenBox | undefined;
  #problem: Problem = NONE_YET;
  #version: string | null = null;
  /** By the agent's name, as it last said. */
  readonly #greeted = new Map<string, boolean>();
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
    const open = this.#open;
    if (open === undefined)
      throw new GateError("box_unavailable", "no command can run confined here", "see box status");
    return open.prepare(run);
  }

  isTooLarge(project: string): boolean {
    return this.#open?.isTooLarge(project) === true;
  }

  /** A prepared run whose words are given to nobody. */
  discard(argv: readonly string[]): void {
    this.#open?.runs.discard(argv);
  }

  /**
   * Whether this agent's call, by the client's own id of it, ran confined as it was allowed to; null where it wasn't to be confined.
   * One that ran without having started in the box pauses its agent.
   */
  ran(agent_id: string, call_id: string): { confined: Confined | null } {
    const run = this.#open?.runs.of(agent_id, call_id);
    if (run === undefined) return { confined: null };
    const { project, network } = run.confined_run.declaration;
    if (run.state === "prepared" || run.state === "expired") this.#bypassed(run);
    if (run.state !== "started") this.#open?.runs.reported(run);
    return { confined: { project, network } };
  }

  /** An agent has greeted the gate, and said whether it runs what it is given. */
  greeted(agent_name: string, supports: boolean): void {
    this.#greeted.set(agent_name, supports);
  }

  status(): BoxStatus {
    const { is_available } = this;
    return {
      is_available,
      ...(is_available ? { problem: null, detail: "", fix: null } : this.#problem),
      version: this.#version,
      agents: boxAgents(
        this.#parts.paths.state_dir,
        this.#parts.agents().map((agent) => ({ ...agent, supports: this.#greeted.get(agent.name) })),
      ),
      running: this.#open?.runs.running ?? 0,
      set_aside: this.#open === undefined ? [] : listSetAside(this.#open.folder.set_aside),
    };
  }

  /** Nothing starts any more; what runs continues, confined. */
  close(): void {
    clearTimeout(this.#timer);
    this.#closing.abort();
    const open = this.#open;
    this.#opened(undefined);
    open?.close();
  }

  #opened(open: OpenBox | undefined): void {
    this.#open = open;
    this.is_available = open !== undefined;
    this.has_network = open?.has_network === true;
  }

  async #begin(): Promise<void> {
    if (this.#closing.signal.aborted || !this.#parts.config.enabled) return;
    try {
      // Loaded once the gate answers: its start doesn't wait for it.
      const { openBox } = await import("./open-box.ts");
      const { open, version, ...problem } = await openBox(this.#parts, this.#closing.signal);
      if (this.#closing.signal.aborted) return open?.close();
      this.#version = version;
      this.#problem = problem;
      if (open === undefined) return;
      this.settled = open.lookAfterEarlier(this.#closing.signal);
      this.#opened(open);
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error);
      this.#problem = { problem: "folder-unusable", detail, fix: null };
      this.#parts.failed("preparing the box", error);
    }
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
}
