import {
  type AgentView,
  type GrantView,
  type OperatorApi,
  OperatorError,
  type OperatorMethod,
  type OperatorParams,
  type OperatorResult,
  operatorMethods,
  type PairingRequest,
  type Principal,
  type Status,
} from "../ipc/operator-api.ts";
import { localPrincipal } from "../ipc/places.ts";
import type { Core } from "./core.ts";
import type { Agent } from "./gate/agents.ts";
import { dispatchCallback } from "./gate/approvals/callback.ts";
import { tailAudit, verifyAudit } from "./gate/audit/verify.ts";
import { errorCode, GateError } from "./gate/errors.ts";
import type { Grant } from "./gate/grants/store.ts";
import { effective_outcome } from "./gate/policy.ts";
import { namedTarget } from "./gate/targets/target.ts";
import { VERSION } from "./version.ts";

/** What the operator needs to know of the agent socket; absent where the gate isn't serving. */
export interface AgentConnections {
  count(): number;
  connected(): string[];
  slow_dropped(): number;
  pairing_requests(): PairingRequest[];
  /** A waiting agent of this name is let in. */
  admit(agent: Agent): void;
  /** One that waits under this name, which is paired now, has to come with its token. */
  turn_away(name: string): void;
  /** A waiting pairing is refused. */
  refuse(name: string): boolean;
  /** Connections of a revoked agent are closed. */
  drop(agent_id: string): void;
}

type Handlers = {
  [M in OperatorMethod]: (
    params: import("zod").output<(typeof operatorMethods)[M]["params"]>,
  ) => OperatorResult<M> | Promise<OperatorResult<M>>;
};

/** The human's methods on a core, acting as the local principal. */
export class Operator implements OperatorApi {
  readonly #core: Core;
  readonly #connections: AgentConnections | undefined;
  readonly #principal: Principal;
  readonly #started_at = new Date().toISOString();
  readonly #handlers: Handlers;

  constructor(core: Core, connections?: AgentConnections, principal: Principal = localPrincipal()) {
    this.#core = core;
    this.#connections = connections;
    this.#principal = principal;
    this.#handlers = this.#makeHandlers();
  }

  /** @throws OperatorError for anything that is refused */
  async call<M extends OperatorMethod>(method: M, params: OperatorParams<M>): Promise<OperatorResult<M>> {
    const parsed = operatorMethods[method].params.safeParse(params);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      throw new OperatorError(
        "invalid_params",
        `${issue?.path.join(".") || "params"}: ${issue?.message ?? "not valid"}`,
      );
    }
    const handle = this.#handlers[method] as (given: unknown) => OperatorResult<M> | Promise<OperatorResult<M>>;
    try {
      return await handle(parsed.data);
    } catch (error) {
      if (error instanceof GateError) throw new OperatorError(error.code, error.message, error.hint);
      const code = errorCode(error);
      if (!code.startsWith("SQLITE")) throw error;
      throw new OperatorError("storage_failed", `a database can't be used (${code})`, "see: metnos-gate doctor");
    }
  }

  subscribe(listener: Parameters<OperatorApi["subscribe"]>[0]): () => void {
    return this.#core.subscribe(listener);
  }

  async close(): Promise<void> {
    // the core is closed by who opened it
  }

  #makeHandlers(): Handlers {
    const { gate, grants, agents, audit, places, home } = this.#core;
    const by = this.#principal;
    return {
      status: () => this.#status(),
      "policy.check": ({ level, capability, channel, sender_id, target }) => {
        if (target === undefined || channel === undefined || sender_id === undefined)
          return effective_outcome(level, capability).outcome;
        const named = namedTarget(capability, target, home, undefined);
        return effective_outcome(level, capability, () => grants.find({ channel, sender_id }, capability, named))
          .outcome;
      },
      "grants.list": (filter) => grants.list_grants(filter).map((grant) => this.#grantView(grant)),
      "grants.add": ({ capability, target, expires_at, agent }) => {
        const holder = agent === undefined ? undefined : this.#agentNamed(agent);
        const grant = grants.record_grant({
          ...by,
          capability,
          target,
          expires_at,
          agent: holder?.agent_id,
          granted_by: `${by.channel}:${by.sender_id}`,
        });
        this.#record("grant", { grant_id: grant.id, capability });
        this.#core.publish({ type: "grants.changed", data: {} });
        gate.settle_covered(by);
        return this.#grantView(grant);
      },
      "grants.revoke": ({ id }) => {
        const revoked = grants.revoke_grant(id);
        if (revoked) {
          this.#record("grant.revoked", { grant_id: id });
          this.#core.publish({ type: "grants.changed", data: {} });
        }
        return { revoked };
      },
      "approvals.list": ({ include_resolved, limit }) =>
        gate.broker.registry.list_pending({ include_resolved, limit }).map((request) => gate.broker.view(request)),
      "approvals.resolve": (answer) => gate.answer(answer, by),
      "approvals.callback": ({ data }) => dispatchCallback(gate.broker, data, by),
      "approvals.cleanup": () => ({ expired: gate.broker.cleanup() }),
      "agents.list": () => ({
        agents: agents.list().map((agent) => this.#agentView(agent)),
        requests: this.#connections?.pairing_requests() ?? [],
      }),
      "agents.pair": ({ name, level, admit }) => {
        const { agent, token_file } = agents.pair(name, level);
        this.#record("agent.paired", { agent: name, level });
        if (admit) this.#connections?.admit(agent);
        else this.#connections?.turn_away(name);
        this.#core.publish({ type: "agents.changed", data: {} });
        return { ...this.#agentView(agent), token_file };
      },
      "agents.reject": ({ name }) => ({ rejected: this.#connections?.refuse(name) ?? false }),
      "agents.level": ({ name, level }) => {
        const agent = agents.set_level(name, level);
        // What was asked at the old level is asked again at the new one.
        gate.withdraw_agent(agent.agent_id, `the agent's level is now ${level}; send the call again`);
        this.#record("agent.level", { agent: name, level });
        this.#core.publish({ type: "agents.changed", data: {} });
        return this.#agentView(agent);
      },
      "agents.revoke": ({ name }) => {
        const agent = agents.revoke(name);
        gate.withdraw_agent(agent.agent_id, "the agent's pairing was revoked");
        grants.revoke_agent(agent.agent_id, "the agent's pairing was revoked");
        this.#connections?.drop(agent.agent_id);
        this.#record("agent.revoked", { agent: name });
        this.#core.publish({ type: "agents.changed", data: {} });
        return this.#agentView(agent);
      },
      "audit.tail": ({ lines }) => {
        audit.flush();
        return tailAudit(places.audit_dir, lines);
      },
      "audit.verify": () => {
        audit.flush();
        audit.remember_head();
        return verifyAudit(places.audit_dir, places.audit_head);
      },
    };
  }

  #status(): Status {
    const { audit, agents, gate, grants, places, counters } = this.#core;
    return {
      version: VERSION,
      pid: process.pid,
      started_at: this.#started_at,
      agent_socket: places.agent_socket,
      operator_socket: places.operator_socket,
      connections: this.#connections?.count() ?? 0,
      agents_connected: this.#namesOf(this.#connections?.connected() ?? [], agents.list()),
      pairing_requests: this.#connections?.pairing_requests() ?? [],
      approvals_pending: gate.broker.registry.count_waiting(),
      grants_active: grants.count_active(),
      decisions: { ...counters },
      audit_write_failures: audit.write_failures,
      audit_last_failure: audit.last_failure,
      slow_clients_dropped: this.#connections?.slow_dropped() ?? 0,
      paused: false,
    };
  }

  #namesOf(ids: readonly string[], all: readonly Agent[]): string[] {
    return all.filter((agent) => ids.includes(agent.agent_id)).map((agent) => agent.name);
  }

  #agentView(agent: Agent): AgentView {
    return { ...agent, is_connected: this.#connections?.connected().includes(agent.agent_id) ?? false };
  }

  #grantView({ agent, ...grant }: Grant): GrantView {
    return {
      ...grant,
      agent_id: agent,
      agent_name: agent === null ? null : (this.#core.agents.get(agent)?.name ?? null),
    };
  }

  #agentNamed(name: string): Agent {
    const agent = this.#core.agents.named(name);
    if (agent === undefined)
      throw new GateError("unknown_agent", `no agent named ${name} is paired`, "see: metnos-gate agents list");
    return agent;
  }

  #record(event: string, fields: Record<string, unknown>): void {
    this.#core.audit.append({ event, ts: Date.now() / 1000, ...fields });
    this.#core.audit.flush();
  }
}
