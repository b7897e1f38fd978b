import type { Capability } from "../../../ipc/contract/decision.ts";

/** What a new grant may say. */

export const EXPIRIES = ["hour", "day", "month", "year", "never"] as const;
export type Expiry = (typeof EXPIRIES)[number];

const HOUR_MS = 3_600_000;
const LENGTHS: Readonly<Record<Exclude<Expiry, "never">, number>> = {
  hour: HOUR_MS,
  day: 24 * HOUR_MS,
  month: 30 * 24 * HOUR_MS,
  year: 365 * 24 * HOUR_MS,
};

/** ISO-8601 UTC, counted from `now` (milliseconds); undefined: no end. */
export function expiresAt(expiry: Expiry, now: number): string | undefined {
  return expiry === "never" ? undefined : new Date(now + LENGTHS[expiry]).toISOString();
}

/** How a target of this capability is written (docs/decisions/requirements-policy.md, "Targets"). */
export function targetKind(capability: Capability): "path" | "host" | "exact" | "none" {
  if (capability.startsWith("fs:")) return "path";
  if (capability === "network:http") return "host";
  return capability.startsWith("llm:") ? "none" : "exact";
}
