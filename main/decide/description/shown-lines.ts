/** The first lines of a text that a card shows. */

const MAX_LINES = 60;
const MAX_CHARACTERS = 8000;

/** Those that can be shown, of a text that may have millions. */
export function firstLines(text: string): string[] {
  const lines = text.split("\n", MAX_LINES + 1);
  if (lines.at(-1) === "") lines.pop();
  return shownLines(lines);
}

const LINE_BREAK = 0x0a;

/** A line break at its end begins no further one. Takes as long for millions of empty lines as for one long one. */
export function lineCount(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) === LINE_BREAK) count++;
  return text === "" || text.endsWith("\n") ? count : count + 1;
}

/** So many of the lines, and so much of them. */
export function shownLines(lines: readonly string[]): string[] {
  const kept: string[] = [];
  let left = MAX_CHARACTERS;
  for (const line of lines.slice(0, MAX_LINES)) {
    if (left <= 0) break;
    kept.push(line.length > left ? `${line.slice(0, left)}…` : line);
    left -= line.length + 1;
  }
  return kept;
}
