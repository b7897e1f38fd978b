import { optionsOf } from "../../shell/options.ts";
import { foundBy } from "../../shell/output.ts";
import { pathOf, pathOfPieces } from "../../shell/paths.ts";
import type { Reading, SimpleCommand } from "../../shell/reading.ts";
import { holdsSecrets, protectedPath } from "../protected-paths.ts";
import { type Finding, finding } from "./finding.ts";
import { type PathWord, pathWords } from "./path-words.ts";

/** Keys, passwords and system files: neither read nor written, however the path is spelled. */

const OTHER_PATH = "work on another path; if the human needs this one, they do it themselves";

export function forbiddenPaths(
  reading: Reading,
  home: string,
  words: (command: SimpleCommand) => readonly PathWord[] = pathWords,
): Finding | null {
  const links = linksIn(reading);
  for (const command of reading.commands) {
    // Where a shell works counts like what it names: `cat id_rsa` inside the folder.
    for (const { word, path } of words(command)) {
      const label = protectedPath(path, home);
      if (label !== undefined) return finding("forbidden path violated", label, OTHER_PATH, command, word);
    }
    // `cat $(find ~ -name id_rsa)`: what it finds is handed on.
    const found = command.name === "find" && command.captures > 0 ? foundBy(command.argv.slice(1), command) : [];
    const handed = found.find((word) => protectedPath(pathOf(word, command.cwd), home) !== undefined);
    if (handed !== undefined)
      return finding("forbidden path violated", "a search for keys, handed on", OTHER_PATH, command);
    const tree = treesRead(command).find(({ path }) => holdsSecrets(path, home));
    if (tree !== undefined)
      return finding(
        "forbidden path violated",
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
      return finding("forbidden path violated", "work inside a forbidden folder", OTHER_PATH, command);
    }
  }
  return null;
}

function linksIn({ commands }: Reading): boolean {
  return commands.some(({ name }) => name === "ln" || name === "cd");
}

/** What a command reads with all that lies below: not only names, but contents. */
export function treesRead(command: SimpleCommand): PathWord[] {
  const { name, argv, cwd } = command;
  const args = argv.slice(1);
  const as = (words: readonly PathWord["word"][]) => words.map((word) => ({ word, path: pathOf(word, cwd) }));
  const here = (): PathWord[] =>
    cwd === null ? [] : [{ word: argv[0] as PathWord["word"], path: pathOfPieces([{ text: cwd, kind: "text" }], cwd) }];
  switch (name) {
    case "grep":
    case "egrep":
    case "fgrep": {
      const { flags, operands } = optionsOf(args, "efABCmdD", [
        "--regexp",
        "--file",
        "--include",
        "--exclude",
        "--exclude-dir",
      ]);
      if (!flags.has("-r") && !flags.has("-R") && !flags.has("--recursive") && !flags.has("--dereference-recursive"))
        return [];
      const paths = flags.has("-e") || flags.has("-f") || flags.has("--regexp") ? operands : operands.slice(1);
      return paths.length === 0 ? here() : as(paths);
    }
    case "rg":
    case "ack":
    case "ag": {
      const { flags, operands } = optionsOf(args, "efgtTABCmMjrd", [
        "--regexp",
        "--file",
        "--glob",
        "--type",
        "--type-not",
        "--max-count",
        "--replace",
        "--max-depth",
      ]);
      if (flags.has("--version") || flags.has("--help") || command.stdin !== null) return [];
      const paths = flags.has("-e") || flags.has("--files") ? operands : operands.slice(1);
      return paths.length === 0 ? here() : as(paths);
    }
    case "cp":
    case "scp": {
      const { flags, operands } = optionsOf(args, name === "scp" ? "cFiJloPSX" : "tS", ["--target-directory"]);
      const is_tree = ["-r", "-R", "-a", "--recursive", "--archive"].some((flag) => flags.has(flag));
      return is_tree ? as(flags.has("-t") ? operands : operands.slice(0, -1)) : [];
    }
    case "docker":
    case "podman":
    case "nerdctl":
      // What a container is given as a volume, it may read and change as a whole.
      return args.flatMap((word, index) => {
        const is_volume = /^(?:-v|--volume)$/.test(args[index - 1]?.text ?? "");
        const source = is_volume
          ? /^([/~][^:]*):/.exec(word.text)?.[1]
          : /\bsource=([^,]+)|\bsrc=([^,]+)/.exec(word.text)?.[1];
        return source === undefined ? [] : [{ word, path: pathOfPieces([{ text: source, kind: "text" }], cwd) }];
      });
    case "rsync":
      return as(
        optionsOf(args, "eTBf", ["--rsh", "--exclude", "--include"])
          .operands.slice(0, -1)
          .filter(({ text }) => !/^[^/]+:/.test(text)),
      );
    case "mv":
      return as(optionsOf(args, "tS", ["--target-directory"]).operands.slice(0, -1));
    case "tar":
    case "bsdtar":
    case "zip":
    case "7z": {
      const is_packing =
        name !== "tar" && name !== "bsdtar"
          ? true
          : /^-?[A-Za-z]*[cru]/.test(args[0]?.text ?? "") ||
            args.some(({ text }) => /^--(?:create|append|update)$/.test(text));
      if (!is_packing) return [];
      const folders = args.flatMap((word, index) =>
        word.text === "-C" || word.text === "--directory" ? [args[index + 1]?.text ?? ""] : [],
      );
      return args
        .flatMap((word) => [
          { word, path: pathOf(word, cwd) },
          ...folders.map((folder) => ({ word, path: pathOf(word, folder) })),
        ])
        .filter(({ word }) => !word.text.startsWith("-") && !folders.includes(word.text));
    }
    default:
      return [];
  }
}
