import type { Program } from "./program.ts";

/** What the shell itself does. What changes how a line continues is evaluated by the reader (shell/builtins.ts); here is what may be cleared. */

export const SHELL_PROGRAMS: readonly Program[] = [
  {
    names: ["cd"],
    changesShell: true,
    changesFolder: true,
    operands: ["text"],
    // `-` and `+1` are folders of a list; two words replace a part of the folder's name.
    isClear: (args) => args.length <= 1 && args.every(({ text, glob }) => !/^[-+]/.test(text) && glob !== true),
    accesses: () => ({ accesses: [], unclear: null, data: [] }),
    text_only: true,
  },
  {
    names: ["set"],
    changesShell: true,
    accesses: () => ({ accesses: [], unclear: null, data: [] }),
    // Alone it prints every variable; other letters mean other things in each shell.
    isClear: (args) =>
      /^(?:-[eux]{1,3}|-[eux]{0,3}o pipefail)(?: -o pipefail)?$/.test(args.map(({ text }) => text).join(" ")),
    text_only: true,
  },
  {
    names: ["export"],
    accesses: () => ({ accesses: [], unclear: "it changes what later commands see", data: [] }),
    data: (args) => args.filter(({ text }) => /^[A-Za-z_]\w*=/.test(text)),
    text_only: true,
    guard_only: true,
  },
  {
    names: ["unset", "alias", "read", "wait", "break", "continue", "return", "pushd", "popd"],
    operands: ["text"],
    guard_only: true,
    data: (args) => args,
  },
  { names: ["trap"], operands: ["text"], guard_only: true, data: (args) => args.slice(0, 1) },
  {
    names: ["command"],
    operands: ["text"],
    options: { flags: "-v -V" },
    isClear: (args) =>
      /^-[vV]$/.test(args[0]?.text ?? "") &&
      args.length > 1 &&
      args.slice(1).every(({ text }) => /^[\w+.][\w+.-]*$/.test(text)),
    accesses: (args) => ({
      accesses: /^-[vV]+$/.test(args[0]?.text ?? "") ? [{ kind: "list", word: "here" }] : [],
      unclear: null,
      data: /^-[vV]+$/.test(args[0]?.text ?? "") ? args.slice(1) : [],
    }),
    text_only: true,
  },
  {
    names: ["metnos-gate"],
    operands: ["text"],
    guard_only: true,
    text_only: true,
    data: (args) => (/^(?:guard|vaglio|explain)$/.test(args[0]?.text ?? "") ? args : []),
  },
];

const DONE_BY_SHELL: ReadonlySet<string> = new Set(
  ":, [, cd, command, echo, false, printf, pwd, set, test, true, type".split(", "),
);

/** True for what every shell does by itself: no other program can be in its place. */
export function isDoneByShell(name: string): boolean {
  return DONE_BY_SHELL.has(name);
}

const CHANGES_ONLY_SHELL: ReadonlySet<string> = new Set(
  `: [ [[ (( alias break cd continue declare echo exit export false let local popd printf pushd read readonly return set shift shopt
  test true type typeset unset`.split(/\s+/),
);

/** True for what changes nothing but the shell itself, and for assignments alone. */
export function changesOnlyShell(name: string): boolean {
  return name === "" || CHANGES_ONLY_SHELL.has(name);
}
