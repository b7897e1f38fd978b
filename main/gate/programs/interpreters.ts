/** Programs that run a text in their own language: the options that take it, and where a script file is one. */
export const INTERPRETERS: Readonly<Record<string, { language: string; code: readonly string[] }>> = {
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
  awk: { language: "awk", code: [] },
  gawk: { language: "awk", code: [] },
  mawk: { language: "awk", code: [] },
};

/** The interpreter a program's name stands for (`python3.12`, `ruby3`). */
export function interpreterOf(name: string): { language: string; code: readonly string[] } | undefined {
  if (!/^[a-z]/.test(name)) return undefined;
  return INTERPRETERS[name.replace(/[\d.]+$/, "")];
}
