/**
 * Where grants may stand: a set of places that can say "surely none here" without asking the database. It never says yes:
 * what may be there is read from the database each time.
 */
export class PlaceIndex {
  readonly #bits = new Uint8Array(BITS / 8);

  add(place: string): void {
    const bit = bitOf(place);
    this.#bits[bit >> 3] = (this.#bits[bit >> 3] ?? 0) | (1 << (bit & 7));
  }

  mayHold(place: string): boolean {
    const bit = bitOf(place);
    return ((this.#bits[bit >> 3] ?? 0) & (1 << (bit & 7))) !== 0;
  }
}

/** A million grants set one bit in sixteen; the array has 2 MiB. A power of two. */
const BITS = 2 ** 24;

/** FNV-1a, folded to the array's size. */
function bitOf(place: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < place.length; index++) hash = Math.imul(hash ^ place.charCodeAt(index), 0x01000193);
  return (hash ^ (hash >>> 15)) & (BITS - 1);
}
