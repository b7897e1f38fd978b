import type { Word } from "../reading.ts";
import { certainPath } from "../targets/path.ts";
import { plainWord } from "../word.ts";
import { patchedFiles, pathsMentioned, pathsOfPatch } from "./patch-text.ts";
import type { Access, Accesses, CommandContext, Program } from "./program.ts";

/** Programs that take a patch in the form of coding agents, as their word or on their input. */
export const PATCH_PROGRAMS: readonly Program[] = [
  {
    names: ["apply_patch", "applypatch"],
    accesses: patchAccesses,
    // A client that does it itself may move to the folder otherwise than a shell.
    inFirstFolderOnly: true,
    text_only: true,
    copiesInput: true,
  },
];

export const PATCH_PROGRAM_NAMES: readonly string[] = PATCH_PROGRAMS.flatMap(({ names }) => names);

/** True if the program takes such a patch. */
export function takesPatch(name: string): boolean {
  return PATCH_PROGRAM_NAMES.includes(name);
}

function patchAccesses(args: readonly Word[], { inputText, cwd }: CommandContext): Accesses {
  const [given] = args;
  const isKnown = args.length <= 1 && (given === undefined || (given.is_resolved && given.glob !== true));
  const text = given === undefined ? (inputText ?? undefined) : given.text;
  const span = given ?? { start: 0, end: 0 };
  const read = text === undefined || !isKnown ? null : patchedFiles(text);
  // A client that does it itself may take `..` for text.
  const isSure = read?.every(({ path, movedTo = "" }) => [path, movedTo].every((one) => isCertain(one, cwd)));
  const files = isSure === true ? read : null;
  if (files !== null) {
    const accesses = pathsOfPatch(files).map(({ kind, path, from }): Access => {
      const word = plainWord(path, span);
      return from === undefined ? { kind, word } : { kind, word, copy_of: plainWord(from, span), into: "exactly" };
    });
    return { accesses, unclear: null, data: [...args] };
  }
  const mentioned = text === undefined ? [] : pathsMentioned(text);
  return {
    accesses: mentioned.map((path) => ({ kind: "write", word: plainWord(path, span) })),
    unclear: "a patch that can't be read for sure",
    data: [],
  };
}

const isCertain = (path: string, cwd: string | null): boolean => cwd === null || certainPath(path, cwd) !== null;
