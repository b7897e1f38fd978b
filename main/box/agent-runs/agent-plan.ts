import { shellQuoted } from "../../../ipc/base/shell-quoted.ts";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import type { ConfinedRun } from "../../decide/confinement/box.ts";
import type { Declaration } from "../../decide/confinement/declaration.ts";
import type { RunNetwork, RunNetworkParts } from "../network/run-network.ts";
import { RunPlan, type RunPlanParts } from "../runs/run-plan.ts";
import type { Plan } from "../runs/runs.ts";
import { type AgentNetwork, openAgentNetwork } from "./agent-network.ts";
import { agentPlaceWords } from "./agent-places.ts";
import type { AgentRun } from "./agent-run.ts";

/** One run of a whole agent: a confined run, with what an agent needs beside it. */

export interface AgentPlanParts {
  plan: Omit<RunPlanParts, "openNetwork">;
  /** Sockets' folder, and what its way out needs. */
  way: Pick<RunNetworkParts, "folder" | "node" | "failed" | "rules">;
}

export class AgentPlan implements Plan {
  readonly run: ConfinedRun;
  readonly #agent: AgentRun;
  readonly #plan: RunPlan;
  readonly #parts: AgentPlanParts;
  #way: AgentNetwork | undefined;

  /** @throws GateError `box_unavailable`, or the system's error */
  constructor(parts: AgentPlanParts, agent: AgentRun, declaration: Declaration) {
    this.#parts = parts;
    this.#agent = agent;
    const { agent_id, agent_name, argv } = agent;
    const { machine } = parts.plan;
    this.run = {
      declaration,
      // In its shell's place: what ends the agent ends its box.
      line: `exec ${argv.map(shellQuoted).join(" ")}`,
      agent_id,
      agent_name,
      session: "",
      call_hash: "",
      call_id: undefined,
    };
    const environment = [...machine.settings.environment, ...agent.variables];
    this.#plan = new RunPlan(
      {
        ...parts.plan,
        machine: { ...machine, settings: { ...machine.settings, environment } },
        is_open: true,
        openNetwork: () => this.#opened(),
      },
      this.run,
    );
  }

  refusal(): string | null {
    return this.#plan.refusal();
  }

  start(environment: readonly string[], slot: string): Promise<Buffer> {
    return this.#plan.start(environment, slot);
  }

  /** The agent may have been paused, or be another one than it was. @returns whether its run has to end */
  review(): boolean {
    this.#way?.review();
    return this.#plan.isOver();
  }

  /** The gate ends: nothing of the agent reaches a host any more. */
  close(): void {
    this.#way?.close();
  }

  async ended(): Promise<void> {
    this.#agent.seat.ended();
    await this.#plan.ended();
  }

  async dropped(): Promise<void> {
    this.#agent.seat.ended();
    await this.#plan.dropped();
  }

  #opened(): RunNetwork {
    const { plan, way } = this.#parts;
    const { hosts, seat } = this.#agent;
    const places = agentPlaceWords(this.#agent, this.run.declaration.project, plan.machine);
    const isStopped = () => this.#plan.refusal() !== null;
    try {
      this.#way = openAgentNetwork({ ...way, hosts, seat, places, isStopped });
      return this.#way;
    } catch (error) {
      if (error instanceof GateError) throw error;
      throw new GateError("box_unavailable", "the agent's box can't be made", "see the gate's log", { cause: error });
    }
  }
}
