import { agentNamed, grantView, type Handlers, type OperatorContext, recordAct } from "./handlers.ts";

type GrantMethod =
  | "grants.list"
  | "grants.search"
  | "grants.add"
  | "grants.revoke"
  | "grants.restore"
  | "grants.stale"
  | "grants.restore_stale"
  | "refusals.list"
  | "refusals.revoke";

export function grantMethods(context: OperatorContext): Handlers<GrantMethod> {
  const { core, by } = context;
  const { gate, grants } = core;
  const { refusals } = gate.broker.registry;
  return {
    "grants.list": (filter) => grants.listGrants(filter).map((grant) => grantView(context, grant)),
    "grants.search": ({ agent, ...query }) => {
      const holder = agent === undefined ? undefined : agentNamed(context, agent).agent_id;
      const page = grants.searchGrants({ ...query, agent: holder });
      return { total: page.total, grants: page.grants.map((grant) => grantView(context, grant)) };
    },
    "grants.add": ({ capability, target, expires_at, agent }) => {
      const holder = agent === undefined ? undefined : agentNamed(context, agent);
      const grant = grants.recordGrant({
        ...by,
        capability,
        target,
        expires_at,
        agent: holder?.agent_id,
        granted_by: `${by.channel}:${by.sender_id}`,
      });
      recordAct(context, "grant", { grant_id: grant.id, capability });
      core.publish({ type: "grants.changed", data: {} });
      gate.waiting.endCovered(by);
      return grantView(context, grant);
    },
    "grants.restore": ({ id }) => {
      const grant = grants.restoreGrant(id, by.surface);
      recordAct(context, "grant.restored", { grant_id: id, capability: grant.capability });
      core.publish({ type: "grants.changed", data: {} });
      gate.waiting.endCovered(by);
      return grantView(context, grant);
    },
    "grants.stale": () =>
      grants.listStale().map(({ grants: revoked, ...batch }) => ({
        ...batch,
        grants: revoked.map((grant) => grantView(context, grant)),
      })),
    "grants.restore_stale": ({ revoked_at }) => {
      const { length } = grants.restoreStale(revoked_at);
      recordAct(context, "grants.stale-restored", { count: length });
      core.publish({ type: "grants.changed", data: {} });
      gate.waiting.endCovered(by);
      return { restored: length };
    },
    "refusals.list": () =>
      refusals.list().map((refusal) => ({ ...refusal, agent_name: core.agents.get(refusal.agent_id)?.name ?? null })),
    "refusals.revoke": ({ id }) => {
      const revoked = refusals.revoke(id);
      if (revoked) {
        recordAct(context, "refusal.revoked", { refusal_id: id });
        core.publish({ type: "refusals.changed", data: {} });
      }
      return { revoked };
    },
    "grants.revoke": ({ id }) => {
      const revoked = grants.revokeGrant(id, by.surface);
      if (revoked) {
        recordAct(context, "grant.revoked", { grant_id: id });
        core.publish({ type: "grants.changed", data: {} });
      }
      return { revoked };
    },
  };
}
