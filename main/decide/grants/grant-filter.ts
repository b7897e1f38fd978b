/**
 * A Bloom filter of what grants are on: no false negatives. What it may contain is read from the database.
 */
export class GrantFilter {
  readonly #bits: Uint8Array;
  /** Of the bits' numbers: their count is a power of two. */
  readonly #mask: number;

  /** For about `count` keys: they set no more than one bit in eight. */
  constructor(count: number) {
    const bits = 2 ** Math.ceil(Math.log2(Math.max(MIN_BITS, BITS_PER_KEY * count)));
    this.#bits = new Uint8Array(bits / 8);
    this.#mask = bits - 1;
  }

  add(key: string): void {
    const bit = this.#bitOf(hashOf(key));
    this.#bits[bit >> 3] = (this.#bits[bit >> 3] ?? 0) | (1 << (bit & 7));
  }

  canContain(key: string): boolean {
    return this.#isSet(hashOf(key));
  }

  /**
   * Of an absolute, normal path and the folders above it those that may hold some, nearest first. None where more than
   * `max_depth` names lie on the way. Reads the path once: the hash of a folder is a part of the hash of what lies in it.
   */
  along(path: string, max_depth: number): string[] {
    const found: string[] = [];
    let depth = 0;
    let hash = OFFSET;
    for (let index = 0; index < path.length; index++) {
      const code = path.charCodeAt(index);
      if (code === SLASH && ++depth > max_depth) return [];
      // Nothing is granted on the whole disk.
      if (code === SLASH && index > 0 && this.#isSet(hash)) found.push(path.slice(0, index));
      hash = Math.imul(hash ^ code, PRIME);
    }
    if (this.#isSet(hash)) found.push(path);
    return found.reverse();
  }

  #isSet(hash: number): boolean {
    const bit = this.#bitOf(hash);
    return ((this.#bits[bit >> 3] ?? 0) & (1 << (bit & 7))) !== 0;
  }

  #bitOf(hash: number): number {
    return (hash ^ (hash >>> 15)) & this.#mask;
  }
}

const MIN_BITS = 2 ** 14;
const BITS_PER_KEY = 8;
const SLASH = "/".charCodeAt(0);

/** FNV-1a. */
const OFFSET = 0x811c9dc5;
const PRIME = 0x01000193;

function hashOf(key: string): number {
  let hash = OFFSET;
  for (let index = 0; index < key.length; index++) hash = Math.imul(hash ^ key.charCodeAt(index), PRIME);
  return hash;
}
