import type { Requirement } from "../../../ipc/contract/decision.ts";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import { type AskedTool, TOOL_PARTS, type ToolPart } from "../../../ipc/contract/mcp.ts";
import { mcpTarget } from "../../../ipc/contract/mcp-names.ts";
import type { Answer, Choice } from "../../../ipc/contract/operator-api.ts";
import type { Surface } from "../../../ipc/contract/surface.ts";
import { differenceOf, linesOf, ShownLines } from "../../decide/description/line-diff.ts";
import type { CalledTool } from "../../decide/executors/called-tool.ts";
import { type ReadDefinition, readDefinition } from "../../decide/mcp/definition.ts";
import type { PolicyTable } from "../../decide/policy/policy.ts";
import type { Reviewable } from "../../decide/stages/examination.ts";
import type { ResolvedRequirement } from "../../targets/target.ts";
import { choicesFor } from "./choices.ts";

/** A server's tool as the user is asked about a call of it. Kept only while the request waits. */
export interface RequestedTool {
  /** What an answer is about. */
  tool: CalledTool;
  /** What its card says of it. */
  asked: AskedTool;
  /** The ways to say that it only looks; none where that can't be said. */
  looks: Choice[];
}

/** `table`: as it is for the subject. Undefined where no proxy has announced the tool. */
export function requestedTool({ executor, subject, settings, repeated }: Reviewable, table: PolicyTable) {
  const tool = executor.mcp;
  if (tool === undefined) return undefined;
  const need = lookingNeed(tool);
  const outcome = table[subject.level]["channel:out"];
  const shown = shownDefinition(tool);
  const canLook =
    !shown.is_too_long &&
    tool.is_classifiable &&
    tool.state !== "looks" &&
    outcome !== "denied" &&
    repeated === undefined;
  const holder = { ...subject.principal, agent: subject.agent?.agent_id, session: subject.session };
  const isGranted = canLook && settings.grants?.find(holder, need.capability, need.target) !== undefined;
  const looks = canLook ? choicesFor(outcome === "allowed" ? [] : [need], { home: settings.home }) : [];
  const runsUnasked = canLook && (outcome === "allowed" || isGranted);
  const requested: RequestedTool = {
    tool: { ...tool, before: null },
    asked: { ...shown, runs_unasked: runsUnasked },
    looks,
  };
  return requested;
}

function lookingNeed({ server, tool }: Pick<CalledTool, "server" | "tool">): ResolvedRequirement {
  return { capability: "channel:out", target: { kind: "exact", value: mcpTarget(server, tool) } };
}

/** What an answer that says it grants, and on what. */
export interface SaidToLook {
  choices: readonly Choice[];
  capabilities: Requirement[];
}

/** Where the whole definition can't be read, nobody can say what it means. */
const NOT_SAID_ON: readonly (Surface | undefined)[] = ["notification", "telegram", "ntfy"];

/** What *this tool only looks* can grant. @throws GateError `cannot_look`: nothing has changed then */
export function saidToLook(
  requested: RequestedTool | undefined,
  { decision }: Answer,
  surface: Surface | undefined,
): SaidToLook {
  const refused = (message: string, hint: string) => new GateError("cannot_look", message, hint);
  if (decision !== "approved") throw refused("only with an approval a tool can be said to only look", "leave it out");
  if (NOT_SAID_ON.includes(surface))
    throw refused("what the server says of its tool can't be read here", "answer on the page or in the terminal");
  if (requested === undefined || requested.looks.length === 0)
    throw refused("this request's tool can't be said to only look", "approve it once, or deny it");
  const { server, tool } = requested.tool;
  return { choices: requested.looks, capabilities: [{ capability: "channel:out", target: mcpTarget(server, tool) }] };
}

const NOTHING_SAID: ReadDefinition = { title: "", description: "", input_schema: "", annotations: "" };

function shownDefinition({ server, tool, state, definition, before }: CalledTool): Omit<AskedTool, "runs_unasked"> {
  const now = (definition === null ? undefined : readDefinition(definition)) ?? NOTHING_SAID;
  const earlier = before === null ? undefined : readDefinition(before);
  const changed = earlier === undefined ? [] : TOOL_PARTS.filter((part) => earlier[part] !== now[part]);
  const difference = earlier === undefined || changed.length === 0 ? null : differenceIn(earlier, now, changed);
  const isTooLong = definition === null || (difference?.left_out ?? 0) > 0;
  return { server, tool, state, is_too_long: isTooLong, ...now, changed, difference };
}

/** Of a line in characters: a longer one would be cut where differences are shown. */
const MAX_PIECE = 1000;

function pieces(line: string): string[] {
  const count = Math.max(1, Math.ceil(line.length / MAX_PIECE));
  return Array.from({ length: count }, (_, index) => line.slice(index * MAX_PIECE, (index + 1) * MAX_PIECE));
}

function differenceIn(
  before: ReadDefinition,
  now: ReadDefinition,
  changed: readonly ToolPart[],
): AskedTool["difference"] {
  const lines = (read: ReadDefinition) =>
    changed.flatMap((part) => [`${part}:`, ...linesOf(read[part]).flatMap(pieces)]);
  const difference = differenceOf(lines(before), lines(now), new ShownLines());
  return { path: "", status: "edits", old_lines: null, ...difference };
}
