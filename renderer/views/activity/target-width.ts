/** Below this width a row has two lines. The other columns take the rest; a character of a target is so wide. */
const NARROW = 620;
const CHARACTER = 7.9;

/** How many characters of what was asked for fit into a list of decisions this wide, in CSS pixels. */
export function targetWidth(listWidth: number): number {
  const others = listWidth < 470 ? 8 : listWidth < NARROW ? 130 : 352;
  return Math.floor((listWidth - others) / CHARACTER);
}
