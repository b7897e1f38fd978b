import { hash } from "node:crypto";
import type { PolicyOverride } from "../../../ipc/contract/policy-overrides.ts";
import { canonicalJson } from "../executors/canonical.ts";
import { POLICY_TABLE } from "./policy.ts";

/** SHA-256 (hex) of the table that decides, and of what the user made stricter in it: another policy has another one. */
export function policyDigest(overrides: readonly PolicyOverride[]): string {
  return hash("sha256", canonicalJson({ overrides, table: POLICY_TABLE }), "hex");
}
