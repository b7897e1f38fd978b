import { type Word, wordOf } from "../shell/reading.ts";
import type { Access, Accesses, Program } from "./program.ts";

/** Programs that pack, unpack and mount: known as far as the guard needs them, never clear. */

export const ARCHIVE_PROGRAMS: readonly Program[] = [
  {
    names: ["tar", "bsdtar", "gtar"],
    accesses: tarAccesses,
    folder_options: "-C --directory",
    guard_only: true,
    counter: "tar xf a.tar",
  },
  { names: ["zip", "7z"], accesses: packedAccesses, guard_only: true, counter: "zip a.zip a.txt" },
  {
    names: ["unzip"],
    operands: ["reads"],
    unclear: { flags: "-o -n -q -l -t -v -j -a", text: "-x -P", target: "-d" },
    accesses: unzippedAccesses,
    guard_only: true,
    counter: "unzip a.zip",
  },
  // Builders: what they run is code, and the folder they work in may be another one.
  {
    names: ["make", "gmake", "ninja", "cargo", "pnpm"],
    operands: ["object"],
    folder_options: "-C --directory --prefix --cwd",
    guard_only: true,
    counter: "make",
  },
  {
    names: ["docker", "podman", "nerdctl"],
    accesses: volumeAccesses,
    volume_options: "-v --volume",
    guard_only: true,
    counter: "docker ps",
  },
];

/** Packing reads all of what is named; unpacking writes below the folder. */
function tarAccesses(args: readonly Word[]): Accesses {
  const is_packing =
    /^-?[A-Za-z]*[cru]/.test(args[0]?.text ?? "") || args.some(({ text }) => /^--(?:create|append|update)$/.test(text));
  const is_unpacking =
    !is_packing &&
    (/^-?[A-Za-z]*x/.test(args[0]?.text ?? "") || args.some(({ text }) => /^--(?:extract|get)$/.test(text)));
  const folders = args.filter((_, index) => /^(?:-C|--directory)$/.test(args[index - 1]?.text ?? ""));
  for (const word of args) {
    const joined = /^--directory=(.+)$/.exec(word.text)?.[1];
    if (joined !== undefined) folders.push(wordOf([{ text: joined, kind: "text" }], word));
  }
  const accesses: Access[] = [];
  if (is_packing)
    for (const word of args) {
      if (word.text.startsWith("-") || folders.includes(word)) continue;
      accesses.push({ kind: "read", word, is_tree: true });
      for (const folder of folders)
        if (!word.text.startsWith("/"))
          accesses.push({
            kind: "read",
            word: wordOf([...folder.pieces, { text: "/", kind: "text" }, ...word.pieces], word),
            is_tree: true,
          });
    }
  if (is_unpacking)
    for (const word of folders.length > 0 ? folders : (["here"] as const))
      accesses.push({ kind: "write", word, is_tree: true });
  return { accesses, unclear: null, data: [] };
}

function packedAccesses(args: readonly Word[]): Accesses {
  return {
    accesses: args.filter(({ text }) => !text.startsWith("-")).map((word) => ({ kind: "read", word, is_tree: true })),
    unclear: null,
    data: [],
  };
}

function unzippedAccesses(args: readonly Word[]): Accesses {
  const at = args.findIndex(({ text }) => text === "-d");
  const folder = args[at + 1];
  const word = at !== -1 && folder !== undefined ? folder : "here";
  return { accesses: [{ kind: "write", word, is_tree: true }], unclear: null, data: [] };
}

/** What a container is given as a volume, it may read and change as a whole. */
function volumeAccesses(args: readonly Word[]): Accesses {
  const accesses = args.flatMap((word, index): Access[] => {
    const is_volume = /^(?:-v|--volume)$/.test(args[index - 1]?.text ?? "");
    const source = is_volume
      ? /^([/~][^:]*):/.exec(word.text)?.[1]
      : (/\bsource=([^,]+)/.exec(word.text)?.[1] ?? /\bsrc=([^,]+)/.exec(word.text)?.[1]);
    return source === undefined
      ? []
      : [{ kind: "read", word: wordOf([{ text: source, kind: "text" }], word), is_tree: true }];
  });
  return { accesses, unclear: null, data: [] };
}
