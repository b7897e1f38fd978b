import type { SimpleCommand } from "@metnos-gate/shell-reading";
import { type NamedScripts, namedScripts, workOf, wrapperOf } from "@metnos-gate/shell-reading/programs";
import type { Work } from "../../../ipc/contract/description.ts";
import type { CommandLine } from "../executors/command-lines.ts";
import { shownPath } from "../guard/hazards.ts";
import type { CallPlace } from "../places/call-place.ts";
import type { Named } from "./run-by-name.ts";

/** What command lines do, in their order: of a script's name what the script does, where that is known of all of it. */

/** More than a card says. */
const MAX_WORK = 8;
/** Commands of one call that are looked at. */
const MAX_COMMANDS = 60;
/** Texts of a script. */
const MAX_TEXTS = 40;

/** @param names what names in the lines stand for */
export function workOfLines(lines: readonly CommandLine[], names: readonly Named[], place: CallPlace): Work[] {
  const found = lines.flatMap((line) =>
    [...line.reading.elsewhere, ...line.reading.commands]
      .slice(0, MAX_COMMANDS)
      .flatMap((command) => workOfCommand(line, command, names, place)),
  );
  return [...new Map(found.map((one) => [JSON.stringify(one), one])).values()].slice(0, MAX_WORK);
}

function workOfCommand(line: CommandLine, command: SimpleCommand, names: readonly Named[], place: CallPlace): Work[] {
  // What is done on another machine is none of this project's work.
  if (command.isSpeculative || command.via.some((label) => wrapperOf(label).runsElsewhere)) return [];
  const variables = command.assignments.map((assignment) => assignment.name);
  const named = namedScripts(command.name, command.argv, variables);
  const own = workOf(command);
  // A word that may be a script's name, and is one of the program's own.
  if (named === null || (!named.isScript && own !== null && own.id !== "program")) return own === null ? [] : [own];
  const script = names.find(
    ({ shown: { span, file } }) =>
      span !== null &&
      span.arg === line.arg &&
      span.start >= command.start &&
      span.end <= command.end &&
      isNaming(file, named.files),
  );
  if (script === undefined && !named.isScript) return own === null ? [] : [own];
  const name = named.names.join(" ").slice(0, 80);
  const whole: Work = {
    id: "runs-named",
    ...(name === "" ? {} : { name }),
    file: script?.shown.file ?? named.files[0] ?? "",
  };
  return (script === undefined ? null : workOfScript(script, named.form, place)) ?? [whole];
}

const isNaming = (file: string, files: readonly string[]): boolean =>
  files.some((name) => file.endsWith(`/${name}`)) || files.length === 0;

/** A line that names another program to read those below it: what that does isn't read. */
const SHEBANG = /^\s*[@+-]*#!/;

/** Null where it isn't shown or read whole, or where only a name is known of a part of it. */
function workOfScript({ shown, texts }: Named, form: NamedScripts["form"], place: CallPlace): Work[] | null {
  const { lines, total_lines, unread = [], file } = shown;
  if (lines.length < total_lines || unread.includes(shownPath(file, place)) || form === "aliases") return null;
  if (texts.length === 0 || texts.length > MAX_TEXTS || lines.some((line) => SHEBANG.test(line))) return null;
  if (texts.some(({ reading }) => reading.unread !== null || reading.commands.length === 0)) return null;
  const commands = texts.flatMap(({ reading }) => reading.commands);
  const work = commands.flatMap((command) => (isOfSameFile(command, form) ? [] : [workOf(command)]));
  const known = work.filter((one) => one !== null);
  const isKnown = commands.length <= MAX_COMMANDS && known.length > 0 && known.length === work.length;
  return isKnown && known.every(({ id }) => id !== "program") ? known : null;
}

/** What starts another script of the same file is in its lines, too. */
function isOfSameFile({ name, argv }: SimpleCommand, form: NamedScripts["form"]): boolean {
  const inner = namedScripts(name, argv);
  return inner?.isScript === true && inner.form === form && inner.folder === undefined && inner.file === undefined;
}
