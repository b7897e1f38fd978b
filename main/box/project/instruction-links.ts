import { dirname, join } from "node:path";
import { askedEachTime, beginningOf, beginsAsKey, kindOf, realForm, scanTree } from "@metnos-gate/shell-reading/files";
import {
  INSTRUCTION_NAMES,
  importsIn,
  isInstructions,
  MAX_BYTES,
  OWN_VIEW,
  RULE_LIMITS,
  RULES,
} from "../../decide/places/instructions.ts";
import { liesInKeys } from "../../decide/places/protected-paths.ts";
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
  return (kindOf(file) !== "link" || staysBelow(file, folder)) && importsOf(file, folder).stay;
}

/** A file that isn't there may come to be; what a link leads to has to be there. */
function staysBelow(path: string, folder: string): boolean {
  const kind = kindOf(path);
  if (isSecret(path)) return false;
  const real = kind === "nothing" || kind === "folder" ? path : realForm(path);
  if (real === null || !real.startsWith(`${folder}/`) || isSecret(real) || beginsAsKey(real)) return false;
  return kind !== "link" || kindOf(real) === "file";
}

const isSecret = (path: string): boolean => askedEachTime(path) !== undefined || liesInKeys(path);

/** The files below a folder that this one imports. `stay`: none of its imports is a secret or lies outside, nor are they too many. */
function importsOf(file: string, folder: string): { inside: string[]; stay: boolean } {
  const real = kindOf(file) === "link" ? (realForm(file) ?? file) : file;
  const begin = beginningOf(real, MAX_BYTES);
  // What can't be read yet may be later; what is no text to us may be in another coding to a client.
  if (begin.kind !== "file") return { inside: [], stay: begin.kind === "nothing" };
  const isText = /\.(?:md|mdc|txt)$/i.test(file);
  if (isText && begin.text.includes("\0")) return { inside: [], stay: false };
  if (!begin.text.includes("@")) return { inside: [], stay: true };
  const text = Buffer.from(begin.text, "latin1").toString();
  // Of a link they may be named from where it lies, or from where it leads.
  const found = [...new Set([file, real])].map((of) => importsIn(text, of, HOME));
  const paths = found.flatMap((imports) => imports.paths);
  const isWhole = found.every((imports) => imports.isWhole);
  const inside = paths.filter((path) => path.startsWith(`${folder}/`));
  // Most that begins with an `@` is the name of something else.
  const isOut = (path: string) =>
    path.startsWith(`${HOME}/`)
      ? !OWN_INSTRUCTIONS.test(path)
      : OWN_VIEW.test(path) || !/^(?:nothing|folder)$/.test(kindOf(path));
  // Of what isn't made to be read by an agent (a lock file, a picture) the beginning is enough.
  const leave =
    (isText && !isWhole) || inside.some(isSecret) || paths.some((path) => !inside.includes(path) && isOut(path));
  return { inside: inside.filter((path) => !/^(?:nothing|folder)$/.test(kindOf(path))), stay: !leave };
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
  const named = instructions.flatMap((path) => asText(path) ?? []);
  const holders = [...new Set([join(folder, CLAUDE), ...named.filter(isClaude)])];
  for (const holder of holders) {
    scanTree(join(dirname(holder), RULES), RULE_LIMITS, ({ relative, is_folder }) => {
      if (!is_folder && relative.endsWith(".md")) rules.push(join(dirname(holder), RULES, relative));
      return true;
    });
    await turns.shared();
  }
  const seen = new Set<string>();
  const unsound: string[] = [];
  let level = [...holders.map((holder) => join(holder, "CLAUDE.md")), ...rules, ...named.filter(isInstructions)];
  while (level.length > 0) {
    const next: string[] = [];
    for (const file of level) {
      await turns.shared();
      // Also of what was found to lead out: that is no reason to leave the others.
      for (const path of importsOf(file, folder).inside) {
        if (seen.has(path)) continue;
        if (seen.size === MAX_FILES) return null;
        seen.add(path);
        const isSound = staysBelow(path, folder) && importsOf(path, folder).stay;
        if (isSound) next.push(path);
        else unsound.push(path);
      }
    }
    level = next;
  }
  return unsound;
}

/** Claude Code's own folder, of any folder of the project. */
const CLAUDE = dirname(RULES);
const isClaude = (path: string): boolean => path.endsWith(`/${CLAUDE}`);

/** Those among what was found, and folders that hold some. */
export const instructionsIn = (places: readonly { readonly path: string }[]): string[] =>
  places.flatMap(({ path }) => (isInstructions(path) || isClaude(path) ? [path] : []));

/** Null where it isn't UTF-8. */
function asText(path: string): string | null {
  const text = Buffer.from(path, "latin1").toString();
  return Buffer.from(text).toString("latin1") === path ? text : null;
}
