/** Code points that can hide, move or recolour what a human reads: control, escape, bidirectional, invisible, filler. */
const HIDDEN_RANGES = [
  "\\0-\\u001f\\u007f-\\u009f\\u00ad",
  "\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f",
  "\\u200b-\\u200f\\u2028-\\u202f\\u2060-\\u206f\\u3164",
  "\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb\\u{e0000}-\\u{e0fff}",
  "\\p{Surrogate}\\p{Default_Ignorable_Code_Point}",
  // Egyptian format controls; a Braille cell without a dot is a blank that is no space.
  "\\u{13430}-\\u{1345f}\\u2800",
].join("");
const HIDDEN = new RegExp(`[${HIDDEN_RANGES}]`, "gu");

/** Text from outside, safe to look at: hidden characters become visible `\u{...}` codes. `keep_newlines` leaves `\n` and `\t` as they are, for text shown in full. */
export function visible(text: string, options: { keep_newlines?: boolean } = {}): string {
  return text.replace(HIDDEN, (character) => {
    if (options.keep_newlines && (character === "\n" || character === "\t")) return character;
    if (character === "\n") return "\\n";
    if (character === "\r") return "\\r";
    if (character === "\t") return "\\t";
    const code = character.codePointAt(0) ?? 0;
    return `\\u{${code.toString(16)}}`;
  });
}

/** A value as one line of JSON that is safe to look at: hidden characters are written as escapes, so it says the same. */
export function visibleJson(value: unknown): string {
  return JSON.stringify(value).replace(HIDDEN, (character) =>
    [...Array(character.length).keys()]
      .map((unit) => `\\u${character.charCodeAt(unit).toString(16).padStart(4, "0")}`)
      .join(""),
  );
}

/** Shortened in the middle to at most `width` characters, keeping the end whole where it can: a path's name matters most. */
export function shortened(text: string, width: number): string {
  const characters = [...text];
  if (characters.length <= width) return text;
  const tail = Math.ceil((width - 1) * 0.6);
  const head = width - 1 - tail;
  return `${characters.slice(0, head).join("")}…${characters.slice(-tail).join("")}`;
}

/** The home folder as `~`, for showing. */
export function shortenHome(path: string, home: string): string {
  if (path === home) return "~";
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
