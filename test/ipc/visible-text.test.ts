import { expect, it } from "vitest";
import { visible, visibleJson } from "../../ipc/visible-text.ts";

it("what a screen shows as nothing, or as a blank that is no space, becomes a code", () => {
  const hidden = [
    "\u200b",
    "\u00ad",
    "\u202e",
    "\u2065",
    "\u{1d173}",
    "\u{1bca0}",
    "\u{13437}",
    "\u{e0041}",
    "\u2800",
    "\ud800",
  ];
  for (const character of hidden) {
    expect(visible(`a${character}b`)).toBe(`a\\u{${character.codePointAt(0)?.toString(16)}}b`);
  }
  expect(visible("naïve – 文字 😀 a b")).toBe("naïve – 文字 😀 a b");
});

it("JSON that is printed shows them as escapes, and is the same value", () => {
  const value = { "k\u202e": "a\u009b2Jb\u202ec\u{e0041}d\ud800e\u2028 é 😀", list: ["\u001b[2J\n"] };
  const text = visibleJson(value);
  expect(text).not.toMatch(/[^ -~é😀]/u);
  expect(JSON.parse(text)).toEqual(value);
});
