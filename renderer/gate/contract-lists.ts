import type { CallResult } from "../../ipc/contract/activity.ts";
import type { Capability, Level, Outcome, Stage } from "../../ipc/contract/decision.ts";

/** The contract's closed lists, as values: the page takes only types from the schemas (see link.ts). Each must name every member. */

function every<V extends string>(members: Record<V, true>): readonly V[] {
  return Object.keys(members) as V[];
}

export const LEVELS = every<Level>({ ReadOnly: true, Supervised: true, Full: true });

export const OUTCOMES = every<Outcome>({ allowed: true, approval_required: true, denied: true });

export const CALL_RESULTS = every<CallResult>({
  allowed: true,
  approved: true,
  rejected: true,
  denied: true,
  unanswered: true,
  waiting: true,
});

export const CAPABILITIES = every<Capability>({
  "fs:read": true,
  "fs:write": true,
  "code:exec": true,
  "network:http": true,
  "llm:local": true,
  "llm:online": true,
  "mail:read": true,
  "mail:send": true,
  "channel:in": true,
  "channel:out": true,
  "time:read": true,
  "parse:local": true,
  "calendar:read": true,
});

/** In the order that a call passes them. */
export const STAGES = every<Stage>({
  pairing: true,
  safety: true,
  validation: true,
  scope: true,
  policy: true,
  flow: true,
  rate: true,
  guard: true,
  judge: true,
  validators: true,
  approval: true,
});
