import type { SimpleCommand, Word } from "../shell/reading.ts";

/** `git log -- .ssh`: which commits changed it, not what was in it. */
export function asksHistoryOf({ name, argv, via, captures, is_last }: SimpleCommand, word: Word): boolean {
  const dashes = argv.findIndex(({ text }) => text === "--");
  if (name !== "git" || argv[1]?.text !== "log" || dashes === -1 || argv.indexOf(word) < dashes) return false;
  if (via.length > 0 || captures > 0 || !is_last) return false;
  return argv.slice(2, dashes).every(({ text }) => /^(?:--(?:oneline|all|follow|stat|reverse)|-\d+)$/.test(text));
}
