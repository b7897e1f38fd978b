import { findsPlainFilesOnly } from "../programs/find.ts";
import { wordsPrinted } from "../programs/prints.ts";
import { programCalled } from "../programs/table.ts";
import type { Word } from "../shell/reading.ts";
import { plainWord } from "../shell/word.ts";
import type { ClearCommand } from "./line.ts";

/**
 * What `xargs` runs, where its input is known to the last word: names that `find -type f -print0` prints for `-0`, or plain words of
 * `echo` and `printf`. xargs itself takes quotes and backslashes away and splits at blanks, so that anything else isn't known.
 */
export interface GivenByXargs {
  words: readonly Word[];
  /** The starting points of a `find`, where `{}` among the words means what it finds. */
  found: readonly Word[];
  /** No link is among what is found. */
  is_plain: boolean;
}

const PLAIN = /^[A-Za-z0-9_./,:@%+][A-Za-z0-9_./,:@%+=-]*$/;
const MARK = "{}";

export function givenByXargs(args: readonly Word[], before: ClearCommand | undefined): GivenByXargs | null {
  let at = 0;
  let is_null = false;
  let has_mark = false;
  let has_groups = false;
  for (; at < args.length; at++) {
    const text = args[at]?.text ?? "";
    if (text === "-0") is_null = true;
    else if (text === "-r") continue;
    else if (text === "-n" && /^\d{1,6}$/.test(args[at + 1]?.text ?? "")) {
      has_groups = true;
      at++;
    } else if (/^-n\d{1,6}$/.test(text)) has_groups = true;
    else if (text === `-I${MARK}`) has_mark = true;
    else if (text === "-I" && args[at + 1]?.text === MARK) {
      has_mark = true;
      at++;
    } else if (text.startsWith("-")) return null;
    else break;
  }
  const template = args.slice(at);
  if (template.length === 0 || before === undefined || before.redirects.length > 0 || before.has_text) return null;
  if (template.some(({ text }) => text.includes(MARK)) !== has_mark) return null;
  // GNU drops one of the two.
  if (has_mark && has_groups) return null;
  if (is_null) return ofFind(template, has_mark, before);
  // In groups the words are at other positions.
  return has_groups ? null : ofWords(template, has_mark, before);
}

function ofFind(template: readonly Word[], has_mark: boolean, { words }: ClearCommand): GivenByXargs | null {
  const texts = words.map(({ text }) => text);
  const is_find =
    programCalled(texts[0] ?? "")?.finds !== undefined &&
    texts.at(-1) === "-print0" &&
    texts.filter((text) => text === "-print0").length === 1;
  if (!is_find || texts.some((text) => /^(?:-exec.*|-ok.*|-delete|-printf?|-ls|-f.*)$/.test(text))) return null;
  const starts: Word[] = [];
  for (const word of words.slice(1)) {
    if (/^[-(!,]/.test(word.text)) break;
    starts.push(word);
  }
  const [first] = words;
  if (first === undefined) return null;
  const mark = plainWord(MARK, first);
  const here = plainWord(".", first);
  // Any number of names: the second or third may mean another thing to the program than the first.
  return {
    words: has_mark ? template : [...template, mark, mark, mark],
    found: starts.length > 0 ? starts : [here],
    is_plain: findsPlainFilesOnly(words.slice(1)),
  };
}

function ofWords(template: readonly Word[], has_mark: boolean, { words }: ClearCommand): GivenByXargs | null {
  const [program, ...args] = words;
  const given = wordsPrinted(program?.text ?? "", args);
  if (given === null || given.length === 0 || given.length > 64) return null;
  if (given.some(({ text, glob }) => glob === true || !PLAIN.test(text))) return null;
  if (!has_mark) return { words: [...template, ...given], found: [], is_plain: true };
  const [only, ...more] = given;
  if (only === undefined || more.length > 0 || template.some(({ text }) => text.includes(MARK) && text !== MARK))
    return null;
  return { words: template.map((word) => (word.text === MARK ? only : word)), found: [], is_plain: true };
}
