import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { guardShell } from "../../../main/decide/guard/shell/guard-shell.ts";
import { accessesOf } from "../../../packages/shell-reading/programs/accesses.ts";
import { argumentsOf, optionsKnown } from "../../../packages/shell-reading/programs/arguments.ts";
import { GIT_SUBCOMMANDS } from "../../../packages/shell-reading/programs/git.ts";
import type { CommandContext, Program } from "../../../packages/shell-reading/programs/program.ts";
import { PROGRAMS } from "../../../packages/shell-reading/programs/table.ts";
import { plainWord } from "../../../packages/shell-reading/word.ts";

/** An option means the same however it is written: that is what the records promise, for every program and every option. */

const HOME = "/home/ada";
const CONTEXT: CommandContext = { cwd: `${HOME}/project`, home: HOME, hasInput: false, looksAtDisk: false };

/** What an option's value may be: a file, a folder, a text, a name with a mark in it. */
const VALUES = ["v.txt", "dir/v", "/etc/v", ".", "-", "a=b", "@v.txt", "1"];
/** The text around it. */
const OPERANDS: readonly (readonly string[])[] = [[], ["a.txt"], ["a.txt", "b.txt"], ["s/a/b/", "a.txt", "b.txt"]];

const RECORDS: readonly (readonly [string, Program])[] = [
  ...PROGRAMS.map((program) => [program.names[0] ?? "", program] as const),
  ...GIT_SUBCOMMANDS.map((program) => [`git ${program.names[0]}`, program] as const),
];

type Kind = "flags" | "optional" | "valued";

interface KnownName {
  name: string;
  kind: Kind;
}

function optionsOf(program: Program): { short: readonly KnownName[]; long: readonly KnownName[] } {
  const all = [...optionsKnown(program)].map(([name, { kind }]): KnownName => {
    return { name, kind: kind === "flags" || kind === "optional" ? kind : "valued" };
  });
  return { short: all.filter(({ name }) => name.length === 2), long: all.filter(({ name }) => name.startsWith("--")) };
}

interface Seen {
  accesses: readonly string[];
  isClear: boolean;
}

/** What the guard sees of a command, and whether it could be cleared. */
function seenOf(program: Program, args: readonly string[]): Seen {
  const words = args.map((text) => plainWord(text, { start: 0, end: 0 }));
  const { accesses, unclear } = accessesOf(program, words, CONTEXT);
  const seen = accesses.map(({ word, copy_of, ...access }) =>
    JSON.stringify({ ...access, word: word === "here" ? word : `=${word.text}`, copy_of: copy_of?.text }),
  );
  return { accesses: seen.sort(), isClear: unclear === null };
}

/** The same options in front of the operands and behind them, for each of the operands and values. */
function forms(option: (value: string) => readonly string[]): (readonly string[])[] {
  return VALUES.flatMap((value) =>
    OPERANDS.flatMap((operands) => [
      [...option(value), ...operands],
      [...operands, ...option(value)],
    ]),
  );
}

/** A condition on all words as they are written may clear one way and not the other. */
const isClearAlike = ({ isClear }: Program, one: Seen, other: Seen): boolean =>
  isClear !== undefined || one.isClear === other.isClear;

/** Where the two ways of writing aren't seen alike; each as `ONE | OTHER`. */
function differences(
  program: Program,
  one: (value: string) => readonly string[],
  other: (value: string) => readonly string[],
  isRight: (program: Program, one: Seen, other: Seen) => boolean,
): string[] {
  const others = forms(other);
  return forms(one).flatMap((args, index) => {
    const given = others[index] ?? [];
    const [expected, seen] = [seenOf(program, args), seenOf(program, given)];
    const isSame = expected.accesses.join() === seen.accesses.join() && isRight(program, expected, seen);
    return isSame ? [] : [`${args.join(" ")} | ${given.join(" ")}`];
  });
}

const isNeverClear = (_program: Program, _one: Seen, other: Seen): boolean => !other.isClear;

/** Every beginning of a long option that no other known one has, and that isn't one itself. */
function abbreviationsOf(name: string, long: readonly KnownName[], { pairs = "" }: Program): string[] {
  return [...name.slice(0, -1)]
    .map((_, index) => name.slice(0, index + 1))
    .filter((text) => text.length > 2 && long.filter((one) => one.name.startsWith(text)).length === 1)
    .filter((text) => !pairs.split(" ").includes(text));
}

describe("every record's options", () => {
  it("are letters behind one dash, or words behind two", () => {
    const odd = RECORDS.flatMap(([label, program]) =>
      [...optionsKnown(program).keys()]
        .filter((name) => !/^-[^-]$|^--[a-z][\w.-]*$/i.test(name))
        .map((name) => `${label} ${name}`),
    );
    expect(odd).toEqual([]);
  });

  it("are many: the test sees them", () => {
    const count = (pick: (program: Program) => readonly KnownName[]) =>
      RECORDS.reduce((sum, [, program]) => sum + pick(program).length, 0);
    expect(count((program) => optionsOf(program).long)).toBeGreaterThan(1200);
    expect(count((program) => optionsOf(program).short)).toBeGreaterThan(900);
  });
});

const WITH_OPTIONS = RECORDS.filter(([, program]) => optionsKnown(program).size > 0);

describe.each(WITH_OPTIONS)("%s", (_label, program) => {
  const { short, long } = optionsOf(program);

  it("a long option's value is the same behind `=` and in the next word", () => {
    const found = long
      .filter(({ kind }) => kind === "valued")
      .flatMap(({ name }) =>
        differences(
          program,
          (value) => [name, value],
          (value) => [`${name}=${value}`],
          isClearAlike,
        ),
      );
    expect(found).toEqual([]);
  });

  it("a beginning of a long option that no other one has is seen as that option, and never clear", () => {
    const found = long.flatMap(({ name, kind }) =>
      abbreviationsOf(name, long, program).flatMap((text) => [
        ...(kind === "valued"
          ? differences(
              program,
              (value) => [name, value],
              (value) => [text, value],
              isNeverClear,
            )
          : differences(
              program,
              () => [name],
              () => [text],
              isNeverClear,
            )),
        ...(kind === "flags"
          ? []
          : differences(
              program,
              (value) => [`${name}=${value}`],
              (value) => [`${text}=${value}`],
              isNeverClear,
            )),
      ]),
    );
    expect(found).toEqual([]);
  });

  it("a short option's value is the same in the same word and in the next", () => {
    const found = short
      .filter(({ kind }) => kind === "valued")
      .flatMap(({ name }) =>
        differences(
          program,
          (value) => [name, value],
          (value) => [`${name}${value}`],
          isClearAlike,
        ),
      );
    expect(found).toEqual([]);
  });

  it("flags are the same apart and in a cluster, the last of which may take a value", () => {
    const flags = short.filter(({ kind }) => kind === "flags");
    const found = flags.flatMap((flag) =>
      short
        .filter(({ name, kind }) => name !== flag.name && kind !== "optional")
        // `-12` is a number where a program takes one.
        .filter(({ name }) => !(program.takesNumbers && /^-\d-\d$/.test(flag.name + name)))
        .flatMap(({ name, kind }) => {
          const cluster = flag.name + name.slice(1);
          const apart = [flag.name, name];
          const pairs: [readonly string[], readonly string[]][] =
            kind === "valued"
              ? [
                  [
                    [...apart, "v.txt"],
                    [cluster, "v.txt"],
                  ],
                  [[...apart, "v.txt"], [`${cluster}v.txt`]],
                ]
              : [[apart, [cluster]]];
          return pairs.flatMap(([one, other]) => {
            const [expected, seen] = [seenOf(program, [...one, "a", "b"]), seenOf(program, [...other, "a", "b"])];
            const isSame = expected.accesses.join() === seen.accesses.join() && isClearAlike(program, expected, seen);
            return isSame ? [] : [`${one.join(" ")} | ${other.join(" ")}`];
          });
        }),
    );
    expect(found).toEqual([]);
  });

  it("an option whose value may be left out takes one only in the same word", () => {
    const words = (texts: readonly string[]) => texts.map((text) => plainWord(text, { start: 0, end: 0 }));
    for (const { name } of [...short, ...long].filter(({ kind }) => kind === "optional")) {
      const apart = argumentsOf(program, words([name, "v.txt"]));
      expect([name, apart.operands.map(({ text }) => text), apart.options[0]?.value]).toEqual([
        name,
        ["v.txt"],
        undefined,
      ]);
      const joined = argumentsOf(program, words([name.startsWith("--") ? `${name}=v.txt` : `${name}v.txt`]));
      expect([name, joined.operands, joined.options[0]?.value?.text]).toEqual([name, [], "v.txt"]);
    }
  });
});

describe("several options at once", () => {
  it.each(WITH_OPTIONS)("%s: the way each is written changes nothing", (_label, program) => {
    const { short, long } = optionsOf(program);
    const valued = [...short, ...long].filter(({ kind }) => kind === "valued");
    const flags = [...short, ...long].filter(({ kind }) => kind === "flags");
    const written = (name: string, value: string, isJoined: boolean): string[] =>
      !isJoined ? [name, value] : [name.startsWith("--") ? `${name}=${value}` : name + value];
    const oneOf = (names: readonly KnownName[]) => fc.constantFrom(...names.map(({ name }) => name));
    const part = fc.oneof(
      ...(valued.length === 0
        ? []
        : [fc.record({ name: oneOf(valued), value: fc.constantFrom(...VALUES), isJoined: fc.boolean() })]),
      ...(flags.length === 0 ? [] : [fc.record({ name: oneOf(flags) })]),
      fc.record({ operand: fc.constantFrom("a.txt", "b.txt", "src") }),
    );
    const texts = (parts: readonly object[], isApart: boolean): string[] =>
      (parts as { name?: string; value?: string; isJoined?: boolean; operand?: string }[]).flatMap(
        ({ name = "", value, isJoined = false, operand }) => {
          if (operand !== undefined) return [operand];
          return value === undefined ? [name] : written(name, value, !isApart && isJoined);
        },
      );
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), (parts) => {
        const [joined, apart] = [seenOf(program, texts(parts, false)), seenOf(program, texts(parts, true))];
        expect(joined.accesses).toEqual(apart.accesses);
        expect(isClearAlike(program, apart, joined)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});

describe("options that name a folder here", () => {
  const isBlocked = (words: readonly string[]): boolean =>
    guardShell([...words], { home: HOME, cwd: `${HOME}/project` }).finding !== null;
  /** Each way to write an option, beginnings of a long one among them. */
  const ways = (name: string, value: string): (readonly string[])[] =>
    name.startsWith("--")
      ? [name, name.slice(0, -1), name.slice(0, 5)].flatMap((text) => [[text, value], [`${text}=${value}`]])
      : [[name, value], [name + value]];
  const optionsIn = (pick: (program: Program) => string | undefined) =>
    PROGRAMS.flatMap((program) =>
      program.names.flatMap((name) => (pick(program)?.split(" ") ?? []).map((option) => [name, option] as const)),
    );

  it.each(optionsIn(({ folderOptions }) => folderOptions))(
    "%s %s: what else it names is looked for in that folder",
    (name, option) => {
      for (const way of ways(option, "/")) {
        expect([way, isBlocked([name, ...way, "etc/shadow"])]).toEqual([way, true]);
        expect([way, isBlocked([name, ...way, "etc/motd"])]).toEqual([way, false]);
      }
      expect(isBlocked([name, "etc/shadow"])).toBe(false);
    },
  );

  it.each(optionsIn(({ volumeOptions }) => volumeOptions))(
    "%s %s: what a container gets is read as a whole",
    (name, option) => {
      for (const way of ways(option, `${HOME}:/home/x`)) {
        expect([way, isBlocked([name, "run", ...way, "image"])]).toEqual([way, true]);
      }
      for (const way of ways(option, `${HOME}/project:/home/x`)) {
        expect([way, isBlocked([name, "run", ...way, "image"])]).toEqual([way, false]);
      }
    },
  );
});
