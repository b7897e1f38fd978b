import { z } from "zod";
import { readRegularBytes, TOO_LARGE } from "../../ipc/base/regular-file.ts";
import { shortened, visible } from "../../ipc/base/visible-text.ts";
import { capabilitySchema, levelSchema, outcomeSchema } from "../../ipc/contract/decision.ts";
import { GateError } from "../../ipc/contract/gate-error.ts";
import { agentNameSchema } from "../../ipc/contract/wire.ts";
import { errorCode } from "../../main/base/errors.ts";
import { MAX_CELLS } from "../../main/decide/policy/cells.ts";
import { isStricter, POLICY_TABLE } from "../../main/decide/policy/policy.ts";
import { CAPABILITY_REGISTRY } from "../../main/targets/capabilities.ts";
import { grantTarget } from "../../main/targets/pattern.ts";
import { usageError } from "../output.ts";

/** What `policy export` writes and `policy import` reads: what was made stricter, levels, and grants that were marked to travel. */

/** The newest format; a file of another one is refused. */
export const POLICY_FILE_VERSION = 1;
/** All that a file may hold, several times over. */
const MAX_BYTES = 1024 * 1024;
const MAX_LEVELS = 500;
const MAX_GRANTS = 2000;

const cellSchema = z.strictObject({
  /** Null: for every agent. */
  agent: agentNameSchema.nullable(),
  level: levelSchema,
  capability: capabilitySchema,
  outcome: outcomeSchema.exclude(["allowed"]),
});
const levelEntrySchema = z.strictObject({ agent: agentNameSchema, level: levelSchema });
const grantEntrySchema = z.strictObject({
  agent: agentNameSchema.nullable(),
  capability: capabilitySchema,
  /** A path in the home folder begins with `~/`. */
  target: z
    .string()
    .min(1)
    .max(4096)
    .regex(/^[^\p{C}]*$/u, "a target can't hold control characters"),
});

const policyFileSchema = z.strictObject({
  metnos_policy: z.literal(POLICY_FILE_VERSION, {
    error: `this version of Metnos Gate reads format ${POLICY_FILE_VERSION}`,
  }),
  cells: z.array(cellSchema).max(MAX_CELLS),
  levels: z.array(levelEntrySchema).max(MAX_LEVELS),
  grants: z.array(grantEntrySchema).max(MAX_GRANTS),
});
export type PolicyFile = z.infer<typeof policyFileSchema>;

/**
 * The whole file, or nothing of it: every entry is one that the user could set by hand.
 * @param home of the user, for `~/`
 * @throws GateError `usage` where there is none, `invalid_input` with what is wrong
 */
export function readPolicyFile(file: string, home: string): PolicyFile {
  const parsed = policyFileSchema.safeParse(jsonOf(file));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw refused(file, `${issue?.path.join(".") || "the file"}: ${issue?.message ?? "not valid"}`);
  }
  const { cells, levels, grants } = parsed.data;
  for (const [index, { level, capability, outcome }] of cells.entries()) {
    const table = POLICY_TABLE[level][capability];
    if (!isStricter(outcome, table))
      throw refused(file, `cells.${index}: the table says ${table} for ${capability} at level ${level} already`);
  }
  const names = levels.map(({ agent }) => agent.toLowerCase());
  const twice = names.findIndex((name, index) => names.indexOf(name) !== index);
  if (twice !== -1) throw refused(file, `levels.${twice}: ${levels[twice]?.agent} is there twice`);
  for (const [index, { capability, target }] of grants.entries()) {
    const problem = ungrantable(capability, target, home);
    if (problem !== null) throw refused(file, `grants.${index}: ${problem}`);
  }
  return parsed.data;
}

function jsonOf(file: string): unknown {
  let text: string;
  try {
    text = readRegularBytes(file, { maxBytes: MAX_BYTES }).toString("utf8");
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT") throw usageError(`there is no file ${file}`, "check its name: nothing was imported");
    if (code === TOO_LARGE) throw refused(file, `it has more than ${MAX_BYTES} bytes`);
    throw error;
  }
  try {
    return JSON.parse(text);
  } catch {
    throw refused(file, "it isn't JSON");
  }
}

/** Why the user couldn't give this grant by hand; null where they could. */
function ungrantable(
  capability: PolicyFile["grants"][number]["capability"],
  target: string,
  home: string,
): string | null {
  const { default_approval } = CAPABILITY_REGISTRY[capability];
  if (default_approval === "always") return `${capability} is asked about each time: no grant is kept for it`;
  if (default_approval === "none") return `${capability} is always allowed and needs no grant`;
  if (target.startsWith("mcp:")) return "a grant on a tool of an MCP server doesn't travel";
  try {
    grantTarget(capability, target, home);
    return null;
  } catch (error) {
    if (error instanceof GateError) return error.message;
    throw error;
  }
}

/** A value of the file that an error repeats is made visible, and shortened. */
function refused(file: string, problem: string): GateError {
  return new GateError(
    "invalid_input",
    `${file} can't be imported: ${visible(shortened(problem, 300))}`,
    "nothing of it was imported",
  );
}
