import { piecesAfter } from "../shell/builtins.ts";
import { type Word, wordOf } from "../shell/reading.ts";
import { argumentsOf, hasOption } from "./arguments.ts";
import type { Accesses, Program } from "./program.ts";

/** Programs that read, list or change the files that they name. */

export const FILE_PROGRAMS: readonly Program[] = [
  // Reading what is named.
  {
    names: ["cat", "tac", "rev"],
    operands: ["reads"],
    options: {
      flags:
        "-n -b -s -A -e -E -t -T -v -u --number --number-nonblank --squeeze-blank --show-all --show-ends --show-tabs --show-nonprinting",
    },
    text_only: true,
    example: "cat package.json",
    counter: "cat $(node x.js)",
  },
  {
    names: ["nl"],
    operands: ["reads"],
    options: { flags: "-p", text: "-b -d -f -h -i -l -n -s -v -w" },
    text_only: true,
    example: "nl -b a a.txt",
    counter: "nl $(node x.js)",
  },
  {
    names: ["head", "tail"],
    operands: ["reads"],
    options: {
      flags: "-q -v -z -f -F -r --quiet --silent --verbose --zero-terminated --follow --retry",
      text: "-n -c --lines --bytes",
    },
    unclear: { text: "-s --sleep-interval --pid --max-unchanged-stats" },
    takes_numbers: true,
    text_only: true,
    example: "head -n 5 README.md",
    counter: "tail --pid=1 -f a",
  },
  {
    names: ["wc"],
    operands: ["reads"],
    options: { flags: "-l -w -c -m -L --lines --words --bytes --chars --max-line-length" },
    unclear: { reads: "--files0-from" },
    text_only: true,
    example: "wc -l a.txt",
    counter: "wc --files0-from=list",
  },
  {
    names: ["cut"],
    operands: ["reads"],
    options: {
      flags: "-s -n -z --only-delimited --complement --zero-terminated",
      text: "-d -f -c -b --delimiter --fields --characters --bytes --output-delimiter",
    },
    text_only: true,
    example: "cut -d, -f1 data.csv",
    counter: "cut -f1 $(node x.js)",
  },
  {
    names: ["paste", "comm"],
    operands: ["reads"],
    options: {
      flags: "-s -z -1 -2 -3 --serial --zero-terminated --check-order --nocheck-order --total",
      text: "-d --delimiters --output-delimiter",
    },
    text_only: true,
    example: "paste -d, a.txt b.txt",
    counter: "paste $(node x.js)",
  },
  {
    names: ["fold", "expand", "unexpand"],
    operands: ["reads"],
    options: { flags: "-s -b -i -a --spaces --initial --first-only", text: "-w -t --width --tabs" },
    text_only: true,
    example: "fold -w 80 a.txt",
    counter: "fold $(node x.js)",
  },
  {
    names: ["column"],
    operands: ["reads"],
    options: { flags: "-t -x", text: "-s -c" },
    text_only: true,
    example: "column -t a.txt",
    counter: "column -t $(node x.js)",
  },
  {
    names: ["cmp"],
    operands: ["reads"],
    options: { flags: "-s -l -b --silent --quiet --verbose --print-bytes", text: "-i -n --ignore-initial --bytes" },
    text_only: true,
    example: "cmp -s a.bin b.bin",
    counter: "cmp $(node x.js) b.bin",
  },
  {
    names: ["od"],
    operands: ["reads"],
    options: {
      flags: "-c -x -b -d -o -v --output-duplicates",
      text: "-j -N -A -t --address-radix --format --read-bytes --skip-bytes",
    },
    unclear: { optional: "-w --width -S --strings" },
    text_only: true,
    example: "od -c a.bin",
    counter: "od $(node x.js)",
  },
  {
    names: ["hexdump"],
    operands: ["reads"],
    options: { flags: "-C -b -c -d -o -x -v", text: "-n -s" },
    unclear: { text: "-e", reads: "-f" },
    example: "hexdump -C a.bin",
    counter: "hexdump -f format a.bin",
  },
  {
    names: ["strings"],
    operands: ["reads"],
    options: { flags: "-a -f --all --print-file-name", text: "-n -t --bytes --radix" },
    unclear: { text: "-e -T -s --encoding --target --output-separator" },
    takes_numbers: true,
    // `@file` stands for the words in that file.
    is_clear: (args) => args.every(({ text }) => !text.startsWith("@")),
    example: "strings a.bin",
    counter: "strings @options",
  },
  {
    names: ["xxd"],
    // Its options of several letters begin with one dash.
    accesses: xxdAccesses,
    example: "xxd -l 64 logo.png",
    counter: "xxd -r a.hex a.bin",
  },
  {
    names: ["stat"],
    operands: ["lists"],
    options: { flags: "-t --terse", text: "-c --format --printf" },
    unclear: { flags: "-L --dereference --file-system", text: "-f" },
    text_only: true,
    example: "stat package.json",
    counter: "stat -L a.txt",
  },
  {
    names: ["readlink", "realpath"],
    operands: ["lists"],
    options: {
      flags:
        "-f -e -m -n -q -s -v -z --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet --zero",
    },
    unclear: { text: "--relative-to --relative-base" },
    example: "realpath src",
    counter: "realpath --relative-to=x a",
  },
  {
    names: ["file"],
    operands: ["reads"],
    options: { flags: "-b -i -h -k -N -r --brief --mime --mime-type --mime-encoding --no-dereference --no-pad" },
    unclear: {
      flags: "-z -Z -s -L -C --uncompress --special-files --dereference",
      text: "-e -F -P",
      reads: "-f -m --files-from --magic-file",
    },
    text_only: true,
    example: "file logo.png",
    counter: "file -f list.txt",
  },
  {
    names: ["md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum", "shasum", "cksum", "b2sum", "md5"],
    operands: ["reads"],
    options: { flags: "-b -t -z -q -r --binary --text --tag --zero", text: "-a --algorithm" },
    unclear: { reads: "-c --check" },
    example: "sha256sum a.txt",
    counter: "sha256sum -c sums",
  },
  {
    names: ["diff"],
    operands: ["reads"],
    options: {
      flags:
        "-q -s -i -b -w -B -E -Z -a -y -u -c -e -n -p -t -T -N -d --brief --report-identical-files --ignore-case --ignore-space-change --ignore-all-space --ignore-blank-lines --text --side-by-side --show-c-function --expand-tabs --initial-tab --new-file --minimal --suppress-common-lines --left-column --strip-trailing-cr --speed-large-files",
      optional: "--color --unified --context",
      text: "-U -C -W -I --ignore-matching-lines --width --label -L",
    },
    unclear: {
      flags: "-r --recursive -l --paginate --no-dereference",
      text: "-x --exclude -S --starting-file -D --ifdef -F --show-function-line",
      reads: "-X --exclude-from --from-file --to-file",
    },
    takes_numbers: true,
    tree: "-r --recursive",
    plain_files_only: true,
    text_only: true,
    example: "diff -u package.json tsconfig.json",
    counter: "diff -r a b",
  },
  {
    names: ["ls", "dir"],
    operands: ["lists"],
    options: {
      flags: `-a -A -b -B -c -C -d -f -F -g -G -h -i -k -l -m -n -N -o -p -q -Q -r -R -s -S -t -u -U -v -x -X -1 --all --almost-all --directory --classify --file-type --human-readable --inode --size --reverse --recursive --numeric-uid-gid --no-group --group-directories-first --full-time --literal --zero --si`,
      optional: "--color --indicator-style --hyperlink",
      text: "--ignore --hide --sort --time --time-style --width --block-size --format --quoting-style",
    },
    unclear: {
      flags: "-L -H -Z --dereference --dereference-command-line",
      text: "-I -T -w -D --tabsize",
    },
    tree: "-R --recursive",
    without_operands: "lists",
    text_only: true,
    example: "ls -la src",
    counter: "ls $(node x.js)",
  },
  {
    names: ["tree"],
    operands: ["lists"],
    options: {
      flags: `-a -d -f -i -p -s -h -u -g -D -F -q -N -r -t -c -v -U -A -S -n -C -J --dirsfirst --filesfirst --noreport --prune --du --si --inodes --device --gitignore --ignore-case --matchdirs`,
      text: "-L -P -I --filelimit --charset --sort --timefmt",
    },
    unclear: {
      flags: "-l -x -X -Q -R --fromfile --fflinks",
      text: "-H -T",
      writes: "-o --output",
      reads: "--gitfile --infofile",
    },
    tree: "always",
    without_operands: "lists",
    text_only: true,
    example: "tree -L 2",
    counter: "tree -o out.txt",
  },
  {
    names: ["du"],
    operands: ["lists"],
    options: {
      flags: `-a -b -c -h -k -m -s -S -x -l -0 -P --all --apparent-size --bytes --total --human-readable --summarize --one-file-system --separate-dirs --si --null --no-dereference`,
      text: "-d -t --max-depth --threshold --exclude --block-size",
    },
    unclear: { flags: "-L -D -H --dereference", text: "-B -I", reads: "-X --exclude-from --files0-from" },
    tree: "always",
    without_operands: "lists",
    text_only: true,
    example: "du -sh dist",
    counter: "du --files0-from=list",
  },
  { names: ["less", "more", "bat", "batcat", "most"], operands: ["reads"], guard_only: true, counter: "less a.txt" },

  // Changing what is named.
  {
    names: ["mkdir"],
    operands: ["writes"],
    options: { flags: "-p -v --parents --verbose", text: "-m --mode" },
    unclear: { flags: "-Z" },
    text_only: true,
    example: "mkdir -p src/cache",
    counter: "mkdir $(node x.js)",
  },
  {
    names: ["touch"],
    operands: ["writes"],
    options: { flags: "-a -c -m --no-create", text: "-d -t --date", reads: "-r --reference" },
    unclear: { flags: "-f -h --no-dereference", text: "-A --time" },
    text_only: true,
    example: "touch a.txt",
    counter: "touch $UNKNOWN",
  },
  {
    names: ["tee"],
    operands: ["writes"],
    options: { flags: "-a -i --append --ignore-interrupts" },
    unclear: { flags: "-p", optional: "--output-error" },
    text_only: true,
    example: "tee a.txt",
    counter: "tee $(node x.js)",
  },
  {
    names: ["rmdir"],
    operands: ["deletes"],
    options: { flags: "-v --verbose --ignore-fail-on-non-empty" },
    unclear: { flags: "-p --parents" },
    example: "rmdir empty",
    counter: "rmdir $UNKNOWN",
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
    example: "rm a.txt",
    counter: "rm -rf /srv/other",
  },
  {
    names: ["srm", "rimraf", "trash", "trash-put"],
    operands: ["deletes"],
    tree: "always",
    guard_only: true,
    counter: "rimraf a",
  },
  { names: ["unlink"], operands: ["deletes"], guard_only: true, counter: "unlink a" },
  {
    names: ["shred"],
    operands: ["deletes"],
    unclear: {
      flags: "-f -u -v -x -z --force --remove --verbose --exact --zero",
      text: "-n -s --iterations --size --random-source",
    },
    guard_only: true,
    counter: "shred a",
  },
  {
    names: ["cp", "gcp"],
    operands: ["copies"],
    options: {
      flags: `-a -f -i -n -p -r -R -T -u -v -x --archive --force --interactive --no-clobber --recursive --no-target-directory --verbose --one-file-system`,
      optional: "--preserve --no-preserve --update",
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
    example: "cp a.txt b.txt",
    counter: "cp -s /etc b",
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
    example: "mv a.txt b.txt",
    counter: "mv $UNKNOWN b",
  },
  {
    names: ["rename"],
    operands: ["text", "text", "moves"],
    guard_only: true,
    accesses: renameAccesses,
    counter: "rename s/a/b/ a",
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
    counter: "ln -s a b",
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
    counter: "install a b",
  },
  {
    names: ["scp"],
    operands: ["copies"],
    unclear: { flags: "-r -p -q -C -v -3 -4 -6 -A -B -O -R -s -T", text: "-c -F -i -J -l -o -P -S -X -D" },
    tree: "-r",
    guard_only: true,
    counter: "scp a host:",
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
    counter: "rsync -a a/ b/",
  },
  {
    names: ["dd"],
    accesses: (args) => ({
      accesses: args
        .filter(({ text }) => /^(?:of|if)=/.test(text))
        .map((word) => ({
          kind: word.text.startsWith("of=") ? ("write" as const) : ("read" as const),
          word: valueOf(word),
        })),
      unclear: null,
      data: [],
    }),
    guard_only: true,
    counter: "dd if=a of=b",
  },
  {
    names: ["truncate", "fallocate", "sponge", "mkswap"],
    operands: ["writes"],
    unclear: { flags: "-c -a -d -z -p", text: "-s -l -o -L -U --size --length --offset", reads: "-r --reference" },
    guard_only: true,
    counter: "truncate -s 0 a.txt",
  },
  {
    names: ["chmod"],
    accesses: chmodAccesses,
    unclear: {
      flags: "-R -v -c -f --recursive --verbose --changes --silent --quiet --preserve-root",
      text: "--reference",
    },
    example: "chmod 644 a.txt",
    counter: "chmod -R 644 .",
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
    counter: "chown me a.txt",
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
    counter: "setfacl -m u:me:r a.txt",
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
    counter: "patch -p1 < a.patch",
  },
];

const valueOf = (word: Word): Word => wordOf(piecesAfter(word, word.text.indexOf("=") + 1), word);

function xxdAccesses(args: readonly Word[]): Accesses {
  const operands: Word[] = [];
  let unclear: string | null = null;
  let is_reverse = false;
  for (let at = 0; at < args.length; at++) {
    const word = args[at] as Word;
    if (!/^-./.test(word.text) || word.pieces[0]?.kind === "glob") operands.push(word);
    else if (/^-[abeEiCu]$|^-ps?$|^-plain$/.test(word.text)) continue;
    else if (/^-[clsgo]$/.test(word.text)) at++;
    else if (/^-[clsgo](?:0x[0-9a-f]+|-?\d+)$/.test(word.text)) continue;
    else {
      is_reverse ||= /^-r/.test(word.text);
      unclear ??= "an option that may do more";
    }
  }
  const [from, to] = operands;
  if (operands.length > 2) unclear ??= "more words than it takes";
  return {
    accesses: [
      ...(from === undefined || from.text === "-" ? [] : [{ kind: "read" as const, word: from }]),
      ...(to === undefined ? [] : [{ kind: "write" as const, word: to }]),
    ],
    unclear: is_reverse ? "it writes what a text says" : unclear,
    data: [],
  };
}

function chmodAccesses(args: readonly Word[]): Accesses {
  const program = FILE_PROGRAMS.find(({ names }) => names[0] === "chmod") as Program;
  // `-x` takes a right away.
  const is_mode = (text: string) => /^(?:0?[0-7]{3,4}|[ugoa]*[-+=][rwxXst]+(?:,[ugoa]*[-+=][rwxXst]+)*)$/.test(text);
  const minus = args.filter(({ text }) => /^-[rwxXst]+$/.test(text));
  const given = argumentsOf(
    program,
    args.filter((word) => !minus.includes(word)),
  );
  const has_mode = minus.length > 0 || hasOption(given, "--reference");
  const files = has_mode ? given.operands : given.operands.slice(1);
  const mode = minus[0] ?? given.operands[0];
  const is_tree = hasOption(given, "-R --recursive");
  const is_plain =
    mode !== undefined &&
    is_mode(mode.text) &&
    !/[st]|^[1-7][0-7]{3}$/.test(mode.text) &&
    minus.length <= 1 &&
    args.indexOf(mode) === 0;
  return {
    accesses: files.map((word) => ({ kind: "mode" as const, word, ...(is_tree ? { is_tree: true as const } : {}) })),
    unclear:
      given.options.length > 0
        ? "an option that may do more"
        : is_plain && files.length > 0
          ? null
          : "a mode that isn't plain",
    data: [],
  };
}

function rsyncAccesses(args: readonly Word[]): Accesses {
  const program = FILE_PROGRAMS.find(({ names }) => names[0] === "rsync") as Program;
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
          ? sources.map((copy_of) => ({ kind: "write" as const, word: target, copy_of, into: "either" as const }))
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
