import { hash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MerkleTree } from "../../../main/records/audit/compare-checkpoints.ts";

/** The leaves and roots with which the implementations of Certificate Transparency are tested. */
const LEAVES = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"];
const ROOTS = [
  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
  "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
  "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
  "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
  "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
  "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
  "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
  "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
];

/** RFC 9162, 2.1.1, word by word: the left subtree has the largest power of two below the number of leaves. */
function naiveRoot(leaves: readonly Buffer[]): Buffer {
  if (leaves.length === 0) return hash("sha256", "", "buffer");
  if (leaves.length === 1) return sha256(Buffer.of(0), leaves[0] ?? Buffer.alloc(0));
  let left = 1;
  while (left * 2 < leaves.length) left *= 2;
  return sha256(Buffer.of(1), naiveRoot(leaves.slice(0, left)), naiveRoot(leaves.slice(left)));
}

const sha256 = (...parts: Uint8Array[]) => hash("sha256", Buffer.concat(parts), "buffer");

function rootOf(leaves: readonly Buffer[]): Buffer {
  const tree = new MerkleTree();
  for (const leaf of leaves) tree.add(leaf);
  return tree.root();
}

const leaf = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes));

describe("the tree of earlier checkpoints", () => {
  it("has the known roots of 0 to 8 leaves", () => {
    const leaves = LEAVES.map((text) => Buffer.from(text, "hex"));
    const roots = ROOTS.map((_, size) => rootOf(leaves.slice(0, size)).toString("hex"));
    expect(roots).toEqual(ROOTS);
  });

  it("has the root that the definition gives, for any leaves", () => {
    fc.assert(
      fc.property(fc.array(leaf, { maxLength: 130 }), (leaves) => {
        expect(rootOf(leaves)).toEqual(naiveRoot(leaves));
      }),
      { numRuns: 60 },
    );
  });
});
