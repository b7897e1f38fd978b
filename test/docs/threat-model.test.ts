import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const ROOT = new URL("../../", import.meta.url);
const TEXT = readFileSync(new URL("docs/threat-model.md", ROOT), "utf8");

test("each claim names a test that is there and tests something", () => {
  const named = [...new Set([...TEXT.matchAll(/`(test\/[^`]+)`/g)].map((match) => match[1] ?? ""))];
  expect(named.length).toBeGreaterThanOrEqual(10);
  for (const file of named) {
    expect(existsSync(new URL(file, ROOT)), file).toBe(true);
    expect(readFileSync(new URL(file, ROOT), "utf8"), file).toMatch(/expect\(/);
  }
});
