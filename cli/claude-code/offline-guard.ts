import { placesFor } from "../../ipc/places.ts";
import type { ProposedCall } from "../../ipc/wire.ts";
import { CLAUDE_CODE_EXECUTORS } from "../../main/gate/executors/claude-code.ts";
import { forbiddenPath } from "../../main/gate/guard/path-patterns.ts";
import { gatePlaces } from "../../main/gate/guard/shell/gate-places.ts";
import { findingText, guardShell, type ShellGuarded } from "../../main/gate/guard/shell/guard-shell.ts";
import { dangerousCommand } from "../../main/gate/guard/shell-patterns.ts";
import { stringsIn } from "../../main/gate/guard/strings.ts";

/** The guard for when no gate can be asked: what is never allowed isn't allowed then either. */
export function forbiddenOffline(call: ProposedCall, home: string): string | undefined {
  const manifest = CLAUDE_CODE_EXECUTORS.find(
    ({ name, aliases }) => name === call.executor || aliases?.includes(call.executor),
  );
  const runs_code = manifest === undefined || manifest.needs.some(({ capability }) => capability === "code:exec");
  const lines = runs_code ? guardedLines(call, home) : new Map<string, ShellGuarded>();
  for (const { key, value: raw } of stringsIn(call.args, manifest?.content_args ?? [])) {
    const value = typeof call.args[key] === "string" ? (lines.get(key)?.floor.for_paths ?? raw) : raw;
    const expanded = value === "~" || value.startsWith("~/") ? home + value.slice(1) : value;
    const pattern = forbiddenPath(value) ?? forbiddenPath(expanded);
    if (pattern !== undefined) return `forbidden path violated: pattern '${pattern}' in args`;
  }
  for (const { finding, floor, reading } of lines.values()) {
    const pattern = dangerousCommand(Array.isArray(call.args.command) ? reading.text : floor.for_commands);
    if (pattern !== undefined) return `irrecoverable command: pattern '${pattern}'`;
    if (finding !== null) return findingText(finding, reading).replace(/^guard: /, "");
  }
  return undefined;
}

function guardedLines(call: ProposedCall, home: string): Map<string, ShellGuarded> {
  const lines = new Map<string, ShellGuarded>();
  const settings = {
    home,
    cwd: call.context?.cwd ?? "",
    user: home.slice(home.lastIndexOf("/") + 1),
    gate: gatePlaces(placesFor(process.env)),
  };
  for (const name of ["command", "cmd"]) {
    const value = call.args[name];
    if (typeof value === "string") lines.set(name, guardShell(value, settings));
    else if (Array.isArray(value)) lines.set(name, guardShell(value.map(String), settings));
  }
  return lines;
}
