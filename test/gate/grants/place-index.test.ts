import { posix } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PlaceIndex } from "../../../main/gate/grants/place-index.ts";

describe("the places where grants may stand", () => {
  it("are of a path itself and every folder above it but the root, nearest first", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("a", "b c", "[x]", "...", "ü"), { minLength: 1, maxLength: 8 }), (parts) => {
        const path = `/${parts.join("/")}`;
        const naive: string[] = [];
        for (let here = path; here !== "/"; here = posix.dirname(here)) naive.push(here);
        const index = new PlaceIndex(naive.length);
        index.add("/");
        for (const place of naive) index.add(place);
        expect(index.along(path, 8)).toEqual(naive);
        expect(index.along(path, parts.length - 1)).toEqual([]);
      }),
    );
  });

  it("are only those that were added, but for a few that look like them", () => {
    const places = Array.from({ length: 20_000 }, (_, number) => `/srv/projects/${number}`);
    const index = new PlaceIndex(places.length);
    for (const place of places) index.add(place);
    expect(places.every((place) => index.mayHold(place))).toBe(true);
    const others = places.map((place) => `${place}/notes`);
    expect(others.filter((place) => index.mayHold(place)).length).toBeLessThan(others.length / 6);
    expect(index.along("/srv/projects/7/notes/x.txt", 128)).toContain("/srv/projects/7");
  });
});
