import { placingRole } from "../../../shell-reading/programs/accesses.ts";
import { asksHistoryOf } from "../../../shell-reading/programs/git-log.ts";
import type { Access } from "../../../shell-reading/programs/program.ts";
import { programCalled } from "../../../shell-reading/programs/table.ts";
import { pathOf, pathOfPieces } from "../../../shell-reading/shell/paths.ts";
import type { Reading, SimpleCommand, Word } from "../../../shell-reading/shell/reading.ts";
import { holdsSecrets, mayBeNamed, protectedPath } from "../protected-paths.ts";
import { effectsOf, recordedAccesses } from "./effects.ts";
import { type Finding, finding } from "./finding.ts";
import { type PathWord, pathWords } from "./path-words.ts";

/** Keys, passwords and system files: neither read nor written, however the path is spelled. */

const OTHER_PATH = "work on another path; if the user needs this one, they do it themselves";

export function forbiddenPaths(
  reading: Reading,
  home: string,
  words: (command: SimpleCommand) => readonly PathWord[] = pathWords,
  asked: ReadonlySet<string> = new Set(),
): Finding | null {
  const links = linksIn(reading);
  for (const command of reading.commands) {
    // Where a shell works counts like what it names: `cat id_rsa` inside the folder.
    for (const { word, path } of words(command)) {
      const label = protectedPath(path, home);
      if (label === undefined) continue;
      const is_let_by =
        (isOnlyAccessed(command, word, "list") && mayBeNamed(path)) ||
        (isOnlyAccessed(command, word, "read") && asked.has(`/${path.segments.join("/")}`)) ||
        asksHistoryOf(command, word);
      if (!is_let_by) return finding("guard.protected-path", label, OTHER_PATH, command, word);
    }
    // `cat $(find ~ -name id_rsa)`: what it finds is handed on.
    const found =
      command.captures > 0 ? (programCalled(command.name)?.finds?.(command.argv.slice(1), command) ?? []) : [];
    const handed = found.find((word) => protectedPath(pathOf(word, command.cwd), home) !== undefined);
    if (handed !== undefined)
      return finding("guard.protected-path", "a search for keys, handed on", OTHER_PATH, command);
    const tree = treesRead(command).find(({ path }) => holdsSecrets(path, home));
    if (tree !== undefined)
      return finding(
        "guard.secrets-folder",
        "a folder that holds keys and passwords, read as a whole",
        "name a narrower folder",
        command,
        tree.word,
      );
    if (
      links &&
      command.cwd !== null &&
      protectedPath(pathOfPieces([{ text: command.cwd, kind: "text" }], null), home)
    ) {
      return finding("guard.protected-path", "work inside a forbidden folder", OTHER_PATH, command);
    }
  }
  return null;
}

/** The command does only that with it by its record (`list`: is it there, its size and times), and hands nothing of it to another command. */
function isOnlyAccessed(command: SimpleCommand, word: Word, wanted: Access["kind"]): boolean {
  if (command.via.length > 0 || command.captures > 0 || !command.is_last || word.glob === true) return false;
  const own = recordedAccesses(command).accesses.filter((access) => access.word === word);
  return own.length > 0 && own.every(({ kind, is_tree }) => kind === wanted && is_tree !== true);
}

function linksIn({ commands }: Reading): boolean {
  return commands.some(({ name }) => {
    const program = programCalled(name);
    return program !== undefined && (program.changes_folder || placingRole(program) === "links");
  });
}

/** What a command reads with all that lies below: not only names, but contents. */
export function treesRead(command: SimpleCommand): PathWord[] {
  return effectsOf(command).trees_read.map((word) => ({ word, path: pathOf(word, command.cwd) }));
}
