import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { SECTIONS } from "../attacks/all-rows.ts";

const ROOT = new URL("../../", import.meta.url);
const TEXT = readFileSync(new URL("docs/threat-model.md", ROOT), "utf8");

/** `file` "title", "title": the tests that the document names. */
function namedTests(text: string): { file: string; title: string }[] {
  return [...text.matchAll(/`(test\/[^`]+)`[^"`|\n]*((?:"[^"]+"(?:, )?)*)/g)].flatMap(([, file = "", titles = ""]) =>
    [...titles.matchAll(/"([^"]+)"/g)].map(([, title = ""]) => ({ file, title })),
  );
}

/** What each attack of the tables is there for. */
const ATTACKS = Object.values(SECTIONS).flatMap(({ rows }) => rows.map(({ why }) => why));

/** The titles that a test file gives its tests, whatever is between `it` and them; of a table of attacks, their reasons. */
function titlesIn(file: string): string[] {
  const text = readFileSync(new URL(file, ROOT), "utf8");
  if (file.startsWith("test/attacks/rows/")) return ATTACKS.filter((why) => text.includes(JSON.stringify(why)));
  return [...text.matchAll(/^\s*(?:\b(?:it|test)\b.*|[\])]*\)?\(|)"((?:[^"\\]|\\.)+)",/gm)].map(([, title = ""]) =>
    title.replaceAll('\\"', '"'),
  );
}

test("each test that is named is there, under the title that is quoted", () => {
  const named = namedTests(TEXT);
  expect(named.length).toBeGreaterThanOrEqual(100);
  for (const { file, title } of named) {
    expect(existsSync(new URL(file, ROOT)), file).toBe(true);
    expect(titlesIn(file), file).toContain(title);
  }
});

test("each file that is named is named with a test", () => {
  const files = [...TEXT.matchAll(/`(test\/[^`]+)`/g)].map(([, file]) => file);
  const withTitle = new Set(namedTests(TEXT).map(({ file }) => file));
  expect(files.filter((file) => file === undefined || !withTitle.has(file))).toEqual([]);
});

test("each thing that an agent can't do names the test that shows it", () => {
  const rows =
    TEXT.slice(TEXT.indexOf("| it can't |"))
      .split(/\n(?!\|)/, 1)[0]
      ?.split("\n")
      .slice(2) ?? [];
  expect(rows.length).toBeGreaterThanOrEqual(60);
  for (const row of rows) expect(namedTests(row), row).not.toEqual([]);
});
