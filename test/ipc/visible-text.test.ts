import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { visible, visibleJson, visibleParts } from "../../ipc/base/visible-text.ts";
import { cpuMs } from "../support/measured.ts";

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

describe("letters that are taken for Latin ones", () => {
  it.each([
    ["among Latin letters", "\u0440\u0430ypal.txt", "\\u{440}\\u{430}ypal.txt"],
    ["much alike, among Latin letters", "~/\u043aey", "~/\\u{43a}ey"],
    ["Greek", "\u03bfpenssl", "\\u{3bf}penssl"],
    ["Armenian", "/srv/l\u0578de", "/srv/l\\u{578}de"],
    ["a whole name of them", "/srv/\u0441\u043e\u0440\u0443/a", "/srv/\\u{441}\\u{43e}\\u{440}\\u{443}/a"],
    ["a name of one letter", "/srv/\u0430/b", "/srv/\\u{430}/b"],
    ["a host", "https://\u0440\u0430y.test/x", "https://\\u{440}\\u{430}y.test/x"],
    ["parts of one name", "my-\u0440\u0430\u0443.txt", "my-\\u{440}\\u{430}\\u{443}.txt"],
    ["fullwidth", "\uff50\uff41y", "\\u{ff50}\\u{ff41}y"],
    ["mathematical", "\u{1d429}ay", "\\u{1d429}ay"],
    ["a ligature", "\ufb01le.txt", "\\u{fb01}le.txt"],
    ["what is taken for a slash or a dot", "a\u2215b\u2024txt", "a\\u{2215}b\\u{2024}txt"],
    ["i without its dot", "f\u0131le.txt", "f\\u{131}le.txt"],
    ["i without its dot beside another one", "\u015f\u0131\u0430", "\u015f\\u{131}\\u{430}"],
    ["an old s, a click that looks like l", "pa\u017fs.\u01c0og", "pa\\u{17f}s.\\u{1c0}og"],
    ["small capitals", "\u1d00\u0280\u026a\u029f\ua731", "\\u{1d00}\\u{280}\\u{26a}\\u{29f}\\u{a731}"],
    ["a Greek question mark", "a\u037eb", "a\\u{37e}b"],
    ["hyphens, a minus, a ratio", "a\u2010b\u2212c\u2236d", "a\\u{2010}b\\u{2212}c\\u{2236}d"],
    ["two dots in one", "/srv/\u2025/x", "/srv/\\u{2025}/x"],
    [
      "fullwidth signs",
      "\uff5e\uff0f\uff0e\uff0d\uff0a\uff04",
      "\\u{ff5e}\\u{ff0f}\\u{ff0e}\\u{ff0d}\\u{ff0a}\\u{ff04}",
    ],
    ["behind a hidden character", "\u0440\u200bay", "\\u{440}\\u{200b}ay"],
  ])("%s: each is a code", (_, text, shown) => {
    expect(visible(text)).toBe(shown);
  });

  it.each([
    "\u043f\u0440\u0438\u0432\u0435\u0442.txt",
    "\u043f\u0440\u043e\u0447\u0438\u0442\u0430\u0442\u044c \u0444\u0430\u0439\u043b \u0441 \u043a\u043b\u044e\u0447\u043e\u043c",
    "\u03ba\u03b1\u03b9 \u03bf \u03bd\u03cc\u03bc\u03bf\u03c2/\u03b1\u03c1\u03c7\u03b5\u03af\u03bf",
    "\u0540\u0561\u0575\u0561\u057d\u057f\u0561\u0576",
    "\u6587\u5b57/\u30c6\u30b9\u30c8.md",
    "na\u00efve Stra\u00dfe \u0141\u00f3d\u017a \u0131\u015f\u0131k 1\u00ba 2\u00aa x\u00b2 \u00b5m k\u03a9",
    "\u0645\u0644\u0641 \u05e7\u05d5\u05d1\u05e5 \ud83d\ude00",
  ])("%s is a name in one script: shown as it is", (text) => {
    expect(visible(text)).toBe(text);
  });

  it("whatever has a compatibility form that is one ASCII sign or letter is a code, and every blank but the space", () => {
    const left: string[] = [];
    for (let code = 0x80; code < 0x20000; code++) {
      const character = String.fromCodePoint(code);
      const isBlank = /^\p{Zs}$/u.test(character);
      if (!isBlank && !/^[!-/:-~]$/.test(character.normalize("NFKC"))) continue;
      if (!visible(`a${character}b`).includes("\\u{")) left.push(character);
    }
    expect(left).toEqual(["\u00aa", "\u00ba"]);
  });

  const piece = fc.constantFrom(
    ..."abp\u0440\u0430\u043a\u0449\u03bf\u03b1\u03a9\u0578\uff50\u{1d429}\u2215\u0131\u015f\u00a0\uff0f\u1d00\u2160\u3164\u200b\u0301 /._-1\n\\n\u6587\ud83d\ude00",
  );
  const mixed = fc.string({ unit: piece, maxLength: 40 });

  it("shown again, text stays as it is; the pieces are the same text, and no Latin name loses a letter", () => {
    fc.assert(
      fc.property(mixed, (text) => {
        const shown = visible(text);
        expect(visible(shown)).toBe(shown);
        expect(
          visibleParts(text)
            .map((part) => part.text)
            .join(""),
        ).toBe(shown);
        const back = shown.replace(/\\u\{([0-9a-f]+)\}/g, (_, code) => String.fromCodePoint(Number.parseInt(code, 16)));
        expect(back).toBe(text.replaceAll("\n", "\\n"));
      }),
      { numRuns: 5000 },
    );
  });

  it("no name is shown as plain ASCII look-alikes: what is shown without a code is Latin, or has a letter that isn't taken for one", () => {
    const same = [..."\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u03bf\u0585\uff41\u{1d41a}"];
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...same, ..."abc"), minLength: 1, maxLength: 12 }), (name) => {
        expect(visible(`/srv/${name}/x`)).toMatch(/^[ -~]+$/);
      }),
    );
  });

  it("a megabyte of them is checked in linear time", () => {
    for (const unit of ["\u0441 ", "\u0440a", "\u2160", "\u0441\u0301", "\u0441\u043b\u043e\u0432\u043e "]) {
      const text = unit.repeat((1024 * 1024) / unit.length / 2);
      expect(cpuMs(() => visible(text))).toBeLessThan(4000);
    }
    const text = `${"\u2160".repeat(500_000)}\u0449`;
    expect(cpuMs(() => visible(text))).toBeLessThan(4000);
  });
});
