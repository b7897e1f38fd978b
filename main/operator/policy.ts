import { CAPABILITIES, type Capability } from "../../ipc/decision.ts";
import type { PolicyRow } from "../../ipc/operator-api.ts";
import { CAPABILITY_REGISTRY } from "../gate/capabilities.ts";
import { effectiveOutcome, POLICY_TABLE, ruleFor } from "../gate/policy.ts";
import { namedTarget } from "../gate/targets/target.ts";
import type { Handlers, OperatorContext } from "./handlers.ts";

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

const MATRIX: readonly PolicyRow[] = CAPABILITIES.map((capability) => {
  const { description, default_approval, critical } = CAPABILITY_REGISTRY[capability];
  const cell = (level: "ReadOnly" | "Supervised" | "Full") => ({
    outcome: POLICY_TABLE[level][capability],
    rule: ruleFor(level, capability),
  });
  return {
    capability,
    family: FAMILY[capability],
    description,
    default_approval,
    is_critical: critical,
    cells: { ReadOnly: cell("ReadOnly"), Supervised: cell("Supervised"), Full: cell("Full") },
  };
});

export function policyMethods({
  core,
}: OperatorContext): Handlers<"policy.check" | "policy.matrix" | "policy.overrides"> {
  const { grants, home } = core;
  return {
    "policy.check": ({ level, capability, channel, sender_id, target }) => {
      if (target === undefined || channel === undefined || sender_id === undefined)
        return effectiveOutcome(level, capability).outcome;
      const named = namedTarget(capability, target, home, undefined);
      return effectiveOutcome(level, capability, () => grants.find({ channel, sender_id }, capability, named)).outcome;
    },
    "policy.matrix": () => [...MATRIX],
    "policy.overrides": () => ({
      file: core.paths.policy_overrides,
      overrides: core.overrides.list.map((override) => ({ ...override, agents: [] })),
    }),
  };
}
