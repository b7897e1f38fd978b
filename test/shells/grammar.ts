// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what looks like a placeholder is shell
import fc, { type Arbitrary } from "fast-check";

/** Compound commands of bash, zsh and dash, and the words in them. */

const NAMES = "x y a i IFS PATH HOME RANDOM SECRET_TOKEN @ * 1 # ? a[0] a[@]".split(" ");

/** What follows the name in `${name...}`; `%w` is a word. */
const OPERATORS = [
  ...[
    "",
    ":-%w",
    "-%w",
    ":=%w",
    "=%w",
    ":?%w",
    "?%w",
    ":+%w",
    "+%w",
    "#%w",
    "##%w",
    "%%w",
    "%%%w",
    "/%w/%w",
    "//%w/%w",
  ],
  ...["/#%w/%w", "/%%w/%w", ":%w", ":%w:%w", ":0:1", ": -1", "^", "^^", ",", ",,", "^%w", "^^%w", ",%w", ",,%w", "@P"],
  ...["@Q", "@E", "@A", "@a", "@U", "@K", "[%w]", "[@]", "[*]:%w", "~", ":t", ":h", ":e", "[(r)%w]", "[1,%w]"],
];

const LITERALS = "foo b.txt src -n -l cat echo ls a 1 0 docs/api.md .. / x.sh pwned".split(" ");

const text = (...parts: (string | Arbitrary<string>)[]): Arbitrary<string> =>
  fc.tuple(...parts.map((part) => (typeof part === "string" ? fc.constant(part) : part))).map((all) => all.join(""));

/** Lines of compound commands around `simple` ones, with `hostile` words among theirs. */
export function compound(simple: Arbitrary<string>, hostile: Arbitrary<string>): Arbitrary<string> {
  const { line } = fc.letrec<{ line: string; command: string; word: string; piece: string; math: string }>((tie) => {
    const [line, command, word, math] = [tie("line"), tie("command"), tie("word"), tie("math")];
    const name = fc.constantFrom(...NAMES);
    const expansion = fc
      .tuple(fc.constantFrom("", "", "", "#", "!", "(e)", "(P)", "="), name, fc.constantFrom(...OPERATORS), word, word)
      .map(([before, of, operator, first, second]) =>
        ["${", before, of, operator.replace("%w", () => first).replace("%w", () => second), "}"].join(""),
      );
    const words = fc.array(word, { minLength: 1, maxLength: 3 }).map((list) => list.join(" "));
    return {
      piece: fc.oneof(
        { maxDepth: 4, depthSize: "small" },
        fc.constantFrom(...LITERALS),
        hostile,
        text("'", fc.constantFrom(...LITERALS, "$(touch pwned)", "a b", "`touch pwned`"), "'"),
        text('"', fc.constantFrom(...LITERALS, "$x", "$SECRET_TOKEN", "\\$x", "$@"), '"'),
        text("$", name),
        expansion,
        text('"', expansion, '"'),
        text("$(", line, ")"),
        text('"$(', line, ')"'),
        text("`", command, "`"),
        text("<(", command, ")"),
        text("$((", math, "))"),
        text("{", word, ",", word, "}"),
        fc.constantFrom(
          "*",
          "?",
          "[a-z]*",
          "*.txt",
          ".*",
          "**",
          "~",
          "~+",
          "@(a|b)*",
          "!(x)",
          "<->",
          "(#i)b.TXT",
          "=ls",
        ),
        fc.constantFrom("$'\\n'", "$'\\x2d'", "$'\\''", '$"a"', "\\\n", "\\ ", "\\$", "{1..3}", "{}", "$$", "$_"),
      ),
      word: fc.oneof(
        { maxDepth: 4, depthSize: "small" },
        { weight: 4, arbitrary: tie("piece") },
        { weight: 1, arbitrary: text(tie("piece"), tie("piece")) },
      ),
      math: fc.oneof(
        { maxDepth: 4, depthSize: "small" },
        fc.constantFrom("1", "i", "x", "a[0]", "x=1", "i++", "1+1", "x?1:2", "010", "16#ff"),
        text("a[", word, "]"),
        text(math, fc.constantFrom("+", "*", ",", "<", "&&", "="), math),
        word,
      ),
      command: fc.oneof(
        { maxDepth: 5, depthSize: "small" },
        { weight: 8, arbitrary: simple },
        {
          weight: 3,
          arbitrary: text(fc.constantFrom("cat ", "ls ", "echo ", "head -1 ", "wc -l ", "test ", ": "), words),
        },
        text(fc.constantFrom("x", "y", "a", "a[0]", "a[1]", "i"), fc.constantFrom("=", "+="), word),
        text("a=(", words, ")"),
        text("x=", word, " ", simple),
        text("( ", line, " )"),
        text("{ ", line, "; }"),
        text("if ", command, "; then ", line, "; else ", line, "; fi"),
        text("for x in ", words, "; do ", line, "; done"),
        text("for x in ", words, "; do cat $x; done"),
        text("for x in ", words, '; do echo "$x"; done'),
        text("for ((i=0; i<2; i++)); do ", line, "; done"),
        text("while ", command, "; do ", line, "; break; done"),
        text("until ", command, "; do ", line, "; break; done"),
        text("select x in ", words, "; do ", line, "; done"),
        text("case ", word, " in ", word, ") ", line, ";; *) ", line, ";; esac"),
        text("case ", word, " in ", word, "|b) ", line, ";& c) ", line, "; esac"),
        text("[[ ", word, " ", fc.constantFrom("==", "=~", "-eq", "<", "-ef"), " ", word, " ]]"),
        text("[ ", word, " ", fc.constantFrom("=", "-eq", "!=", "-a", "-nt"), " ", word, " ]"),
        text("(( ", math, " ))"),
        text("f() { ", line, "; }; f ", word),
        text("cat <<EOF\n", word, "\nEOF"),
        text("cat <<'EOF'\n", word, "\nEOF"),
        text('cat <<-E"O"F\n\t', word, "\n\tEOF"),
        text("cat <<EOF\n", word),
        text("cat <<< ", word),
        text(command, fc.constantFrom(" > ", " >> ", " < ", " 2> ", " &> ", " >| ", " <> ", " >& ", " 3> "), word),
        text(command, fc.constantFrom(" 2>&1", " 2>/dev/null", " >&2", " <&-", " < /dev/null")),
        text("eval ", word),
        text("! ", command),
        text("time ", command),
        text("printf '%s\\n' ", words, " | xargs ", fc.constantFrom("", "-0 ", "-n1 ", "-I{} ", "-d, "), "cat"),
        text("find . -name ", word, " -exec cat {} ", fc.constantFrom("\\;", "+")),
        text("set -- ", words, '; cat "$@"'),
        text("read x <<< ", word, "; cat $x"),
        text("alias ls=", word, "\nls"),
        text("cd ", word, " && ", command),
      ),
      line: fc.oneof(
        { maxDepth: 5, depthSize: "small" },
        { weight: 4, arbitrary: command },
        {
          weight: 1,
          arbitrary: text(command, fc.constantFrom(" && ", " || ", "; ", " | ", "\n", " & ", " |& "), command),
        },
      ),
    };
  });
  return line.filter((one) => one.length < 4000);
}
