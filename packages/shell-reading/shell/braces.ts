/** Brace expansion on a word's source text, as bash does it: before everything else, quotes kept (`{a,b}`, `{1..3}`, `{a..e..2}`). */

const MAX_WORDS = 1024;
/** Braces in one word, beside and in each other. */
const MAX_BRACES = 32;

/** The words that `source` expands to, or null where there are too many. */
export function expandBraces(source: string, level = 0): string[] | null {
  if (level > MAX_BRACES) return null;
  const open = findBrace(source, 0);
  if (open === undefined) return [source];
  const { start, end, commas } = open;
  const body = source.slice(start + 1, end);
  const before = source.slice(0, start);
  const after = expandBraces(source.slice(end + 1), level + 1);
  if (after === null) return null;
  let middle: string[] | null;
  if (commas.length > 0) {
    const edges = [start, ...commas, end];
    middle = [];
    for (let index = 0; index + 1 < edges.length; index++) {
      const expanded = expandBraces(source.slice((edges[index] ?? 0) + 1, edges[index + 1]), level + 1);
      if (expanded === null) return null;
      middle.push(...expanded);
    }
  } else {
    middle = sequence(body);
  }
  if (middle === null || middle.length * after.length > MAX_WORDS) return null;
  return middle.flatMap((one) => after.map((rest) => before + one + rest));
}

const SEQUENCE = /^(?:(-?\d{1,9})\.\.(-?\d{1,9})|([A-Za-z])\.\.([A-Za-z]))(?:\.\.(-?\d{1,9}))?$/;

function sequence(body: string): string[] | null {
  const match = SEQUENCE.exec(body);
  if (match === null) return null;
  const [, from, to, first, last, by] = match;
  const isLetters = first !== undefined && last !== undefined;
  const a = isLetters ? first.charCodeAt(0) : Number(from);
  const b = isLetters ? last.charCodeAt(0) : Number(to);
  const step = Math.max(1, Math.abs(Number(by ?? 1)));
  if (Math.abs(b - a) / step > MAX_WORDS) return null;
  const isPadded = /^-?0\d/.test(from ?? "") || /^-?0\d/.test(to ?? "");
  const width = isPadded ? Math.max(from?.length ?? 0, to?.length ?? 0) : 0;
  const all: string[] = [];
  for (let at = a; a <= b ? at <= b : at >= b; at += a <= b ? step : -step) {
    all.push(
      isLetters
        ? String.fromCharCode(at)
        : at < 0
          ? `-${String(-at).padStart(width - 1, "0")}`
          : String(at).padStart(width, "0"),
    );
  }
  return all;
}

/** The first `{...}` that expands: with a comma of its own, or a sequence. */
function findBrace(source: string, from: number): { start: number; end: number; commas: number[] } | undefined {
  for (let start = nextBare(source, from, "{"); start < source.length; start = nextBare(source, start + 1, "{")) {
    if (source[start - 1] === "$") continue;
    const commas: number[] = [];
    let depth = 0;
    let at = start + 1;
    for (; at < source.length; at = skip(source, at)) {
      const char = source[at];
      if (char === "{") depth++;
      else if (char === "}") {
        if (depth-- === 0) break;
      } else if (char === "," && depth === 0) commas.push(at);
    }
    if (at >= source.length) continue;
    if (commas.length > 0 || SEQUENCE.test(source.slice(start + 1, at))) return { start, end: at, commas };
  }
  return undefined;
}

function nextBare(source: string, from: number, wanted: string): number {
  let at = from;
  while (at < source.length && source[at] !== wanted) at = skip(source, at);
  return at;
}

/** The index after what is at `at`: a quoted text, a substitution or one character. */
function skip(source: string, at: number): number {
  const char = source[at];
  if (char === "\\") return at + 2;
  if (char === "'") return after(source.indexOf("'", at + 1), source);
  if (char === "`") return after(source.indexOf("`", at + 1), source);
  if (char === '"') {
    let end = at + 1;
    while (end < source.length && source[end] !== '"') end += source[end] === "\\" ? 2 : 1;
    return end + 1;
  }
  if (char === "$" && (source[at + 1] === "{" || source[at + 1] === "(")) {
    const [open, close] = source[at + 1] === "{" ? ["{", "}"] : ["(", ")"];
    let depth = 0;
    for (let end = at + 1; end < source.length; end++) {
      if (source[end] === "\\") end++;
      else if (source[end] === open) depth++;
      else if (source[end] === close && --depth === 0) return end + 1;
    }
    return source.length;
  }
  return at + 1;
}

function after(index: number, source: string): number {
  return index === -1 ? source.length : index + 1;
}
