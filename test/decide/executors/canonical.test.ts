import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { callHash, canonicalJson } from "../../../main/decide/executors/canonical.ts";

/** The same value with the keys of every object in another order. */
function reordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reordered);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, child]) => [key, reordered(child)]),
  );
}

/** Small ones, so that two of them are often equal. */
const small = fc
  .dictionary(fc.constantFrom("a", "b"), fc.constantFrom<unknown>(1, "1", null, [], {}, [1], { a: 1 }))
  .map((value) => received(value));
const received = (value: unknown) => JSON.parse(JSON.stringify(value)) as Record<string, unknown>;
const args = fc.dictionary(fc.string(), fc.jsonValue()).map(received);

describe("the hash that binds an approval to its call", () => {
  it("is SHA-256 over JSON with sorted keys and no white space", () => {
    expect(canonicalJson({ executor: "x", args: { b: [1, { d: null, c: "é\n" }], a: true } })).toBe(
      '{"args":{"a":true,"b":[1,{"c":"é\\n","d":null}]},"executor":"x"}',
    );
    // printf '{"args":{"path":"/a"},"executor":"fs_read"}' | sha256sum
    expect(callHash("fs_read", { path: "/a" })).toBe(
      "3248796c270cc0f4a4743279b50380562611822e3008a9abf63296530b5e9556",
    );
  });

  it("distinguishes numbers that have no JSON form", () => {
    const hashes = ["null", "0", "-0", "1e400", "-1e400"].map((text) => callHash("x", JSON.parse(`{"n":${text}}`)));
    expect(new Set(hashes).size).toBe(5);
  });

  it("does not depend on the order of keys", () => {
    fc.assert(
      fc.property(args, (value) => {
        expect(callHash("x", reordered(value) as Record<string, unknown>)).toBe(callHash("x", value));
      }),
    );
  });

  it("is the same value's JSON again: nothing is lost and nothing is added", () => {
    fc.assert(
      fc.property(args, (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(value);
      }),
    );
  });

  it("differs as soon as the executor or any argument does", () => {
    fc.assert(
      fc.property(
        small,
        small,
        fc.constantFrom("Bash", "Write"),
        fc.constantFrom("Bash", "Write"),
        (one, other, first, second) => {
          const isSame = first === second && isDeepStrictEqual(one, other);
          expect(callHash(first, one) === callHash(second, other)).toBe(isSame);
        },
      ),
    );
    const hashes = [
      callHash("Bash", { command: "ls" }),
      callHash("Bash", { command: "ls " }),
      callHash("Bash", { command: ["ls"] }),
      callHash("Bash", { Command: "ls" }),
      callHash("Bash", { command: "ls", timeout: 1 }),
      callHash("Bash", { command: "ls", timeout: "1" }),
      callHash("Bash", { command: "ls", timeout: null }),
      callHash("bash", { command: "ls" }),
    ];
    expect(new Set(hashes).size).toBe(hashes.length);
  });
});
