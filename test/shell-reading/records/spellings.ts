import type { Seeded } from "../../../fuzz/seeded.ts";
import { isAmong, optionsKnown } from "../../../packages/shell-reading/programs/arguments.ts";
import { FIND_TESTS } from "../../../packages/shell-reading/programs/find.ts";
import type { Program, Role } from "../../../packages/shell-reading/programs/program.ts";
import { EXAMPLES } from "../programs/examples.ts";

/** Command lines that hand each option of a program's record a new file name, in each form that the option can be written in. */

/** What stands for a new name, of which each line has its own. */
export const NEW = "@new@";

/** Operands that make a program do its work, by what its record takes them for. */
const OPERAND: Readonly<Record<Role, readonly string[]>> = {
  reads: ["a.txt", "src", ""],
  lists: ["src", "a.txt", ""],
  writes: [NEW],
  deletes: ["b.txt", "empty"],
  modes: ["b.txt"],
  host: ["http://127.0.0.1:9/x"],
  pattern: ["foo"],
  text: ["x", "1", ""],
  object: ["", "HEAD"],
  command: ["true"],
  copies: [`a.txt ${NEW}`, `src ${NEW}`],
  moves: [`b.txt ${NEW}`],
  links: [`a.txt ${NEW}`],
};

/** Operands of programs with a language, or with forms, of their own. */
const OWN_OPERANDS: Readonly<Record<string, readonly string[]>> = {
  sed: ["s/foo/bar/ b.txt", `-n p ${NEW}`],
  awk: ["'{ print $1 }' b.txt", `'{ print }' ${NEW}`],
  jq: [". c.json", `. ${NEW}`],
  xxd: ["a.txt", `a.txt ${NEW}`],
  cmp: ["a.txt b.txt"],
  comm: ["a.txt b.txt"],
  diff: ["a.txt b.txt", "src docs"],
  uniq: ["a.txt", `a.txt ${NEW}`],
  chmod: ["600 b.txt"],
  test: ["-f a.txt"],
  "[": ["-f a.txt ]"],
  find: ["src", "", "src -type f"],
  seq: ["3"],
  date: ["+%Y"],
  sleep: ["0"],
  tr: ["a b"],
  ps: ["", "aux", "-eo pid,args"],
  lsof: ["-i :3000", "-ti:3000", "-nP -i", "-nP -iTCP -sTCP:LISTEN"],
  netstat: ["-tlnp", "-an"],
  gh: ["pr view 1 -R ada/project", "run list"],
  "git stash": ["list", "show"],
  "git remote": ["", "get-url origin"],
  "git worktree": ["list"],
  "git config": ["--local --list", "--get user.name"],
  "git commit": ["-m x", "-m x b.txt"],
  "git add": ["b.txt", "src", "-A"],
  "git mv": [`src/a.ts ${NEW}`],
  "git rm": ["src/a.ts"],
  "git check-ignore": ["a.txt"],
  "git cat-file": ["HEAD", "-p HEAD:a.txt"],
  "git merge-base": ["HEAD main"],
  "git blame": ["a.txt"],
  "git log": ["", "-p", "-- a.txt"],
  "git diff": ["", "HEAD~1", "-- b.txt"],
  "git show": ["", "HEAD:a.txt"],
  "git ls-tree": ["HEAD"],
  "git diff-tree": ["HEAD"],
  "git branch": ["", NEW],
  "git tag": ["", NEW],
  "git version": [""],
};

/** Forms of options that no record lists, as the program takes them apart by itself. */
const OWN_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  xxd: "-a -b -c -C -d -e -E -g -i -l -n -o -p -ps -plain -postscript -R -s -u -v".split(" "),
  find: FIND_TESTS,
  test: [..."bcdefghkprsuwxLSnzaotGNO"].map((letter) => `-${letter}`),
  printf: ["-v"],
  cd: ["-L", "-P"],
};

/** Values of an option: a new name, and one that most options with a value take, so that the program comes to its work. */
const VALUES = [NEW, "1"];

/** Every line of a program under one of its names; `name` may be two words (`git log`). */
export function linesOf(program: Program, name: string): string[] {
  const known = [...optionsKnown(program)].map(([option, { kind }]) => ({ option, isFlag: kind === "flags" }));
  for (const option of OWN_OPTIONS[program.names[0] ?? ""] ?? []) known.push({ option, isFlag: false });
  const bases = operandsOf(program, name);
  const lines = new Set<string>();
  const add = (...words: string[]) => lines.add([name, ...words].filter((word) => word !== "").join(" "));
  for (const operands of bases) add(operands);
  const letters = known.filter(({ option, isFlag }) => isFlag && /^-\w$/.test(option)).map(({ option }) => option[1]);
  for (const { option, isFlag } of known) {
    const [first = "", ...others] = bases;
    const othersLetters = letters.filter((letter) => letter !== option[1]).slice(0, 2);
    for (const form of formsOf(option, isFlag, othersLetters.join(""))) {
      add(form, first);
      add(first, form);
    }
    // What is only done to a folder, to the input, or in another form.
    const whole = isFlag ? option : `${option}${option.startsWith("--") ? "=" : ""}${NEW}`;
    for (const operands of others) for (const form of new Set([option, whole])) add(form, operands);
    if (isAmong(option, program.tree)) add(option, "src");
  }
  return [...lines];
}

/** What a value may begin with, so that some program takes it for more than a text. */
const MARKED = [NEW, `@${NEW}`, `x=${NEW}`, `./${NEW}`, "1", "a.txt"];

/** For each option a line in which another one is beside it: one may say what the other means. */
export function pairsOf(program: Program, name: string, random: Seeded): string[] {
  const known = [...optionsKnown(program)].filter(([, { isClear }]) => isClear);
  const bases = operandsOf(program, name);
  const given = ([option, { kind }]: (typeof known)[number]): string => {
    if (kind === "flags" || (kind === "optional" && random.chance(0.5))) return option;
    const blank = kind === "optional" ? "" : " ";
    const joint = option.startsWith("--") ? (random.chance(0.5) ? "=" : blank || "=") : random.chance(0.5) ? "" : blank;
    return `${option}${joint}${random.pick(MARKED)}`;
  };
  return known.map((option) => {
    const words = [given(option), given(random.pick(known))];
    return [name, ...(random.chance(0.5) ? words : words.reverse()), random.pick(bases)].join(" ").trim();
  });
}

function formsOf(option: string, isFlag: boolean, letters: string): string[] {
  const joined = option.startsWith("--") ? "=" : "";
  const values = isFlag ? [NEW] : VALUES;
  const forms = [option, ...values.flatMap((value) => [`${option} ${value}`, `${option}${joined}${value}`])];
  // Of flags in one word the first may take the others for its value.
  if (joined === "" && letters !== "") forms.push(`${option}${letters}`);
  if (joined !== "" && option.length > 5) forms.push(`${option.slice(0, -1)} ${NEW}`, `${option.slice(0, -1)}=${NEW}`);
  return forms;
}

function operandsOf(program: Program, name: string): readonly string[] {
  const own = OWN_OPERANDS[name.startsWith("git ") ? name : (program.names[0] ?? "")];
  if (own !== undefined) return own;
  const example = EXAMPLES[program.names[0] ?? ""]?.example?.split(" ").slice(1).join(" ") ?? "";
  const roles = program.operands ?? [];
  if (roles.length === 0) return [example];
  const last = roles.at(-1) as Role;
  const before = roles.slice(0, -1).map((role) => OPERAND[role][0]);
  return OPERAND[last].map((operand) => [...before, operand].join(" "));
}
