import { dirname, join } from "node:path";
import type { StandsFor } from "../../../ipc/contract/description.ts";
import type { CallPlace } from "../places/call-place.ts";
import { readBounded, sha256 } from "./bounded-file.ts";
import { firstLines, lineCount } from "./shown-lines.ts";

/** What a skill's name stands for: its text, whose inline commands the agent runs without asking. */

/** A folder's or file's name, and `folder:name` for one below. */
const SKILL_NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}(?::[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}){0,3}$/;
const MAX_BYTES = 1024 * 1024;
/** Folders above that are looked in. */
const MAX_ABOVE = 32;
const MAX_FILES = 4;

/** Every file that the name may mean: which of them the agent takes isn't known here. Empty where none is found, as of a plugin's. */
export function skillTexts({ skill }: Readonly<Record<string, unknown>>, place: CallPlace): StandsFor[] {
  const name = typeof skill === "string" ? skill.replace(/^\//, "") : "";
  if (!SKILL_NAME.test(name)) return [];
  const below = name.split(":").join("/");
  const files = foldersOf(place).flatMap((folder) => [
    join(folder, "skills", below, "SKILL.md"),
    join(folder, "commands", `${below}.md`),
  ]);
  return [...new Set(files)]
    .flatMap((file): StandsFor[] => {
      const read = readBounded(file, MAX_BYTES, place);
      if (read.kind === "nothing") return [];
      const text = read.kind === "file" && read.text !== null ? read.text : "";
      const hash = read.kind === "file" ? sha256(read.bytes) : null;
      return [{ span: null, name, file, sha256: hash, lines: firstLines(text), total_lines: lineCount(text) }];
    })
    .slice(0, MAX_FILES);
}

/** Claude Code's own folders: of the working directory and those above it, and the user's. */
function foldersOf({ cwd, home }: CallPlace): string[] {
  const found: string[] = [];
  let here = cwd ?? home;
  for (let left = MAX_ABOVE; left > 0 && here !== home; left--) {
    found.push(join(here, ".claude"));
    if (dirname(here) === here) break;
    here = dirname(here);
  }
  return [...found, join(home, ".claude")];
}
