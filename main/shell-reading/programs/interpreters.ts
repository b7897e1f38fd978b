/** Programs that run a text in their own language: the options that take it, and where a script file is one. */
export interface Interpreter {
  language: string;
  code: readonly string[];
  /** Without `-f` its first word is the program. */
  first_word_is_code?: true;
  /** In its programs a text beside a bar is a command, or what one gets. */
  has_pipes?: true;
}

const AWK: Interpreter = { language: "awk", code: [], first_word_is_code: true, has_pipes: true };

export const INTERPRETERS: Readonly<Record<string, Interpreter>> = {
  python: { language: "python", code: ["-c"] },
  pypy: { language: "python", code: ["-c"] },
  node: { language: "javascript", code: ["-e", "--eval", "-p", "--print", "-pe"] },
  nodejs: { language: "javascript", code: ["-e", "--eval", "-p", "--print", "-pe"] },
  bun: { language: "javascript", code: ["-e", "--eval", "-p", "--print"] },
  deno: { language: "javascript", code: ["eval"] },
  perl: { language: "perl", code: ["-e", "-E"] },
  ruby: { language: "ruby", code: ["-e"] },
  php: { language: "php", code: ["-r"] },
  lua: { language: "lua", code: ["-e"] },
  osascript: { language: "applescript", code: ["-e"] },
  awk: AWK,
  gawk: AWK,
  mawk: AWK,
};

/** The interpreter that a program's name means (`python3.12`, `ruby3`). */
export function interpreterOf(name: string): Interpreter | undefined {
  if (!/^[a-z]/.test(name)) return undefined;
  return INTERPRETERS[name.replace(/[\d.]+$/, "")];
}
