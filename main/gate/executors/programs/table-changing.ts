import type { Program } from "./program.ts";

/** The table's second half: programs that change what they name, and those with a language of their own. */
export const CHANGING_PROGRAMS: readonly Program[] = [
  // Changing what is named.
  {
    names: ["mkdir"],
    operands: "written",
    short: "m",
    long: ["--mode"],
    example: "mkdir -p src/cache",
    counter: "mkdir $(node x.js)",
  },
  {
    names: ["touch"],
    operands: "written",
    short: "dtr",
    long: ["--date", "--reference"],
    reads: ["-r", "--reference"],
    never: /^--time/,
    example: "touch a.txt",
    counter: "touch $UNKNOWN",
  },
  { names: ["tee"], operands: "written", never: /^-p$/, example: "tee a.txt", counter: "tee $(node x.js)" },
  {
    names: ["rmdir"],
    operands: "deleted",
    never: /^(?:-p|--parents)/,
    example: "rmdir empty",
    counter: "rmdir $UNKNOWN",
  },
  {
    names: ["rm"],
    operands: "deleted",
    tree: ["-r", "-R", "--recursive"],
    never: /^--no-pres/,
    bare_globs: true,
    example: "rm a.txt",
    counter: "rm -rf /srv/other",
  },
  {
    names: ["cp"],
    operands: "copied",
    short: "tS",
    long: ["--target-directory", "--suffix"],
    tree: ["-r", "-R", "-a", "--recursive", "--archive"],
    never: /^(?:-[A-Za-z]*[lsSb]|--link|--symbolic-link|--suffix|--backup|--parents)/,
    example: "cp a.txt b.txt",
    counter: "cp -s /etc b",
  },
  {
    names: ["mv"],
    operands: "moved",
    short: "tS",
    long: ["--target-directory", "--suffix"],
    never: /^(?:-[A-Za-z]*[bS]|--suffix|--backup)/,
    example: "mv a.txt b.txt",
    counter: "mv $UNKNOWN b",
  },
  { names: ["chmod"], operands: "special", example: "chmod 644 a.txt", counter: "chmod -R 644 ." },
  // Git, and the web: each in a file of its own.
  { names: ["git"], operands: "special", example: "git status", counter: "git push" },
  {
    names: ["curl"],
    operands: "special",
    example: "curl -s https://api.example.com/x",
    counter: "curl -K curl.conf https://a.example",
  },
  {
    names: ["wget"],
    operands: "special",
    example: "wget -qO- https://a.example/x",
    counter: "wget --use-askpass=./x https://a.example",
  },
];
