import type { Word } from "../reading.ts";
import { wordOf } from "../word.ts";
import type { Access, Accesses, Program } from "./program.ts";

/** `find`: starting points, tests, and what is done with what is found. */

/** Tests and actions that take no word, and those that take one. What isn't here isn't clear. */
const PLAIN = new Set(
  `-empty -print -print0 -prune -depth -d -xdev -mount -readable -writable -executable -true -false -quit -ls -nouser
  -nogroup -daystart -noleaf -not -a -and -o -or ! , ( )`.split(/\s+/),
);
const VALUED = new Set(
  `-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname -type -size -mtime -atime -ctime -mmin -amin -cmin
  -maxdepth -mindepth -perm -user -group -regextype -links -inum -printf -newer -anewer -cnewer -samefile`.split(/\s+/),
);
/** Every test and action that a `find` may be cleared with: for the tests that look at all options. */
export const FIND_TESTS: readonly string[] = [...PLAIN, ...VALUED];
const NAMES_FILE = /^-(?:[ac]?newer|newer[aBcm]{2}|samefile)$/;
/** `-newerXY`: against another file's time, or against a date. */
const NEWER = /^-newer[aBcm][aBcmt]$/;
const DATA = /^-(?:newer[aBcm]t|i?name|i?path|i?wholename|i?regex|printf|type|size|perm|user|group)$/;
const EXEC = /^-(?:exec|execdir|ok|okdir)$/;

export const FIND_PROGRAMS: readonly Program[] = [
  {
    names: ["find"],
    // Mounts, what can be written, and whose it is are others in a box.
    about_machine: (args) =>
      args.some(({ text }) => /^-(?:writable|fstype|mount|xdev|user|group|nouser|nogroup|uid|gid)$/.test(text)),
    accesses: findAccesses,
    finds: foundBy,
    text_only: (args) => {
      const texts = args.map(({ text }) => text);
      return (
        !texts.some((text) => /^-(?:exec|execdir|ok|okdir|delete|fprint.*|fls)$/.test(text)) ||
        (texts.every((text) => !/^-(?:ok|okdir|delete|execdir|fprint.*|fls)$/.test(text)) &&
          texts.some((text, index) => text === "-exec" && /^(?:grep|wc|cat|head)$/.test(texts[index + 1] ?? "")))
      );
    },
  },
  {
    names: ["fd", "fdfind"],
    operands: ["pattern", "lists"],
    unclear: {
      flags: "-H -I -u -s -i -g -a -l -L -p -0 -1 -q --hidden --no-ignore --absolute-path --follow --full-path",
      text: "-e -t -d -E -c -S -j --extension --type --max-depth --exclude --size --changed-within --changed-before --owner",
    },
    tree: "always",
    guard_only: true,
  },
];

function findAccesses(args: readonly Word[]): Accesses {
  const { starts, tests, hasOptions } = partsOf(args);
  const data: Word[] = [];
  const accesses: Access[] = [];
  const runs: Word[][] = [];
  let unclear = hasOptions ? "an option before the starting points" : null;
  let deletes = false;
  for (let at = 0; at < tests.length; at++) {
    const { text } = tests[at] as Word;
    const next = tests[at + 1];
    if (EXEC.test(text)) {
      const end = tests.findIndex(
        ({ text: one }, index) => index > at && (one === ";" || (one === "+" && tests[index - 1]?.text === "{}")),
      );
      const command = tests.slice(at + 1, end === -1 ? undefined : end);
      const last = command.at(-1);
      // `{} +`: any number of names, of which the second may be another thing to the program than the first.
      runs.push(tests[end]?.text === "+" && last !== undefined ? [...command, last, last] : command);
      if (text !== "-exec" || end === -1) unclear ??= `${text} may do more`;
      at = end === -1 ? tests.length : end;
    } else if (VALUED.has(text) || NEWER.test(text)) {
      if (next === undefined) unclear ??= "a test without its value";
      else if (NAMES_FILE.test(text)) accesses.push({ kind: "list", word: next });
      else if (DATA.test(text)) data.push(next);
      at++;
    } else if (text === "-delete") {
      deletes = true;
      unclear ??= "what it finds is deleted";
    } else if (PLAIN.has(text)) continue;
    else {
      unclear ??= "a test or action that isn't known";
      if (/^-(?:fprintf?|fprint0|fls)$/.test(text) && next !== undefined) accesses.push({ kind: "write", word: next });
      if (next !== undefined && /^-files0-from$/.test(text)) accesses.push({ kind: "read", word: next });
    }
  }
  // What is run gets links as well as files, and follows them.
  const followsLinks = runs.length > 0 && !findsPlainFilesOnly(tests);
  const roots: (Word | "here")[] = starts.length === 0 ? ["here"] : starts;
  for (const word of roots) {
    accesses.push({
      kind: "list",
      word,
      is_tree: true,
      is_many: true,
      ...(followsLinks ? { follows_links: followsLinks } : {}),
    });
    if (deletes) accesses.push({ kind: "delete", word, is_tree: true, is_found: true });
  }
  return { accesses, unclear, data, ...(runs.length > 0 ? { runs } : {}) };
}

/** `-type f` comes before whatever is done with what is found, and nothing says "or" or "not". */
export function findsPlainFilesOnly(tests: readonly Word[]): boolean {
  const texts = tests.map(({ text }) => text);
  const at = texts.findIndex((text) => EXEC.test(text));
  const type = texts.indexOf("-type");
  return (
    type !== -1 &&
    (at === -1 || type < at) &&
    texts[type + 1] === "f" &&
    !texts.some((text) => /^(?:-o|-or|,|!|-not|\(|\))$/.test(text))
  );
}

function partsOf(args: readonly Word[]): { starts: Word[]; tests: readonly Word[]; hasOptions: boolean } {
  let at = 0;
  let hasOptions = false;
  while (/^-(?:[HLP]|O\d|D.*)$/.test(args[at]?.text ?? "")) {
    hasOptions ||= args[at]?.text !== "-P";
    at += args[at]?.text === "-D" ? 2 : 1;
  }
  const starts: Word[] = [];
  for (; at < args.length && !/^[-(!,]/.test(args[at]?.text ?? ""); at++) starts.push(args[at] as Word);
  return { starts, tests: args.slice(at), hasOptions };
}

/** The paths that a `find` may come to: its starting points, and what its tests leave of all that lies below them. */
export function foundBy(args: readonly Word[], span: { start: number; end: number }): Word[] {
  const { starts, tests } = partsOf(args);
  if (starts.length === 0) starts.push(wordOf([{ text: ".", kind: "text" }], span));
  const nameAt = tests.findIndex(({ text }) => text === "-name" || text === "-iname");
  const name =
    nameAt === -1 || tests.some(({ text }) => /^(?:-o|-or|,|!|-not)$/.test(text)) ? undefined : tests[nameAt + 1];
  const isFiltered = tests.some(({ text }) =>
    /^-(?:i?name|i?path|i?regex|type|size|[acm]time|[acm]min|newer.*|mindepth|perm|user|group|empty|maxdepth|i?wholename)$/.test(
      text,
    ),
  );
  const hasAll =
    !isFiltered ||
    (!tests.some(({ text }) =>
      /^-(?:i?name|i?path|i?regex|size|[acm]time|[acm]min|newer.*|perm|user|group|empty|i?wholename)$/.test(text),
    ) &&
      !tests.some(({ text }, index) => text === "-type" && tests[index + 1]?.text !== "d"));
  return starts.flatMap((start) => {
    const below = (last: Word["pieces"]) => wordOf([...start.pieces, { text: "/", kind: "text" }, ...last], span);
    if (name !== undefined)
      return [below([{ text: "**", kind: "glob" }, { text: "/", kind: "text" }, ...patternPieces(name)])];
    const everything = below([{ text: "*", kind: "glob" }]);
    const dotted = below([
      { text: ".", kind: "text" },
      { text: "*", kind: "glob" },
    ]);
    return hasAll ? [start, everything, dotted] : [below([{ text: "**", kind: "glob" }])];
  });
}

function patternPieces({ text }: Word): Word["pieces"] {
  return text
    .split(/([*?]|\[[^\]]+\])/)
    .filter((piece) => piece !== "")
    .map((piece) => ({ text: piece, kind: /^[*?[]/.test(piece) ? "glob" : "text" }) as const);
}
