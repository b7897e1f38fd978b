import { needsOfLine, type SimpleCommand } from "@metnos-gate/shell-reading";
import { kindOf } from "@metnos-gate/shell-reading/files";
import { gitEffect } from "@metnos-gate/shell-reading/git";
import { programOf, programSearchOf } from "@metnos-gate/shell-reading/programs";
import type { Reversibility } from "../../../ipc/contract/decision.ts";
import type { Description, Hazard } from "../../../ipc/contract/description.ts";
import { EFFECTS, type Effect, type HazardId } from "../../../ipc/contract/hazards.ts";
import type { ProposedCall } from "../../../ipc/contract/wire.ts";
import type { ResolvedRequirement } from "../../targets/target.ts";
import type { Executor } from "../executors/catalog.ts";
import type { CommandLine } from "../executors/command-lines.ts";
import { lineOf } from "../executors/needs.ts";
import { isRebuilt } from "../guard/hazards.ts";
import type { CallPlace } from "../places/call-place.ts";
import type { HeldByGit } from "../places/held-by-git.ts";
import type { Describable } from "./describable.ts";

/** What a call leaves behind, from its reading: never from the tool's name. */

/** Of two effects the one that leaves more behind. */
export function worse(a: Effect, b: Effect): Effect {
  return EFFECTS.indexOf(a) >= EFFECTS.indexOf(b) ? a : b;
}

/** What these hazards mean for what can be taken back. Deleted files are looked for in git (`effectOfNeeds`). */
const EFFECT_OF: Partial<Record<HazardId, Effect>> = {
  "deletes-cloud-resources": "final",
  "deletes-database": "final",
  "overwrites-disk": "final",
  "rewrites-remote-history": "final",
  publishes: "final",
  "discards-changes": "final",
  "deletes-container-data": "final",
  "sends-file": "sends",
  "sends-mail": "sends",
};

export function effectOfHazards(hazards: readonly Hazard[], deletesForGood: boolean): Effect {
  return hazards
    .map(({ id }) => (id === "deletes-files" && deletesForGood ? "final" : (EFFECT_OF[id] ?? "reads")))
    .reduce(worse, "reads");
}

/** Of a tool that says what it needs. */
export function effectOfTool({ executor, needs }: Pick<Describable, "executor" | "needs">, held: HeldByGit): Effect {
  const fromNeeds = effectOfNeeds(needs, held);
  return sendsAway(executor, needs) ? worse(fromNeeds, "sends") : fromNeeds;
}

/** True if a call takes something away from this machine: more than the question for what is fetched. What runs code may do so besides. */
export function sendsAway({ manifest }: Pick<Executor, "manifest">, needs: readonly ResolvedRequirement[]): boolean {
  if (needs.some(isSent)) return true;
  const hasNetwork = needs.some(({ capability }) => capability === "network:http" || capability === "llm:online");
  return hasNetwork && manifest.reversibility !== "reversible" && !isShell(manifest);
}

/** Something is sent where this is needed. */
export function isSent({ capability, target }: ResolvedRequirement): boolean {
  return (
    capability === "mail:send" || capability === "channel:out" || (target.kind === "host" && target.sends === true)
  );
}

const isShell = ({ needs }: Executor["manifest"]): boolean =>
  needs.some(({ target }) => target.from === "command" && target.is_shell === true);

function effectOfNeeds(needs: readonly ResolvedRequirement[], held: HeldByGit): Effect {
  const copied = new Set(needs.map(({ copied_from }) => copied_from));
  return needs
    .map((need) => {
      const effect = effectOfNeed(need, held);
      // What is moved is there under another name.
      const isMoved = need.target.kind === "path" && copied.has(need.target.lexical);
      return effect === "final" && isMoved ? "changes_files" : effect;
    })
    .reduce(worse, "reads");
}

function effectOfNeed(need: ResolvedRequirement, held: HeldByGit): Effect {
  const { capability, target, access } = need;
  switch (capability) {
    case "code:exec":
      return "anything";
    case "fs:write": {
      if (target.kind !== "path" || target.real === null) return "changes_files";
      const path = target.real;
      if (access === "delete" && isRebuilt(path)) return "changes_files";
      if (access === "delete") return held.holdsAllBelow(path) ? "in_git" : held.isKept(path) ? "kept" : "final";
      if (target.is_tree) return "changes_files";
      // A folder that is there already is kept as it is.
      if (kindOf(path) === "folder") return held.isInRepository(path) ? "in_git" : "changes_files";
      if (held.heldAt(path) !== "not_held") return "in_git";
      return held.isKept(path) ? "kept" : "changes_files";
    }
    default:
      return isSent(need) ? "sends" : "reads";
  }
}

/** Of command lines, part by part: what isn't clear runs code, but for what git itself can take back. */
export function effectOfLines(
  { call, needs }: Pick<Describable, "call" | "needs">,
  lines: readonly CommandLine[],
  place: CallPlace,
  held: HeldByGit,
): Effect {
  if (lines.length === 0) return "anything";
  const texts = new Set(lines.map(({ text }) => text));
  // What its paths mean beyond the line: content that is run later.
  const runsMore = needs.some(
    ({ capability, target }) => capability === "code:exec" && !(target.kind === "exact" && texts.has(target.value)),
  );
  const ofLines = lines.map((line) => effectOfLine(line, call, place, held));
  return [...ofLines, runsMore ? ("anything" as const) : ("reads" as const)].reduce(worse, "reads");
}

function effectOfLine(line: CommandLine, call: Describable["call"], place: CallPlace, held: HeldByGit): Effect {
  const cleared = clearedLine(line, call, place);
  const { commands, unread } = line.reading;
  if (unread !== null || (commands.length === 0 && cleared.unclear !== null)) return "anything";
  if (cleared.unclear === null) {
    return commands.some(({ name }) => programOf(name).worksOnRepository)
      ? effectOfGitLine(commands, cleared, place, held)
      : effectOfNeeds(cleared.needs, held);
  }
  return commands
    .map((command) => {
      const parts = cleared.commands.filter(({ start, end }) => start >= command.start && end <= command.end);
      const isClear = parts.length > 0 && parts.every(({ unclear }) => unclear === null);
      const ofGit = effectOfGit(command, place);
      if (ofGit !== null) return ofGit;
      if (!isClear) return "anything";
      return effectOfNeeds(
        parts.flatMap(({ needs }) => needs),
        held,
      );
    })
    .reduce(worse, "reads");
}

/** A clear line with git in it: git's own work stays in git. */
function effectOfGitLine(
  commands: readonly SimpleCommand[],
  cleared: ReturnType<typeof clearedLine>,
  place: CallPlace,
  held: HeldByGit,
): Effect {
  return cleared.commands
    .map(({ start, end, needs }) => {
      const command = commands.find((one) => one.start <= start && one.end >= end);
      const ofGit = command === undefined ? null : effectOfGit(command, place);
      return ofGit ?? effectOfNeeds(needs, held);
    })
    .reduce(worse, "reads");
}

function effectOfGit(command: SimpleCommand, { home }: CallPlace): Effect | null {
  const isGit = programOf(command.name).worksOnRepository && command.via.length === 0;
  return isGit && command.redirects.length === 0 ? gitEffect(command.argv.slice(1), command.cwd, home) : null;
}

/** The required three words for it (docs/decisions/requirements-approvals.md, "Card"). */
const REVERSIBILITY: Readonly<Record<Effect, Reversibility>> = {
  reads: "reversible",
  in_git: "reversible",
  kept: "reversible",
  changes_files: "partial",
  anything: "partial",
  sends: "partial",
  final: "irreversible",
};

/** Of a tool that runs code or sends something without a shell, its manifest knows more than its call says. */
export function reversibilityOf(
  { effect, hazards }: Pick<Description, "effect" | "hazards">,
  { manifest, is_described }: Pick<Executor, "manifest" | "is_described">,
): Reversibility {
  if ((effect === "anything" || effect === "sends") && is_described && !isShell(manifest))
    return manifest.reversibility;
  return effect === "sends" && hazards.some(({ id }) => EFFECT_OF[id] === "sends")
    ? "irreversible"
    : REVERSIBILITY[effect];
}

type ClearedLine = ReturnType<typeof needsOfLine>;

/** A line belongs to one examination of one call. */
const known = new WeakMap<CommandLine, ClearedLine>();

/** What the grammar says of a command line, looked at once for all that is said of it: each of its paths is looked for on the disk. */
export function clearedLine(line: CommandLine, call: ProposedCall, place: CallPlace): ClearedLine {
  const before = known.get(line);
  if (before !== undefined) return before;
  const { home, cwd = "", has_comments } = place;
  const text = lineOf(call.args[line.arg]) ?? line.text;
  const found = needsOfLine(text, home, cwd, has_comments, programSearchOf(call, home));
  known.set(line, found);
  return found;
}
