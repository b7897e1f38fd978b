import { statSync } from "node:fs";
import { z } from "zod";
import { type AgentKind, agentKindSchema } from "../../ipc/contract/agent-kind.ts";
import {
  CAPABILITIES,
  type Capability,
  LEVELS,
  type Level,
  type Outcome,
  outcomeSchema,
} from "../../ipc/contract/decision.ts";
import { GateError } from "../../ipc/contract/gate-error.ts";
import type { PolicyOverride } from "../../ipc/contract/policy-overrides.ts";
import { agentNameSchema } from "../../ipc/contract/wire.ts";
import { fileError } from "../base/files/file-errors.ts";
import {
  isStricter,
  POLICY_TABLE,
  PolicyOverrides,
  type Profile,
  type ProfileHolder,
} from "../decide/policy/policy.ts";
import { parsedToml, readToml } from "./toml-file.ts";
import { lineOf } from "./toml-line.ts";

/** policy_overrides.toml: what the user made stricter for some agents (docs/profiles.md). */

/** Whom agents ask on behalf of: a user of this machine. */
const PRINCIPAL = /^local:([^\s\p{C}]{1,256})$/u;
const MAX_PROFILES = 256;

/** `allowed` is never stricter: it is refused later, with what the table says. */
const cellSchema = z.enum(outcomeSchema.options, { error: 'expected "approval_required" or "denied"' });
const cellsSchema = z.strictObject(
  Object.fromEntries(CAPABILITIES.map((name) => [name, cellSchema.optional()])) as Record<
    Capability,
    z.ZodOptional<typeof cellSchema>
  >,
);

/** In place of a kind: each that no other profile names. */
const ANY_OTHER = "any-other";

const kindsSchema = z.union([agentKindSchema, z.literal(ANY_OTHER), z.array(agentKindSchema).min(1)], {
  error: `expected ${agentKindSchema.options.map((kind) => `"${kind}"`).join(", ")}, a list of these, or "${ANY_OTHER}"`,
});

const profileSchema = z.strictObject({
  principal: z
    .string()
    .regex(PRINCIPAL, "expected local: and the name of a user of this machine, such as local:anna")
    .optional(),
  agent: agentNameSchema.optional(),
  agent_kind: kindsSchema.optional(),
  ...(Object.fromEntries(LEVELS.map((level) => [level, cellsSchema.optional()])) as Record<
    Level,
    z.ZodOptional<typeof cellsSchema>
  >),
});
type ProfileSource = z.output<typeof profileSchema>;

const fileSchema = z.strictObject({ profile: z.array(profileSchema).max(MAX_PROFILES).default([]) });

/** Others can change it: the group, or everybody. */
const WRITABLE_BY_OTHERS = 0o022;

/**
 * Reads the file; a missing one makes nothing stricter.
 * @throws GateError `invalid_config`, naming file, line and key: also where a cell would be looser than the table, or as it is
 */
export function loadPolicyOverrides(file: string): PolicyOverrides {
  let read: FileText | undefined;
  try {
    refuseOthers(file);
    read = readToml(file, fileSchema, HINT);
  } catch (error) {
    throw fileError(error, "your profiles", file, "invalid_config");
  }
  return new PolicyOverrides(read === undefined ? [] : profilesOf(read, file));
}

/** Of a text that isn't in place yet. `file`: what it is called. @throws GateError `invalid_config`, as `loadPolicyOverrides` */
export function profilesOfText(text: string, file: string): Profile[] {
  return profilesOf(parsedToml(text, file, fileSchema, HINT), file);
}

interface FileText {
  table: z.output<typeof fileSchema>;
  text: string;
}

function profilesOf({ table, text }: FileText, file: string): Profile[] {
  const profiles: Profile[] = [];
  /** By whom it is for, in words: its line. */
  const lines = new Map<string, number>();
  for (const [index, source] of table.profile.entries()) {
    const at: Place = (...path) => lineOf(text, ["profile", String(index), ...path]);
    const { holder, key, words } = holderOf(source, table.profile, (problem) =>
      refused(file, at(), `profile.${index}`, problem),
    );
    const before = lines.get(words.toLowerCase());
    if (before !== undefined)
      throw refused(
        file,
        at(key),
        `profile.${index}.${key}`,
        `there is a profile for ${words} in line ${before} already: put them together`,
      );
    lines.set(words.toLowerCase(), at(key));
    const cells = cellsOf(source, words, at, (level, capability, problem) =>
      refused(file, at(level, capability), `profile.${index}.${level}.${capability}`, problem),
    );
    if (cells.length === 0)
      throw refused(
        file,
        at(),
        `profile.${index}`,
        `it makes nothing stricter: name cells in [profile.${LEVELS.join("], [profile.")}]`,
      );
    profiles.push({ holder, cells });
  }
  return profiles;
}

const HINT = "see docs/profiles.md";

type Place = (...path: string[]) => number;

function refused(file: string, line: number, key: string, problem: string): GateError {
  return new GateError("invalid_config", `${file}, line ${line}: ${key}: ${problem}`, HINT);
}

/** @throws GateError `invalid_config` where another user could have written it; the system's error */
function refuseOthers(file: string): void {
  const stat = statSync(file, { throwIfNoEntry: false });
  const own = process.getuid?.();
  if (stat === undefined || own === undefined) return;
  if (stat.uid !== own && stat.uid !== 0)
    throw new GateError(
      "invalid_config",
      `${file} belongs to another user`,
      `make it yours: sudo chown ${own} ${file}`,
    );
  if (stat.isFile() && (stat.mode & WRITABLE_BY_OTHERS) !== 0)
    throw new GateError(
      "invalid_config",
      `${file} can be written by other users`,
      `only you may change it: chmod go-w ${file}`,
    );
}

const KEYS = ["principal", "agent", "agent_kind"] as const;

/** @throws what `refuse` makes of it unless it is for one alone */
function holderOf(
  { principal, agent, agent_kind }: ProfileSource,
  all: readonly ProfileSource[],
  refuse: (problem: string) => GateError,
): { holder: ProfileHolder; key: (typeof KEYS)[number]; words: string } {
  const given = [principal, agent, agent_kind].filter((value) => value !== undefined).length;
  if (given > 1) throw refuse(`it is for one alone: leave only one of ${KEYS.join(", ")}`);
  if (principal !== undefined) {
    const senderId = PRINCIPAL.exec(principal)?.[1] ?? "";
    const holder: ProfileHolder = { by: "principal", principal: { channel: "local", sender_id: senderId } };
    return { holder, key: "principal", words: `principal ${principal}` };
  }
  if (agent !== undefined) return { holder: { by: "agent", name: agent }, key: "agent", words: `agent ${agent}` };
  if (agent_kind !== undefined) {
    const kinds = kindsOf(agent_kind, all);
    if (kinds.length === 0) throw refuse("it is for nobody: other profiles name each kind of agents");
    const words = agent_kind === ANY_OTHER ? `agent kind ${ANY_OTHER}` : `agent kind ${kinds.join(", ")}`;
    return { holder: { by: "agent_kind", kinds }, key: "agent_kind", words };
  }
  throw refuse(`whom it is for is missing: add one of ${KEYS.join(", ")}`);
}

/** In one order, each once. */
function kindsOf(given: NonNullable<ProfileSource["agent_kind"]>, all: readonly ProfileSource[]): AgentKind[] {
  const named = given === ANY_OTHER ? all.flatMap(({ agent_kind = [] }) => agent_kind) : [given].flat();
  return agentKindSchema.options.filter((kind) => named.includes(kind) !== (given === ANY_OTHER));
}

function cellsOf(
  source: ProfileSource,
  profile: string,
  at: Place,
  refuse: (level: Level, capability: Capability, problem: string) => GateError,
): PolicyOverride[] {
  return LEVELS.flatMap((level) =>
    CAPABILITIES.flatMap((capability) => {
      const outcome = source[level]?.[capability];
      if (outcome === undefined) return [];
      const before = POLICY_TABLE[level][capability];
      if (!isStricter(outcome, before)) throw refuse(level, capability, notStricter(outcome, before));
      return [{ profile, level, capability, before, outcome, line: at(level, capability) }];
    }),
  ).sort((a, b) => a.line - b.line);
}

function notStricter(outcome: Outcome, before: Outcome): string {
  if (outcome === before) return `the table says ${before} already: leave the line out`;
  return `${outcome} is looser than the table, which says ${before}: a profile can only make it stricter`;
}
