import type { Word } from "../reading.ts";
import { plainWord } from "../word.ts";
import type { Accesses, Program } from "./program.ts";

/** Programs that print, count, compare or list the files that they name. */

export const READING_PROGRAMS: readonly Program[] = [
  {
    names: ["cat", "tac", "rev"],
    operands: ["reads"],
    options: {
      flags:
        "-n -b -s -A -e -E -t -T -v -u --number --number-nonblank --squeeze-blank --show-all --show-ends --show-tabs --show-nonprinting",
    },
    text_only: true,
  },
  {
    names: ["nl"],
    operands: ["reads"],
    options: { flags: "-p", text: "-b -d -f -h -i -l -n -s -v -w" },
    text_only: true,
  },
  {
    names: ["head", "tail"],
    operands: ["reads"],
    options: {
      flags: "-q -v -z -f -F -r --quiet --silent --verbose --zero-terminated --follow --retry",
      text: "-n -c --lines --bytes",
    },
    unclear: { text: "-s --sleep-interval --pid --max-unchanged-stats" },
    takesNumbers: true,
    text_only: true,
  },
  {
    names: ["wc"],
    operands: ["reads"],
    options: { flags: "-l -w -c -m -L --lines --words --bytes --chars --max-line-length" },
    unclear: { reads: "--files0-from" },
    text_only: true,
  },
  {
    names: ["base64", "base32"],
    operands: ["reads"],
    options: { flags: "-d -D --decode --ignore-garbage", text: "-w --wrap" },
    // BSD reads and writes by these.
    unclear: { flags: "-i", text: "-b", writes: "-o" },
  },
  {
    names: ["cut"],
    operands: ["reads"],
    options: {
      flags: "-s -n -z --only-delimited --complement --zero-terminated",
      text: "-d -f -c -b --delimiter --fields --characters --bytes --output-delimiter",
    },
    text_only: true,
  },
  {
    names: ["paste", "comm"],
    operands: ["reads"],
    options: {
      flags: "-s -z -1 -2 -3 --serial --zero-terminated --check-order --nocheck-order --total",
      text: "-d --delimiters --output-delimiter",
    },
    text_only: true,
  },
  {
    names: ["fold", "expand", "unexpand"],
    operands: ["reads"],
    options: { flags: "-s -b -i -a --spaces --initial --first-only", text: "-w -t --width --tabs" },
    text_only: true,
  },
  {
    names: ["column"],
    operands: ["reads"],
    options: { flags: "-t -x", text: "-s -c" },
    text_only: true,
  },
  {
    names: ["cmp"],
    operands: ["reads"],
    options: { flags: "-s -l -b --silent --quiet --verbose --print-bytes", text: "-i -n --ignore-initial --bytes" },
    text_only: true,
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
  },
  {
    names: ["hexdump"],
    operands: ["reads"],
    options: { flags: "-C -b -c -d -o -x -v", text: "-n -s" },
    unclear: { text: "-e", reads: "-f" },
  },
  {
    names: ["strings"],
    operands: ["reads"],
    options: { flags: "-a -f --all --print-file-name", text: "-n -t --bytes --radix" },
    unclear: { text: "-e -T -s --encoding --target --output-separator" },
    takesNumbers: true,
    // `@file` means the words in that file.
    isClear: (args) => args.every(({ text }) => !text.startsWith("@")),
  },
  {
    names: ["xxd"],
    // Its options of several letters begin with one dash.
    accesses: xxdAccesses,
  },
  {
    names: ["stat"],
    operands: ["lists"],
    options: { flags: "-t --terse", text: "-c --format --printf" },
    unclear: { flags: "-L --dereference --file-system", text: "-f" },
    text_only: true,
  },
  {
    names: ["readlink", "realpath"],
    operands: ["lists"],
    options: {
      flags:
        "-f -e -m -n -q -s -v -z --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet --zero",
    },
    unclear: { text: "--relative-to --relative-base" },
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
  },
  {
    names: ["md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum", "shasum", "cksum", "b2sum", "md5"],
    operands: ["reads"],
    options: { flags: "-b -t -z -q -r --binary --text --tag --zero", text: "-a --algorithm" },
    unclear: { reads: "-c --check" },
  },
  {
    names: ["diff"],
    optionsAnywhere: true,
    operands: ["reads"],
    options: {
      flags:
        "-r --recursive -q -s -i -b -w -B -E -Z -a -y -u -c -e -n -p -t -T -N -d --brief --report-identical-files --ignore-case --ignore-space-change --ignore-all-space --ignore-blank-lines --text --side-by-side --show-c-function --expand-tabs --initial-tab --new-file --minimal --suppress-common-lines --left-column --strip-trailing-cr --speed-large-files",
      optional: "--color --unified --context",
      text: "-U -C -W -I --ignore-matching-lines --width --label -L",
    },
    unclear: {
      flags: "-l --paginate --no-dereference",
      text: "-x --exclude -S --starting-file -D --ifdef -F --show-function-line",
      reads: "-X --exclude-from --from-file --to-file",
    },
    takesNumbers: true,
    tree: "-r --recursive",
    plainFilesOnly: true,
    text_only: true,
  },
  {
    names: ["ls", "dir"],
    operands: ["lists"],
    options: {
      flags: `-a -A -b -B -c -C -d -f -F -g -G -h -i -k -l -m -n -N -o -p -q -Q -r -R -s -S -t -u -U -v -x -X -1 --all --almost-all --directory --classify --file-type --human-readable --inode --size --reverse --recursive --numeric-uid-gid --no-group --group-directories-first --full-time --literal --zero --si`,
      optional: "--color --hyperlink",
      text: "--indicator-style --ignore --hide --sort --time --time-style --width --block-size --format --quoting-style",
    },
    unclear: {
      flags: "-L -H -Z --dereference --dereference-command-line",
      text: "-I -T -w -D --tabsize",
    },
    tree: "-R --recursive",
    withoutOperands: "lists",
    text_only: true,
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
    // In a cluster its values come from the next words, one after the other.
    isClear: (args) => args.every(({ text }) => !/^-(?!-)(?=.{2})(?!L\d+$)\w*[LPIoHT]/.test(text)),
    optionsAnywhere: true,
    tree: "always",
    withoutOperands: "lists",
    text_only: true,
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
    withoutOperands: "lists",
    text_only: true,
  },
  { names: ["less", "more", "bat", "batcat", "most"], operands: ["reads"], guard_only: true },
];

/** The command that only lists what a word stands for. */
export function listingWords(word: Word): Word[] {
  return [plainWord("ls", word), plainWord("-d", word), word];
}

function xxdAccesses(args: readonly Word[]): Accesses {
  const operands: Word[] = [];
  let unclear: string | null = null;
  let isReverse = false;
  for (let at = 0; at < args.length; at++) {
    const word = args[at] as Word;
    if (!/^-./.test(word.text) || word.pieces[0]?.kind === "glob") operands.push(word);
    else if (operands.length > 0) unclear ??= "an option behind an operand";
    else if (/^-[abeEiCu]$|^-ps?$|^-plain$/.test(word.text)) continue;
    else if (/^-[clsgo]$/.test(word.text)) at++;
    else if (/^-[clsgo](?:0x[0-9a-f]+|-?\d+)$/.test(word.text)) continue;
    else {
      isReverse ||= /^-r/.test(word.text);
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
    unclear: isReverse ? "it writes what a text says" : unclear,
    data: [],
  };
}
