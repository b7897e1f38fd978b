import { type SpawnOptions, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";

/** The gate's own program that makes boxes, as it was built for these tests, run without a gate. */

export const MAKER = join(import.meta.dirname, "../../../dist/metnos-make-box");
export const BUBBLEWRAP = "/usr/bin/bwrap";

/** What keeps these tests from running, with a printed reason; with CI=true that is a failure. */
export function withoutMaker(): boolean {
  if (process.platform === "linux" && (existsSync(MAKER) || process.env.CI === "true")) return false;
  console.log("skipped: metnos-make-box was not built here");
  return true;
}

export const NEEDED = [
  ...["--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--new-session", "--cap-drop", "ALL"],
];

/** A box with the system in it. */
export const BOX: readonly string[] = [
  ...[...NEEDED, "--size", "10000000", "--tmpfs", "/", "--ro-bind", "/usr", "/usr", "--ro-bind", "/etc", "/etc"],
  ...["bin", "lib", "lib64"].flatMap((name) => ["--symlink", `usr/${name}`, `/${name}`]),
  ...["--proc", "/proc", "--dev", "/dev", "--perms", "1777", "--size", "10000000", "--tmpfs", "/tmp"],
];

export interface Made {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface MadeOptions {
  /** What comes over descriptor 3. */
  words?: string | Buffer;
  env?: NodeJS.ProcessEnv;
  program?: string;
}

/** A program with these words, to its end. */
export function make(words: readonly string[], { words: more, env = {}, program = MAKER }: MadeOptions = {}) {
  const stdio: SpawnOptions["stdio"] = ["ignore", "pipe", "pipe", "pipe"];
  const child = spawn(program, words, { stdio, env, cwd: "/" });
  const made: Made = { code: null, signal: null, stdout: "", stderr: "" };
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    made.stdout += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    made.stderr += text;
  });
  const pipe = child.stdio[3] as NodeJS.WritableStream | null;
  pipe?.on("error", () => undefined); // one that ends before it has read all of it
  if (more !== undefined) pipe?.end(more);
  return new Promise<Made>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve({ ...made, code, signal }));
  });
}

export const bash = (line: string): string[] => ["--", "/bin/bash", "--norc", "-c", line];

/** Words as they come over a descriptor. */
export const ended = (words: readonly string[]): string => words.map((word) => `${word}\0`).join("");

/** The command didn't begin, and this is why. */
export function expectRefused(made: Made, why: RegExp | string): void {
  expect(made).toEqual({ code: 126, signal: null, stdout: "", stderr: expect.stringMatching(why) });
}
