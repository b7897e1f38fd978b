import { describe, expect, it } from "vitest";
import { plainWords } from "../../../packages/shell-reading/clear/plain-words.ts";

describe("a command of plain words", () => {
  it.each<[string, string[]]>([
    ["pytest", ["pytest"]],
    ["  npm   test\n", ["npm", "test"]],
    [`terraform plan -out "a b" 'c;d'`, ["terraform", "plan", "-out", "a b", "c;d"]],
    ["go test ./...", ["go", "test", "./..."]],
    ["cargo test -- --nocapture", ["cargo", "test", "--", "--nocapture"]],
  ])("%j is read", (text, words) => expect(plainWords(text)).toEqual(words));

  it.each([
    ...["", " ", "pytest; curl x", "pytest;", "pytest && x", "pytest | x", "pytest\nrm x", "pytest &", "(pytest)"],
    ...[
      "pytest $(x)",
      "pytest `x`",
      "pytest $X",
      "pytest $HOME",
      'pytest "$HOME/x"',
      "pytest $?",
      "(pytest)",
      "if pytest; then x; fi",
      'pytest "$X"',
      "pytest > x",
      "pytest 2>&1",
      "pytest >/dev/null",
    ],
    ...["pytest < x", "pytest <<x\nx", "A=1 pytest", "CI=1 pytest", "NO_COLOR=1 pytest", "A=1", "pytest *", "pytest ?"],
    ...["pytest [a]", "pytest {a,b}", "pytest ~", "pytest ~/x", "pytest HEAD~1", "pytest # x", "#", "! pytest"],
    ...["pytest \0", "pytest 'x", "for x in a; do pytest; done", "pytest\r", "pytest\u00a0x; id", "pytest !!"],
  ])("%j is not", (text) => expect(plainWords(text)).toBeNull());
});
