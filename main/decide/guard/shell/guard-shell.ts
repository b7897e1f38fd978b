import { isKnownLabel } from "../../../shell-reading/programs/labels.ts";
import { readArgv, readCommand } from "../../../shell-reading/shell/read-command.ts";
import type { ReadContext, Reading, SimpleCommand } from "../../../shell-reading/shell/reading.ts";
import type { ProtectedGatePaths } from "../gate-files.ts";
import { type MaskedTexts, maskedTexts } from "./data-only.ts";
import type { Finding, FindingRule } from "./finding.ts";
import { forbiddenPaths } from "./forbidden-paths.ts";
import { gateItself } from "./gate-itself.ts";
import { irrecoverable } from "./irrecoverable.ts";
import { type PathWord, pathWords } from "./path-words.ts";

/** What the guard makes of a command line once it is read. */
export interface ShellGuarded {
  reading: Reading;
  finding: Finding | null;
  /** What the raw patterns still look at: data blanked out where that is certain. */
  masked: MaskedTexts;
}

export interface ShellGuardSettings extends ReadContext {
  gate?: ProtectedGatePaths | undefined;
  /** Keys that may be read, as the call is asked about each time. */
  asked?: ReadonlySet<string>;
}

/** Reads a command line (or a list of words) and looks at what it would run. Never throws. */
export function guardShell(command: string | readonly string[], settings: ShellGuardSettings): ShellGuarded {
  const reading = typeof command === "string" ? readCommand(command, settings) : readArgv(command, settings);
  return { reading, finding: findingIn(reading, settings), masked: maskedTexts(reading) };
}

export function findingIn(reading: Reading, { home, cwd, gate, asked }: ShellGuardSettings): Finding | null {
  const known = new Map<SimpleCommand, PathWord[]>();
  const words = (command: SimpleCommand): PathWord[] => {
    let found = known.get(command);
    if (found === undefined) {
      found = pathWords(command);
      known.set(command, found);
    }
    return found;
  };
  return (
    irrecoverable(reading, { home, cwd: cwd.startsWith("/") ? cwd : null }) ??
    gateItself(reading, gate, home, words) ??
    forbiddenPaths(reading, home, words, asked)
  );
}

/** What each rule's finding begins with, for agents and the trail. */
const GROUP_TEXT: Readonly<Record<FindingRule, string>> = {
  "guard.protected-path": "forbidden path violated",
  "guard.secrets-folder": "forbidden path violated",
  "guard.irrecoverable-command": "irrecoverable command",
  "guard.gate-files": "the gate's own files are not for agents",
  "guard.gate-process": "the gate itself",
  "guard.gate-command": "the gate itself",
  "guard.agent-settings": "the gate itself",
};

/** One sentence: what was seen, and in which part of the command. Nothing of what the command says is in it. */
export function findingText({ rule, description, command }: Finding, reading: Reading): string {
  const group = GROUP_TEXT[rule];
  if (rule === "guard.gate-files") return `guard: ${group}`;
  if (command === null) return `guard: ${group}: ${description}`;
  const at = reading.commands.indexOf(command) + 1;
  const part = reading.commands.length > 1 ? ` in part ${at} of ${reading.commands.length}` : "";
  const via = command.via.map((name) => (isKnownLabel(name) ? name : "another program"));
  return `guard: ${group}: ${description}${part}${via.length === 0 ? "" : ` (run by ${via.join(", ")})`}`;
}
