import type { Word } from "../reading.ts";
import { wordOf } from "../word.ts";
import { byRoles } from "./accesses.ts";
import { argumentsOf, hasOption, isAmong, valuesOf } from "./arguments.ts";
import type { Access, Accesses, CommandContext, Program } from "./program.ts";

/** Programs that sort and edit text. `sed`, `awk` and `jq` have languages of their own: what is clear of these is a closed list. */

const SED: Program = {
  names: ["sed", "gsed"],
  options: {
    flags: "-n -E -r -s -u -z --quiet --silent --regexp-extended --separate --unbuffered --null-data --posix --debug",
    text: "-e --expression",
    optional: "-i --in-place",
  },
  unclear: { flags: "--follow-symlinks --sandbox", optional: "-I", text: "-l --line-length", reads: "-f --file" },
  accesses: sedAccesses,
  text_only: (args) =>
    !args.some(({ text }) => /(?:^|[;{}\d$/])\s*[ewW]\b|\/[gpiIm\d]*[ew]/.test(text) || /^-\w*f|^--file/.test(text)),
};

const AWK: Program = {
  names: ["awk", "gawk", "mawk", "nawk"],
  operands: ["pattern", "reads"],
  options: { text: "-F" },
  unclear: {
    text: "-v --assign --field-separator",
    reads: "-f -i -E --file --include --exec",
    flags: "-l --load -n -O -s -S -t -V -W",
  },
  accesses: awkAccesses,
};

const JQ: Program = {
  names: ["jq"],
  optionsAnywhere: true,
  operands: ["pattern", "reads"],
  options: {
    flags: `-r -c -n -e -s -S -C -M -a -j -R --raw-output --compact-output --null-input --exit-status --slurp --sort-keys --color-output
      --monochrome-output --ascii-output --join-output --raw-input --tab --stream --seq --unbuffered`,
    text: "--indent",
  },
  unclear: {
    reads: "-f --from-file -L --library-path",
    flags: "--args --jsonargs --run-tests --build-configuration",
    text: "--slurpfile --rawfile",
  },
  pairs: "--arg --argjson",
  accesses: jqAccesses,
  text_only: true,
};

export const TEXT_PROGRAMS: readonly Program[] = [
  {
    names: ["sort"],
    optionsAnywhere: true,
    operands: ["reads"],
    options: {
      flags: `-b -d -f -g -h -i -M -n -R -r -V -c -C -m -s -u -z --ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort
        --human-numeric-sort --ignore-nonprinting --month-sort --numeric-sort --random-sort --reverse --version-sort --merge --stable --unique --zero-terminated`,
      optional: "--check",
      text: "-k -t --key --field-separator --sort",
      writes: "-o --output",
    },
    unclear: {
      flags: "--debug",
      text: "-S --buffer-size --parallel --batch-size --compress-program",
      reads: "--files0-from --random-source",
      writes: "-T --temporary-directory",
    },
    text_only: (args) => !args.some(({ text }) => text.startsWith("--comp")),
  },
  {
    names: ["uniq"],
    operands: ["reads", "writes"],
    options: {
      flags: "-c -d -D -u -i -z --count --repeated --unique --ignore-case --zero-terminated",
      optional: "--all-repeated --group",
      text: "-f -s -w --skip-fields --skip-chars --check-chars",
    },
    text_only: true,
  },
  SED,
  AWK,
  JQ,
  { names: ["perl", "ruby"], accesses: inPlaceAccesses, guard_only: true },
];

/** A set of characters that every sed and awk ends at the same bracket. */
const SET = String.raw`\[\^?(?:[A-Za-z0-9_ .,-]|\[:[a-z]+:\])+\]`;
const pattern = (delimiter: string): string => String.raw`(?:\\[^\n]|${SET}|[^${delimiter}\\\n[])*`;
const replacement = (delimiter: string): string => String.raw`(?:\\[^\n]|[^${delimiter}\\\n])*`;
const substitution = (delimiter: string): string => {
  const mark = delimiter === "|" ? String.raw`\|` : delimiter;
  return `s${mark}${pattern(delimiter)}${mark}${replacement(delimiter)}${mark}[gpiIm\\d]*`;
};
const ADDRESS = String.raw`(?:\d+(?:~\d+)?|\$|\+\d+|/${pattern("/")}/[IM]*)`;
// Blanks may follow what is there alone: side by side they would be tried in all ways.
const STEP = String.raw`\s*(?:${ADDRESS}\s*(?:,\s*${ADDRESS}\s*)?(?:!\s*)?)?(?:(?:\{|[pdqQ=nNPDgGhHxlF](?:\s*\d+)?|${["/", "|", "#", ","].map(substitution).join("|")}|y/(?:\\[^\n]|[^/\\\n[])*/(?:\\[^\n]|[^/\\\n[])*/)\s*)?(?:\}\s*)?`;
/** A sed script that only selects, deletes and replaces: no file, no command. */
const SED_STEP = new RegExp(`${STEP}(?:[;\\n}]|$)`, "y");

function isPlainSed(script: string): boolean {
  let at = 0;
  for (let count = 0; at < script.length; count++) {
    SED_STEP.lastIndex = at;
    const match = SED_STEP.exec(script);
    if (match === null || match[0] === "" || count > 200) return false;
    at = SED_STEP.lastIndex;
  }
  return true;
}

function sedAccesses(args: readonly Word[]): Accesses {
  const given = argumentsOf(SED, args);
  // Of several the last one counts.
  const inPlace = given.options.findLast(({ name }) => /^(?:-i|-I|--in-place)$/.test(name));
  const scripts = valuesOf(given, "-e --expression");
  const hasScript = scripts.length > 0 || hasOption(given, "-f --file");
  const files = hasScript ? given.operands : given.operands.slice(1);
  const script = scripts.length > 0 ? scripts.map(({ text }) => text).join("\n") : given.operands[0]?.text;
  const isPlain = script !== undefined && !hasOption(given, "-f --file") && isPlainSed(script);
  const accesses: Access[] = [
    ...valuesOf(given, "-f --file").map((word): Access => ({ kind: "read", word })),
    ...(isPlain ? [] : [...given.operands, ...scripts].flatMap(filesInScript)),
  ];
  for (const word of files) {
    accesses.push({ kind: "read", word, is_many: true });
    if (inPlace === undefined) continue;
    accesses.push({ kind: "write", word });
    const suffix = inPlace.value?.text ?? "";
    if (suffix !== "") accesses.push({ kind: "write", word: backupOf(word, suffix) });
  }
  return {
    accesses,
    unclear: given.unclear ?? sedUnclear(inPlace?.value, inPlace !== undefined, isPlain),
    data: hasScript ? scripts : given.operands.slice(0, 1),
  };
}

function sedUnclear(suffix: Word | undefined, isInPlace: boolean, isPlain: boolean): string | null {
  if (isInPlace && !/^\.[A-Za-z0-9]{1,16}$/.test(suffix?.text ?? ""))
    return "-i without a suffix: GNU and BSD read what follows differently";
  return isPlain ? null : "a script that may read, write or run more";
}

/** GNU: the suffix, or with `*` in it a pattern for the name. */
function backupOf(word: Word, suffix: string): Word {
  const slash = word.text.lastIndexOf("/") + 1;
  if (!suffix.includes("*")) return wordOf([...word.pieces, { text: suffix, kind: "text" }], word);
  const name = suffix.replaceAll("*", word.text.slice(slash));
  return wordOf([{ text: suffix.includes("/") ? name : word.text.slice(0, slash) + name, kind: "text" }], word);
}

/** What an awk program may be made of: it prints fields and counts. No pipe, no redirection, no call but these, no variable that opens a file. */
const AWK_WORDS = new Set(
  `print printf length substr tolower toupper index split sub gsub match int if else for in next exit while BEGIN END NR NF FNR FS OFS ORS RS
  FILENAME sum count total max min avg seen key val line out`.split(/\s+/),
);
const AWK_TOKEN =
  /\s+|[A-Za-z_]\w*|\d+(?:\.\d+)?|"(?:[^"\\\n]|\\[nt"\\/])*"|\/(?:\[\^?(?:[A-Za-z0-9_ .,-]|\[:[a-z]+:\])+\]|[^/\\\n[]|\\.)+\/|&&|\|\||>=|[-+*%=!<>,;:?(){}[\]$~^]/y;
/** Where a slash begins an expression; anywhere else it divides. */
const BEFORE_EXPRESSION = new Set(["", "(", ",", "{", "}", ";", "!", "~", "&&", "||"]);

function isPlainAwk(program: string): boolean {
  let before = "";
  let depth = 0;
  for (let at = 0; at < program.length; ) {
    AWK_TOKEN.lastIndex = at;
    const token = AWK_TOKEN.exec(program)?.[0];
    if (token === undefined) return false;
    at += token.length;
    if (/^\s/.test(token)) continue;
    if (/^[A-Za-z_]/.test(token) && !AWK_WORDS.has(token) && !/^[a-z]$/.test(token)) return false;
    if (token.startsWith("/") && !BEFORE_EXPRESSION.has(before)) return false;
    if (token === "{") depth++;
    if (token === "}") depth--;
    // In an action `>` may write a file; in the pattern before it, it compares.
    if (token === ">" && depth > 0) return false;
    before = token;
  }
  return true;
}

function awkAccesses(args: readonly Word[], context: CommandContext): Accesses {
  const given = argumentsOf(AWK, args);
  const { accesses, unclear, data } = byRoles(AWK, args, context, given);
  const [program, ...files] = given.operands;
  // `NAME=value` among the files sets a variable.
  const isPlain = program !== undefined && isPlainAwk(program.text) && files.every(({ text }) => !text.includes("="));
  return { accesses, unclear: unclear ?? (isPlain ? null : "a program that may do more than print"), data };
}

/** jq's own functions that only look at their input: no environment, no other file, no module. */
const JQ_WORDS = new Set(
  `keys keys_unsorted values length map map_values select has in inside contains startswith endswith ltrimstr rtrimstr split join test match capture
  scan sub gsub ascii_downcase ascii_upcase tostring tonumber type sort sort_by group_by unique unique_by min max min_by max_by add any all first last
  nth range floor ceil round sqrt pow log flatten reverse recurse paths leaf_paths path del delpaths getpath setpath to_entries from_entries with_entries not and or if then
  elif else end as reduce foreach empty error null true false tojson fromjson index rindex indices limit until while isvalid numbers strings objects arrays
  booleans nulls iterables scalars utf8bytelength implode explode tostream fromstream walk transpose splits ascii todate fromdate now
  strptime mktime`.split(/\s+/),
);
/** Functions that read more than the input: never taken for a key, which is recognised by what is around it. */
const JQ_READS_MORE = new Set(
  "env input inputs debug stderr halt halt_error import include modulemeta input_filename input_line_number get_search_list".split(
    " ",
  ),
);
const JQ_TOKEN =
  /\s+|"(?:[^"\\]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"|\.[A-Za-z_]\w*|[A-Za-z_]\w*|\$[a-z][a-z_0-9]*|@(?:csv|tsv|json|text|html|uri|sh|base64|base64d)\b|\d+(?:\.\d+)?|[-+*/%=!<>|,;:?(){}[\].]/y;

/** Characters: what is around each key is looked at. */
const MAX_JQ = 4096;
/** Filters in strings of filters. */
const MAX_JQ_DEPTH = 8;

/** True if nothing but what is listed is in it, nor in what its strings put in: `"\\(.name)"`. */
function isPlainJq(text: string, depth = 0): boolean {
  if (text.length > MAX_JQ) return false;
  const filter = withoutInterpolations(text, depth);
  if (filter === null) return false;
  let before = "";
  for (let at = 0; at < filter.length; ) {
    JQ_TOKEN.lastIndex = at;
    const token = JQ_TOKEN.exec(filter)?.[0];
    if (token === undefined) return false;
    at += token.length;
    if (/^\s/.test(token)) continue;
    // `{env: 1}` and `{env}` name a key; anywhere else a word is a function.
    const isKey =
      !JQ_READS_MORE.has(token) &&
      /^[{,]$/.test(before) &&
      /^\s*(?::(?!:)|[,}])/.test(filter.slice(at)) &&
      isInObject(filter, at - token.length);
    if (/^[A-Za-z_]/.test(token) && !JQ_WORDS.has(token) && !isKey) return false;
    before = token;
  }
  return true;
}

/** The filter without what its strings put in, which is looked at by itself; null where that isn't plain. */
function withoutInterpolations(filter: string, depth: number): string | null {
  let plain = "";
  let inString = false;
  for (let at = 0; at < filter.length; at++) {
    const character = filter[at] ?? "";
    if (character === '"') inString = !inString;
    if (!inString || character !== "\\") {
      plain += character;
      continue;
    }
    const next = filter[++at] ?? "";
    if (next !== "(") {
      plain += character + next;
      continue;
    }
    const end = interpolationEnd(filter, at + 1);
    if (end === -1 || depth >= MAX_JQ_DEPTH || !isPlainJq(filter.slice(at + 1, end), depth + 1)) return null;
    at = end;
  }
  return inString ? null : plain;
}

/** Where the parenthesis closes that opened before `from`, with strings and their own interpolations on the way; or -1. */
function interpolationEnd(filter: string, from: number): number {
  /** What is open: a parenthesis, an interpolation, a string. */
  const open: string[] = ["("];
  for (let at = from; at < filter.length; at++) {
    const character = filter[at] ?? "";
    const inString = open.at(-1) === '"';
    if (character === '"') {
      if (inString) open.pop();
      else open.push(character);
    } else if (inString && character === "\\") {
      if (filter[++at] === "(") open.push("(");
    } else if (!inString && character === "(") open.push(character);
    else if (!inString && character === ")") {
      open.pop();
      if (open.length === 0) return at;
    }
  }
  return -1;
}

/** True if the nearest bracket that is open at `end` is a brace. */
function isInObject(filter: string, end: number): boolean {
  const open: string[] = [];
  for (const token of filter.slice(0, end).match(/"(?:[^"\\]|\\.)*"|[({[\]})]/g) ?? []) {
    if (/^[({[]$/.test(token)) open.push(token);
    else if (/^[)}\]]$/.test(token)) open.pop();
  }
  return open.at(-1) === "{";
}

function jqAccesses(args: readonly Word[], context: CommandContext): Accesses {
  const rest: Word[] = [];
  const data: Word[] = [];
  let odd: string | null = null;
  // `--arg NAME VALUE` takes two words.
  for (let at = 0; at < args.length; at++) {
    const word = args[at] as Word;
    if (isAmong(word.text, JQ.pairs)) {
      // Behind an option that takes a word, or behind `--`, it is that word or an operand.
      const isPlain = !/^--(?:indent)?$/.test(args[at - 1]?.text ?? "") && /^[a-z]\w*$/i.test(args[at + 1]?.text ?? "");
      if (!isPlain || rest.some(({ text }) => text === "--")) odd = "an argument that may be another one";
      data.push(...args.slice(at + 1, at + 3));
      at += 2;
    } else rest.push(word);
  }
  const given = argumentsOf(JQ, rest);
  const hasFile = hasOption(given, "-f --from-file");
  const program: Program = hasFile ? { ...JQ, operands: ["reads"] } : JQ;
  const said = byRoles(program, rest, context, given);
  const [filter] = given.operands;
  const isPlain = !hasFile && filter !== undefined && !filter.glob && isPlainJq(filter.text);
  const loads = args.some(({ text }) => /\b(?:import|include|input_filename|modulemeta)\b/.test(text));
  return {
    accesses: [...said.accesses, ...(filter === undefined ? [] : modulesOf(filter))],
    unclear: odd ?? said.unclear ?? (isPlain ? null : "a filter that may read more"),
    data: loads ? [] : [...said.data, ...data],
  };
}

/** jq takes data from NAME.json in the folder that a search names. */
function modulesOf(filter: Word): Access[] {
  return [...filter.text.matchAll(/import\s+"([^"]+)"\s+as\s+\$\w+\s*\{\s*"?search"?\s*:\s*"([^"]+)"/g)].map(
    ([, name = "", folder = ""]) => ({
      kind: "read",
      word: wordOf([{ text: `${folder}/${name}.json`, kind: "text" }], filter),
    }),
  );
}

/** `perl -pi -e CODE FILE`: the files are written. */
function inPlaceAccesses(args: readonly Word[]): Accesses {
  if (!args.some(({ text }) => /^-[A-Za-z]*i/.test(text))) return { accesses: [], unclear: null, data: [] };
  const files: Word[] = [];
  for (let at = 0; at < args.length; at++) {
    const word = args[at] as Word;
    if (/^-[A-Za-z]*[eE]$/.test(word.text)) at++;
    else if (!word.text.startsWith("-")) files.push(word);
  }
  return { accesses: files.map((word) => ({ kind: "write", word })), unclear: null, data: [] };
}

/** The files that a script itself reads and writes, as far as they look like paths: of one that isn't plain, any letter may be a command. */
function filesInScript(word: Word): Access[] {
  return [...word.text.matchAll(/([rRwW])\s*(?=([~/.][^\n;}]*))/g)].map(([, command = "", name = ""]) => ({
    kind: /r/i.test(command) ? "read" : "write",
    word: wordOf([{ text: name, kind: "text" }], word),
  }));
}
