import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
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
import { type BoxFolder, openBoxFolder } from "./box-folder.ts";
import type { Greeting } from "./greeting.ts";
import { Launcher } from "./launcher.ts";
import { minimalArguments } from "./minimal-box.ts";
import { type Run, Runs } from "./runs.ts";
import { SlotPool } from "./slots.ts";

export interface BoxServiceParts {
  paths: Pick<GatePaths, "state_dir">;
  home: string;
  env: Env;
  config: Config["box"];
  clock: Clock;
  alarms: Pick<Alarms, "raise">;
  audit: Pick<AuditLog, "append">;
  agent_pauses: Pick<AgentPauses, "begin">;
  /** Logs an unexpected error after which the gate continues. */
  failed(what: string, error: unknown): void;
}

/** What of this machine a running box needs. */
interface Open {
  folder: BoxFolder;
  launcher: Launcher;
  slots: SlotPool;
  runs: Runs;
}

type Problem = Pick<BoxStatus, "problem" | "detail" | "fix">;

const NONE_YET: Problem = { problem: "probe-failed", detail: "it is being tried", fix: null };

/** The box of a running gate: whether there is one, its runs, and what was set aside after them. */
export class BoxService implements Box {
  readonly #parts: BoxServiceParts;
  #open: Open | undefined;
  #problem: Problem = NONE_YET;
  #version: string | null = null;
  #is_closed = false;
  /** Settled once it is known whether there is a box. */
  ready: Promise<void> = Promise.resolve();

  constructor(parts: BoxServiceParts) {
    this.#parts = parts;
  }

  /** Finds out whether there is a box, once the gate answers: nothing is confined before. */
  begin(): void {
    this.ready = this.#begin();
  }

  /** False until the probe has passed. */
  get is_available(): boolean {
    return this.#open !== undefined;
  }

  get has_network(): boolean {
    return false;
  }

  prepare(run: ConfinedRun): { argv: readonly string[] } {
    const open = this.#open;
    if (open === undefined)
      throw new GateError("box_unavailable", "no command can run confined here", "see box status");
    open.launcher.check();
    return open.runs.prepare(run);
  }

  /** A prepared run that nobody will be told about. */
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

  status(): BoxStatus {
    const is_available = this.is_available;
    return {
      is_available,
      ...(is_available ? { problem: null, detail: "", fix: null } : this.#problem),
      version: this.#version,
      agents: [],
      running: this.#open?.runs.running ?? 0,
      set_aside: [],
    };
  }

  /** Nothing starts any more; what runs goes on, confined. */
  close(): void {
    this.#is_closed = true;
    const open = this.#open;
    this.#open = undefined;
    open?.runs.close();
    open?.slots.close();
  }

  async #begin(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    if (!this.#parts.config.enabled) {
      this.#problem = { problem: "disabled", detail: "", fix: null };
      return;
    }
    try {
      const open = await this.#made();
      if (this.#is_closed) open.slots.close();
      else this.#open = open;
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error);
      this.#problem = { problem: "folder-unusable", detail, fix: null };
      this.#parts.failed("preparing the box", error);
    }
  }

  async #made(): Promise<Open> {
    const folder = openBoxFolder(this.#parts.paths.state_dir);
    const launcher = new Launcher(folder);
    launcher.write({
      folder: folder.path,
      bubblewrap: "/usr/bin/bwrap",
      bash: "/bin/bash",
      limits: "",
      has_filter: false,
    });
    const failed = this.#parts.failed;
    const slots = new SlotPool(folder.path, randomBytes(4).toString("hex"), (error) => failed("making pipes", error));
    await slots.begin();
    const runs = new Runs({
      folder,
      slots,
      argumentsOf: (run, greeting) => this.#argumentsOf(run, greeting),
      starting: () => undefined,
      ended: () => undefined,
      dropped: () => undefined,
      failed,
    });
    return { folder, launcher, slots, runs };
  }

  #argumentsOf({ declaration, line }: ConfinedRun, { environment }: Greeting): Buffer {
    const found = { run_later: [`${declaration.project}/.git/hooks`].filter(existsSync), secrets: [] };
    const words = [...minimalArguments(declaration, found), "--setenv", "METNOS_BOX_COMMAND", line];
    const kept = environment.filter((entry) => entry.startsWith("PATH="));
    const variables = kept.flatMap((entry) => {
      const equals = entry.indexOf("=");
      return ["--setenv", entry.slice(0, equals), entry.slice(equals + 1)];
    });
    return Buffer.concat([Buffer.from(zeroEnded(variables), "latin1"), Buffer.from(zeroEnded(words))]);
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

const zeroEnded = (words: readonly string[]): string => words.map((word) => `${word}\0`).join("");
