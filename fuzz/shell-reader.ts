import { performance } from "node:perf_hooks";
import { needsOfLine } from "@metnos-gate/shell-reading";
import { guardShell } from "../main/decide/guard/shell/guard-shell.ts";
import { MAX_COMMANDS } from "../packages/shell-reading/shell/scope.ts";
import { generator } from "./seeded.ts";

/** Random command lines for the interpreter: bytes, and pieces of shell. It must not throw, and must stay within its limits. */

const SETTINGS = {
  home: "/home/ada",
  cwd: "/home/ada/project",
  user: "ada",
  gate: {
    dataPaths: ["/home/ada/.local/state/metnos"],
    agent_socket: "/home/ada/.local/state/metnos/run/gate.sock",
    programPaths: ["/opt/metnos-gate"],
  },
};

const PIECES = [
  ..." \t\n;&|()<>{}[]$`\"'\\*?~#!=+-/.,:@%^a0",
  ...[
    "rm",
    "-rf",
    "sudo",
    "bash",
    "-c",
    "eval",
    "cd",
    "for",
    "in",
    "do",
    "done",
    "if",
    "then",
    "fi",
    "case",
    "esac",
    "while",
    "function",
    "find",
    "xargs",
    "echo",
    "cat",
    "python3",
    "git",
    "curl",
    "sed",
    "coproc",
    "time",
    "select",
  ],
  ...[
    "$(",
    "${",
    "$((",
    "))",
    "<<EOF\n",
    "\nEOF\n",
    "<<<",
    "<(",
    ">(",
    "&&",
    "||",
    ";;",
    "|&",
    "$'",
    '$"',
    "{a,b}",
    "{1..9}",
    "${x:-",
    "${x//",
    "~root",
    "$HOME",
    "2>&1",
    "\0",
    "\ud800",
    "é",
    "x=1",
    "x=$x$x;",
    "a[",
    "]]",
    "[[",
  ],
];

function randomCommand(random: () => number): string {
  const length = Math.floor(random() ** 2 * 60);
  let text = "";
  const bytes = random() < 0.25;
  for (let index = 0; index < length; index++) {
    text += bytes ? String.fromCharCode(Math.floor(random() * 256)) : PIECES[Math.floor(random() * PIECES.length)];
    if (!bytes && random() < 0.3) text += " ";
  }
  return text;
}

export interface FuzzResult {
  inputs: number;
  unread: number;
  slowestMs: number;
  slowest: string;
}

/** Reads `inputs` random command lines. @throws with the command line, if one of them breaks a rule */
export function fuzz(inputs: number, seed: number, progress?: (done: number) => void): FuzzResult {
  const random = generator(seed);
  const result: FuzzResult = { inputs, unread: 0, slowestMs: 0, slowest: "" };
  for (let index = 0; index < inputs; index++) {
    const text = randomCommand(random);
    const started = performance.now();
    try {
      const { reading } = guardShell(text, SETTINGS);
      needsOfLine(text, SETTINGS.home, SETTINGS.cwd);
      if (reading.commands.length > MAX_COMMANDS) throw new Error(`${reading.commands.length} simple commands`);
      if (reading.unread === "the reader failed on it") throw new Error("the reader failed");
      if (reading.unread !== null) result.unread++;
      for (const { start, end } of reading.commands) {
        if (!(start >= 0 && start <= end && end <= text.length))
          throw new Error(`offsets ${start} to ${end} of ${text.length}`);
      }
    } catch (error) {
      throw new Error(`seed ${seed}, input ${index}: ${JSON.stringify(text)}`, { cause: error });
    }
    const ms = performance.now() - started;
    if (ms > result.slowestMs) Object.assign(result, { slowestMs: ms, slowest: text });
    if (index % 100_000 === 99_999) progress?.(index + 1);
  }
  return result;
}
