import { hash } from "node:crypto";

/** The Merkle tree of RFC 9162, section 2.1, with SHA-256: what it needs to grow, and its root. */

const HASH_BYTES = 32;
const NODE_PREFIX = 0x01;

/** The hash of a leaf: of the byte 0x00 and the trail's line without its newline. */
export function leafHash(line: string | Uint8Array): Buffer {
  if (typeof line === "string") return hash("sha256", `\0${line}`, "buffer");
  const leaf = Buffer.allocUnsafe(line.length + 1);
  leaf[0] = 0;
  leaf.set(line, 1);
  return hash("sha256", leaf, "buffer");
}

export function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  const node = Buffer.allocUnsafe(1 + 2 * HASH_BYTES);
  node[0] = NODE_PREFIX;
  node.set(left, 1);
  node.set(right, 1 + HASH_BYTES);
  return hash("sha256", node, "buffer");
}

/** A tree as the roots of its complete subtrees, the largest first: one for each bit that is set in its size. */
export class CompactRange {
  #size: number;
  readonly #subtrees: Buffer[];

  /** @throws RangeError where these can't be the subtrees of a tree of this size */
  constructor(size = 0, subtrees: readonly Uint8Array[] = []) {
    if (!Number.isSafeInteger(size) || size < 0 || bitsIn(size) !== subtrees.length)
      throw new RangeError("not the subtrees of a tree of this size");
    if (subtrees.some(({ length }) => length !== HASH_BYTES)) throw new RangeError("not a SHA-256 hash");
    this.#size = size;
    this.#subtrees = subtrees.map((subtree) => Buffer.from(subtree));
  }

  get size(): number {
    return this.#size;
  }

  get subtrees(): readonly Buffer[] {
    return this.#subtrees;
  }

  add(leaf: Buffer): void {
    let node = leaf;
    // Not bit operations: a size may be above 2^32.
    for (let rest = this.#size; rest % 2 === 1; rest = (rest - 1) / 2) {
      const left = this.#subtrees.pop();
      if (left !== undefined) node = nodeHash(left, node);
    }
    this.#subtrees.push(node);
    this.#size++;
  }

  /** Of the empty tree: the hash of nothing. */
  root(): Buffer {
    let root = this.#subtrees.at(-1);
    if (root === undefined) return hash("sha256", "", "buffer");
    for (const left of this.#subtrees.slice(0, -1).reverse()) root = nodeHash(left, root);
    return root;
  }
}

function bitsIn(size: number): number {
  let bits = 0;
  for (let rest = size; rest >= 1; rest = Math.floor(rest / 2)) bits += rest % 2;
  return bits;
}
