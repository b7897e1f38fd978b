import { programCalled } from "../../../shell-reading/programs/table.ts";
import type { SimpleCommand, Word } from "../../../shell-reading/shell/reading.ts";
import { recordedAccesses } from "./effects.ts";

/** Words that are only data to a command: printed, searched for, compared, kept as a message. They name no path and run nothing. */
export function dataWords(command: SimpleCommand): ReadonlySet<Word> {
  return new Set(recordedAccesses(command).data);
}

/** True if nothing that the program is given as text can be run by it. */
export function isTextOnly(command: SimpleCommand): boolean {
  const { name, argv } = command;
  if (command.is_speculative) return false;
  if (name === "") return true;
  const text_only = programCalled(name)?.text_only;
  const first = argv[0]?.text ?? "";
  if (text_only === undefined || (first.includes("/") && !/^\/(?:usr\/)?(?:local\/)?s?bin\//.test(first))) return false;
  return text_only === true || text_only(argv.slice(1));
}
