import { join } from "node:path";
import type { AgentDirectory, Listeners } from "../../agents/index.ts";
import type { ConfinedRun } from "../../decide/confinement/box.ts";
import { HostGate, type NetworkGate, type NetworkRun } from "./host-gate.ts";
import { NETWORK_LIMITS } from "./limits.ts";
import { RunHosts } from "./run-hosts.ts";
import { makeSocketFolder, openRunNetwork, type RunNetwork, type RunNetworkParts } from "./run-network.ts";
import type { RunProxy } from "./run-proxy.ts";

/** `folder`: for all of the box's; the sockets' is made in it. */
export interface BoxNetworkParts extends NetworkGate, RunNetworkParts {
  agents: Pick<AgentDirectory, "get">;
  listeners: Pick<Listeners, "add">;
}

/** The runs that may reach hosts, each by a proxy of its own. */
export class BoxNetwork {
  readonly #parts: BoxNetworkParts;
  readonly #folder: string;
  readonly #runs = new Map<RunProxy, { agent_id: string; level: string | undefined }>();
  readonly #unsubscribe: () => void;

  constructor(parts: BoxNetworkParts) {
    this.#parts = parts;
    this.#folder = makeSocketFolder(join(parts.folder, "net"));
    this.#unsubscribe = parts.listeners.add(
      ["safety.paused", "agent.pause", "agents.changed", "grants.changed", "refusals.changed", "sessions.changed"],
      (event) => {
        if (event.type === "safety.paused") this.#interrupt(() => true);
        else if (event.type === "agent.pause") {
          const { agent_id, pause } = event.data;
          if (pause !== null) this.#interrupt((run) => run.agent_id === agent_id);
        } else if (event.type === "agents.changed") this.#interrupt((run) => this.#levelOf(run.agent_id) !== run.level);
        else for (const proxy of this.#runs.keys()) proxy.review();
      },
    );
  }

  /** Opens a run's way. @throws GateError `box_unavailable` */
  open(run: NetworkRun & Pick<ConfinedRun, "agent_id">): RunNetwork {
    const { limits = NETWORK_LIMITS, failed } = this.#parts;
    const hosts = new RunHosts(new HostGate(this.#parts, run), limits, failed, (host) => proxy.tell(host));
    const { proxy, way } = openRunNetwork(hosts, { ...this.#parts, folder: this.#folder });
    this.#runs.set(proxy, { agent_id: run.agent_id, level: this.#levelOf(run.agent_id) });
    return {
      ...way,
      close: () => {
        this.#runs.delete(proxy);
        proxy.close();
      },
    };
  }

  close(): void {
    this.#unsubscribe();
    for (const proxy of this.#runs.keys()) proxy.close();
    this.#runs.clear();
  }

  /** Undefined where it isn't paired any more. */
  #levelOf(agentId: string): string | undefined {
    const agent = this.#parts.agents.get(agentId);
    return agent?.revoked_at === null ? agent.level : undefined;
  }

  #interrupt(concerns: (run: { agent_id: string; level: string | undefined }) => boolean): void {
    for (const [proxy, run] of this.#runs) {
      if (!concerns(run)) continue;
      proxy.interrupt();
      run.level = this.#levelOf(run.agent_id);
    }
  }
}
