import type { ProposedCall } from "../../../ipc/wire.ts";
import type { Executor } from "../executors/catalog.ts";
import { commandLine } from "../executors/needs.ts";
import { expandHome } from "../targets/path.ts";
import type { Need } from "../targets/target.ts";
import type { OwnHouse } from "./own-house.ts";
import { forbiddenPath } from "./path-patterns.ts";
import { dangerousCommand } from "./shell-patterns.ts";
import { stringsIn } from "./strings.ts";

/** The binary guard: what is denied whatever the policy, the grants and the human say (seed 000). */

export interface GuardBlock {
  reason: string;
  matched: string;
  instead: string;
}

export interface GuardSettings {
  home: string;
  /** Left out where only the seeds' floor is asked for. */
  own_house?: OwnHouse | undefined;
}

const NAMES_OF_COMMANDS = ["command", "cmd"] as const;
const OTHER_PATH = "work on another path; if the human needs this one, they do it themselves";

/** The first violation, or null. */
export function guard(
  call: ProposedCall,
  executor: Executor,
  needs: readonly Need[],
  settings: GuardSettings,
): GuardBlock | null {
  return (
    pathsInStrings(call, executor, settings.home) ??
    pathsThatWouldBeTouched(needs) ??
    irrecoverableCommand(call, needs) ??
    ownHouse(call, needs, settings.own_house)
  );
}

/** The floor: every string, as it stands and with `~` expanded. Content is data, not paths. */
function pathsInStrings(call: ProposedCall, executor: Executor, home: string): GuardBlock | null {
  for (const { key, value } of stringsIn(call.args, executor.manifest.content_args)) {
    const pattern =
      forbiddenPath(value) ?? (value.startsWith("~") ? forbiddenPath(expandHome(value, home)) : undefined);
    if (pattern !== undefined) {
      return {
        reason: `guard: forbidden path violated: pattern '${pattern}' in args`,
        matched: `pattern '${pattern}' in argument '${key}'`,
        instead: OTHER_PATH,
      };
    }
  }
  return null;
}

/** The same patterns on what would really be opened: `..`, doubled slashes and links resolved. */
function pathsThatWouldBeTouched(needs: readonly Need[]): GuardBlock | null {
  for (const { target } of needs) {
    if (target.kind !== "path") continue;
    const pattern =
      forbiddenPath(target.lexical) ??
      (target.real === null || target.real === target.lexical ? undefined : forbiddenPath(target.real));
    if (pattern !== undefined) {
      return {
        reason: `guard: forbidden path violated: pattern '${pattern}' in the resolved path`,
        matched: `pattern '${pattern}' once the path is resolved`,
        instead: OTHER_PATH,
      };
    }
  }
  return null;
}

/** Commands that leave no way back. What a shell would make of the text is read here, too, once it is read at all. */
function irrecoverableCommand(call: ProposedCall, needs: readonly Need[]): GuardBlock | null {
  if (!runsCode(needs)) return null;
  const pattern = commandsIn(call)
    .map(dangerousCommand)
    .find((found) => found !== undefined);
  if (pattern === undefined) return null;
  return {
    reason: `guard: irrecoverable command: pattern '${pattern}'`,
    matched: `pattern '${pattern}' in the command`,
    instead: "name exactly what should change, inside the project",
  };
}

function ownHouse(call: ProposedCall, needs: readonly Need[], own_house: OwnHouse | undefined): GuardBlock | null {
  if (own_house === undefined) return null;
  const touched = needs.some(
    ({ target }) =>
      target.kind === "path" &&
      [target.lexical, target.real ?? target.lexical].some((path) => own_house.holds(path, target.is_tree)),
  );
  const mentioned = runsCode(needs) && commandsIn(call).some((command) => own_house.isMentionedIn(command));
  if (!touched && !mentioned) return null;
  return {
    reason: "guard: the gate's own files are not for agents",
    matched: touched
      ? "a path inside the gate's own folders, or a folder that holds them"
      : "the gate's own folders in the command",
    instead: "name a narrower folder, or ask the human to use the metnos-gate command",
  };
}

/** Every command line of the call: which of its arguments an executor runs is not ours to guess. */
function commandsIn(call: ProposedCall): string[] {
  return NAMES_OF_COMMANDS.map((name) => commandLine(call.args, [name])).filter((command) => command !== undefined);
}

function runsCode(needs: readonly Need[]): boolean {
  return needs.some((need) => need.capability === "code:exec");
}
