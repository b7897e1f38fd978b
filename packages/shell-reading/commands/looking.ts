import {
  needsTheMachine,
  outlivesCommand,
  printsEnvironment,
  usesNetwork,
  wrapsTheMachine,
} from "../programs/box-programs.ts";
import { changesOnlyShell } from "../programs/shell-builtins.ts";
import { isAboutMachine, programCalled } from "../programs/table.ts";
import type { Reading, SimpleCommand } from "../reading.ts";
import { effectsOf, recordedAccesses } from "./effects.ts";

/**
 * Lines that only look, and aren't clear for their words alone: substitutions, patterns, variables, groups, conditions. Each of their
 * programs has a record and is used to read. That is why they get a box in which nothing can be written, and it is all that it says: what
 * holds them is the box.
 */

/** True if every command of the line is known to read only. */
export function onlyLooks({ unread, forkBomb, commands }: Reading): boolean {
  return unread === null && forkBomb === null && commands.length > 0 && commands.every(looks);
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
  const { accesses, unclear, changesUnnamed } = recordedAccesses(command);
  const { foundDeleted } = effectsOf(command);
  if (unclear !== null || changesUnnamed === true || foundDeleted.length > 0) return false;
  return accesses.every(({ kind }) => kind === "read" || kind === "list");
}

const mayWrap = (name: string): boolean => !wrapsTheMachine(name) && !outlivesCommand(name);

const isWritten = (operator: string): boolean => operator.includes(">");

/** Another descriptor, or what takes anything. */
const isHarmless = (target: string): boolean => /^(?:&?\d+|-)$/.test(target) || isDevice(target);

const DEVICE = /^\/dev\/(?:null|zero|full|u?random|tty|std(?:in|out|err)|fd\/\d+)$/;

/** What every process has, by its path: a box has its own. */
export function isDevice(path: string): boolean {
  return DEVICE.test(path);
}
