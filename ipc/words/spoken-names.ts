import { visibleParts } from "../base/visible-text.ts";

/** Names from a call as a voice says them: letters, digits and single full stops, and nothing that a speech program could read as its own. */

const MAX_NAME = 40;
const MAX_WORD = 24;

export interface SpokenName {
  /** Empty where nothing of it can be said. */
  text: string;
  /** Characters were left out that are not seen, or that look like others. */
  has_hidden: boolean;
}

/** @param most characters at the most */
export function spokenName(name: string, most = MAX_NAME): SpokenName {
  const parts = visibleParts(
    name
      .slice(0, 4 * most)
      .normalize("NFC")
      .replace(/[\t\r\n]/g, " "),
  );
  const text = parts
    .filter(({ is_code }) => !is_code)
    .map((part) => part.text)
    .join("")
    .replace(/[^\p{Letter}\p{Number}.]+/gu, " ")
    // Only within a name: a sentence of its own would be taken for the gate's.
    .replace(/\.{2,}|(?<=^|\s)\.|\.(?=\s|$)/gu, " ")
    .replace(/\s+/gu, " ")
    .trim();
  return { text: cut(text, most), has_hidden: parts.some(({ is_code }) => is_code) };
}

/** A path by its last name, and that of the folder it is in: empty at the top of the disk. */
export function spokenPath(path: string): { name: SpokenName; folder: SpokenName } {
  const names = path.split("/").filter((part) => part !== "");
  return { name: spokenName(names.at(-1) ?? ""), folder: spokenName(names.at(-2) ?? "") };
}

/** The program of a command, without the folder it is in, and its subcommand where that is a plain word. */
export function spokenProgram(words: string): SpokenName {
  const [program = "", next = ""] = words.trim().split(/\s+/, 2);
  const { text, has_hidden } = spokenName(program.split("/").at(-1) ?? "", MAX_WORD);
  return { text: /^[a-z][a-z-]{1,15}$/.test(next) ? `${text} ${next.replaceAll("-", " ")}` : text, has_hidden };
}

function cut(text: string, most: number): string {
  const characters = [...text];
  return characters.length <= most ? text : characters.slice(0, most).join("").trim();
}
