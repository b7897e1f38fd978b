import { hash } from "node:crypto";
import type { ProposedCall } from "../../../ipc/contract/wire.ts";
import type { ResolvedRequirement } from "../../shell-reading/targets/target.ts";
import type { Declaration } from "../confinement/declaration.ts";
import type { CalledTool } from "./called-tool.ts";

/** SHA-256 (hex) over canonical JSON of executor and args: keys sorted, no white space. An approval holds for exactly this call. */
export function callHash(executor: string, args: Record<string, unknown>): string {
  return hash("sha256", canonicalJson({ args, executor }), "hex");
}

/**
 * What identical calls share: who asks, from where, in which mode, for what, and where that leads. A link that was moved makes it
 * another call; in plan mode no grant answers for it; what runs confined shares only the same box, and a server's tool only what it is now.
 */
export function shareKey(
  agentId: string,
  { cwd = "", mode = "" }: Pick<NonNullable<ProposedCall["context"]>, "cwd" | "mode">,
  callHash: string,
  needs: readonly ResolvedRequirement[],
  { box, tool }: { box?: Declaration | undefined; tool?: CalledTool | undefined } = {},
): string {
  const ofTool = tool === undefined ? [] : [[tool.server, tool.tool, tool.source, tool.pin, tool.state]];
  const ledTo =
    box === undefined && tool === undefined ? needs : [needs, ...(box === undefined ? [] : [box]), ...ofTool];
  return JSON.stringify([agentId, cwd, mode, callHash, hash("sha256", JSON.stringify(ledTo), "hex")]);
}

/** JSON with the keys of every object in code-unit order. The value came out of JSON.parse and lies within the frame's depth. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  // Numbers that JSON.stringify makes one of: `1e400` is not null, `-0` is not 0.
  if (typeof value === "number" && (!Number.isFinite(value) || Object.is(value, -0))) {
    return Object.is(value, -0) ? "-0" : String(value);
  }
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const entries = Object.entries(value)
    .filter(([, child]) => child !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${entries.map(([key, child]) => `${JSON.stringify(key)}:${canonicalJson(child)}`).join(",")}}`;
}
