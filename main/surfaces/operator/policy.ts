import { CAPABILITIES, type Capability, type Level } from "../../../ipc/contract/decision.ts";
import type { PolicyRow, Principal } from "../../../ipc/contract/operator-api.ts";
import type { PolicyOverride } from "../../../ipc/contract/policy-overrides.ts";
import { profilesOfText } from "../../config/index.ts";
import { effectiveOutcome, ruleFor, type SubjectPolicy, TABLE_POLICY } from "../../decide/policy/policy.ts";
import { tryPolicy } from "../../records/activity/try-policy.ts";
import { CAPABILITY_REGISTRY } from "../../targets/capabilities.ts";
import { namedTarget } from "../../targets/target.ts";
import { type Handlers, type OperatorContext, recordAct } from "./handlers.ts";

const FAMILY: Readonly<Record<Capability, PolicyRow["family"]>> = {
  "fs:read": "files",
  "fs:write": "files",
  "code:exec": "code",
  "network:http": "network",
  "llm:local": "model",
  "llm:online": "model",
  "mail:read": "mail",
  "mail:send": "mail",
  "channel:in": "channels",
  "channel:out": "channels",
  "time:read": "local",
  "parse:local": "local",
  "calendar:read": "local",
};

/** The table row by row. `own`: as it is for an agent. */
function matrixOf(own: SubjectPolicy): PolicyRow[] {
  return CAPABILITIES.map((capability) => {
    const { description, default_approval, critical } = CAPABILITY_REGISTRY[capability];
    const cell = (level: Level) => {
      const override = own.override(level, capability);
      return {
        outcome: own.table[level][capability],
        rule: override === undefined ? ruleFor(level, capability) : overrideRule(override),
        ...(override === undefined ? {} : { override }),
      };
    };
    return {
      capability,
      family: FAMILY[capability],
      description,
      default_approval,
      is_critical: critical,
      cells: { ReadOnly: cell("ReadOnly"), Supervised: cell("Supervised"), Full: cell("Full") },
    };
  });
}

function overrideRule({ profile, capability, line }: PolicyOverride): string {
  if (line === null) return `${capability} is made stricter by hand, for ${profile}`;
  return `${capability} is made stricter for ${profile}: policy_overrides.toml, line ${line}`;
}

type PolicyMethod =
  | "policy.check"
  | "policy.matrix"
  | "policy.overrides"
  | "policy.tighten"
  | "policy.loosen"
  | "policy.try";

export function policyMethods(context: OperatorContext): Handlers<PolicyMethod> {
  const { core, by } = context;
  const { agents, gate, grants, home, lines, overrides, policyCells } = core;
  const changed = (event: string, fields: Record<string, unknown>) => {
    recordAct(context, event, { ...fields, by: `${by.channel}:${by.sender_id}`, surface: by.surface ?? null });
    core.publish({ type: "policy.changed", data: {} });
    // What waits for an answer that it no longer needs, or can no longer get.
    gate.waiting.endCovered(by);
  };
  const policyOf = (name: string | undefined, principal: Principal) =>
    overrides.policyFor({ agent: null, name, principal });
  /** Of several profiles that make the same cell stricter for an agent, one is in force. */
  const agentsWith = (cell: PolicyOverride) =>
    agents
      .list()
      .filter(
        ({ revoked_at, name }) =>
          revoked_at === null && policyOf(name, by).override(cell.level, cell.capability) === cell,
      )
      .map(({ name }) => name);
  return {
    "policy.check": ({ level, capability, channel, sender_id, target, agent }) => {
      const { channel: ownChannel, sender_id: ownSender } = by;
      const principal = { channel: channel ?? ownChannel, sender_id: sender_id ?? ownSender };
      const { table } = policyOf(agent, principal);
      if (target === undefined || channel === undefined || sender_id === undefined)
        return effectiveOutcome(level, capability, undefined, table).outcome;
      const named = namedTarget(capability, target, home, undefined);
      const holder = { ...principal, agent: agent === undefined ? undefined : agents.named(agent)?.agent_id };
      return effectiveOutcome(level, capability, () => grants.find(holder, capability, named), table).outcome;
    },
    "policy.matrix": ({ agent }) => matrixOf(agent === undefined ? TABLE_POLICY : policyOf(agent, by)),
    "policy.overrides": () => ({
      file: core.paths.policy_overrides,
      overrides: overrides.list.map((override) => ({ ...override, agents: agentsWith(override) })),
    }),
    "policy.try": async ({ text, file, since, ...query }) => {
      const from = since === undefined ? undefined : Date.parse(since);
      const tried = await tryPolicy(lines, overrides.withFile(profilesOfText(text, file)), { ...query, since: from });
      const oldest = lines.oldest();
      return {
        ...tried,
        since: oldest === undefined ? null : oldest / 1000,
        gaps: lines.gaps(from ?? 0, core.clock.now()),
      };
    },
    "policy.tighten": ({ agent = null, ...cell }) => {
      const { id, before } = policyCells.tighten({ ...cell, agent }, `${by.channel}:${by.sender_id}`);
      changed("policy.tightened", { cell_id: id, agent, ...cell, before });
      return { id, before };
    },
    "policy.loosen": ({ id }) => {
      const cell = policyCells.loosen(id);
      if (cell === undefined) return { loosened: false };
      const { level, capability, outcome } = cell;
      changed("policy.loosened", { cell_id: id, agent: cell.agent || null, level, capability, before: outcome });
      return { loosened: true };
    },
  };
}
