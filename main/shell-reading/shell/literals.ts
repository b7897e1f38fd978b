/** The string literals of a program, whatever its language: a scanner, linear in the text. */

export interface TextLiteral {
  value: string;
  /** The offset of its opening quote. */
  at: number;
}

/** Those in quotes and backquotes, and Perl's and Ruby's `q{...}`. */
export function stringsIn(text: string): TextLiteral[] {
  const found = [...quotedIn(text)];
  for (const match of text.matchAll(/\bq[qwx]?[{(/|]([^})/|]{0,2000})[})/|]/g))
    found.push({ value: plain(match[1] ?? ""), at: match.index });
  return found;
}

function* quotedIn(text: string): Generator<TextLiteral> {
  // A quote that nothing closes up to some place leaves none of its kind that is closed before it.
  const open_until: Record<string, number> = {};
  for (let at = 0; at < text.length; at++) {
    const quote = text[at] ?? "";
    if ((quote !== '"' && quote !== "'" && quote !== "`") || at < (open_until[quote] ?? 0)) continue;
    let end = at + 1;
    while (end < text.length && text[end] !== quote && (quote === "`" || text[end] !== "\n"))
      end += text[end] === "\\" && text[end + 1] !== "\n" ? 2 : 1;
    if (text[end] !== quote) {
      open_until[quote] = end;
      continue;
    }
    yield { value: plain(text.slice(at + 1, end)), at };
    at = end;
  }
}

/** A literal's value: the escapes that most languages have in common. */
export function plain(value: string): string {
  return value.replace(/\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|([0-7]{3})|(.))/g, (_, hex, unicode, octal, other) => {
    if (other !== undefined) return other === "n" ? "\n" : other === "t" ? "\t" : other;
    return String.fromCharCode(octal !== undefined ? Number.parseInt(octal, 8) : Number.parseInt(hex ?? unicode, 16));
  });
}
