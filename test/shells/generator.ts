// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what looks like a placeholder is shell
import fc, { type Arbitrary } from "fast-check";
import { compound } from "./grammar.ts";
import {
  CHANGES_ON_THE_WAY,
  FILES,
  FOLDERS,
  GLOBS,
  HOSTILE_PATHS,
  HOSTILE_WORDS,
  NEW_FILES,
  OPTIONS,
  ORDINARY,
  PATTERNS,
  PAYLOADS,
  TRICKS,
} from "./material.ts";

/** Command lines from a grammar larger than the one that the gate clears: ordinary ones, ordinary ones with a change, and tricks. */

const SLOTS: Readonly<Record<string, Arbitrary<string>>> = {
  file: mostly(FILES, HOSTILE_PATHS),
  dir: mostly(FOLDERS, HOSTILE_PATHS),
  new: mostly(NEW_FILES, HOSTILE_PATHS),
  glob: mostly(GLOBS, HOSTILE_PATHS),
  pat: mostly(PATTERNS, HOSTILE_PATHS),
  n: fc.integer({ min: 1, max: 80 }).map(String),
  cmd: fc.constantFrom(...PAYLOADS),
};

function mostly(ordinary: readonly string[], hostile: readonly string[]): Arbitrary<string> {
  return fc.oneof(
    { weight: 14, arbitrary: fc.constantFrom(...ordinary) },
    { weight: 1, arbitrary: fc.constantFrom(...hostile) },
  );
}

/** The templates, with each `@name@` replaced by something of that name. */
function filled(templates: readonly string[]): Arbitrary<string> {
  return fc.constantFrom(...templates).chain((template) => {
    const parts = template.split(/@(\w+)@/);
    const arbitraries = parts.map((part, index) => (index % 2 === 0 ? fc.constant(part) : (SLOTS[part] ?? SLOTS.cmd)));
    return fc.tuple(...arbitraries.map((one) => one ?? fc.constant(""))).map((texts) => texts.join(""));
  });
}

const hostileWord = fc.oneof(filled(HOSTILE_WORDS), fc.constantFrom(...HOSTILE_PATHS));

/** A program with its options, in any order. */
const optioned: Arbitrary<string> = fc.constantFrom(...Object.keys(OPTIONS)).chain((program) => {
  const option = filled(OPTIONS[program] ?? [""]);
  const operand = fc.oneof(
    { weight: 4, arbitrary: filled(["@file@", "@dir@", "@file@ @file@", "@pat@ @file@"]) },
    { weight: 1, arbitrary: filled(["@glob@", "@new@", "-- @file@", "< @file@"]) },
  );
  const words = fc.array(fc.oneof({ weight: 3, arbitrary: option }, { weight: 2, arbitrary: operand }), {
    minLength: 1,
    maxLength: 4,
  });
  return words.map((list) => [program, ...list].join(" "));
});

/** One change to a line: what is changed, at which two places, and what is put there. */
type Change = (line: string, at: number, other: number, word: string) => string;

const CHARACTERS = [
  ...";&|<>$`\"'\\*?[]{}()!#~=-+,:@%^./ \t\n\r\v\f",
  ...[
    "\u00a0",
    "\u2028",
    "\u0085",
    "\u001b",
    "é",
    "&&",
    "||",
    ">>",
    "<<<",
    "$(",
    "$((",
    "${",
    "\\\n",
    " -",
    " --",
    "=~",
  ],
];

const onWords =
  (change: (words: string[], at: number, other: number, word: string) => void): Change =>
  (line, at, other, word) => {
    // Words and the text between them, by turns.
    const parts = line.split(/(\s+)/);
    const words = parts.filter((_, index) => index % 2 === 0);
    change(words, at % words.length, other % words.length, word);
    const gaps = parts.filter((_, index) => index % 2 === 1);
    return words.map((text, index) => text + (gaps[index] ?? (index + 1 < words.length ? " " : ""))).join("");
  };

const inWord = (change: (text: string, other: number) => string): Change =>
  onWords((words, at, other) => {
    words[at] = change(words[at] ?? "", other);
  });

/** Changes that often leave an allowed line allowed. */
const SMALL_CHANGES: readonly Change[] = [
  onWords((words, at, other) => {
    [words[at], words[other]] = [words[other] ?? "", words[at] ?? ""];
  }),
  onWords((words, at) => words.splice(at, 0, words[at] ?? "")),
  onWords((words, at) => words.splice(at, 1)),
  onWords((words, at, other) => words.splice(at, 0, words[other] ?? "")),
  // Long options: shorter, with their value joined or apart.
  inWord((text, other) => (/^--\w/.test(text) ? text.slice(0, 3 + (other % Math.max(1, text.length - 3))) : text)),
  (line) => line.replace(/(--[\w-]+)=/, "$1 "),
  (line) => line.replace(/(--[\w-]+) (?!-)/, "$1="),
  (line) => line.replace(/ (-\w) (?!-)/, " $1"),
  (line) => line.replace(/ -(\w)(\w)/, " -$1 -$2"),
  (line) => line.replace(/ -(\w+) -(\w)/, " -$1$2"),
  // Other ways to write the same word.
  inWord((text) => (text.includes("'") ? text : `'${text}'`)),
  inWord((text) => (/["$`\\]/.test(text) ? text : `"${text}"`)),
  inWord((text, other) => `${text.slice(0, other % (text.length + 1))}\\${text.slice(other % (text.length + 1))}`),
  inWord((text, other) => `${text.slice(0, other % (text.length + 1))}''${text.slice(other % (text.length + 1))}`),
  inWord((text) => `$'${text}'`),
  inWord((text) => `$"${text}"`),
  inWord((text, other) => (text.length > 2 ? `${text.slice(0, 1 + (other % (text.length - 1)))}*` : text)),
  inWord((text, other) => {
    const at = other % Math.max(1, text.length);
    return text.length === 0 ? text : `${text.slice(0, at)}?${text.slice(at + 1)}`;
  }),
  inWord((text) => (/^\w/.test(text) ? `./${text}` : text)),
  inWord((text) => (/^\w/.test(text) ? `src/../${text}` : text)),
  inWord((text) => (/^\w/.test(text) ? `inner/../${text}` : text)),
  // White space.
  (line, at) => line.replace(" ", at % 2 === 0 ? "\t" : "  "),
  (line) => line.replace(" ", " \\\n"),
  (line) => `  ${line} `,
  (line) => `${line}\n`,
  (line) => line.replace(/ (\S+)$/, " -- $1"),
  (line) => line.replace(/ /, " -- "),
];

/** Changes that put something there that an ordinary line doesn't have. */
const HOSTILE_CHANGES: readonly Change[] = [
  onWords((words, at, _, word) => words.splice(at + 1, 0, word)),
  onWords((words, at, _, word) => {
    words[at] = word;
  }),
  onWords((words, at, _, word) => {
    words[at] += word;
  }),
  onWords((words, at, _, word) => {
    words[at] = word + words[at];
  }),
  inWord((text, other) => {
    const at = other % (text.length + 1);
    return text.slice(0, at) + (CHARACTERS[other % CHARACTERS.length] ?? "") + text.slice(at);
  }),
  (line, at, other) => {
    const where = at % (line.length + 1);
    return line.slice(0, where) + (CHARACTERS[other % CHARACTERS.length] ?? "") + line.slice(where);
  },
  (line, at, _, word) => `${line} ${[">", ">>", "<", "2>", "<<<", "<>", ">|", "&>", ">&", "3<"][at % 10]} ${word}`,
  (line, _at, _other, word) => `${word} ${line}`,
  (line, _at, _other, word) => `x=${word} ${line}`,
  (line, _at, _other, word) => `x=${word}; ${line} $x`,
  (line, _at, _other, word) => `for x in ${word}; do ${line} $x; done`,
  (line, _at, _other, word) => `case ${word} in *) ${line};; esac`,
  (line, _at, _other, word) => `[[ ${word} ]] && ${line}`,
  (line, _at, _other, word) => `set -- ${word}; ${line} "$@"`,
  (line, _at, _other, word) => `printf '%s\\n' ${word} | xargs ${line}`,
  (line, _at, _other, word) => `echo ${word} | ${line}`,
  (line, _at, _other, word) => `${line} <<EOF\n${word}\nEOF`,
  (line, _at, _other, word) => `${line} <<'EOF'\n${word}\nEOF`,
  (line, _at, _other, word) => `${line} # ${word}`,
  (line) => line.replaceAll(" ", "\u00a0"),
  (line) => line.replaceAll("\n", "\r\n"),
];

const change: Arbitrary<Change> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...SMALL_CHANGES) },
  { weight: 2, arbitrary: fc.constantFrom(...HOSTILE_CHANGES) },
);

function changed(base: Arbitrary<string>, minLength: number, maxLength: number): Arbitrary<string> {
  const place = fc.nat({ max: 1000 });
  const changes = fc.array(fc.tuple(change, place, place, hostileWord), { minLength, maxLength });
  return fc
    .tuple(base, changes)
    .map(([line, list]) => list.reduce((text, [apply, at, other, word]) => apply(text, at, other, word), line));
}

const ordinary = filled(ORDINARY);

const joined: Arbitrary<string> = fc
  .tuple(
    ordinary,
    fc.constantFrom(" && ", " || ", "; ", " | ", "\n", " & ", ";", "&&", "|", " |& ", " ; "),
    fc.oneof(
      { weight: 5, arbitrary: ordinary },
      { weight: 2, arbitrary: optioned },
      { weight: 1, arbitrary: filled(TRICKS) },
    ),
  )
  .map((parts) => parts.join(""));

/** A command line, with a payload or without. */
const commandLine: Arbitrary<string> = fc.oneof(
  { weight: 12, arbitrary: ordinary },
  { weight: 22, arbitrary: changed(ordinary, 1, 3) },
  { weight: 14, arbitrary: optioned },
  { weight: 8, arbitrary: changed(optioned, 1, 2) },
  { weight: 10, arbitrary: changed(joined, 0, 2) },
  { weight: 9, arbitrary: filled(TRICKS) },
  { weight: 4, arbitrary: changed(filled(CHANGES_ON_THE_WAY), 0, 1) },
  { weight: 8, arbitrary: changed(filled(TRICKS), 1, 2) },
  { weight: 16, arbitrary: compound(fc.oneof(ordinary, optioned, filled(TRICKS), SLOTS.cmd ?? ordinary), hostileWord) },
);

/** The same lines for the same seed. */
export function generateLines(count: number, seed: number): string[] {
  return fc.sample(commandLine, { numRuns: count, seed });
}
