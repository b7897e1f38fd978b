import { piecesAfter } from "../../shell/builtins.ts";
import { hasFlag, optionsOf } from "../../shell/options.ts";
import { foundBy } from "../../shell/output.ts";
import { type SimpleCommand, type Word, wordOf } from "../../shell/reading.ts";

/** What a command would change on the disk, as far as the worst is concerned. */
export interface Effects {
  /** Written to, or replaced. */
  written: readonly Word[];
  /** Deleted with all that lies below. */
  trees_deleted: readonly Word[];
  /** Deleted as single files. */
  deleted: readonly Word[];
  moved: readonly Word[];
  /** Rights or owners changed, with all that lies below. */
  trees_changed: readonly Word[];
  /** Rights or owners changed, one by one. */
  changed: readonly Word[];
}

const NOTHING: Effects = { written: [], trees_deleted: [], deleted: [], moved: [], trees_changed: [], changed: [] };

/** The effects of one command; its redirections are among what is written. */
export function effectsOf(command: SimpleCommand): Effects {
  const own = ownEffects(command);
  const redirected = command.redirects
    .filter(({ operator }) => operator.includes(">") && operator !== "<")
    .map(({ target }) => target);
  return redirected.length === 0 ? own : { ...own, written: [...own.written, ...redirected] };
}

function ownEffects(command: SimpleCommand): Effects {
  const args = command.argv.slice(1);
  const only_told = /^--(?:help|version)$/.test(args[0]?.text ?? "");
  if (only_told) return NOTHING;
  switch (command.name) {
    case "rm":
    case "grm":
    case "srm":
    case "rimraf":
    case "trash":
    case "trash-put": {
      const options = optionsOf(args);
      const is_tree = /^(?:rimraf|trash)/.test(command.name) || hasFlag(options, "-r", "-R", "--recursive");
      return is_tree ? { ...NOTHING, trees_deleted: options.operands } : { ...NOTHING, deleted: options.operands };
    }
    case "unlink":
    case "rmdir":
      return { ...NOTHING, deleted: optionsOf(args).operands };
    case "shred":
      return { ...NOTHING, deleted: optionsOf(args, "ns", ["--iterations", "--size", "--random-source"]).operands };
    case "mv":
    case "gmv":
    case "rename": {
      const { operands, values } = optionsOf(args, "tS", ["--target-directory", "--suffix"]);
      const to = values.filter(({ name }) => name === "-t" || name === "--target-directory").map(({ word }) => word);
      return to.length > 0
        ? { ...NOTHING, moved: operands, written: to }
        : { ...NOTHING, moved: operands.slice(0, -1), written: operands.slice(-1) };
    }
    case "cp":
    case "gcp":
    case "install":
    case "ln":
    case "scp":
    case "rsync": {
      const { operands, values, flags } = optionsOf(
        args,
        command.name === "rsync" ? "eTBf" : command.name === "scp" ? "cFiJloPSX" : "tSmog",
        ["--target-directory", "--suffix", "--mode", "--owner", "--group", "--rsh", "--exclude", "--include"],
      );
      if (command.name === "rsync" && (flags.has("--dry-run") || flags.has("-n"))) return NOTHING;
      const to = values
        .filter(({ name }) => (name === "-t" && command.name !== "rsync") || name === "--target-directory")
        .map(({ word }) => word);
      const written = to.length > 0 ? to : operands.slice(-1);
      const deletes = command.name === "rsync" && [...flags].some((flag) => flag.startsWith("--del"));
      return {
        ...NOTHING,
        written,
        trees_deleted: deletes ? written : [],
        moved: flags.has("--remove-source-files") ? operands.slice(0, -1) : [],
      };
    }
    case "tee":
    case "sponge":
    case "truncate":
    case "fallocate":
    case "touch":
    case "mkswap":
      return {
        ...NOTHING,
        written: optionsOf(args, command.name === "tee" ? "" : "srldot", ["--size", "--reference", "--date"]).operands,
      };
    case "dd":
      return {
        ...NOTHING,
        written: args.filter(({ text }) => text.startsWith("of=")).map((word) => wordOf(piecesAfter(word, 3), word)),
      };
    case "sed":
    case "gsed":
    case "perl":
    case "ruby":
    case "ed":
    case "ex":
    case "patch": {
      const in_place =
        args.some(({ text }) => /^-[A-Za-z]*i|^--in-place/.test(text)) || /^(?:ed|ex|patch)$/.test(command.name);
      return in_place ? { ...NOTHING, written: optionsOf(args, "ef").operands } : NOTHING;
    }
    case "sort": {
      const { values } = optionsOf(args, "oktST", ["--output"]);
      return {
        ...NOTHING,
        written: values.filter(({ name }) => name === "-o" || name === "--output").map(({ word }) => word),
      };
    }
    case "curl":
    case "wget": {
      const { values } = optionsOf(args, command.name === "curl" ? "oAbcdDeEFHKmPQrTuUwxXyYz" : "oOPaitTQ", [
        "--output",
        "--output-document",
        "--dump-header",
        "--cookie-jar",
      ]);
      return {
        ...NOTHING,
        written: values
          .filter(({ name }) => /^(?:-o|-O|--output.*|--dump-header|-D|-c|--cookie-jar)$/.test(name))
          .map(({ word }) => word),
      };
    }
    case "chmod":
    case "chown":
    case "chgrp":
    case "chattr":
    case "setfacl": {
      const options = optionsOf(args, command.name === "setfacl" ? "mxMX" : "", ["--reference", "--from"]);
      const modes =
        [...options.flags].filter((flag) => /^-[rwxXst]$/.test(flag)).length > 0 && command.name === "chmod";
      const is_reference = options.values.some(({ name }) => name === "--reference");
      const operands =
        modes || is_reference || command.name === "setfacl" ? options.operands : options.operands.slice(1);
      return hasFlag(options, "-R", "--recursive")
        ? { ...NOTHING, trees_changed: operands }
        : { ...NOTHING, changed: operands };
    }
    case "git": {
      const at = args.findIndex(({ text }) => text === "clean");
      const is_clean =
        at !== -1 && args.some(({ text }) => /^-\w*f|^--force$/.test(text)) && !args.some(({ text }) => text === "-n");
      const folder = args.slice(0, Math.max(0, at)).find((_, index) => args[index - 1]?.text === "-C");
      return is_clean
        ? { ...NOTHING, trees_deleted: [folder ?? wordOf([{ text: ".", kind: "text" }], command)] }
        : NOTHING;
    }
    case "find":
      return args.some(({ text }) => text === "-delete") ? { ...NOTHING, deleted: foundBy(args, command) } : NOTHING;
    default:
      return NOTHING;
  }
}
