import { join, resolve } from "node:path";
import { BUILD_FOLDERS } from "../targets/build-folders.ts";
import { beginningOf } from "../targets/file-beginning.ts";

/** Files that direnv loads with an `.envrc` that the user has allowed: it looks whether that one is still what was allowed, and at none of these. */

/** Bytes of an `.envrc` that are read, and files that it names: more than anybody writes. */
const MAX_BYTES = 64 * 1024;
const MAX_NAMED = 64;

/** What is loaded, as a word that the shell leaves as it is, or below the folder itself. */
const LOADS =
  /^[^\S\n]*(source_env(?:_if_exists)?|source|\.|dotenv(?:_if_exists)?)(?:[^\S\n]+["']?(?:\$PWD\/|\$\{PWD\}\/)?([\w./-]+)|[^\S\n]*$)/gm;

/** Absolute paths; there or not, and none in what builds make. @param folder that the `.envrc` lies in; absolute */
export function loadedByEnvrc(folder: string): string[] {
  const begin = beginningOf(join(folder, ".envrc"), MAX_BYTES);
  if (begin.kind !== "file") return [];
  const named = [...begin.text.matchAll(LOADS)].flatMap(([, loads = "", file]) =>
    file !== undefined ? [file] : loads.startsWith("dotenv") ? [".env"] : [],
  );
  const own = named.filter((file) => !file.split("/").some((name) => BUILD_FOLDERS.has(name)));
  return [...new Set(own)].slice(0, MAX_NAMED).map((file) => resolve(folder, file));
}
