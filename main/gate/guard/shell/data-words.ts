import type { SimpleCommand, Word } from "../../shell/reading.ts";

/**
 * Which words of a command are only data to it: printed, searched for, compared, kept as a message. They name no path and run
 * nothing. Where a program may do more with its words than this table says, it isn't in it.
 */
type Pick = (args: readonly Word[]) => readonly Word[];

const all: Pick = (args) => args;

/** The values of these options, and with `first` the first operand where none of `instead` is given. */
function picked(options: RegExp, more: { first?: boolean; instead?: RegExp; valued?: RegExp } = {}): Pick {
  return (args) => {
    const found: Word[] = [];
    let has_first = more.first === true && !args.some(({ text }) => more.instead?.test(text));
    let is_open = true;
    for (let at = 0; at < args.length; at++) {
      const word = args[at] as Word;
      const next = args[at + 1];
      if (is_open && word.text === "--") is_open = false;
      else if (is_open && options.test(word.text)) {
        if (word.text.includes("=") && word.text.startsWith("--")) found.push(word);
        else if (/^-\w{2,}$/.test(word.text) && !/^-[a-z]*[me]$/.test(word.text)) found.push(word);
        else if (next !== undefined) {
          found.push(next);
          at++;
        }
      } else if (is_open && more.valued?.test(word.text)) at++;
      else if (is_open && /^-./.test(word.text)) continue;
      else if (has_first) {
        found.push(word);
        has_first = false;
      }
    }
    return found;
  };
}

const SEARCH = picked(
  /^(?:-\w*e|--regexp(?:=.*)?|--(?:include|exclude|exclude-dir|glob|iglob|type|max-count|color|colour|context)(?:=.*)?|-[gtTABCm]\d*)$/s,
  {
    first: true,
    instead: /^(?:-\w*e|-\w*f|--regexp.*|--file.*|--files|--type-list)$/s,
  },
);
const MESSAGE = picked(/^(?:-[a-z]*m|--message(?:=.*)?|--author(?:=.*)?|--date(?:=.*)?|--trailer(?:=.*)?)$/s);
const LOG = picked(
  /^(?:-S|-G|--grep(?:=.*)?|--author(?:=.*)?|--committer(?:=.*)?|--format(?:=.*)?|--pretty(?:=.*)?|--since(?:=.*)?|--until(?:=.*)?|-S.+|-G.+)$/s,
);

const JQ = picked(/^--(?:arg|argjson)$/, { first: true, instead: /^(?:-f|--from-file.*)$/ });

const PICKS: Readonly<Record<string, Pick>> = {
  echo: all,
  printf: all,
  ":": all,
  true: all,
  false: all,
  // `man ./a` shows the file.
  man: (args) => args.filter(({ text }) => !text.includes("/")),
  info: (args) => args.filter(({ text }) => !text.includes("/")),
  apropos: all,
  whatis: all,
  which: all,
  whereis: all,
  type: all,
  help: all,
  tldr: all,
  basename: all,
  dirname: all,
  seq: all,
  date: (args) => args.filter(({ text }) => text.startsWith("+")),
  expr: all,
  export: (args) => args.filter(({ text }) => /^[A-Za-z_]\w*=/.test(text)),
  grep: SEARCH,
  egrep: SEARCH,
  fgrep: SEARCH,
  rg: SEARCH,
  ag: SEARCH,
  sed: picked(/^(?:-\w*e|--expression(?:=.*)?)$/s, {
    first: true,
    instead: /^(?:-\w*e|-\w*f|--expression.*|--file.*)$/s,
  }),
  jq: (args) =>
    args.some(({ text }) => /\b(?:import|include|input_filename|modulemeta)\b/.test(text)) ? [] : JQ(args),
  tr: all,
  cut: picked(/^-[dfcb]$/),
  test: compared,
  "[": compared,
  "[[": compared,
  find: picked(/^-(?:i?name|i?path|i?wholename|i?regex|printf|type|size|perm|user|group)$/),
  fd: picked(/^-[eE]$/, { first: true }),
  pgrep: all,
  ps: all,
  git: gitWords,
  gh: picked(
    /^(?:-[tbqRBHla]|--(?:title|body|notes|jq|search|repo|base|head|label|assignee|json|template|message)(?:=.*)?)$/s,
  ),
  "metnos-gate": (args) =>
    args[0]?.text === "guard" || args[0]?.text === "vaglio" || args[0]?.text === "explain" ? args : [],
  alias: all,
  trap: (args) => args.slice(0, 1),
  getent: all,
  command: (args) => (/^-[vV]$/.test(args[0]?.text ?? "") ? args.slice(1) : []),
  unset: all,
};

function compared(args: readonly Word[]): readonly Word[] {
  const found: Word[] = [];
  for (const [index, { text }] of args.entries()) {
    if (/^(?:=|==|!=|=~|<|>|-eq|-ne|-lt|-le|-gt|-ge)$/.test(text))
      found.push(...args.slice(Math.max(0, index - 1), index + 2));
    if (text === "-n" || text === "-z") found.push(...args.slice(index + 1, index + 2));
  }
  // `[[ ... ]]` comes without its operators: two words are compared, one is tested.
  return found;
}

function gitWords(args: readonly Word[]): readonly Word[] {
  let at = 0;
  while (/^-/.test(args[at]?.text ?? "")) at += /^-[cC]$/.test(args[at]?.text ?? "") ? 2 : 1;
  const rest = args.slice(at + 1);
  switch (args[at]?.text) {
    case "commit":
    case "tag":
    case "merge":
    case "stash":
    case "notes":
    case "revert":
    case "cherry-pick":
      return MESSAGE(rest);
    case "log":
    case "shortlog":
    case "rev-list":
    case "show":
    case "diff":
      return LOG(rest);
    case "grep":
      return SEARCH(rest);
    case "config":
      return [];
    default:
      return [];
  }
}

const NONE: ReadonlySet<Word> = new Set();

/** The words of `command` that are only data to it. */
export function dataWords(command: SimpleCommand): ReadonlySet<Word> {
  if (!Object.hasOwn(PICKS, command.name)) return NONE;
  return new Set(PICKS[command.name]?.(command.argv.slice(1)) ?? []);
}

/** Programs that do nothing with what they read or are told but print, search, count, compare or keep it. */
const TEXT_ONLY: ReadonlySet<string> = new Set([
  ...[
    "",
    "echo",
    "printf",
    ":",
    "true",
    "false",
    "cat",
    "tac",
    "head",
    "tail",
    "wc",
    "sort",
    "uniq",
    "cut",
    "tr",
    "nl",
    "fold",
    "column",
    "paste",
    "rev",
  ],
  ...[
    "grep",
    "egrep",
    "fgrep",
    "rg",
    "ag",
    "jq",
    "test",
    "[",
    "[[",
    "cd",
    "pwd",
    "ls",
    "mkdir",
    "touch",
    "tee",
    "diff",
    "cmp",
    "comm",
    "less",
    "more",
    "stat",
    "file",
    "date",
    "seq",
  ],
  ...[
    "man",
    "info",
    "apropos",
    "whatis",
    "which",
    "whereis",
    "type",
    "help",
    "tldr",
    "command",
    "git",
    "gh",
    "find",
    "sed",
    "basename",
    "dirname",
    "exit",
    "set",
    "sleep",
    "getent",
    "metnos-gate",
    "lsblk",
    "df",
    "pgrep",
    "ps",
    "unset",
    "read",
    "export",
  ],
]);

/** True if nothing that the program is given as text can be run by it. */
export function isTextOnly(command: SimpleCommand): boolean {
  const { name, argv } = command;
  if (!TEXT_ONLY.has(name) || command.is_guess) return false;
  const texts = argv.map(({ text }) => text);
  if (texts[0]?.includes("/") && !/^\/(?:usr\/)?(?:local\/)?s?bin\//.test(texts[0])) return false;
  switch (name) {
    case "git":
      return (
        /^(?:commit|tag|log|grep|add|status|diff|show|rev-list|shortlog)$/.test(texts[1] ?? "") &&
        !texts.some((text) => /^--(?:ext-diff|open-files-in-pager)|^-O/.test(text))
      );
    case "find":
      return (
        !texts.some((text) => /^-(?:exec|execdir|ok|okdir|delete|fprint.*|fls)$/.test(text)) ||
        (command.via.length === 0 &&
          texts.every((text) => !/^-(?:ok|okdir|delete|execdir)$/.test(text)) &&
          texts.some((text, index) => text === "-exec" && /^(?:grep|wc|cat|head)$/.test(texts[index + 1] ?? "")))
      );
    case "sed":
      return !texts.some(
        (text) => /(?:^|[;{}\d$/])\s*[ewW]\b|\/[gpiIm\d]*[ew]/.test(text) || /^-\w*f|^--file/.test(text),
      );
    case "rg":
      return !texts.some((text) => /^--(?:pre|hostname-bin)/.test(text));
    case "sort":
      return !texts.some((text) => text.startsWith("--comp"));
    case "less":
    case "more":
      return false;
    case "man":
      return !texts.some((text) => /^-(?:P|H|-pager|-html)/.test(text));
    default:
      return true;
  }
}
