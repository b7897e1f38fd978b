import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const ROOT = resolve(import.meta.dirname, "../..");

test("each picture of the documents is drawn by `npm run pictures`, and there is no other", () => {
  const script = readFileSync(join(ROOT, "pictures/run.ts"), "utf8");
  const drawn = [...script.matchAll(/[a-z-]+\.png/g)].map(([name]) => name);
  expect(drawn.length).toBeGreaterThan(5);
  expect(readdirSync(join(ROOT, "docs/pictures")).sort()).toEqual([...new Set(drawn)].sort());
});
