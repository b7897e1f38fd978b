// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what looks like a placeholder is shell
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { clearLine } from "../../../packages/shell-reading/clear/grammar.ts";
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
    [
      'for f in a b; do echo "== $f" x$f "${f}.bak"; done',
      [
        ["echo", "== a", "xa", "a.bak"],
        ["echo", "== b", "xb", "b.bak"],
      ],
    ],
    [
      'for f in src/*.ts; do cat "$f"; done',
      [
        ["ls", "-d", "src/*.ts"],
        ["cat", "src/*.ts"],
      ],
    ],
    ['echo $HOME "$HOME/a b" ${HOME}', [["echo", "/home/ada", "/home/ada/a b", "/home/ada"]]],
    ['echo "exit: $?"', [["echo", "exit: 0"]]],
    ["if ls; then pwd; elif id; then date; else true; fi; ls", [["ls"], ["pwd"], ["id"], ["date"], ["true"], ["ls"]]],
    ["ls *.ts -*", [["ls", "*.ts", "-*"]]],
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

it("a group is a shell of its own", () => {
  const line = clearLine("(cd a && ls) && (pwd)", HOME);
  const steps = "steps" in line ? line.steps : [];
  expect(steps.map(({ joinedBy, inner }) => [joinedBy, inner?.length])).toEqual([
    [";", 2],
    ["&&", 1],
  ]);
});

it("a comment is one where the shell isn't interactive", () => {
  const words = (text: string) => {
    const line = clearLine(text, HOME, true);
    return "unclear" in line
      ? line.unclear
      : line.steps.map(({ commands }) => commands[0]?.words.map(({ text: word }) => word));
  };
  expect(words("ls # $(x) 'all")).toEqual([["ls"]]);
  expect(words("# all\nls; # more\npwd")).toEqual([["ls"], ["pwd"]]);
  expect(words("ls | # first\nwc")).toEqual([["ls"]]);
  expect(words("if ls; then # yes\npwd; fi # no")).toEqual([["ls"], ["pwd"]]);
  for (const text of ["ls a#b", "ls \\\n# x\nnode x.js", "ls > # x", "(# x\nls)", "cat <<E # x\ny\nE", "# all"])
    expect(typeof words(text), text).toBe(text.startsWith("ls \\") ? "object" : "string");
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
    "((ls))",
    "()",
    "(ls",
    "(ls; )x",
    "(cat <<E)\nx\nE",
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
    "for f in *; do ls $f; done",
    'for f in "$?"; do ls; done',
    "for path in a; do ls; done",
    "for f in a; do for g in b; do ls; done; done",
    "for f in a; do ls > x | cat; done &",
    "for f in 'a b'; do ls $f; done",
    'for f in a; do cat "$f[1]"; done',
    "for f in a; do cat $f:h; done",
    "for f in a; do cat $fx; done",
    "for f in a; do $f; done",
    "for f in a; do ls > $f; done",
    "echo $HOME[1]",
    "echo $HOME:h",
    "$HOME",
    "cat < $?",
    "if ls; then ls; fi && ls",
    "if ls; then ls",
    "if ls; ls; fi",
    "if ls; then; fi",
    "ls && if ls; then ls; fi",
    "if ls; then cat <<E; fi\nx\nE",
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
