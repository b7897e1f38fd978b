/** The formats of `echo` and `printf`. */

const MAX_TEXT = 65_536;

const NAMED: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  a: "\x07",
  b: "\b",
  f: "\f",
  v: "\v",
  e: "\x1b",
  "\\": "\\",
  '"': '"',
  "'": "'",
};

/** The escapes of `echo -e` and `printf`. */
export function unescaped(text: string): string {
  return text.replace(
    /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|0?([0-7]{1,3})|([ntrabfve\\"']))/g,
    (_, hex, unicode, octal, name) => {
      if (name !== undefined) return NAMED[name] ?? "";
      return String.fromCharCode(octal !== undefined ? Number.parseInt(octal, 8) : Number.parseInt(hex ?? unicode, 16));
    },
  );
}

/** What `echo WORD...` prints, as bash does it. */
export function echoed(args: readonly string[]): string {
  let rest = args;
  let newline = "\n";
  let escapes = false;
  while (/^-[neE]+$/.test(rest[0] ?? "")) {
    if (rest[0]?.includes("n")) newline = "";
    if (rest[0]?.includes("e")) escapes = true;
    rest = rest.slice(1);
  }
  const text = rest.join(" ");
  return (escapes ? unescaped(text) : text) + newline;
}

/** `printf FORMAT VALUE...`; null where a format is unknown. */
export function formatted(args: readonly string[]): string | null {
  const given = args[0] === "--" ? args.slice(1) : args;
  const [format, ...values] = given;
  if (format === undefined || format.startsWith("-v")) return null;
  const pieces = unescaped(format.replaceAll("%%", "%\0")).split(/%(\0|s|b|d|i|c|q)/);
  if (pieces.some((piece, index) => index % 2 === 0 && piece.includes("%"))) return null;
  const takes = pieces.filter((piece, index) => index % 2 === 1 && piece !== "\0").length;
  let text = "";
  const rest = [...values];
  do {
    for (const [index, piece] of pieces.entries()) {
      if (index % 2 === 0) text += piece;
      else if (piece === "\0") text += "%";
      else text += piece === "b" ? unescaped(rest.shift() ?? "") : (rest.shift() ?? "");
    }
    if (text.length > MAX_TEXT) return null;
  } while (rest.length > 0 && takes > 0);
  return text;
}
