import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

/** Single-line mutants: each breaks one rule, and each must make one of its tests fail. */

const LINE = z
  .string()
  .min(1)
  .regex(/^[^\n]*$/, "one line");

const mutantSchema = z.strictObject({
  file: z.string().regex(/^(?:ipc|main|packages)\/.*\.ts$/),
  /** A piece of one line that the file holds exactly once. */
  find: LINE,
  replace: z.string().regex(/^[^\n]*$/, "one line"),
  /** Test files, or folders of them: the narrowest that notice. */
  tests: z.array(z.string().regex(/^test\//)).min(1),
  /** The rule that it breaks. */
  why: z.string().min(10),
});
export type Mutant = z.infer<typeof mutantSchema>;

/** @throws a ZodError, or the system's error */
export function readMutants(file: string): Mutant[] {
  return z.array(mutantSchema).parse(JSON.parse(readFileSync(file, "utf8")));
}

/** The mutated text of the mutant's file, or why it doesn't apply to what the file holds now. */
export function mutated(root: string, { file, find, replace }: Mutant): { text: string } | { problem: string } {
  const path = join(root, file);
  if (!existsSync(path)) return { problem: "there is no such file" };
  const text = readFileSync(path, "utf8");
  const at = text.indexOf(find);
  if (at === -1) return { problem: "the file doesn't hold what is to be replaced" };
  if (text.indexOf(find, at + 1) !== -1) return { problem: "the file holds what is to be replaced more than once" };
  if (find === replace) return { problem: "it changes nothing" };
  return { text: text.slice(0, at) + replace + text.slice(at + find.length) };
}

/** Why this mutant can't be tried, or null. */
export function problemOf(root: string, mutant: Mutant): string | null {
  const missing = mutant.tests.find((test) => !existsSync(join(root, test)));
  if (missing !== undefined) return `there is no ${missing}`;
  const result = mutated(root, mutant);
  return "problem" in result ? result.problem : null;
}

/** `main/decide/policy/policy.ts:42`: where it is now. */
export function placeOf(root: string, { file, find }: Mutant): string {
  const text = readFileSync(join(root, file), "utf8");
  return `${file}:${text.slice(0, text.indexOf(find)).split("\n").length}`;
}
