import { clearLine } from "./grammar.ts";

/**
 * The words of a command line that is one command of literal words and nothing else: no second command, redirection, variable, pattern,
 * comment, and no setting of a variable in front. Null for any other.
 */
export function plainWords(text: string): string[] | null {
  // `~` and `$HOME` would be somebody's home: no word may hold them.
  const line = clearLine(text, "/");
  if (!("steps" in line) || line.steps.length !== 1) return null;
  const [step] = line.steps;
  const [command] = step?.commands ?? [];
  if (step === undefined || command === undefined || step.commands.length !== 1 || step.inLoop) return null;
  const { words, redirects, hasText } = command;
  if (words.length === 0 || words[0]?.text === "!" || redirects.length > 0 || hasText) return null;
  // What the grammar reads and leaves out, as it needs nothing: `2>&1`, `CI=1` in front.
  const around = words.reduceRight((rest, { start, end }) => rest.slice(0, start) + rest.slice(end), text);
  if (/[^ \t\n]/.test(around)) return null;
  const isLiteral = words.every((word) => word.glob !== true && !/[~$]/.test(text.slice(word.start, word.end)));
  return isLiteral ? words.map((word) => word.text) : null;
}
