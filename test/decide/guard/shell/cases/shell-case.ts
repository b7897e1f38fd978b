/** One command line, and what the guard must make of it. */
export interface ShellCase {
  command: string;
  /** What a shell does with it, in a few words. */
  why: string;
  /** `CWD` where it isn't given. */
  cwd?: string;
  /** `passes`: the guard doesn't block it. It may still be asked about. */
  expect: "blocked" | "passes";
}

/** The folders that the tables speak of. Neither need exist. */
export const HOME = "/home/ada";
export const CWD = "/home/ada/project";

export function blocked(command: string, why: string, cwd?: string): ShellCase {
  return { command, why, expect: "blocked", ...(cwd === undefined ? {} : { cwd }) };
}

export function passes(command: string, why: string, cwd?: string): ShellCase {
  return { command, why, expect: "passes", ...(cwd === undefined ? {} : { cwd }) };
}
