import { randomBytes } from "node:crypto";
import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { shellQuoted } from "../../../ipc/base/shell-quoted.ts";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import type { ConfinedRun } from "../../decide/confinement/box.ts";
import type { Declaration } from "../../decide/confinement/declaration.ts";
import { mountChecks } from "../arguments/mounts.ts";
import { ALLOWED, type HostAccess, refused } from "../network/host-access.ts";
import { ListedHosts } from "../network/listed-hosts.ts";
import { BOX_FOLDER, type LoopbackWay } from "../network/relay.ts";
import { openRunNetwork, type RunNetwork, type RunNetworkParts } from "../network/run-network.ts";
import { RunPlan, type RunPlanParts } from "../runs/run-plan.ts";
import type { Plan } from "../runs/runs.ts";
import { agentPlaceWords, type PlaceWords } from "./agent-places.ts";
import type { AgentHosts, AgentRun, Seat } from "./agent-run.ts";

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
        isOpen: true,
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

// An agent's way out of its box: to its model's hosts, and to the gate by a socket of this run alone.

/** Where the box has the agents' socket, and what the agent identifies itself by. */
const AGENT_SOCKET = `${BOX_FOLDER}/gate.sock`;
const AGENT_TOKEN = `${BOX_FOLDER}/token`;

interface AgentNetworkParts extends Omit<RunNetworkParts, "loopback" | "reached"> {
  hosts: AgentHosts;
  seat: Seat;
  places: PlaceWords;
  /** Nothing of the agent may continue now, such as while it is paused. */
  isStopped(): boolean;
}

interface AgentNetwork extends RunNetwork {
  /** Something has changed by which the agent may be stopped: what is open then ends. */
  review(): void;
}

/** @throws GateError `box_unavailable`; the system's error */
export function openAgentNetwork(parts: AgentNetworkParts): AgentNetwork {
  const { hosts, seat, places, isStopped } = parts;
  const { folder, failed } = parts;
  const loopback = new Loopback({ folder, ports: hosts.loopback, isStopped, failed });
  const tokenFile = `${seat.socket}.token`;
  writeFileSync(tokenFile, seat.token, { mode: 0o400, flag: "wx" });
  const removed = (remove: () => void) => {
    try {
      remove();
    } catch (error) {
      failed("removing what an agent's run began with", error);
    }
  };
  const removeToken = () => removed(() => rmSync(tokenFile, { force: true }));
  const begun = () => {
    removeToken();
    removed(() => seat.begun());
  };
  const access = unlessStopped(new ListedHosts(hosts.listed, NOT_LISTED), isStopped);
  const { proxy, way } = openRunNetwork(access, { ...parts, loopback: loopback.ways, reached: begun });
  const shared = ["--ro-bind", seat.socket, AGENT_SOCKET, "--ro-bind", tokenFile, AGENT_TOKEN];
  const environment = ["--setenv", "METNOS_GATE_SOCKET", AGENT_SOCKET, "--setenv", "METNOS_AGENT_TOKEN", seat.token];
  const closed = ["--remount-ro", BOX_FOLDER, "--remount-ro", "/"];
  const words = [...way.arguments, ...shared, ...places.words, ...environment, ...closed];
  return {
    first: places.first,
    arguments: words,
    start: `${mountChecks(words, [AGENT_SOCKET, ...places.at])}\n${way.start}`,
    review() {
      if (!isStopped()) return;
      proxy.interrupt();
      loopback.interrupt();
    },
    close() {
      loopback.close();
      proxy.close();
      removeToken();
    },
  };
}

const NOT_LISTED = "an agent's box reaches only its model's hosts, and those that its user named with --host";

function unlessStopped(hosts: ListedHosts, isStopped: () => boolean): HostAccess {
  return {
    ask: (to) =>
      Promise.resolve(
        isStopped() ? refused("the agent is stopped") : hosts.mayStay(to) ? ALLOWED : refused(NOT_LISTED),
      ),
    mayStay: (to) => !isStopped() && hosts.mayStay(to),
    forgetAllowed: () => hosts.forgetAllowed(),
    forgetApproved: () => hosts.forgetApproved(),
    close: () => hosts.close(),
  };
}

// An agent's ways to servers of this machine that its user named, such as a model that runs here: bytes, as they are.

const MAX_CONNECTIONS = 64;

interface LoopbackParts {
  /** The gate's own folder for sockets. */
  folder: string;
  ports: readonly number[];
  /** Nothing of the agent may continue now. */
  isStopped(): boolean;
  /** Logs an unexpected error. */
  failed(what: string, error: unknown): void;
}

class Loopback {
  readonly ways: readonly LoopbackWay[];
  readonly #servers: readonly Server[];
  readonly #sockets = new Set<Socket>();

  /** Listens once it is made. */
  constructor({ folder, ports, isStopped, failed }: LoopbackParts) {
    // Short: the path of a socket has about a hundred characters.
    this.ways = ports.map((port) => ({ port, socket: join(folder, randomBytes(6).toString("hex")) }));
    this.#servers = this.ways.map(({ port, socket }) => {
      const server = createServer({ allowHalfOpen: true }, (inside) => {
        if (isStopped()) return void inside.destroy();
        this.#join(inside, connect({ port, host: "127.0.0.1", allowHalfOpen: true }));
      });
      server.maxConnections = MAX_CONNECTIONS;
      server.on("error", (error) => failed("an agent's way to this machine", error));
      server.listen(socket);
      if (server.listening) chmodSync(socket, 0o600);
      server.unref();
      return server;
    });
  }

  /** Ends what is open. */
  interrupt(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  close(): void {
    for (const server of this.#servers) server.close();
    this.interrupt();
    for (const { socket } of this.ways) rmSync(socket, { force: true });
  }

  #join(inside: Socket, outside: Socket): void {
    for (const [from, to] of [
      [inside, outside],
      [outside, inside],
    ] as const) {
      this.#sockets.add(from);
      from.pipe(to);
      from.on("error", () => to.destroy());
      from.once("close", () => {
        this.#sockets.delete(from);
        to.destroySoon();
      });
    }
  }
}
