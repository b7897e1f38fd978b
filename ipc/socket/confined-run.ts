import { type ChildProcess, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import type { Decision } from "../contract/decision.ts";

/** An allowed confined call, run by the agent itself: by the gate's words in the place of its command line. */

export interface ConfinedRunOptions {
  /** The call's own folder, absolute: the one that it was asked with. */
  cwd: string;
  env?: NodeJS.ProcessEnv;
  /** Standard input, output and error, as of `child_process.spawn`. Default: none, and pipes. */
  stdio?: readonly ["pipe" | "inherit" | "ignore", "pipe" | "inherit" | "ignore", "pipe" | "inherit" | "ignore"];
}

/** How it ended. `code` is the command's exit code, null where a signal ended it; 126 where it did not run. */
export interface ConfinedEnd {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** The folder that the command ended in, where a shell would continue. */
  cwd: string;
}

/** The file descriptor on which the folder is named. */
const FOLDER_FD = 9;
/** The launcher names the folder into a pipe alone, and what Node opens is a socket. */
const BY_A_PIPE = '{ d=$(exec "$@" 9>&1 1>&8); r=$?; [ -z "$d" ] || printf "%s\\n" "$d" >&9; exit "$r"; } 8>&1';
/** A longer path is none that a system takes. */
const MAX_PATH = 4096;

/**
 * Starts it, once: the words are good for a minute.
 * @throws TypeError if the decision doesn't allow the call as a confined one
 */
export function startConfined(
  { outcome, confine }: Decision,
  { cwd, env = process.env, stdio = ["ignore", "pipe", "pipe"] }: ConfinedRunOptions,
): { child: ChildProcess; ended: Promise<ConfinedEnd> } {
  const argv = confine?.argv ?? [];
  if (outcome !== "allowed" || argv.length === 0)
    throw new TypeError("the gate has not allowed this call as a confined one");
  const unused = Array.from({ length: FOLDER_FD - stdio.length }, () => "ignore" as const);
  const child = spawn("/bin/sh", ["-c", BY_A_PIPE, "sh", ...argv], { cwd, env, stdio: [...stdio, ...unused, "pipe"] });
  let named = "";
  const streams: readonly unknown[] = child.stdio;
  const folder = streams[FOLDER_FD] as Readable | null | undefined;
  folder?.setEncoding("utf8").on("data", (text: string) => {
    named = `${named}${text}`.slice(0, MAX_PATH + 1);
  });
  const ended = new Promise<ConfinedEnd>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve({ code, signal, cwd: folderIn(named) ?? cwd }));
  });
  return { child, ended };
}

function folderIn(named: string): string | undefined {
  const path = named.replace(/\n$/, "");
  return path.startsWith("/") && path.length <= MAX_PATH && !path.includes("\0") ? path : undefined;
}
