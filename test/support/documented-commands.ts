import { vi } from "vitest";
import { main } from "../../cli/main.ts";
import { StartedProcess } from "./gate-process.ts";

/** Commands that a document shows, with what they print. */

export interface Example {
  command: string;
  printed: string[];
  code: number;
}

/** Of one command in a block of them, from behind its `$ `. */
export function example(text: string): Example {
  const [command = "", ...lines] = text.trimEnd().split("\n");
  const code = /^\(exit code (\d+)\)$/.exec(lines.at(-1) ?? "")?.[1];
  return { command, printed: code === undefined ? lines : lines.slice(0, -1), code: Number(code ?? 0) };
}

const PLACEHOLDERS: Readonly<Record<string, string>> = {
  "<date>": String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`,
  "<token>": "[0-9a-f]{16}",
  "<uuid>": "[0-9a-f-]{36}",
  "<id>": "[a-z0-9-]+",
  "<number>": String.raw`\d+(\.\d+)?`,
  "<version>": String.raw`\d+\.\d+\.\d+`,
};

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

/** The printed lines as one pattern: true to the letter, but for placeholders and what `...` leaves out. */
export function patternOf(lines: readonly string[]): RegExp {
  const one = (line: string): string => {
    if (line === "...") return "(.*\n)*?";
    const pieces = line.split(/(<[a-z]+>|\.\.\.)/).map((piece) => {
      if (piece === "...") return ".*";
      return PLACEHOLDERS[piece] ?? escaped(piece);
    });
    return `${pieces.join("")}\n`;
  };
  return new RegExp(`^${lines.map(one).join("")}$`);
}

export interface Ended {
  code: number | null;
  text: string;
}

/** Runs a line as a user types it: without a shell where it needs none. */
export function ran(line: string, env: NodeJS.ProcessEnv, cwd: string): Promise<Ended> {
  const words = plainWords(line);
  return words === undefined ? inShell(line, env, cwd) : inProcess(words, env, cwd);
}

/** The words of a line that is one call of the command; undefined of one that takes a shell. */
function plainWords(line: string): string[] | undefined {
  // What starts a program gives it this process's input, which doesn't end.
  if (/^metnos-gate (?:acp|mcp|run) /.test(line)) return undefined;
  if (!/^metnos-gate(?: (?:'[^']*'|"[^"$`\\]*"|[\w./:@%,=-]+))*$/.test(line)) return undefined;
  return [...line.matchAll(/'([^']*)'|"([^"]*)"|([^ ]+)/g)].map((found) => found.slice(1).join("")).slice(1);
}

async function inShell(line: string, env: NodeJS.ProcessEnv, cwd: string): Promise<Ended> {
  const started = new StartedProcess("bash", ["-c", line], { env, cwd });
  started.child.stdin?.end();
  const code = await started.exited;
  return { code, text: started.stdout + started.stderr };
}

/** As the launcher does, without the second that fifty processes take to start: what it wrote to stdout, then to stderr. */
async function inProcess(words: readonly string[], env: NodeJS.ProcessEnv, cwd: string): Promise<Ended> {
  const written = { stdout: "", stderr: "" };
  const [envBefore, cwdBefore] = [process.env, process.cwd()];
  const listening = process.stdout.listeners("error");
  for (const name of ["stdout", "stderr"] as const)
    vi.spyOn(process[name], "write").mockImplementation((text) => {
      written[name] += String(text);
      return true;
    });
  process.env = { ...env };
  process.chdir(cwd);
  try {
    const code = await main(words);
    return { code, text: written.stdout + written.stderr };
  } finally {
    process.env = envBefore;
    process.chdir(cwdBefore);
    vi.restoreAllMocks();
    for (const listener of process.stdout.rawListeners("error"))
      if (!listening.includes(listener)) process.stdout.off("error", listener as () => void);
  }
}
