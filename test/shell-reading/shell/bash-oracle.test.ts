// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what looks like a placeholder is shell
import { describe, expect, it } from "vitest";
import { readCommand } from "../../../packages/shell-reading/shell/read-command.ts";
import { bashTwin, type RecordedCall } from "../../support/bash-twin.ts";

// The oracle: a real bash calls its programs with the words of the reading. No program here is real: each only
// writes down its arguments, PATH holds nothing else, and no command names a program by its path.

const PROGRAMS = ["rm", "cat", "cp", "mv", "ls", "grep", "chmod", "touch"] as const;

const IN_ORDER = {
  "words and quotes": [
    "rm a b c",
    "rm 'a b' \"c d\" e",
    "rm a\\ b",
    "rm \"a'b\" 'c\"d'",
    "rm '' \"\" x",
    'rm a""b\'c\'"d"\\e',
    'rm "a\\$b" "a\\\\b" "a\\"b" "a\\nb" "a\\`b"',
    "rm a\\\nb",
    "rm \"a\\\nb\" 'a\\\nb'",
    "rm 'a\nb' \"c\nd\"",
    "rm \\*\\? '*' \"[a]\"",
    "rm -- -rf --",
    "rm a#b '#c' \\#d # comment",
    "r\\m x; 'r'm y; \"rm\" z",
    "rm $'a\\tb' $'\\x41\\u00e9' $'\\101\\0' $'it\\'s' $'\\e' $'a\\qb'",
    "rm $'\\cA' $'\\U1F600' $'\\x4142' $'\\7' \"$'a'\"",
    'rm $"hello" "$" $ a$ "a$"',
    "rm a=b -x=1 ./y",
    "rm !x 'a!b' a!b",
    "rm a\tb  c\t\td",
    "rm ];rm [;rm {}",
    "rm é '\u200b' 日本",
  ],
  braces: [
    "rm {a,b}c x{d,e}",
    "rm a{1..3} {c..a} {01..03} {1..10..4}",
    "rm {a,b}{1,2}",
    "rm {a} {} a{}b {a,b",
    "rm {a,{b,c}} {,x}",
    "rm '{a,b}' \"{a,b}\" \\{a,b\\} {a\\,b}",
    "rm x{a,'b c'}y x{\"d\",e}y",
    "rm ~/{a,b} ${X}{a,b}",
    "rm {-1..1} {a..e..2} {3..1}",
    "rm {a,b}.{c,d} {{a,b},c}",
    "rm a{b,c}d{e {a..} {..b}",
    "D='{a,b}'; rm $D",
  ],
  tildes: [
    "rm ~ ~/x ~/'a b'",
    'rm \'~\' "~" \\~ a~ ~"/x" "~/x"',
    "rm x=~ --f=~/x a:~",
    "D=~; rm $D ${D}/y",
    "D=a:~/b; rm $D",
    "D='~'; rm $D",
    "rm ~+ ~+/a",
    'rm ${X:-~} "${X:-~}"',
  ],
  variables: [
    'rm $HOME/x "$PWD" ${HOME}y',
    'D=x; rm $D "$D" \'$D\' ${D} ${D}y "${D}y" $D/z',
    'A="a  b"; rm $A "$A" x$A"y"',
    'rm $UNSET "$UNSET" x$UNSET',
    'rm ${X:-d} ${X-d} "${X:-a b}" ${X:-a b}',
    "X=; rm ${X-d} ${X:-d} x",
    "rm ${X:=e}; rm $X",
    'X=1; rm ${X:+alt} ${X+"a b"} ${Y:+no}',
    "D=abc; rm ${#D} ${D:1} ${D:1:1} ${D: -1} ${D:0:-1}",
    "D=a/b/c.tar.gz; rm ${D%/*} ${D%%/*} ${D#*/} ${D##*/} ${D%.*} ${D%%.*}",
    "D=banana; rm ${D/a/x} ${D//a/x} ${D/#b/x} ${D/%a/x} ${D//an}",
    "D=aBc; rm ${D^} ${D^^} ${D,,}",
    'A=(x \'y z\' w); rm ${A[0]} "${A[1]}" ${A[1]} "${A[@]}" ${#A[@]}',
    'A=(x y); A+=(z); rm "${A[@]}" "${A[*]}"',
    'A=(a b c); rm "${A[@]:1}" "${A[-1]}" p"${A[@]}"s',
    "D=a; D+=b; rm $D",
    "N=D; D=v; rm ${!N}",
    'IFS=:; P=a:b:c; rm $P "$P"',
    "IFS=,; P='a b,c'; rm $P",
    "P=' a  b '; rm x${P}y",
    'E=""; rm "$E"x $E"y" $E $E$E',
    'set -- a "b c"; rm "$@"; rm $@; rm "$*"; rm $# "$1" ${2}',
    "export V=1 W=2; rm $V$W",
    "declare -r R=r; readonly S=s; rm $R $S",
    "printf -v V '%s-%s' a b; rm $V",
    "V=a; V=b rm $V; rm $V",
    "V=a; unset V; rm x$V",
    "A=1 B=${A}2; rm $B",
    'rm $((1 + 2 * 3)) $((0x10)) $((7 / 2)) "$((2 ** 3))"',
    "i=4; rm $((i + 1)) $(($i * 2))",
    "V='a\\b'; rm $V; V=\"c'd\"; rm $V",
  ],
  "substitutions that only builtins answer": [
    'rm $(echo a b) "$(echo c d)"',
    'rm `echo a` "`echo b c`"',
    "rm $(printf '%s\\n' a b) x$(printf y)z",
    "D=$(echo /tmp/x); rm $D/y",
    "rm \"$(printf 'a\\n\\n')\"",
    "rm $(cd sub && pwd)",
  ],
  "what is run": [
    "rm a; rm b\nrm c",
    "rm a && rm b || false",
    "rm a & wait",
    "{ rm a; rm b; }",
    "(rm a; rm b)",
    "! rm a",
    "time rm a",
    "if true; then rm a; fi",
    "case x in x) rm a;; esac",
    "case ab in a*) rm a;; esac; [[ x == x ]] && rm b",
    "until true; do :; done; rm a",
    "eval 'rm a b'",
    "eval rm '\"a b\"' c",
    "X='rm a'; $X b",
    'X=rm; "$X" a; $X b',
    "command rm a",
    "command -- rm a",
    "builtin command rm a",
    "exec rm a",
    "exec -a other rm a",
    "X=1 Y=2 rm a",
    "rm a > out; > out rm b; rm c > 'o t' d 2>&1",
    "rm a 2> /dev/null >> out; rm b &> out; rm c <> out",
    "cat <<EOF\nrm x\nEOF\nrm a",
    "cat <<'EOF' > out; rm b\n$(rm x)\nEOF",
    "cat <<-EOF && rm b\n\t\tEOFx\n\tEOF",
    "cat <<< 'rm x' a",
    "shopt -s expand_aliases\nalias k='rm -f'\nk a",
    ": ${V:=a}; rm $V",
  ],
  directories: [
    "cd sub && rm a && cd .. && rm b",
    "cd sub && { rm a; rm b; }",
    "cd && rm a",
    "HOME=/ && cd && rm a ~/x",
    "(cd sub && rm a && rm b)",
    'D=sub && cd "$D" && rm ../a',
    "cd sub && rm a",
    "(cd sub && rm a); rm b",
    "cd ~ && cd work/sub && rm a",
    'cd -P ./sub/../sub// && rm a "$PWD"',
    "cd / && rm usr/*none",
    "cd sub && cd - > /dev/null && rm a",
  ],
} as const;

/** A `cd` may fail, a trap may run at any time: the reading holds all that is possible. What bash does is among it. */
const AMONG = [
  "trap 'rm a' EXIT; rm b",
  'set -- a b c; shift; rm "$@"',
  'f() { rm "$1" "$2"; }; f a \'b c\'',
  "f() { rm \"$@\" $#; }; f a 'b c'",
  "function f { local x=$1; rm $x; }; f a; f b",
  "cd sub; rm a; cd ..; rm b",
  "cd sub; (cd /; rm a); rm b",
  "cd; rm a",
  "pushd sub > /dev/null; rm a; popd > /dev/null; rm b",
  "f() { cd sub; }; f; rm a",
  "f() (cd sub; rm a); f; rm b",
  "HOME=/; cd; rm a ~/x",
  'D=sub; cd "$D"; rm ../a',
] as const;

/** The same, where some of the words are only known when it runs. */
const AMONG_UNKNOWN = ["read -r V W <<< 'a b c'; rm $V \"$W\"", "mapfile -t A <<< $'x\\ny'; rm \"${A[@]}\""] as const;

/** Programs of a pipeline start together, and a substitution's commands run out of the text's order. */
const IN_ANY_ORDER = [
  "cat a | grep 'b c' | rm d",
  "cat a |& grep b",
  "rm $(echo a; cat b) c",
  'rm "$(cat b)" c',
  "cat <(ls a) <(ls b)",
  "rm a & rm b; wait",
  "cat <<EOF\n$(rm x)\nEOF",
  ": $((1 + $(rm a; echo 2)))",
  "X=$(rm a) rm b",
] as const;

interface ReadCall {
  cwd: string | null;
  /** Null for a word that is known only by running it. */
  argv: (string | null)[];
}

function readCalls(command: string, home: string, cwd: string): { calls: ReadCall[]; unread: string | null } {
  const { commands, unread } = readCommand(command, { cwd, home });
  const calls = commands.map((one) => ({
    cwd: one.cwd,
    argv: one.argv.map((word) => (word.is_resolved && word.glob !== true ? word.text : null)),
  }));
  const isOurs = ({ argv }: ReadCall) => argv[0] === null || PROGRAMS.some((program) => program === argv[0]);
  return { calls: calls.filter(isOurs), unread };
}

/** True if `real` can be what `read` describes. An uncertain word may become any number of words. */
function fits(read: ReadCall, real: RecordedCall): boolean {
  if (read.cwd !== null && read.cwd !== real.cwd) return false;
  const first = read.argv.indexOf(null);
  if (first === -1) return JSON.stringify(read.argv) === JSON.stringify(real.argv);
  const after = read.argv.slice(read.argv.lastIndexOf(null) + 1);
  return (
    real.argv.length >= first + after.length &&
    read.argv.slice(0, first).every((word, at) => word === real.argv[at]) &&
    after.every((word, at) => word === real.argv[real.argv.length - after.length + at])
  );
}

const sortKey = ({ argv }: { argv: readonly (string | null)[] }) => JSON.stringify(argv);

describe("what the reading says is what bash does", () => {
  for (const [about, commands] of Object.entries(IN_ORDER)) {
    it.each(commands.map((command) => [command]))(`${about}: %j`, (command) => {
      const twin = bashTwin(PROGRAMS);
      const real = twin.run(command).calls;
      const { calls, unread } = readCalls(command, twin.home, twin.cwd);
      expect(unread).toBeNull();
      expect(real).not.toEqual([]);
      const isSame = calls.length === real.length && calls.every((one, at) => fits(one, real[at] as RecordedCall));
      expect(isSame ? real : calls).toEqual(real);
    });
  }

  it.each([...AMONG, ...AMONG_UNKNOWN].map((command) => [command]))("is among what is possible: %j", (command) => {
    const twin = bashTwin(PROGRAMS);
    const real = twin.run(command).calls;
    const { calls, unread } = readCalls(command, twin.home, twin.cwd);
    expect(unread).toBeNull();
    expect(real).not.toEqual([]);
    const wantsCertain = AMONG.some((one) => one === command);
    for (const one of real) {
      const isFound = calls.some((read) => fits(read, one) && !(wantsCertain && read.argv.includes(null)));
      expect(isFound ? one : calls).toEqual(one);
    }
  });

  it.each(IN_ANY_ORDER.map((command) => [command]))("together or out of order: %j", (command) => {
    const twin = bashTwin(PROGRAMS);
    const real = twin.run(command).calls.sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
    const { calls, unread } = readCalls(command, twin.home, twin.cwd);
    expect(unread).toBeNull();
    expect(real).not.toEqual([]);
    const waiting = [...calls];
    for (const one of real) {
      const at = waiting.findIndex((read) => fits(read, one));
      expect(at === -1 ? waiting : "found").toEqual(at === -1 ? one : "found");
      waiting.splice(at, 1);
    }
    expect(waiting).toEqual([]);
  });
});

describe("the oracle", () => {
  const all = Object.values(IN_ORDER).flat();

  it("has at least 60 commands, names no program by its path, and knows only recorders", () => {
    expect(all.length).toBeGreaterThanOrEqual(60);
    // A path where a program's name is expected.
    const path = /(^|[;&|({`]|\b(?:then|do|else|exec|command|builtin|eval)\s)\s*['"]?(?:\.{0,2}|~)\//;
    for (const command of [...all, ...AMONG, ...AMONG_UNKNOWN, ...IN_ANY_ORDER]) {
      expect(command).not.toMatch(path);
      expect(command).not.toMatch(/\/bin\b|\bsudo\b|\benv\b/);
    }
  });

  it("resolves most of it: the comparison isn't empty", () => {
    const certain = all.filter((command) => {
      const { calls } = readCalls(command, "/home/ada", "/home/ada/work");
      return calls.length > 0 && calls.every(({ argv }) => !argv.includes(null));
    });
    expect(certain.length).toBeGreaterThanOrEqual(all.length * 0.8);
  });

  it("notices a reading that is wrong", () => {
    const real = { cwd: "/a", argv: ["rm", "x y"] };
    expect(fits({ cwd: "/a", argv: ["rm", "x y"] }, real)).toBe(true);
    expect(fits({ cwd: "/a", argv: ["rm", "x", "y"] }, real)).toBe(false);
    expect(fits({ cwd: "/b", argv: ["rm", "x y"] }, real)).toBe(false);
    expect(fits({ cwd: null, argv: ["rm", null] }, real)).toBe(true);
    expect(fits({ cwd: null, argv: ["cp", null] }, real)).toBe(false);
    expect(fits({ cwd: null, argv: ["rm", null, "z"] }, real)).toBe(false);
  });

  it("bash finds nothing but the recorders", () => {
    const twin = bashTwin(PROGRAMS);
    expect(twin.run("env; sh -c 'rm x'; id").calls).toEqual([]);
    expect(twin.run("rm 'a b'").calls).toEqual([{ cwd: twin.cwd, argv: ["rm", "a b"] }]);
  });
});
