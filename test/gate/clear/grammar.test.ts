// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what looks like a placeholder is shell
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { clearLine } from "../../../main/gate/clear/grammar.ts";
import { cpuMs } from "../../support/measured.ts";

const HOME = "/home/ada";

/** The words of each command of a clear line; the reason where it isn't clear. */
function wordsOf(text: string): string[][] | string {
  const line = clearLine(text, HOME);
  return "unclear" in line
    ? line.unclear
    : line.steps.flatMap(({ commands }) => commands.map(({ words }) => words.map((word) => word.text)));
}

describe("what the grammar reads", () => {
  it.each<[string, string[][]]>([
    ["ls -la src", [["ls", "-la", "src"]]],
    ["cat 'a b' \"c d\" e\\ f", [["cat", "a b", "c d", "e f"]]],
    ["cat ~/a ~", [["cat", "/home/ada/a", "/home/ada"]]],
    ["ls | wc -l && pwd || true; id", [["ls"], ["wc", "-l"], ["pwd"], ["true"], ["id"]]],
    ["ls \\\n  src", [["ls", "src"]]],
    [
      'for f in a b; do cat $f "$f"; done',
      [
        ["cat", "a", "a"],
        ["cat", "b", "b"],
      ],
    ],
    ["cat <<'EOF' | wc\n$X `y`\nEOF\nls", [["cat"], ["wc"], ["ls"]]],
    ["LC_ALL=C sort a", [["sort", "a"]]],
    ['cat "a\\"b\\$c\\d"', [["cat", 'a"b$c\\d']]],
    ["grep -E 'a|b$' x", [["grep", "-E", "a|b$", "x"]]],
    ["git diff HEAD~2 HEAD^", [["git", "diff", "HEAD~2", "HEAD^"]]],
  ])("%j", (text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });

  it("redirections by what they do: those between outputs touch no file", () => {
    const line = clearLine("sort < a >> b 2> c 2>&1 >&2", HOME);
    const redirects = "steps" in line ? line.steps[0]?.commands[0]?.redirects : undefined;
    expect(redirects?.map(({ kind, target }) => `${kind} ${target.text}`)).toEqual(["read a", "write b", "write c"]);
  });
});

describe("what is not in it", () => {
  it.each([
    "echo $X",
    "echo `x`",
    "echo $(x)",
    "echo ${x}",
    "echo $((1))",
    "echo $'a'",
    'echo $"a"',
    'echo "$X"',
    'echo "a!b"',
    "(ls)",
    "{ ls; }",
    "ls &",
    "ls & pwd",
    "! ls &",
    "f() { ls; }",
    "if ls; then ls; fi &",
    "case a in a) ls;; esac",
    "ls # all",
    "# all\nls",
    "cat <<< x",
    "cat <<EOF\n$X\nEOF",
    "cat <<EOF\nx",
    "cat <<-EOF\nx\nEOF",
    "ls > $X",
    "ls &> a",
    "ls >| a",
    "cat <> a",
    "ls 3> a",
    "> a",
    "cat < <(x)",
    "ls *.ts",
    "ls -*",
    "ls .*",
    "ls .[.]/a",
    "ls a[!b]",
    "ls a[^b]",
    "ls {a,b}",
    "ls a{1..2}",
    "cat =ls",
    "cat ~root/a",
    "cat ~+",
    "x=1",
    "PATH=. ls",
    "LC_ALL=/x ls",
    "'ls'",
    "l\\s",
    "a=b ls",
    "ls\r",
    "ls \0",
    "ls \u2028",
    "ls \ud800",
    "for f in *; do ls; done",
    "for path in a; do ls; done",
    "for f in a; do for g in b; do ls; done; done",
    "for f in a; do ls > x | cat; done &",
    "for f in 'a b'; do ls $f; done",
    "for f in a; do cat x$f; done",
    "for f in a; do LC_ALL=C ls; done",
    "ls 'a",
    'ls "a',
    "ls;;",
    "ls |",
    "&& ls",
    "",
    "ls a(b)",
    "ls a~b",
    "cat a#b",
    "ls é",
    "ls | | wc",
    "ls \\a",
  ])("%j", (text) => {
    const line = clearLine(text, HOME);
    // A keyword is a program that no table knows: the grammar reads it as a word.
    const first = "steps" in line ? line.steps[0]?.commands[0]?.words[0]?.text : undefined;
    expect(["unclear" in line, first === "if" || first === "case"]).toContain(true);
  });
});

describe("whatever it is given", () => {
  it("it doesn't throw, and its offsets are in the text", () => {
    const piece = fc.oneof(
      fc.string({ maxLength: 6 }),
      fc.constantFrom(
        "'",
        '"',
        "\\",
        "<<'E'\n",
        "E\n",
        "for f in a; do ",
        "; done",
        "$f",
        "*",
        "[a-z]",
        " | ",
        " && ",
        "> x",
        "2>&1",
        "~/",
        "\n",
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const text = pieces.join("");
        const line = clearLine(text, HOME);
        if ("unclear" in line) {
          expect(line.at >= 0 && line.at <= text.length).toBe(true);
          return;
        }
        for (const { commands } of line.steps)
          for (const { start, end } of commands) expect(start >= 0 && start <= end && end <= text.length).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });

  it("it is read in linear time", () => {
    for (const text of [
      "'".repeat(60_000),
      "a|".repeat(30_000),
      "<<'E' ".repeat(10_000),
      "*".repeat(60_000),
      `for f in ${"a ".repeat(30_000)}`,
    ]) {
      expect(cpuMs(() => clearLine(text, HOME))).toBeLessThan(1000);
    }
  });
});
