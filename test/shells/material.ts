import { readFileSync } from "node:fs";

/** What lines are made of: lists in material/, one entry a line. `@name@` in an entry is replaced by something of that name. */

/** What can't be written in a list of lines as it is. */
const SIGNS: Readonly<Record<string, string>> = { "⏎": "\n", "␍": "\r", "␉": "\t", "␌": "\f", "⍽": "\u00a0" };

function list(name: string): readonly string[] {
  const text = readFileSync(new URL(`material/${name}.txt`, import.meta.url), "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => line.replace(/[⏎␍␉␌⍽]/g, (sign) => SIGNS[sign] ?? sign));
}

/** Where an ordinary line points. */
export const FILES = list("files");
export const FOLDERS = list("folders");
export const NEW_FILES = list("new-files");
export const PATTERNS = list("patterns");
export const GLOBS = list("globs");

/** Paths that no ordinary line has any business at. */
export const HOSTILE_PATHS = list("hostile-paths");

/** A payload as a command: what must not happen, unless the needs name it. */
export const PAYLOADS = list("payloads");

/** A payload as (part of) a word; `@cmd@` is a command. */
export const HOSTILE_WORDS = list("hostile-words");

/** A day's commands. */
export const ORDINARY = list("ordinary");

/** Each ends in something that isn't seen at first sight. */
export const TRICKS = list("tricks");

/** What one command of a line changes for the next: the gate decides before either of them runs. */
export const CHANGES_ON_THE_WAY = list("changes-on-the-way");

/** By program: options that make it do something else than it seems to, and harmless ones beside them. */
export const OPTIONS: Readonly<Record<string, readonly string[]>> = optionsByProgram();

function optionsByProgram(): Record<string, string[]> {
  const byProgram: Record<string, string[]> = {};
  for (const line of list("options")) {
    const [program = "", option = ""] = line.split(/: (.*)/s);
    byProgram[program] = [...(byProgram[program] ?? []), option];
  }
  return byProgram;
}
