/**
 * Where things are in a JSON text, so that one of them can be replaced and every other byte stays. The text is taken to be valid;
 * what isn't ends in an exception, never in a loop.
 */

export interface Member {
  key: string;
  /** Of its key's first quote, in characters. */
  start: number;
  /** Of its value: from its first character to behind its last one. */
  valueStart: number;
  valueEnd: number;
}

/** @throws SyntaxError where there is something else than JSON */
export function membersOf(text: string, objectStart = valueStart(text)): Member[] {
  const members: Member[] = [];
  if (text[objectStart] !== "{") throw new SyntaxError("not an object");
  for (let at = skipBlank(text, objectStart + 1); text[at] !== "}"; ) {
    const start = at;
    const keyEnd = endOfString(text, at);
    const colon = skipBlank(text, keyEnd);
    if (text[colon] !== ":") throw new SyntaxError("a key without a value");
    const valueStart = skipBlank(text, colon + 1);
    const valueEnd = endOfValue(text, valueStart);
    members.push({ key: JSON.parse(text.slice(start, keyEnd)) as string, start, valueStart, valueEnd });
    at = skipBlank(text, valueEnd);
    if (text[at] === ",") at = skipBlank(text, at + 1);
    else if (text[at] !== "}") throw new SyntaxError("an object without its end");
  }
  return members;
}

/** The member at a path of keys; undefined where there is none, or where one of the keys is there twice. */
export function memberAt(text: string, path: readonly string[]): Member | undefined {
  let found: Member | undefined;
  for (const key of path) {
    const start = found?.valueStart ?? valueStart(text);
    if (text[start] !== "{") return undefined;
    const named = membersOf(text, start).filter((member) => member.key === key);
    if (named.length !== 1) return undefined;
    found = named[0];
  }
  return found;
}

/** Where the text's own value begins. */
function valueStart(text: string): number {
  return skipBlank(text, text.startsWith("\ufeff") ? 1 : 0);
}

function skipBlank(text: string, from: number): number {
  let at = from;
  while (" \t\r\n".includes(text[at] ?? "x")) at++;
  return at;
}

/** Behind the closing quote of the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  if (text[start] !== '"') throw new SyntaxError("not a text");
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') return at + 1;
  }
  throw new SyntaxError("a text without its end");
}

/** Behind a value, however deep: brackets are counted, not followed. */
function endOfValue(text: string, start: number): number {
  const first = text[start];
  if (first === '"') return endOfString(text, start);
  if (first !== "{" && first !== "[") {
    let at = start;
    while (at < text.length && /[\w.+-]/.test(text[at] ?? "")) at++;
    if (at === start) throw new SyntaxError("a value is missing");
    return at;
  }
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const character = text[at] ?? "";
    if (character === '"') at = endOfString(text, at) - 1;
    else if (character === "{" || character === "[") depth++;
    else if (character === "}" || character === "]") {
      depth--;
      if (depth === 0) return at + 1;
    }
  }
  throw new SyntaxError("a value without its end");
}
