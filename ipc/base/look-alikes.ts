/**
 * Letters that look like Latin ones. A name that mixes them with Latin letters, or consists of nothing else, can be mistaken for
 * another name. Text in another script's own letters is shown unchanged.
 */

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

export function hasLookAlikes(text: string): boolean {
  return ANY.test(text);
}

/** The offsets (code units) of the letters in `text` that are to be marked, in order. */
export function lookAlikesIn(text: string): number[] {
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
