import { join } from "node:path";
import { askedEachTime, beginningOf, beginsAsKey, kindOf, realForm, scanTree } from "@metnos-gate/shell-reading/files";
import {
  INSTRUCTION_NAMES,
  importsIn,
  isInstructions,
  MAX_BYTES,
  MAX_HOPS,
  RULE_LIMITS,
  RULES,
} from "../../decide/places/instructions.ts";
import { endsInKeys } from "../../decide/places/protected-paths.ts";
import type { TimeSlice } from "./time-slice.ts";

/**
 * Files by the names of agents' instructions, which clients read by themselves as a session begins, and what these import (`@style.md`):
 * all of it goes to their model, so none may be a secret, nor lie outside. Paths of files have one character for each byte.
 */

/** @param lower its name, in lower case */
export const mayBeInstructions = (lower: string, isFolder: boolean): boolean =>
  !isFolder && INSTRUCTION_NAMES.has(lower);

/** In the place of a home: whose it is makes no difference. */
const HOME = "/~";
/** As Claude Code's manual has users keep their own instructions for a project. */
const OWN_INSTRUCTIONS = /^\/~\/\.claude\/[^/]+\.md$/;

/** Of all instructions of one look together: more than any project has. */
const MAX_FILES = 4096;

/** Instructions, or a link to some, below this folder (real), that import no secret and nothing outside; left out: below its own. */
export function areSoundInstructions(path: string, below = path.slice(0, path.lastIndexOf("/"))): boolean {
  const [file, folder] = [asText(path), asText(below)];
  if (file === null || folder === null) return false;
  if (!isInstructions(file)) return false;
  // It was found without following a link.
  return (kindOf(file) !== "link" || staysBelow(file, folder)) && importsStay(file, folder) !== null;
}

/** A file that isn't there may come to be; what a link leads to has to be there. */
function staysBelow(path: string, folder: string): boolean {
  const kind = kindOf(path);
  if (isSecret(path)) return false;
  const real = kind === "nothing" || kind === "folder" ? path : realForm(path);
  if (real === null || !real.startsWith(`${folder}/`) || isSecret(real) || beginsAsKey(real)) return false;
  return kind !== "link" || kindOf(real) === "file";
}

const isSecret = (path: string): boolean => {
  const names = path.split("/");
  return askedEachTime(path) !== undefined || names.some((_, at) => endsInKeys(names, at + 1));
};

/** The files below a folder that this one imports; null where one of its imports is a secret or lies outside, or where they are too many. */
function importsStay(file: string, folder: string): string[] | null {
  const real = kindOf(file) === "link" ? (realForm(file) ?? file) : file;
  const begin = beginningOf(real, MAX_BYTES);
  // What can't be read yet may be later; what is no text to us may be in another coding to a client.
  if (begin.kind !== "file") return begin.kind === "nothing" ? [] : null;
  const isText = /\.(?:md|mdc|txt)$/i.test(file);
  if (isText && begin.text.includes("\0")) return null;
  if (!begin.text.includes("@")) return [];
  const text = Buffer.from(begin.text, "latin1").toString();
  // Of a link they may be named from where it lies, or from where it leads.
  const found = [...new Set([file, real])].map((of) => importsIn(text, of, HOME));
  const paths = found.flatMap((imports) => imports.paths);
  const isWhole = found.every((imports) => imports.isWhole);
  const inside = paths.filter((path) => path.startsWith(`${folder}/`));
  // Most that begins with an `@` is the name of something else.
  const isOut = (path: string) =>
    path.startsWith(`${HOME}/`) ? !OWN_INSTRUCTIONS.test(path) : !/^(?:nothing|folder)$/.test(kindOf(path));
  // Of what isn't made to be read by an agent (a lock file, a picture) the beginning is enough.
  if ((isText && !isWhole) || inside.some(isSecret) || paths.some((path) => !inside.includes(path) && isOut(path)))
    return null;
  return inside.filter((path) => !/^(?:nothing|folder)$/.test(kindOf(path)));
}

/**
 * What instructions import, and that imports in turn, that imports a secret or something outside, or is a link to one. Null where they
 * are too many.
 * @param instructions with one character for each byte, as those that are found @param folder real
 */
export async function unsoundImports(
  instructions: readonly string[],
  folder: string,
  turns: TimeSlice,
): Promise<string[] | null> {
  const rules: string[] = [];
  scanTree(join(folder, RULES), RULE_LIMITS, ({ relative, is_folder }) => {
    if (!is_folder && relative.endsWith(".md")) rules.push(join(folder, RULES, relative));
    return true;
  });
  const named = instructions.flatMap((path) => asText(path) ?? []);
  const seen = new Set<string>();
  const unsound: string[] = [];
  let level = [join(folder, ".claude/CLAUDE.md"), ...rules, ...named];
  for (let hop = 0; hop < MAX_HOPS && level.length > 0; hop++) {
    const next: string[] = [];
    for (const file of level) {
      await turns.shared();
      for (const path of importsStay(file, folder) ?? []) {
        if (seen.has(path)) continue;
        if (seen.size === MAX_FILES) return null;
        seen.add(path);
        const isSound = staysBelow(path, folder) && importsStay(path, folder) !== null;
        if (isSound) next.push(path);
        else unsound.push(path);
      }
    }
    level = next;
  }
  return unsound;
}

/** Those among what was found. */
export const instructionsIn = (places: readonly { readonly path: string }[]): string[] =>
  places.flatMap(({ path }) => (isInstructions(path) ? [path] : []));

/** Null where it isn't UTF-8. */
function asText(path: string): string | null {
  const text = Buffer.from(path, "latin1").toString();
  return Buffer.from(text).toString("latin1") === path ? text : null;
}
