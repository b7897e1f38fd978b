import {
  needsTheMachine,
  outlivesCommand,
  printsEnvironment,
  usesNetwork,
  wrapsTheMachine,
} from "../../shell-reading/programs/box-programs.ts";
import { changesOnlyShell } from "../../shell-reading/programs/shell-builtins.ts";
import { isAboutMachine, programCalled } from "../../shell-reading/programs/table.ts";
import type { SimpleCommand } from "../../shell-reading/shell/reading.ts";
import type { CommandLine } from "../executors/command-lines.ts";
import { effectsOf, recordedAccesses } from "../guard/shell/effects.ts";
import { isDevice } from "./touched.ts";

/**
 * Lines that only look, and aren't clear for their words alone: substitutions, patterns, variables, groups, conditions. Each of their
 * programs has a record and is used to read. That is why they get a box in which nothing can be written, and it is all that it says: what
 * holds them is the box.
 */

/** True if every command of the line is known to read only. */
export function onlyLooks({ reading }: CommandLine): boolean {
  if (reading.unread !== null || reading.fork_bomb !== null || reading.commands.length === 0) return false;
  return reading.commands.every(looks);
}

function looks(command: SimpleCommand): boolean {
  const { name, via, argv, in_background, redirects } = command;
  if (in_background || via.some((label) => !mayWrap(label.split(" ")[0] ?? ""))) return false;
  if (redirects.some(({ operator, target }) => isWritten(operator) && !isHarmless(target.text))) return false;
  const args = argv.slice(1);
  if (printsEnvironment(name, args)) return true;
  if (needsTheMachine(name, args) || usesNetwork(name, args) || isAboutMachine(name, args)) return false;
  if (changesOnlyShell(name)) return true;
  const program = programCalled(name);
  if (program === undefined) return false;
  const { accesses, unclear, changes_unnamed } = recordedAccesses(command);
  const { found_deleted } = effectsOf(command);
  if (unclear !== null || changes_unnamed === true || found_deleted.length > 0) return false;
  return accesses.every(({ kind }) => kind === "read" || kind === "list");
}

const mayWrap = (name: string): boolean => !wrapsTheMachine(name) && !outlivesCommand(name);

const isWritten = (operator: string): boolean => operator.includes(">");

/** Another descriptor, or what takes anything. */
const isHarmless = (target: string): boolean => /^(?:&?\d+|-)$/.test(target) || isDevice(target);
