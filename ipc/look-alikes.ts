/**
 * Letters that are taken for Latin ones. A name in which they stand beside Latin letters, or which is made of nothing else,
 * can be taken for another name. Whoever writes in another script's own letters is shown as they write.
 */

/** Can't be told from a Latin letter: a word of nothing else looks Latin. */
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

/** Much like a Latin letter: a word of its own script is told by them, among Latin letters they are overlooked. */
const SIMILAR = "вгзийкмнптшьёїѡԍЗЬЁЇԌαβγεηικστυχωάίόύςϵϱցգզլյքռաՏԼ";

/** Latin letters in another dress, and what is taken for a dot or a slash: marked wherever they stand. */
const DRESSED = [
  "\\uff10-\\uff19\\uff21-\\uff3a\\uff41-\\uff5a\\u{1d400}-\\u{1d7ff}\\u2160-\\u217f\\ufb00-\\ufb06",
  "\\u2102\\u210a-\\u2113\\u2115\\u2119-\\u211d\\u2124\\u212a-\\u212d\\u212f-\\u2134\\u2139\\u2145-\\u2149",
  "\\u0251\\u0261\\u2024\\u2044\\u2215\\u29f8",
].join("");

const ANY = new RegExp(`[${SAME}${SIMILAR}${DRESSED}]`, "u");
const ALL = new RegExp(ANY, "gu");
const SIGNS = new RegExp(`[${DRESSED}]`, "gu");
const ALL_SAME = new RegExp(`^[${SAME}\\P{L}]+$`, "u");
const LATIN = new RegExp(`[\\p{Script=Latin}${DRESSED}]`, "u");
const LETTER = /\p{L}/u;
/** What is written `\n` may stand for a line's end: its letter belongs to no word. */
const WORDS = /(?<=\\)[nrt]|[\p{L}\p{M}\p{N}]+/gu;

/** Prepositions and the like: nothing is called so that its name could be taken for another one. */
const SMALL_WORD = 2;

export function hasLookAlikes(text: string): boolean {
  return ANY.test(text);
}

/** Where in `text` the letters are that are to be marked, in order, as offsets of code units. */
export function lookAlikesIn(text: string): number[] {
  const found: number[] = [];
  const words = [...text.matchAll(WORDS)];
  let end = 0;
  for (const [index, { 0: word, index: at }] of words.entries()) {
    // Dots and slashes stand between words.
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
  if (LATIN.test(word)) return ALL;
  if (!LETTER.test(word) || !ALL_SAME.test(word)) return undefined;
  return word.length <= SMALL_WORD && isAmongItsOwn() ? undefined : ALL;
}

/** Whether a blank alone is between this word and one that shows its script. */
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
