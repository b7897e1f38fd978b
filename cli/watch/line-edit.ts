/** One line that the user edits: the text before the cursor and the text after it. */
export interface Line {
  before: string;
  after: string;
}

export type LineKey = "left" | "right" | "home" | "end" | "backspace" | "delete" | "clear";

export function lineOf(text: string): Line {
  return { before: text, after: "" };
}

export function lineText({ before, after }: Line): string {
  return before + after;
}

/** Typed or pasted text goes in at the cursor, on one line, up to `max` characters in all. */
export function inserted(line: Line, text: string, max: number): Line {
  const plain = text.replaceAll(/\s*[\r\n]+\s*/g, " ").replaceAll(/\p{Cc}/gu, "");
  const room = max - lineText(line).length;
  const fitting = [...plain].reduce(
    (kept, character) => (kept.length + character.length > room ? kept : kept + character),
    "",
  );
  return { before: line.before + fitting, after: line.after };
}

export function edited(line: Line, key: LineKey): Line {
  const before = [...line.before];
  const after = [...line.after];
  switch (key) {
    case "left":
      return { before: before.slice(0, -1).join(""), after: (before.at(-1) ?? "") + line.after };
    case "right":
      return { before: line.before + (after[0] ?? ""), after: after.slice(1).join("") };
    case "home":
      return { before: "", after: lineText(line) };
    case "end":
      return { before: lineText(line), after: "" };
    case "backspace":
      return { before: before.slice(0, -1).join(""), after: line.after };
    case "delete":
      return { before: line.before, after: after.slice(1).join("") };
    case "clear":
      return { before: "", after: "" };
  }
}
