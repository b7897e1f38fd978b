import {
  effectsOf,
  type PathWord,
  pathOf,
  pathOfPieces,
  pathWords,
  type Reading,
  type SimpleCommand,
  treesRead,
  type Word,
} from "@metnos-gate/shell-reading";
import { asksHistoryOf } from "@metnos-gate/shell-reading/git";
import { programOf } from "@metnos-gate/shell-reading/programs";
import { holdsSecrets, mayBeNamed, protectedPath } from "../../places/protected-paths.ts";
import { type Finding, finding } from "./finding.ts";

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
      const isLetBy =
        (isOnlyAccessed(command, word, "list") && mayBeNamed(path)) ||
        (isOnlyAccessed(command, word, "read") && asked.has(`/${path.segments.join("/")}`)) ||
        asksHistoryOf(command, word);
      if (!isLetBy) return finding("guard.protected-path", label, OTHER_PATH, command, word);
    }
    // `cat $(find ~ -name id_rsa)`: what it finds is handed on.
    const found = command.captures > 0 ? programOf(command.name).finds(command.argv.slice(1), command) : [];
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
function isOnlyAccessed(command: SimpleCommand, word: Word, wanted: "list" | "read"): boolean {
  if (command.via.length > 0 || command.captures > 0 || !command.isLast || word.glob === true) return false;
  const own = effectsOf(command).accesses.filter((access) => access.word === word);
  return own.length > 0 && own.every(({ kind, is_tree }) => kind === wanted && is_tree !== true);
}

function linksIn({ commands }: Reading): boolean {
  return commands.some(({ name }) => {
    const program = programOf(name);
    return program.changesFolder || program.makesLinks;
  });
}
