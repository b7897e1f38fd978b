import { randomBytes } from "node:crypto";
import { isAbsolute } from "node:path";
import { realForm } from "@metnos-gate/shell-reading/files";
import { searchedBelow } from "@metnos-gate/shell-reading/programs";
import { ownCommand } from "../../ipc/base/own-command.ts";
import { type Env, localPrincipal } from "../../ipc/base/paths.ts";
import { GateError } from "../../ipc/contract/gate-error.ts";
import { AgentServer } from "../../ipc/socket/agent-server.ts";
import type { LineServerSettings } from "../../ipc/socket/line-server.ts";
import { removeSocket } from "../../ipc/socket/socket-file.ts";
import type { Agent } from "../agents/index.ts";
import type { AgentHosts, AgentRun } from "../box/agent-runs/agent-run.ts";
import type { PreparedAgent } from "../box/service/box-service.ts";
import type { Declaration } from "../decide/confinement/declaration.ts";
import { confinedProject } from "../decide/confinement/project.ts";
import { GateFiles } from "../decide/places/gate-files.ts";
import { readListedHost } from "../targets/listed-host.ts";
import type { Core } from "./core.ts";
import { agentPausedMessage, type BoxedAgent, GatePort, pausedMessage } from "./gate-port.ts";

/** Agents that run in a box as a whole, each with a socket of its own: its calls count as confined until its run has ended. */

export interface BoxedAgentRequest extends Pick<AgentRun, "argv" | "cwd" | "program" | "variables" | "places"> {
  agent: Agent;
  /** Of its user's shell. */
  path?: string | undefined;
  /** `HOST`, `HOST:PORT`; one of this machine's own as `127.0.0.1:PORT` or `localhost:PORT`. */
  hosts: readonly string[];
}

interface Live {
  agent_id: string;
  server: AgentServer;
  run: PreparedAgent | undefined;
}

export interface BoxedAgentsParts {
  env: Env;
  server: Pick<LineServerSettings, "unread" | "frameTimeoutMs">;
  log(line: string): void;
}

/** Of one agent's processes. */
const MAX_CONNECTIONS = 64;

export class BoxedAgents {
  readonly #core: Core;
  readonly #parts: BoxedAgentsParts;
  readonly #live = new Set<Live>();
  readonly #unsubscribe: () => void;
  #isClosed = false;

  constructor(core: Core, parts: BoxedAgentsParts) {
    this.#core = core;
    this.#parts = parts;
    this.#unsubscribe = core.listeners.add(
      ["safety.paused", "safety.resumed", "agent.pause", "agents.changed", "gate.lost"],
      (event) => {
        if (event.type === "gate.lost") {
          const { message, hint } = event.data;
          for (const { server } of this.#live) server.dismiss({ code: "closing", message, hint });
        }
        this.#review();
      },
    );
  }

  /**
   * Prepares a run: the words that start it, once, within a minute.
   * @throws GateError `box_unavailable`, `not_confined`, `invalid_input`; the system's error
   */
  async prepare(request: BoxedAgentRequest): Promise<{ argv: readonly string[]; project: string }> {
    const { box } = this.#core;
    await box.ready;
    const declaration = this.#declarationOf(request);
    const hosts = hostsOf(request.hosts);
    const { agent_id, name } = request.agent;
    const boxed = { agent_id, token: randomBytes(32).toString("base64url"), declaration };
    const socket = box.agentSocketPath();
    const live = await this.#listen(socket, boxed);
    const seat = {
      socket,
      token: boxed.token,
      begun: live.hide,
      ended: () => this.#end(live),
    };
    try {
      const { argv, program, cwd, variables, places } = request;
      live.run = box.prepareAgent(
        { agent_id, agent_name: name, argv, cwd, program, variables, places, hosts, seat },
        declaration,
      );
    } catch (error) {
      this.#end(live);
      throw error;
    }
    return { argv: live.run.argv, project: declaration.project };
  }

  /** No connection is taken any more; the agents run on in their boxes, and nothing is allowed to them. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#unsubscribe();
    await Promise.all(
      [...this.#live].map(({ server, run }) => {
        run?.close();
        return server.close();
      }),
    );
    this.#live.clear();
  }

  async #listen(socket: string, boxed: BoxedAgent): Promise<Live & { hide(): void }> {
    const { server: settings, log } = this.#parts;
    const port = new GatePort(this.#core, log, boxed);
    const server = new AgentServer({ ...settings, path: socket, max_connections: MAX_CONNECTIONS }, port);
    const file = await server.listen();
    // The box has the socket itself: without a name nothing else on this machine finds it.
    const hide = () => removeSocket(socket, file);
    const live = { agent_id: boxed.agent_id, server, run: undefined, hide };
    if (this.#isClosed) {
      await server.close();
      throw new GateError("box_unavailable", "the gate ends", "start it again");
    }
    this.#live.add(live);
    return live;
  }

  #end(live: Live): void {
    if (!this.#live.delete(live)) return;
    live.run?.close();
    live.server.close().catch((error: unknown) => this.#core.failed("closing an agent's socket", error));
  }

  #review(): void {
    const { safety, agent_pauses } = this.#core;
    for (const { agent_id, server, run } of this.#live) {
      run?.review();
      const paused = pausedMessage(safety.pause.state()) ?? agentPausedMessage(agent_pauses.of(agent_id));
      if (paused !== null) server.broadcast("safety.paused", paused);
      else server.broadcast("safety.resumed", {});
    }
  }

  /** @throws GateError `not_confined` where it isn't in a project that a box can show */
  #declarationOf({ cwd, path, program, agent: { agent_id, level } }: BoxedAgentRequest): Declaration {
    if (level === "ReadOnly")
      throw new GateError(
        "not_confined",
        "an agent that only reads has no project to write in a box",
        "run it without --box, or give it another level",
      );
    const { home, paths, grants } = this.#core;
    const { env } = this.#parts;
    const holder = { ...localPrincipal(), agent: agent_id };
    const project = confinedProject(cwd, {
      home,
      env,
      gateFiles: new GateFiles(paths, home),
      grantedFolder: (folder) => grants.folderGranted(holder, "fs:write", folder),
    });
    if (project === null)
      throw new GateError(
        "not_confined",
        "an agent's box needs a project: this folder is in no Git repository",
        `git init, or grant the folder: ${ownCommand(`policy grant fs:write '${cwd}/**'`)}`,
      );
    const { root, repository } = project;
    const reads = program.filter((path) => isAbsolute(path)).map((path) => realForm(path) ?? path);
    const searched = searchedBelow({ path }, cwd, home, [root]);
    return { project: root, cwd, reads, writes: repository === null ? [] : [repository], network: true, searched };
  }
}

const LOOPBACK = /^(?:127\.0\.0\.1|localhost|\[::1\]):([1-9]\d{0,4})$/;

/** @throws GateError `invalid_input` */
function hostsOf(texts: readonly string[]): AgentHosts {
  const ports = texts.flatMap((text) => LOOPBACK.exec(text)?.[1] ?? []).map(Number);
  const listed = texts
    .filter((text) => !LOOPBACK.test(text))
    .map((text) => {
      const host = readListedHost(text);
      if (host !== null) return host;
      throw new GateError(
        "invalid_input",
        `${JSON.stringify(text)} is no host`,
        "such as: api.example.com, or 127.0.0.1:11434",
      );
    });
  return { listed, loopback: [...new Set(ports)] };
}
