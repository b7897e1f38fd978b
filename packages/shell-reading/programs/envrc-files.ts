import { dirname, join, resolve } from "node:path";
import { BUILD_FOLDERS } from "../targets/build-folders.ts";
import { beginningOf } from "../targets/file-beginning.ts";

/** Files that direnv loads with an `.envrc` that the user has allowed: it looks whether that one is still what was allowed, and at none of these. */

/** Bytes of an `.envrc` that are read, and files that it names: more than anybody writes. */
const MAX_BYTES = 64 * 1024;
const MAX_NAMED = 64;

/** Where a command begins, and a word that the shell leaves as it is, or one below the folder itself. */
const BEGIN = /(?:^|[;&|({]|\b(?:then|else|do)\b)[^\S\n]*/.source;
const FILE = /["']?(?:(?:\$PWD|\$\{PWD\}|\$\(pwd\))\/)?([\w./-]+)/.source;
const LOADS = new RegExp(
  `${BEGIN}(source_env(?:_if_exists)?|source|\\.|dotenv(?:_if_exists)?)(?:[^\\S\\n]+${FILE}|[^\\S\\n]*$)`,
  "gm",
);
/** All that follows, as words and parts of a PATH. */
const ADDS_TO_PATH = new RegExp(
  `${BEGIN}(?:(?:PATH_add|path_add[^\\S\\n]+PATH|(load_prefix))[^\\S\\n]|(?:export[^\\S\\n](?:[^\\n;&|]*[^\\S\\n])?)?PATH=)([^\\n;&|#]*)`,
  "gm",
);
const WHOLE_FILE = new RegExp(`^${FILE}$`);

/** Absolute paths; there or not, and none in what builds make. @param folder that the `.envrc` lies in; absolute */
export function loadedByEnvrc(folder: string): string[] {
  const loaded = new Set<string>();
  const waiting = [{ file: join(folder, ".envrc"), at: folder }];
  for (const { file, at } of waiting) {
    const text = textOf(file);
    // Where it finds no shell.nix, which counts anywhere.
    if (/\buse[_ ]nix\b/.test(text)) loaded.add(join(at, "default.nix"));
    for (const [, loads = "", name = loads.startsWith("dotenv") ? ".env" : ""] of text.matchAll(LOADS)) {
      const path = resolve(at, name);
      if (name === "" || !isOwn(name) || loaded.has(path) || loaded.size === MAX_NAMED) continue;
      loaded.add(path);
      // What those load in turn, which `source_env` does from where they lie.
      if (!loads.startsWith("dotenv"))
        waiting.push({ file: path, at: loads.startsWith("source_env") ? dirname(path) : at });
    }
  }
  return [...loaded];
}

/** Folders that it puts on PATH, likewise. */
export function searchedByEnvrc(folder: string): string[] {
  const named = [...textOf(join(folder, ".envrc")).matchAll(ADDS_TO_PATH)].flatMap(([, prefix, all = ""]) =>
    all.split(/["'\s:]+/).flatMap((word) => {
      const name = WHOLE_FILE.exec(word)?.[1];
      return name === undefined ? [] : [prefix === undefined ? name : join(name, "bin")];
    }),
  );
  return [...new Set(named.filter(isOwn).map((name) => resolve(folder, name)))].slice(0, MAX_NAMED);
}

const isOwn = (name: string): boolean => !name.split("/").some((one) => BUILD_FOLDERS.has(one));

function textOf(file: string): string {
  const begin = beginningOf(file, MAX_BYTES);
  return begin.kind === "file" ? begin.text : "";
}
