import { randomBytes } from "node:crypto";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { AgentDirectory } from "../../gate/agents.ts";
import type { ConfinedRun } from "../../gate/confinement/box.ts";
import type { Listeners } from "../../listeners.ts";
import { makePrivate } from "../box-folder.ts";
import { NETWORK_ENVIRONMENT } from "./environment.ts";
import { HostGate, type NetworkGate, type NetworkRun } from "./host-gate.ts";
import { NETWORK_LIMITS, type NetworkLimits } from "./limits.ts";
import { type AddressRules, PUBLIC_ADDRESSES } from "./lookup.ts";
import { BOX_FOLDER, BOX_SOCKET, relayStart } from "./relay.ts";
import { RunHosts } from "./run-hosts.ts";
import { RunProxy } from "./run-proxy.ts";

/** One run's way to hosts. */
export interface RunNetwork {
  /** Bubblewrap's: behind what makes /run, and behind what clears the environment. */
  readonly arguments: readonly string[];
  /** Words of a POSIX shell that start the relay in the box, and come back when programs can use it. */
  readonly start: string;
  /** The run has ended, or never began. */
  close(): void;
}

export interface BoxNetworkParts extends NetworkGate {
  agents: Pick<AgentDirectory, "get">;
  listeners: Pick<Listeners, "add">;
  /** Logs an unexpected error. */
  failed(what: string, error: unknown): void;
  /** The gate's own folder for the sockets, 0700; made where it isn't there. */
  folder: string;
  /** Others only in tests. */
  rules?: AddressRules;
  limits?: NetworkLimits;
}

/** The runs that may reach hosts, each by a proxy of its own. */
export class BoxNetwork {
  readonly #parts: BoxNetworkParts;
  readonly #folder: string;
  readonly #runs = new Map<RunProxy, { agent_id: string; level: string | undefined }>();
  readonly #unsubscribe: () => void;

  constructor(parts: BoxNetworkParts) {
    this.#parts = parts;
    this.#folder = join(parts.folder, "net");
    makePrivate(this.#folder);
    // Sockets of a gate that was killed.
    for (const name of readdirSync(this.#folder)) rmSync(join(this.#folder, name), { force: true, recursive: true });
    this.#unsubscribe = parts.listeners.add(
      ["safety.paused", "agent.pause", "agents.changed", "grants.changed", "refusals.changed"],
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
    const { rules = PUBLIC_ADDRESSES, limits = NETWORK_LIMITS, failed } = this.#parts;
    // Short: the path of a socket has about a hundred characters.
    const path = join(this.#folder, randomBytes(6).toString("hex"));
    const hosts = new RunHosts(new HostGate(this.#parts, run), limits, failed);
    const proxy = new RunProxy(path, hosts, rules, limits, failed);
    this.#runs.set(proxy, { agent_id: run.agent_id, level: this.#levelOf(run.agent_id) });
    const { binds, start } = relayStart();
    const environment = Object.entries(NETWORK_ENVIRONMENT).flatMap(([name, value]) => ["--setenv", name, value]);
    return {
      arguments: ["--dir", BOX_FOLDER, "--ro-bind", path, BOX_SOCKET, ...binds, ...environment],
      start,
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
  #levelOf(agent_id: string): string | undefined {
    const agent = this.#parts.agents.get(agent_id);
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
