import type { Word } from "../reading.ts";
import { piecesAfter, wordOf } from "../word.ts";
import { argumentsOf, hasOption } from "./arguments.ts";
import type { Accesses, Program } from "./program.ts";

/** Programs that make, change, copy, move or delete the files that they name. */

export const CHANGING_PROGRAMS: readonly Program[] = [
  {
    names: ["mkdir"],
    operands: ["writes"],
    options: { flags: "-p -v --parents --verbose", text: "-m --mode" },
    unclear: { flags: "-Z" },
    // Rights beyond the usual, or those of others.
    isClear: (args) =>
      args.every(({ text }, at) => !/^(?:-\w*m|--mode)$/.test(args[at - 1]?.text ?? "") || /^0?[0-7]{3}$/.test(text)),
    text_only: true,
  },
  {
    names: ["touch"],
    operands: ["writes"],
    options: { flags: "-a -c -m --no-create", text: "-d -t --date", reads: "-r --reference" },
    unclear: { flags: "-f -h --no-dereference", text: "-A --time" },
    text_only: true,
  },
  {
    names: ["tee"],
    operands: ["writes"],
    options: { flags: "-a -i --append --ignore-interrupts" },
    unclear: { flags: "-p", optional: "--output-error" },
    text_only: true,
    copiesInput: true,
  },
  {
    names: ["rmdir"],
    operands: ["deletes"],
    options: { flags: "-v --verbose --ignore-fail-on-non-empty" },
    unclear: { flags: "-p --parents" },
  },
  {
    names: ["rm", "grm"],
    operands: ["deletes"],
    options: {
      flags: "-f -i -I -r -R -v -d --force --recursive --verbose --dir --one-file-system",
      optional: "--interactive",
    },
    unclear: { flags: "--no-preserve-root -P -W -x", optional: "--preserve-root" },
    tree: "-r -R --recursive",
  },
  {
    names: ["srm", "rimraf", "trash", "trash-put"],
    operands: ["deletes"],
    tree: "always",
    guard_only: true,
  },
  { names: ["unlink"], operands: ["deletes"], guard_only: true },
  {
    names: ["shred"],
    operands: ["deletes"],
    unclear: {
      flags: "-f -u -v -x -z --force --remove --verbose --exact --zero",
      text: "-n -s --iterations --size --random-source",
    },
    guard_only: true,
  },
  {
    names: ["cp", "gcp"],
    operands: ["copies"],
    options: {
      flags: `-a -f -i -n -p -r -R -T -u -v -x --archive --force --interactive --no-clobber --recursive --no-target-directory --verbose --one-file-system`,
      optional: "--preserve --update",
      text: "--no-preserve",
      target: "-t --target-directory",
    },
    unclear: {
      flags:
        "-b -c -d -H -l -L -P -s -X -Z --attributes-only --link --symbolic-link --dereference --no-dereference --parents --remove-destination --strip-trailing-slashes --copy-contents",
      optional: "--backup --reflink --sparse --context",
      text: "-S --suffix",
    },
    tree: "-r -R -a --recursive --archive",
    text_only: true,
  },
  {
    names: ["mv", "gmv"],
    operands: ["moves"],
    options: {
      flags: "-f -i -n -T -u -v --force --interactive --no-clobber --no-target-directory --verbose",
      optional: "--update",
      target: "-t --target-directory",
    },
    unclear: { flags: "-b -h -Z --strip-trailing-slashes --exchange", optional: "--backup", text: "-S --suffix" },
  },
  {
    names: ["rename"],
    operands: ["text", "text", "moves"],
    guard_only: true,
    accesses: renameAccesses,
  },
  {
    names: ["ln"],
    operands: ["links"],
    unclear: {
      flags:
        "-s -f -i -n -b -d -F -L -P -r -T -v --symbolic --force --interactive --no-dereference --relative --no-target-directory --verbose --logical --physical",
      optional: "--backup",
      text: "-S --suffix",
      target: "-t --target-directory",
    },
    guard_only: true,
  },
  {
    names: ["install"],
    operands: ["copies"],
    unclear: {
      flags:
        "-b -c -C -d -D -p -s -T -v --compare --directory --preserve-timestamps --strip --no-target-directory --verbose",
      optional: "--backup",
      text: "-m -o -g -S --mode --owner --group --suffix",
      target: "-t --target-directory",
    },
    guard_only: true,
  },
  {
    names: ["scp"],
    operands: ["copies"],
    unclear: { flags: "-r -p -q -C -v -3 -4 -6 -A -B -O -R -s -T", text: "-c -F -i -J -l -o -P -S -X -D" },
    tree: "-r",
    guard_only: true,
  },
  {
    names: ["rsync"],
    accesses: rsyncAccesses,
    unclear: {
      flags:
        "-a -v -r -z -n -u -P -R -l -L -p -t -g -o -D -H -A -X -h -q -c -i -x -W -y -S --archive --verbose --recursive --compress --dry-run --update --progress --relative --links --copy-links --perms --times --delete --delete-before --delete-during --delete-after --delete-excluded --del --remove-source-files --existing --ignore-existing --stats --partial --inplace",
      text: "-e -T -B -f -M --rsh --exclude --include --filter --bwlimit --timeout --port --rsync-path --temp-dir --chmod --compare-dest --link-dest --info --max-size",
      reads: "--exclude-from --include-from --files-from --password-file",
      writes: "--log-file --backup-dir --partial-dir",
    },
    guard_only: true,
  },
  {
    names: ["dd"],
    accesses: (args) => ({
      accesses: args
        .filter(({ text }) => /^(?:of|if)=/.test(text))
        .map((word) => ({
          kind: word.text.startsWith("of=") ? ("write" as const) : ("read" as const),
          word: assignedIn(word),
        })),
      unclear: null,
      data: [],
    }),
    guard_only: true,
  },
  {
    names: ["truncate", "fallocate", "sponge", "mkswap"],
    operands: ["writes"],
    unclear: { flags: "-c -a -d -z -p", text: "-s -l -o -L -U --size --length --offset", reads: "-r --reference" },
    guard_only: true,
  },
  {
    names: ["chmod"],
    accesses: chmodAccesses,
    unclear: {
      flags: "-R -v -c -f --recursive --verbose --changes --silent --quiet --preserve-root",
      text: "--reference",
    },
  },
  {
    names: ["chown", "chgrp", "chattr"],
    operands: ["text", "modes"],
    unclear: {
      flags:
        "-R -v -c -f -h -L -H -P --recursive --verbose --changes --silent --quiet --no-dereference --dereference --preserve-root",
      text: "--from",
      pattern: "--reference",
    },
    tree: "-R --recursive",
    guard_only: true,
  },
  {
    names: ["setfacl"],
    operands: ["modes"],
    unclear: {
      flags: "-R -b -k -d -n --recursive --remove-all",
      text: "-m -x --modify --remove",
      reads: "-M -X --restore",
    },
    tree: "-R --recursive",
    guard_only: true,
  },
  {
    names: ["ed", "ex", "patch"],
    operands: ["writes"],
    unclear: {
      flags: "-s -v -R -N -E -f -b --dry-run",
      text: "-p -d -D -F -V -z",
      reads: "-i --input",
      writes: "-o -r --output --reject-file",
    },
    guard_only: true,
  },
];

const assignedIn = (word: Word): Word => wordOf(piecesAfter(word, word.text.indexOf("=") + 1), word);

function chmodAccesses(args: readonly Word[]): Accesses {
  const program = CHANGING_PROGRAMS.find(({ names }) => names[0] === "chmod") as Program;
  // `-x` takes a right away.
  const isMode = (text: string) => /^(?:0?[0-7]{3,4}|[ugoa]*[-+=][rwxXst]+(?:,[ugoa]*[-+=][rwxXst]+)*)$/.test(text);
  const minus = args.filter(({ text }) => /^-[rwxXst]+$/.test(text));
  const given = argumentsOf(
    program,
    args.filter((word) => !minus.includes(word)),
  );
  const hasMode = minus.length > 0 || hasOption(given, "--reference");
  const files = hasMode ? given.operands : given.operands.slice(1);
  const mode = minus[0] ?? given.operands[0];
  const isTree = hasOption(given, "-R --recursive");
  const isPlain =
    mode !== undefined &&
    isMode(mode.text) &&
    !/[st]|^0*[1-7][0-7]{3}$/.test(mode.text) &&
    minus.length <= 1 &&
    args.indexOf(mode) === 0;
  return {
    accesses: files.map((word) => ({ kind: "mode" as const, word, ...(isTree ? { is_tree: true as const } : {}) })),
    unclear:
      given.options.length > 0
        ? "an option that may do more"
        : isPlain && files.length > 0
          ? null
          : "a mode that isn't plain",
    data: [],
  };
}

function rsyncAccesses(args: readonly Word[]): Accesses {
  const program = CHANGING_PROGRAMS.find(({ names }) => names[0] === "rsync") as Program;
  const given = argumentsOf(program, args);
  if (hasOption(given, "-n --dry-run")) return { accesses: [], unclear: null, data: [] };
  const { operands } = given;
  const target = operands.at(-1);
  const sources = operands.slice(0, -1).filter(({ text }) => !/^[^/]+:/.test(text));
  const deletes = given.options.some(({ name }) => name.startsWith("--del"));
  const removes = hasOption(given, "--remove-source-files");
  return {
    accesses: [
      ...sources.map((word) => ({ kind: "read" as const, word, is_tree: true as const })),
      ...(removes ? operands.slice(0, -1).map((word) => ({ kind: "move" as const, word })) : []),
      ...(target === undefined
        ? []
        : operands.length > 1
          ? sources.map((copyOf) => ({
              kind: "write" as const,
              word: target,
              copy_of: copyOf,
              into: "either" as const,
            }))
          : []),
      ...(target === undefined || operands.length < 2 ? [] : [{ kind: "write" as const, word: target }]),
      ...(target !== undefined && deletes ? [{ kind: "delete" as const, word: target, is_tree: true as const }] : []),
    ],
    unclear: null,
    data: [],
  };
}

function renameAccesses(args: readonly Word[]): Accesses {
  const operands = args.filter(({ text }) => !/^-./.test(text));
  return {
    accesses: operands.slice(1).map((word) => ({ kind: "move" as const, word })),
    unclear: null,
    data: operands.slice(0, 1),
  };
}
