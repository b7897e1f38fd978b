import type { Word } from "../reading.ts";
import { wordOf } from "../word.ts";
import { argumentsOf, hasOption, optionsKnown, valuesAnywhere, valuesOf } from "./arguments.ts";
import type { Access, Accesses, Program } from "./program.ts";

/** Programs that pack, unpack and mount: known as far as the guard needs them. Clear is only a list of what an archive holds. */

const VOLUMES = "-v --volume";

/** GNU's options; where another tar takes no value for a letter (`-H`, `-L`), none is taken: a file isn't mistaken for one. */
const TAR: Program = {
  names: ["tar", "bsdtar", "gtar"],
  // By an archive's first bytes, whatever the options say.
  looksUp: "gzip bzip2 xz zstd lzip lzma lzop compress lrzip grzip lz4".split(" "),
  options: { flags: "-t -v -z -j -J --list --verbose --gzip --bzip2 --xz", writes: "-f --file" },
  unclear: {
    flags: `-A -B -G -H -L -M -O -P -R -S -U -W -Z -a -c -d -h -i -k -l -m -n -o -p -r -s -u -w -x --create --append --update --extract --get
      --diff --compare --delete --concatenate --catenate --gunzip --ungzip --lzma --lzip --lzop --zstd --compress --auto-compress
      --no-auto-compress --keep-old-files --keep-newer-files --skip-old-files --overwrite --unlink-first --recursive-unlink --remove-files --to-stdout --touch
      --same-owner --no-same-owner --same-permissions --preserve-permissions --no-same-permissions --absolute-names --dereference --hard-dereference --sparse --xattrs
      --acls --selinux --no-recursion --recursion --one-file-system --verify --wildcards --no-wildcards --anchored --no-anchored --null --totals --show-transformed-names
      --exclude-vcs --exclude-vcs-ignores --exclude-caches --exclude-backups --ignore-failed-read --numeric-owner`,
    text: `-F -I -K -N -V -b --format --strip-components --exclude --transform --xform --owner --group --mode --mtime --blocking-factor --label --sort
      --use-compress-program --to-command --info-script --new-volume-script --rsh-command --checkpoint-action --starting-file --newer --after-date --newer-mtime
      --record-size --tape-length --suffix --level --warning --pax-option --quoting-style --exclude-tag --exclude-ignore`,
    optional: "--checkpoint --backup --occurrence",
    reads: "-T -X --files-from --exclude-from",
    // An archive or a list of what was packed: written where it packs.
    writes: "-g --listed-incremental --index-file",
    target: "-C --directory",
  },
  accesses: tarAccesses,
  folderOptions: "-C --directory",
};

const UNZIP: Program = {
  names: ["unzip"],
  operands: ["reads"],
  unclear: { flags: "-o -n -q -l -t -v -j -a", text: "-x -P", target: "-d" },
  accesses: unzippedAccesses,
};

export const ARCHIVE_PROGRAMS: readonly Program[] = [
  TAR,
  { names: ["zip", "7z"], accesses: packedAccesses, guard_only: true },
  UNZIP,
  // Builders: what they run is code, and the folder they work in may be another one.
  {
    names: ["make", "gmake", "ninja", "cargo", "pnpm"],
    operands: ["object"],
    folderOptions: "-C --directory --prefix --cwd",
    guard_only: true,
  },
  {
    names: ["docker", "podman", "nerdctl"],
    accesses: volumeAccesses,
    volumeOptions: VOLUMES,
    guard_only: true,
  },
];

/** One archive, which must be there, by a name in which no program sees a host, a pattern or an option; then members. */
const ARCHIVE = /^[A-Za-z0-9_./][A-Za-z0-9_./@+,-]*$/;

/** An archive whose list is asked for; null where it may be more than the one file of that name. */
function listed([archive, ...more]: readonly Word[]): Accesses | null {
  if (archive === undefined || more.length > 0 || archive.glob || !ARCHIVE.test(archive.text)) return null;
  return { accesses: [{ kind: "read", word: archive, is_plain_file: true }], unclear: null, data: [] };
}

/** Packing reads all of what is named; unpacking writes below the folder. */
function tarAccesses(args: readonly Word[]): Accesses {
  const given = argumentsOf(TAR, withDashes(args));
  const isList = given.unclear === null && hasOption(given, "-t --list");
  const list = isList ? listed(valuesOf(given, "-f --file")) : null;
  if (list !== null) return list;
  const isPacking = hasOption(given, "-A -c -r -u --create --append --update --concatenate --catenate");
  const isUnpacking = !isPacking && hasOption(given, "-x --extract --get");
  const folders = valuesOf(given, "-C --directory");
  const accesses: Access[] = [];
  for (const { role, value } of given.options) {
    if (value === undefined || value.text === "-") continue;
    if (role === "reads" || (role === "writes" && !isPacking)) accesses.push({ kind: "read", word: value });
    else if (role === "writes") accesses.push({ kind: "write", word: value });
  }
  if (isPacking)
    for (const word of given.operands) {
      accesses.push({ kind: "read", word, is_tree: true });
      for (const folder of folders)
        if (!word.text.startsWith("/"))
          accesses.push({
            kind: "read",
            word: wordOf([...folder.pieces, { text: "/", kind: "text" }, ...word.pieces], word),
            is_tree: true,
          });
    }
  if (isUnpacking)
    for (const word of folders.length > 0 ? folders : (["here"] as const))
      accesses.push({ kind: "write", word, is_tree: true });
  return { accesses, unclear: "it packs, unpacks or runs more", data: [] };
}

/** `cfC a.tar DIR x`: letters without a dash, whose values follow one after the other. */
function withDashes(args: readonly Word[]): readonly Word[] {
  const [first, ...rest] = args;
  if (first === undefined || !/^[A-Za-z]+$/.test(first.text)) return args;
  const known = optionsKnown(TAR);
  const values = [...rest];
  const options = [...first.text].flatMap((letter) => {
    const option = wordOf([{ text: `-${letter}`, kind: "text" }], first);
    const kind = known.get(option.text)?.kind;
    return kind === undefined || kind === "flags" ? [option] : [option, ...values.splice(0, 1)];
  });
  return [...options, ...values];
}

function packedAccesses(args: readonly Word[]): Accesses {
  return {
    accesses: args.filter(({ text }) => !text.startsWith("-")).map((word) => ({ kind: "read", word, is_tree: true })),
    unclear: null,
    data: [],
  };
}

function unzippedAccesses(args: readonly Word[]): Accesses {
  const [option, archive, ...members] = args;
  const isList = option?.text === "-l" && archive !== undefined && members.every(({ text }) => !text.startsWith("-"));
  const list = isList ? listed([archive]) : null;
  if (list !== null) return list;
  const folders = valuesOf(argumentsOf(UNZIP, args), "-d");
  const targets = folders.length > 0 ? folders : (["here"] as const);
  return {
    accesses: targets.map((word) => ({ kind: "write", word, is_tree: true })),
    unclear: "it unpacks",
    data: [],
  };
}

/** What a container is given as a volume, it may read and change as a whole. */
function volumeAccesses(args: readonly Word[]): Accesses {
  const volumes = valuesAnywhere(args, VOLUMES).flatMap((word) => {
    const source = /^([/~][^:]*):/.exec(word.text)?.[1];
    return source === undefined ? [] : [{ source, word }];
  });
  const mounts = args.flatMap((word) => {
    const source = /\b(?:source|src)=([^,]+)/.exec(word.text)?.[1];
    return source === undefined ? [] : [{ source, word }];
  });
  const accesses = [...volumes, ...mounts].map(({ source, word }): Access => {
    return { kind: "read", word: wordOf([{ text: source, kind: "text" }], word), is_tree: true };
  });
  return { accesses, unclear: null, data: [] };
}
