/** Code points that can hide, move or recolour displayed text: control, escape, bidirectional, invisible, filler. */
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

/** A piece of text that is safe to display. */
export interface VisiblePart {
  text: string;
  /** An escape code in place of a character. */
  isCode: boolean;
}

/** Letters that are written from right to left reorder the text beside them, without any control character. */
const RIGHT_TO_LEFT =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Samaritan}\p{Script=Mandaic}\p{Script=Adlam}\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** True if the text reads as it is, from left to right: nothing in it is hidden or mistaken for something else. */
export function isPlainText(text: string, options: VisibleOptions = {}): boolean {
  return visible(text, options) === text && !RIGHT_TO_LEFT.test(text);
}

interface VisibleOptions {
  /** Leaves `\n` and `\t` as they are, for text shown in full. */
  keepNewlines?: boolean;
}

/** Untrusted text, safe to display: hidden characters and look-alikes of Latin letters become visible `\u{...}` codes. */
export function visible(text: string, options: VisibleOptions = {}): string {
  if (!hasLookAlikes(text)) return text.replace(HIDDEN, (character) => shown(character, options).text);
  return visibleParts(text, options)
    .map((part) => part.text)
    .join("");
}

/** The same in parts, to display codes differently from text that merely spells one. */
export function visibleParts(text: string, options: VisibleOptions = {}): VisiblePart[] {
  const parts: VisiblePart[] = [];
  const add = (part: VisiblePart) => {
    const last = parts.at(-1);
    if (last !== undefined && !last.isCode && !part.isCode) last.text += part.text;
    else if (part.text !== "") parts.push(part);
  };
  let end = 0;
  const addPlain = (upTo: number) => {
    const plain = text.slice(end, upTo);
    let from = 0;
    for (const at of lookAlikesIn(plain)) {
      add({ text: plain.slice(from, at), isCode: false });
      const code = plain.codePointAt(at) ?? 0;
      add(codeOf(code));
      from = at + String.fromCodePoint(code).length;
    }
    add({ text: plain.slice(from), isCode: false });
  };
  for (const { 0: character, index } of text.matchAll(HIDDEN)) {
    addPlain(index);
    add(shown(character, options));
    end = index + character.length;
  }
  addPlain(text.length);
  return parts;
}

function shown(character: string, { keepNewlines }: VisibleOptions): VisiblePart {
  if (keepNewlines && (character === "\n" || character === "\t")) return { text: character, isCode: false };
  if (character === "\n") return { text: "\\n", isCode: false };
  if (character === "\r") return { text: "\\r", isCode: false };
  if (character === "\t") return { text: "\\t", isCode: false };
  return codeOf(character.codePointAt(0) ?? 0);
}

function codeOf(code: number): VisiblePart {
  return { text: `\\u{${code.toString(16)}}`, isCode: true };
}

/** A value as one line of JSON that is safe to display: hidden characters are written as JSON escapes, so its meaning is the same. */
export function visibleJson(value: unknown): string {
  return JSON.stringify(value).replace(HIDDEN, (character) =>
    [...Array(character.length).keys()]
      .map((unit) => `\\u${character.charCodeAt(unit).toString(16).padStart(4, "0")}`)
      .join(""),
  );
}

/** Shortens in the middle to at most `width` characters, keeping the end if possible: a path's file name matters most. */
export function shortened(text: string, width: number): string {
  const characters = [...text];
  if (characters.length <= width) return text;
  const tail = Math.ceil((width - 1) * 0.6);
  const head = width - 1 - tail;
  return `${characters.slice(0, head).join("")}…${characters.slice(-tail).join("")}`;
}

/** The home folder as `~`, for display. */
export function shortenHome(path: string, home: string): string {
  if (path === home) return "~";
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

// Letters that look like Latin ones. A name that mixes them with Latin letters, or consists of nothing else, can be mistaken for
// another name. Text in another script's own letters is shown unchanged.

/** Indistinguishable from a Latin letter: a word of nothing else looks Latin. */
const SAME = [
  // Cyrillic
  "аеорсухіјѕԁһԛԝӏѵүАВЕКМНОРСТУХІЈЅԚԜӀҮѴ",
  // Greek
  "ονρϲϳΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹϿͿ",
  // Armenian
  "օսոհՕՍ",
  // Coptic
  "ⲟⲣⲥⲞⲢⲤ",
  // Cherokee
  "ᎠᎡᎢᎥᎪᎫᎬᎳᎷᎻᏀᏃᏏᏒᏔᏚᏙᏞᏟᏢᏦᏧᏴ",
  // Lisu
  "ꓐꓑꓒꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴ",
].join("");

/** Similar to a Latin letter: recognisable in a word of their own script, easily overlooked among Latin letters. */
const SIMILAR = "вгзийкмнптшьёїѡԍЗЬЁЇԌαβγεηικστυχωάίόύςϵϱցգզլյքռաՏԼ";

/**
 * Variants of Latin letters and ASCII signs, and every blank but the space: always marked. These are all characters that Unicode's
 * compatibility forms (NFKC) map to ASCII, except common ones that are easily distinguished: `ª º … № ™ ℠ ℡`, units in a square.
 */
const DRESSED = [
  "\\uff10-\\uff19\\uff21-\\uff3a\\uff41-\\uff5a\\u{1d400}-\\u{1d7ff}\\u2160-\\u217f\\ufb00-\\ufb06",
  "\\u2102\\u210a-\\u2113\\u2115\\u2119-\\u211d\\u2124\\u212a-\\u212d\\u212f-\\u2134\\u2139\\u2145-\\u2149",
  "\\u0251\\u0261\\u2044\\u2215\\u29f8",
  // Of more letters than one, small or in a circle
  "\\u0132-\\u0133\\u017f\\u01c7-\\u01cc\\u01f1-\\u01f3\\u02b0\\u02b2-\\u02b3\\u02b7-\\u02b8\\u02e1-\\u02e3",
  "\\u1d2c\\u1d2e\\u1d30-\\u1d31\\u1d33-\\u1d3a\\u1d3c\\u1d3e-\\u1d43\\u1d47-\\u1d49\\u1d4d\\u1d4f-\\u1d50\\u1d52",
  "\\u1d56-\\u1d58\\u1d5b\\u1d62-\\u1d65\\u1d9c\\u1da0\\u1dbb\\u2071\\u207f\\u2090-\\u2093\\u2095-\\u209c\\u20a8",
  "\\u2100-\\u2101\\u2105-\\u2106\\u2128\\u213b\\u249c-\\u24e9\\u2c7c-\\u2c7d\\ua7f1-\\ua7f4\\u{107a5}",
  "\\u{1ccd6}-\\u{1ccef}\\u{1f110}-\\u{1f129}\\u{1f12b}-\\u{1f12e}\\u{1f130}-\\u{1f14f}\\u{1f16a}-\\u{1f16c}",
  "\\u{1f190}",
  // Signs
  "\\u037e\\u1fef\\u2024-\\u2025\\u203c\\u2047-\\u2049\\u207a\\u207c-\\u207e\\u208a\\u208c-\\u208e\\u2a74-\\u2a76",
  "\\ufb29\\ufe10\\ufe13-\\ufe16\\ufe19\\ufe30\\ufe33-\\ufe38\\ufe47-\\ufe48\\ufe4d-\\ufe50\\ufe52\\ufe54-\\ufe57",
  "\\ufe59-\\ufe5c\\ufe5f-\\ufe66\\ufe68-\\ufe6b\\uff01-\\uff0f\\uff1a-\\uff20\\uff3b-\\uff40\\uff5b-\\uff5e",
  "\\u2010\\u2011\\u2212\\u2236",
  // Blanks
  "\\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000",
  // Small capitals, a click that looks like l, and i without its dot
  "\\u1d00-\\u1d22\\ua730\\ua731\\u026a\\u029f\\u0280\\u01c0\\u0131",
].join("");

const DOTLESS = /\u0131/g;
/** Letters of the languages that write an i without a dot, and of few others. */
const TURKISH = /[\u011e\u011f\u0130\u015e\u015f]/;

const ANY = new RegExp(`[${SAME}${SIMILAR}${DRESSED}]`, "u");
const ALL = new RegExp(ANY, "gu");
const SIGNS = new RegExp(`[${DRESSED}]`, "gu");
const ALL_SAME = new RegExp(`^[${SAME}\\P{L}]+$`, "u");
const LATIN = new RegExp(`[\\p{Script=Latin}${DRESSED}]`, "u");
const LETTER = /\p{L}/u;
/** A written `\n` may mean a line's end: its letter belongs to no word. */
const WORDS = /(?<=\\)[nrt]|[\p{L}\p{M}\p{N}]+/gu;

/** Prepositions and the like: words this short are too common to mistake for another name. */
const SMALL_WORD = 2;

function hasLookAlikes(text: string): boolean {
  return ANY.test(text);
}

/** The offsets (code units) of the letters in `text` that are to be marked, in order. */
function lookAlikesIn(text: string): number[] {
  const found: number[] = [];
  const words = [...text.matchAll(WORDS)];
  let end = 0;
  for (const [index, { 0: word, index: at }] of words.entries()) {
    // Dots and slashes separate words.
    collect(found, text.slice(end, at), end, SIGNS);
    end = at + word.length;
    collect(
      found,
      word,
      at,
      markedIn(word, () => isInItsScript(text, words, index)),
    );
  }
  collect(found, text.slice(end), end, SIGNS);
  return found;
}

/** Which letters of a word are marked. */
function markedIn(word: string, isAmongItsOwn: () => boolean): RegExp | undefined {
  if (LATIN.test(word)) return isTurkish(word) ? undefined : ALL;
  if (!LETTER.test(word) || !ALL_SAME.test(word)) return undefined;
  return word.length <= SMALL_WORD && isAmongItsOwn() ? undefined : ALL;
}

/** A word with another Turkish letter isn't mistaken for an ASCII one, where its dotless i is all there is to mark. */
function isTurkish(word: string): boolean {
  return TURKISH.test(word) && !ANY.test(word.replace(DOTLESS, ""));
}

/** Whether this word is separated by a single space from one that shows its script. */
function isInItsScript(text: string, words: readonly RegExpExecArray[], index: number): boolean {
  return [-1, 1].some((step) => {
    const [word, other] = [words[index], words[index + step]];
    if (word === undefined || other === undefined) return false;
    const [first, second] = step === 1 ? [word, other] : [other, word];
    const between = text.slice(first.index + first[0].length, second.index);
    return between === " " && LETTER.test(other[0]) && !LATIN.test(other[0]) && !ALL_SAME.test(other[0]);
  });
}

function collect(found: number[], text: string, at: number, pattern: RegExp | undefined): void {
  if (pattern === undefined) return;
  for (const { index } of text.matchAll(pattern)) found.push(at + index);
}
