import type { Capability } from "../../ipc/contract/decision.ts";

/** The closed dictionary of actions (docs/decisions/requirements-policy.md, "Capabilities"). Adding one means editing this file. */

type DefaultApproval = "none" | "per_target" | "always";
export type TargetKind = "none" | "path_glob" | "host" | "exact";

export interface CapabilitySpec {
  name: Capability;
  /** Changes the world in a way that cannot be taken back. */
  critical: boolean;
  default_approval: DefaultApproval;
  target_kind: TargetKind;
  description: string;
}

const spec = (
  name: Capability,
  critical: boolean,
  defaultApproval: DefaultApproval,
  targetKind: TargetKind,
  description: string,
): CapabilitySpec =>
  Object.freeze({ name, critical, default_approval: defaultApproval, target_kind: targetKind, description });

export const CAPABILITY_REGISTRY: Readonly<Record<Capability, CapabilitySpec>> = Object.freeze({
  "fs:read": spec("fs:read", false, "per_target", "path_glob", "read files within declared path globs"),
  "fs:write": spec("fs:write", true, "per_target", "path_glob", "write or modify files within declared path globs"),
  "code:exec": spec("code:exec", true, "always", "exact", "execute a shell command or program"),
  "network:http": spec("network:http", false, "per_target", "host", "HTTP/HTTPS requests to authorised hosts"),
  "llm:local": spec("llm:local", false, "none", "none", "call a language model on this machine, at no cost"),
  "llm:online": spec("llm:online", false, "per_target", "none", "call a language model online, at a cost"),
  "mail:read": spec("mail:read", false, "per_target", "exact", "read messages from an authorised mailbox"),
  "mail:send": spec("mail:send", true, "always", "exact", "send mail to recipients (cannot be recalled)"),
  "channel:in": spec("channel:in", false, "none", "exact", "receive messages from a channel"),
  "channel:out": spec("channel:out", false, "per_target", "exact", "send messages to a channel"),
  "time:read": spec("time:read", false, "none", "none", "read the current time and time zones"),
  "parse:local": spec("parse:local", false, "none", "none", "parse known formats on this machine"),
  "calendar:read": spec("calendar:read", false, "per_target", "exact", "read events from an authorised calendar"),
});

/** Capabilities that only read, compute or fetch: what an agent needs for a plan. */
const CHANGES_NOTHING: ReadonlySet<Capability> = new Set([
  "fs:read",
  "network:http",
  "llm:local",
  "llm:online",
  "mail:read",
  "channel:in",
  "time:read",
  "parse:local",
  "calendar:read",
]);

/** True unless a call with this capability writes, runs or sends something. */
export function changesNothing(capability: Capability): boolean {
  return CHANGES_NOTHING.has(capability);
}
