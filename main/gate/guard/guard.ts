import type { ProposedCall } from "../../../ipc/wire.ts";
import type { Executor } from "../executors/catalog.ts";
import { type CommandLine, commandLinesOf } from "../executors/command-lines.ts";
import { expandHome } from "../targets/path.ts";
import type { Need } from "../targets/target.ts";
import { writesHookSettings } from "./hook-settings.ts";
import type { OwnHouse } from "./own-house.ts";
import { forbiddenPath } from "./path-patterns.ts";
import { type FloorTexts, floorTexts } from "./shell/data-only.ts";
import { findingIn, findingText } from "./shell/guard-shell.ts";
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

const NO_FLOOR: ReadonlyMap<string, FloorTexts> = new Map();
const OTHER_PATH = "work on another path; if the human needs this one, they do it themselves";

/** The first violation, or null. */
export function guard(
  call: ProposedCall,
  executor: Executor,
  needs: readonly Need[],
  settings: GuardSettings,
): GuardBlock | null {
  const lines = runsCode(executor, needs) ? commandLinesOf(call, settings.home) : [];
  const floor = lines.length === 0 ? NO_FLOOR : new Map(lines.map((line) => [line.arg, floorOf(line)]));
  return (
    pathsInStrings(call, executor, settings.home, floor) ??
    pathsThatWouldBeTouched(needs) ??
    irrecoverableCommand(floor) ??
    ownHouse(needs, lines, floor, settings.own_house) ??
    hookEntry(needs, lines) ??
    whatWouldRun(lines, call, settings)
  );
}

/** The floor: every string, as it stands and with `~` expanded. Content is data, not paths. */
function pathsInStrings(
  call: ProposedCall,
  executor: Executor,
  home: string,
  floor: ReadonlyMap<string, FloorTexts>,
): GuardBlock | null {
  for (const { key, value: raw } of stringsIn(call.args, executor.manifest.content_args)) {
    const value = typeof call.args[key] === "string" ? (floor.get(key)?.for_paths ?? raw) : raw;
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

/** The floor for commands that leave no way back. */
function irrecoverableCommand(floor: ReadonlyMap<string, FloorTexts>): GuardBlock | null {
  const pattern = [...floor.values()]
    .map(({ for_commands }) => dangerousCommand(for_commands))
    .find((found) => found !== undefined);
  if (pattern === undefined) return null;
  return {
    reason: `guard: irrecoverable command: pattern '${pattern}'`,
    matched: `pattern '${pattern}' in the command`,
    instead: "name exactly what should change, inside the project",
  };
}

function ownHouse(
  needs: readonly Need[],
  lines: readonly CommandLine[],
  floor: ReadonlyMap<string, FloorTexts>,
  own_house: OwnHouse | undefined,
): GuardBlock | null {
  if (own_house === undefined) return null;
  const touched = needs.some(({ target }) => {
    if (target.kind !== "path") return false;
    const { lexical, real, is_tree } = target;
    return own_house.holds(lexical, is_tree) || (real !== null && real !== lexical && own_house.holds(real, is_tree));
  });
  // Where a line is read to the last word, what it names is known; in any doubt a mention is enough.
  const mentioned = lines.some(
    (line) => isInDoubt(line) && own_house.isMentionedIn(floor.get(line.arg)?.for_paths ?? line.text),
  );
  if (!touched && !mentioned) return null;
  return {
    reason: "guard: the gate's own files are not for agents",
    matched: touched
      ? "a path inside the gate's own folders, or a folder that holds them"
      : "the gate's own folders in the command",
    instead: "name a narrower folder, or ask the human to use the metnos-gate command",
  };
}

/** By its writing tools as by a command: an agent that could take the hook out would need no permission for anything else. */
function hookEntry(needs: readonly Need[], lines: readonly CommandLine[]): GuardBlock | null {
  // What a command line does to them is read more closely: see shell/gate-itself.ts.
  if (lines.length > 0 || !writesHookSettings(needs)) return null;
  return {
    reason: "guard: the settings that hold the gate's hook are not for agents",
    matched: "a write to Claude Code's settings",
    instead: "say what should stand there; the human changes it themselves",
  };
}

/** What a shell would make of the command lines, read as it reads them. */
function whatWouldRun(lines: readonly CommandLine[], call: ProposedCall, settings: GuardSettings): GuardBlock | null {
  const cwd = call.context?.cwd === undefined ? "" : expandHome(call.context.cwd, settings.home);
  for (const { reading, arg } of lines) {
    const found = findingIn(reading, { cwd, home: settings.home, gate: settings.own_house?.places });
    if (found === null) continue;
    return {
      reason: findingText(found, reading),
      matched: `${found.saw}, characters ${found.span.start} to ${found.span.end} of argument '${arg}'`,
      instead: found.instead,
    };
  }
  return null;
}

function floorOf({ text, is_list, reading }: CommandLine): FloorTexts {
  return is_list ? { for_paths: text, for_commands: text } : floorTexts(reading);
}

function isInDoubt({ reading: { unread, defines, commands } }: CommandLine): boolean {
  if (unread !== null || defines) return true;
  return commands.some(({ code, argv, redirects }) => {
    if (code !== undefined) return true;
    return argv.some(({ is_certain }) => !is_certain) || redirects.some(({ target }) => !target.is_certain);
  });
}

/** By what it needs, or by what its executor is: a shell call that only reads is a shell call all the same. */
function runsCode({ manifest }: Executor, needs: readonly Need[]): boolean {
  const isCode = ({ capability }: { capability: string }) => capability === "code:exec";
  return manifest.needs.some(isCode) || needs.some(isCode);
}
