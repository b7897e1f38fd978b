import { hash } from "node:crypto";

/** The Merkle tree of RFC 9162, section 2.1, with SHA-256: checkpoints of earlier versions hold its root over the trail's lines. */
export class MerkleTree {
  #size = 0;
  /** The roots of the complete subtrees, the largest first: one for each bit that is set in the size. */
  readonly #subtrees: Buffer[] = [];

  /** `line`: without its newline. */
  add(line: Uint8Array): void {
    let node = sha256(0, line);
    // Not bit operations: a size may be above 2^32.
    for (let rest = this.#size; rest % 2 === 1; rest = (rest - 1) / 2)
      node = sha256(1, this.#subtrees.pop() ?? node, node);
    this.#subtrees.push(node);
    this.#size++;
  }

  /** Of the empty tree: the hash of nothing. */
  root(): Buffer {
    if (this.#size === 0) return hash("sha256", "", "buffer");
    return this.#subtrees.reduceRight((root, left) => sha256(1, left, root));
  }
}

function sha256(prefix: number, ...parts: Uint8Array[]): Buffer {
  return hash("sha256", Buffer.concat([Buffer.of(prefix), ...parts]), "buffer");
}
