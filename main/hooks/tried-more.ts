import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { type HookPlace, LeftToProgram } from "./dialect.ts";
import { MISSING_TEXTS, NO_NETWORK_TEXTS, READ_ONLY_TEXTS } from "./refusal-texts.ts";

/**
 * Whether a command says that its box kept it from something: a place that can't be written, or a file that isn't there for it and is
 * there outside. It marks the call and tells the model; nothing is decided by it.
 */

const KEPT_FROM = [...READ_ONLY_TEXTS, ...NO_NETWORK_TEXTS];

/** What is looked through of an output, and of its names. */
const MAX_CHARACTERS = 65_536;
const MAX_NAMES = 64;

/** @param cwd absolute; the folder that the command ran in @throws LeftToProgram where files have to be looked for */
export function triedMore(output: string, cwd: string, { is_gate }: Pick<HookPlace, "is_gate">): boolean {
  const text = output.slice(0, MAX_CHARACTERS);
  if (KEPT_FROM.some((said) => text.includes(said))) return true;
  const lines = text.split("\n").filter((line) => MISSING_TEXTS.some((said) => line.includes(said)));
  const names = lines.flatMap(namesIn).slice(0, MAX_NAMES);
  // A command may have chosen the names: a long way through links takes long.
  if (is_gate && names.length > 0) throw new LeftToProgram();
  return names.some((name) => existsSync(resolve(cwd, name)));
}

/** `cat: NAME: No such ...`, `cannot access 'NAME': No such ...`, `ENOENT: ..., open 'NAME'`. */
function namesIn(line: string): string[] {
  const quoted = [...line.matchAll(/['"‘“«]([^'"‘“«’”»]+)['"’”»]/g)].map(([, name = ""]) => name);
  const parts = line.split(": ").slice(1, -1);
  return [...quoted, ...parts].filter((name) => name !== "" && !name.includes("\0"));
}
