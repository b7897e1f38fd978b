import { posix } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { GrantFilter } from "../../../main/decide/grants/cache.ts";

describe("the keys under which grants may be", () => {
  it("are of a path itself and every folder above it but the root, nearest first", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("a", "b c", "[x]", "...", "ü"), { minLength: 1, maxLength: 8 }), (parts) => {
        const path = `/${parts.join("/")}`;
        const naive: string[] = [];
        for (let here = path; here !== "/"; here = posix.dirname(here)) naive.push(here);
        const index = new GrantFilter(naive.length);
        index.add("/");
        for (const key of naive) index.add(key);
        expect(index.along(path, 8)).toEqual(naive);
        expect(index.along(path, parts.length - 1)).toEqual([]);
      }),
    );
  });

  it("are only those that were added, but for a few that look like them", () => {
    const keys = Array.from({ length: 20_000 }, (_, number) => `/srv/projects/${number}`);
    const index = new GrantFilter(keys.length);
    for (const key of keys) index.add(key);
    expect(keys.every((key) => index.canContain(key))).toBe(true);
    const others = keys.map((key) => `${key}/notes`);
    expect(others.filter((key) => index.canContain(key)).length).toBeLessThan(others.length / 6);
    expect(index.along("/srv/projects/7/notes/x.txt", 128)).toContain("/srv/projects/7");
  });
});
