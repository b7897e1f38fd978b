/** In which line of a TOML text something is set, to name it in an error. The text has been parsed: it is valid. */

/** A word of a dotted key: quoted, or bare. */
const WORD = `"(?:[^"\\\\]|\\\\.)*"|'[^']*'|[A-Za-z0-9_-]+`;
const KEY = `(?:${WORD})(?:[ \\t]*\\.[ \\t]*(?:${WORD}))*`;
const HEADER = new RegExp(`^[ \\t]*\\[(\\[?)[ \\t]*(${KEY})[ \\t]*\\]`);
const SETTING = new RegExp(`^[ \\t]*(${KEY})[ \\t]*=`);
/** A comment or a text, whichever begins first: one of several lines may hold whatever looks like a key. */
const TEXTS = /#[^\n]*|"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/g;

/**
 * The line that sets the key at `path`, or what is nearest above it: the setting of an inline table or list that holds it, the
 * header of its table. For tables, lists of tables, dotted and quoted keys.
 */
export function lineOf(text: string, path: readonly string[]): number {
  let table: string[] = [];
  /** How many items each list of tables has so far. */
  const lists = new Map<string, number>();
  let best = { line: 1, depth: 0 };
  for (const [index, line] of withoutTexts(text).split("\n").entries()) {
    const header = HEADER.exec(line);
    const setting = SETTING.exec(line)?.[1];
    if (header?.[2] !== undefined) table = tableOf(wordsOf(header[2]), header[1] === "[", lists);
    else if (setting === undefined) continue;
    const here = setting === undefined ? table : [...table, ...wordsOf(setting)];
    if (here.length > best.depth && here.every((word, depth) => path[depth] === word))
      best = { line: index + 1, depth: here.length };
  }
  return best.line;
}

/** The path of the table that a header opens: below a list of tables it belongs to that list's last item. */
function tableOf(words: readonly string[], isItem: boolean, lists: Map<string, number>): string[] {
  const table: string[] = [];
  for (const [index, word] of words.entries()) {
    table.push(word);
    const list = JSON.stringify(table);
    const count = lists.get(list) ?? 0;
    if (isItem && index === words.length - 1) {
      lists.set(list, count + 1);
      table.push(String(count));
    } else if (count > 0) table.push(String(count - 1));
  }
  return table;
}

function withoutTexts(text: string): string {
  return text.replace(TEXTS, (found) => (found.includes("\n") ? found.replace(/[^\n]+/g, "") : found));
}

function wordsOf(key: string): string[] {
  return (key.match(new RegExp(WORD, "g")) ?? []).map((word) => word.replace(/^(["'])(.*)\1$/, "$2"));
}
