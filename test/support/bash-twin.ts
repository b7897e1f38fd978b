import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempFolder } from "./temp-folder.ts";

/** What a program was really called with. */
export interface RecordedCall {
  cwd: string;
  argv: string[];
}

/** Runs commands in a real bash whose PATH holds nothing but recorders: they write down what they were called with. */
export interface BashTwin {
  home: string;
  /** Below `home`, with a folder `sub` in it. */
  cwd: string;
  run(command: string): { calls: RecordedCall[]; stderr: string };
}

const BASH = "/bin/bash";
const BWRAP = ["/usr/bin/bwrap", "/bin/bwrap"].find((path) => existsSync(path));

/** Only builtins: with this PATH there is nothing else. `-p`: no BASH_ENV, no functions of the caller's. One printf, so that a pipeline's programs don't mix their calls. */
const RECORDER = `#!${BASH} -p\nprintf '%s\\0' "$#" "$PWD" "\${0##*/}" "$@" >> "$RECORD"\n`;

/** A twin in a temporary folder of the running test, under bubblewrap where that works. */
export function bashTwin(programs: readonly string[]): BashTwin {
  const root = realpathSync(tempFolder());
  const [home, bin, record] = [join(root, "home"), join(root, "bin"), join(root, "record")];
  const cwd = join(home, "work");
  mkdirSync(join(cwd, "sub"), { recursive: true });
  mkdirSync(bin);
  writeFileSync(join(bin, "recorder"), RECORDER);
  chmodSync(join(bin, "recorder"), 0o755);
  for (const program of programs) symlinkSync("recorder", join(bin, program));
  const around = sandbox(root);
  return {
    home,
    cwd,
    run(command) {
      writeFileSync(record, "");
      const [file = BASH, ...args] = [...around, BASH, "--noprofile", "--norc", "-c", command];
      // Ends when the last process has let go of stderr: bash doesn't wait for its process substitutions.
      const done = spawnSync(file, args, {
        cwd,
        env: { HOME: home, PATH: bin, RECORD: record, LC_ALL: "C.UTF-8" },
        stdio: ["ignore", "ignore", "pipe"],
        encoding: "utf8",
        timeout: 10_000,
      });
      if (done.error !== undefined) throw done.error;
      return { calls: recorded(readFileSync(record, "utf8")), stderr: done.stderr };
    },
  };
}

/** The command that goes before bash: nothing can be written outside `root`, and there is no network. */
function sandbox(root: string): string[] {
  if (BWRAP === undefined) return [];
  const args = ["--ro-bind", "/", "/", "--dev", "/dev", "--tmpfs", "/home", "--bind", root, root];
  const around = [BWRAP, ...args, "--unshare-net", "--die-with-parent", "--"];
  const [file = "", ...rest] = around;
  // Containers often forbid namespaces: then the recorders alone have to do.
  sandboxWorks ??= spawnSync(file, [...rest, BASH, "-c", ":"]).status === 0;
  return sandboxWorks ? around : [];
}

let sandboxWorks: boolean | undefined;

function recorded(text: string): RecordedCall[] {
  const fields = text.split("\0");
  const calls: RecordedCall[] = [];
  for (let at = 0; at + 2 < fields.length; ) {
    const count = Number(fields[at]);
    const [cwd = "", ...argv] = fields.slice(at + 1, at + 3 + count);
    calls.push({ cwd, argv });
    at += 3 + count;
  }
  return calls;
}
