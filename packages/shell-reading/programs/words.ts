import type { Word } from "../reading.ts";
import type { Program } from "./program.ts";

/** Programs that print or compare what they are given, and touch no file. */

const NUMBER = /^-?\d{1,15}$/;

const onlyNumbers = (args: readonly Word[]): boolean => args.every(({ text }) => NUMBER.test(text));

/**
 * zsh evaluates what a number's format or test gets as arithmetic, in which an index runs commands: only texts are printed, and
 * only plain numbers compared.
 */
function isPlainFormat(args: readonly Word[]): boolean {
  const [format] = args[0]?.text === "--" ? args.slice(1) : args;
  const isKnown = format !== undefined && format.glob !== true && !format.text.startsWith("-");
  return isKnown && /^(?:[^%\\]|%(?:-?[1-9]\d{0,3})?s|%%|\\[nt])*$/.test(format.text);
}

/** `echo` expands backslashes in dash and zsh. */
const hasNoBackslash = (args: readonly Word[]): boolean => args.every(({ text }) => !text.includes("\\"));

export const WORD_PROGRAMS: readonly Program[] = [
  {
    names: ["echo"],
    operands: ["text"],
    options: { flags: "-n" },
    unclear: { flags: "-e -E" },
    accesses: (args) => ({ accesses: [], unclear: null, data: args }),
    isClear: hasNoBackslash,
    printsWords: true,
    text_only: true,
  },
  {
    names: ["printf"],
    operands: ["text"],
    accesses: (args) => ({ accesses: [], unclear: null, data: args }),
    isClear: isPlainFormat,
    printsWords: true,
    text_only: true,
  },
  {
    names: ["true", "false", ":"],
    text_only: true,
    data: (args) => args,
  },
  {
    names: ["exit"],
    changesShell: true,
    operands: ["text"],
    isClear: onlyNumbers,
    takesStatus: true,
    text_only: true,
  },
  {
    names: ["sleep"],
    operands: ["text"],
    isClear: (args) => args.every(({ text }) => /^\d{1,9}(?:\.\d{1,9})?[smh]?$/.test(text)),
    text_only: true,
  },
  {
    names: ["seq"],
    operands: ["text"],
    options: { flags: "-w", text: "-s -f --separator --format" },
    text_only: true,
    data: (args) => args,
    isClear: (args) => args.every(({ text }) => /^[-\w.,: ]*$/.test(text)),
  },
  {
    names: ["basename", "dirname"],
    operands: ["text"],
    options: { flags: "-a -z --multiple --zero", text: "-s --suffix" },
    printsWords: true,
    text_only: true,
    data: (args) => args,
  },
  {
    names: ["expr"],
    operands: ["text"],
    guard_only: true,
    data: (args) => args,
  },
  {
    names: ["tr"],
    operands: ["text"],
    options: { flags: "-c -C -d -s -t --complement --delete --squeeze-repeats --truncate-set1" },
    text_only: true,
    data: (args) => args,
  },
  {
    names: ["test", "["],
    about_machine: asksWritable,
    accesses: (args) => ({ accesses: testedFiles(args), unclear: testUnclear(args), data: compared(args) }),
    takesStatus: true,
    text_only: true,
  },
  {
    // Reads differently in each shell, and evaluates what it compares.
    names: ["[["],
    about_machine: asksWritable,
    accesses: (args) => ({
      accesses: [
        ...testedFiles(args),
        ...args
          .filter(({ text }) => /^[\w./~-]+$/.test(text) && !text.startsWith("-"))
          .map((word) => ({ kind: "list" as const, word })),
      ],
      unclear: "[[ evaluates what it compares",
      data: compared(args),
    }),
    text_only: true,
    guard_only: true,
  },
];

const FILE_TEST = /^-[bcdefghkprsuwxLS]$/;
const FILES_TEST = /^-(?:nt|ot|ef)$/;

/** `-f FILE`, `-n TEXT`, `A = B`, `1 -lt 2`, each perhaps behind `!`: whatever else `test` takes, shells read differently. */
function testUnclear(given: readonly Word[]): string | null {
  const words = given.map(({ text }) => text);
  const inner = words.at(-1) === "]" ? words.slice(0, -1) : words;
  const [first = "", second = "", third = "", ...more] = inner[0] === "!" ? inner.slice(1) : inner;
  const count = inner.length - (inner[0] === "!" ? 1 : 0);
  const isPlain = (text: string) => !/^[-!()<>=]/.test(text);
  if (more.length > 0) return "a test of many parts";
  if (count === 2 && (FILE_TEST.test(first) || /^-[nz]$/.test(first)) && isPlain(second)) return null;
  if (count === 3 && isPlain(first) && isPlain(third)) {
    if (/^(?:=|!=)$/.test(second) || FILES_TEST.test(second)) return null;
    if (/^-(?:eq|ne|lt|le|gt|ge)$/.test(second) && NUMBER.test(first) && NUMBER.test(third)) return null;
  }
  return "a test that shells may read differently";
}

function testedFiles(args: readonly Word[]) {
  return args.flatMap((word, index) => {
    if (FILES_TEST.test(word.text))
      return args
        .filter((_, other) => Math.abs(other - index) === 1)
        .map((one) => ({ kind: "list" as const, word: one }));
    const next = args[index + 1];
    return /^-[abcdefghkprstuwxGLNOS]$/.test(word.text) && next !== undefined && next.text !== "]"
      ? [{ kind: "list" as const, word: next, is_one: true as const }]
      : [];
  });
}

function compared(args: readonly Word[]): readonly Word[] {
  const found: Word[] = [];
  for (const [index, { text }] of args.entries()) {
    if (/^(?:=|==|!=|=~|<|>|-eq|-ne|-lt|-le|-gt|-ge)$/.test(text))
      found.push(...args.slice(Math.max(0, index - 1), index + 2));
    if (text === "-n" || text === "-z") found.push(...args.slice(index + 1, index + 2));
  }
  return found;
}

/** In a box that can't write it, nothing is. */
function asksWritable(args: readonly Word[]): boolean {
  return args.some(({ text }) => text === "-w");
}
