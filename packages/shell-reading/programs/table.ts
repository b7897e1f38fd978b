import type { Word } from "../reading.ts";
import { ARCHIVE_PROGRAMS } from "./archives.ts";
import { CHANGING_PROGRAMS } from "./changing-files.ts";
import { FIND_PROGRAMS } from "./find.ts";
import { GIT } from "./git.ts";
import { PATCH_PROGRAMS } from "./patches.ts";
import type { Program } from "./program.ts";
import { READING_PROGRAMS } from "./reading-files.ts";
import { SEARCH_PROGRAMS } from "./search.ts";
import { SHELL_PROGRAMS } from "./shell-builtins.ts";
import { SYSTEM_PROGRAMS } from "./system.ts";
import { TEXT_PROGRAMS } from "./text.ts";
import { WEB_PROGRAMS } from "./web.ts";
import { WORD_PROGRAMS } from "./words.ts";

/** Every program that something is known of. */
export const PROGRAMS: readonly Program[] = [
  ...WORD_PROGRAMS,
  ...SHELL_PROGRAMS,
  ...SYSTEM_PROGRAMS,
  ...READING_PROGRAMS,
  ...CHANGING_PROGRAMS,
  ...SEARCH_PROGRAMS,
  ...FIND_PROGRAMS,
  ...TEXT_PROGRAMS,
  GIT,
  ...WEB_PROGRAMS,
  ...ARCHIVE_PROGRAMS,
  ...PATCH_PROGRAMS,
];

const BY_NAME: ReadonlyMap<string, Program> = new Map(
  PROGRAMS.flatMap((program) => program.names.map((name) => [name, program] as const)),
);

/** True if a command says of the machine what a box has otherwise, or not at all. */
export function isAboutMachine(name: string, args: readonly Word[]): boolean {
  const about = programCalled(name)?.about_machine;
  return about === true || about?.(args) === true;
}

/** The record of a program by its name, without a folder. */
export function programCalled(name: string): Program | undefined {
  return BY_NAME.get(name);
}
