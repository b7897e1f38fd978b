import { ownCommand } from "../../../ipc/base/own-command.ts";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import type {
  AgentView,
  CheckedParams,
  GrantView,
  OperatorMethod,
  OperatorResult,
} from "../../../ipc/contract/operator-api.ts";
import type { AgentServer } from "../../../ipc/socket/agent-server.ts";
import type { Agent, AgentPause } from "../../agents/index.ts";
import type { Decider } from "../../calls/index.ts";
import type { LoginItem } from "../../config/index.ts";
import type { BoxedAgents } from "../../core/boxed-agents.ts";
import type { Core } from "../../core/core.ts";
import type { Grant } from "../../decide/grants/rows.ts";
import type { Channels } from "../channels/channels.ts";
import type { GateNotifications } from "../notifications/start.ts";

/** What every family of the operator's methods works with. */

/** What the operator needs of the agent socket; absent where the gate isn't serving. */
export type AgentConnections = Pick<
  AgentServer,
  "connectionCount" | "slowDropped" | "connected" | "pairingRequests" | "admit" | "turnAway" | "refuse" | "drop"
>;

/** The page in a browser; absent where none is served. */
export interface BrowserPage {
  /** Where it is, without a secret. */
  readonly url: string;
  /** A new link to it. */
  link(): string;
  /** Ends every session and link of a browser. Gives how many sessions there were. */
  revokeAll(): number;
}

export interface OperatorContext {
  core: Core;
  connections: AgentConnections | undefined;
  /** Absent where no gate is served. */
  boxedAgents: Pick<BoxedAgents, "prepare"> | undefined;
  login_item: LoginItem | undefined;
  browserPage: BrowserPage | undefined;
  /** Absent where no gate is served. */
  notifications: (() => GateNotifications | undefined) | undefined;
  /** Absent where no gate is served. */
  channels: (() => Channels | undefined) | undefined;
  /** ISO-8601 UTC. */
  started_at: string;
  /** The user in whose name the operator acts, and where. */
  by: Decider;
}

export type Handlers<M extends OperatorMethod> = {
  [K in M]: (params: CheckedParams[K]) => OperatorResult<K> | Promise<OperatorResult<K>>;
};

/** Writes the operator's act into the audit trail, at once. */
export function recordAct({ core }: OperatorContext, event: string, fields: Record<string, unknown>): void {
  core.audit.append({ event, ts: core.audit.time(), ...fields });
  core.audit.flush();
}

/** @throws GateError `unknown_agent` */
export function agentNamed({ core }: OperatorContext, name: string): Agent {
  const agent = core.agents.named(name);
  if (agent === undefined)
    throw new GateError("unknown_agent", `no agent named ${name} is paired`, `see: ${ownCommand("agents list")}`);
  return agent;
}

export function agentView(context: OperatorContext, agent: Agent): AgentView {
  return agentViewer(context)(agent);
}

/** For several agents at once: what they share is looked up once. */
export function agentViewer({ core, connections }: OperatorContext): (agent: Agent) => AgentView {
  const connected = new Set(connections?.connected());
  const calls = core.activity.callsToday();
  return (agent) => ({
    ...agent,
    is_connected: connected.has(agent.agent_id),
    calls_today: calls.get(agent.agent_id) ?? 0,
    paused: pausedView(core.agent_pauses.of(agent.agent_id)),
  });
}

function pausedView(pause: AgentPause | null): AgentView["paused"] {
  return pause && { until: pause.until };
}

export function grantView({ core }: OperatorContext, { agent, ...grant }: Grant): GrantView {
  return {
    ...grant,
    agent_id: agent,
    agent_name: agent === null ? null : (core.agents.get(agent)?.name ?? null),
  };
}
