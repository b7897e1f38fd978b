import type { Wrapper } from "../programs/wrappers.ts";
import type { Word } from "../reading.ts";
import { piecesAfter, wordOf } from "../word.ts";

/** What follows a wrapper's own options. */
export interface AfterWrapper {
  rest: readonly Word[];
  /** Texts that it gives to a shell. */
  code: readonly Word[];
  assignments: readonly { name: string; value: Word }[];
  folder?: Word | undefined;
  /** `env -S`. */
  split?: Word | undefined;
  /** `watch -x`: the words are run as they are. */
  isExec: boolean;
}

/** Null where it runs nothing. */
export function afterWrapper(wrapper: Wrapper, argv: readonly Word[]): AfterWrapper | null {
  const code: Word[] = [];
  const assignments: { name: string; value: Word }[] = [];
  let folder: Word | undefined;
  let split: Word | undefined;
  let isExec = false;
  let skips = wrapper.skips ?? 0;
  let at = 1;
  for (; at < argv.length; at++) {
    const word = argv[at] as Word;
    const { text } = word;
    if (wrapper.never?.includes(text)) return null;
    const assignment = wrapper.assigns ? /^([A-Za-z_]\w*)=/.exec(text) : null;
    if (assignment !== null) {
      assignments.push({ name: assignment[1] ?? "", value: wordOf(piecesAfter(word, assignment[0].length), word) });
      continue;
    }
    if (text === "--") {
      at++;
      break;
    }
    if (!/^-./.test(text) || /^-\d+$/.test(text)) {
      if (/^-\d+$/.test(text)) continue;
      if (text === "-" && skips === 0) continue;
      if (skips-- > 0 || wrapper.onlyCode) continue;
      break;
    }
    const name = text.startsWith("--") ? (text.split("=")[0] ?? text) : text.slice(0, 2);
    const hasValue = text.startsWith("--") ? text.includes("=") : text.length > 2;
    const value = hasValue
      ? wordOf(piecesAfter(word, text.startsWith("--") ? name.length + 1 : 2), word)
      : argv[at + 1];
    if (wrapper.code?.includes(name) && value !== undefined) {
      code.push(value);
      if (!hasValue) at++;
      continue;
    }
    const cluster =
      /^-[A-Za-z]*c$/.test(text) && wrapper.code?.includes("-c") && !wrapper.short?.includes(text.at(1) ?? "");
    if (cluster && argv[at + 1] !== undefined) {
      code.push(argv[at + 1] as Word);
      at++;
      continue;
    }
    if (wrapper.moves?.includes(name)) folder = value;
    if (wrapper.moves?.includes("-C") && /^-[A-Za-z]+S$/.test(text)) {
      split = argv[++at];
      continue;
    }
    if (name === "-S" || name === "--split-string") {
      split = value;
      if (!hasValue) at++;
      continue;
    }
    if (name === "-x" || name === "--exec") isExec = true;
    if (takesNext(wrapper, text)) at++;
  }
  // Words that had to be skipped may follow `--` as well.
  at += Math.max(0, Math.min(skips, argv[at - 1]?.text === "--" ? skips : 0));
  return { rest: argv.slice(at), code, assignments, folder, split, isExec };
}

/** `-u root`, `-nu root`: the last letter of a cluster takes the next word. */
function takesNext({ short = "", long = [] }: Wrapper, text: string): boolean {
  if (text.startsWith("--")) return long.includes(text);
  const letters = text.slice(1);
  const first = [...letters].findIndex((letter) => short.includes(letter));
  return first === letters.length - 1 && first !== -1;
}
