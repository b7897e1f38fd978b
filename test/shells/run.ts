import { spawn, spawnSync } from "node:child_process";
import { existsSync, lstatSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Changes, World, WorldCopy } from "./project.ts";

/** Runs one line in one shell, in a sandbox: no network, nothing writable but a throw-away home and /tmp. */

export const SHELLS = {
  bash: ["bash", "--noprofile", "--norc", "-c"],
  "zsh -f": ["zsh", "-f", "-c"],
  zsh: ["zsh", "-c"],
  dash: ["dash", "-c"],
} as const;

export type Shell = keyof typeof SHELLS;

export interface Run {
  shell: Shell;
  changes: Changes;
  /** Which of the world's secrets were printed or written. */
  leaked: (keyof World["secrets"])[];
  isTimedOut: boolean;
  /** The beginning of what was printed, for the reader. */
  output: string;
}

/** Far more than a line takes: the machine may have a lot else to do. */
const TIME_LIMIT_MS = 5000;
const KEPT_OUTPUT = 1_000_000;

/** Programs that the lines call: without them a line does nothing, and proves nothing. */
const WANTED = ["bwrap", "prlimit", "bash", "zsh", "dash", "git", "rg", "jq", "tree"];

/** Why lines can't be run here, or undefined; `more`: programs that are wanted besides. */
export function missing(more: readonly string[] = []): string | undefined {
  const path = (process.env.PATH ?? "").split(":");
  const absent = [...WANTED, ...more].filter((program) => !path.some((folder) => existsSync(join(folder, program))));
  if (absent.length > 0) return `not installed: ${absent.join(", ")}`;
  const { status, error, stderr } = spawnSync(
    "bwrap",
    [...SYSTEM_ARGUMENTS, "--unshare-all", "--cap-drop", "ALL", "true"],
    {
      encoding: "utf8",
    },
  );
  if (status !== 0) return error?.message ?? (stderr.trim() || `bwrap ended with ${status}`);
  return keepsTimesOfAccess() ? undefined : `the file system of ${tmpdir()} keeps no times of access`;
}

/** Reads inside of the sandbox are seen by them. */
function keepsTimesOfAccess(): boolean {
  const folder = mkdtempSync(join(tmpdir(), "metnos-test-"));
  try {
    const file = join(folder, "file");
    writeFileSync(file, "text");
    utimesSync(file, 1, 1);
    readFileSync(file);
    return statSync(file).atimeMs > 1000;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What the sandbox sees of the machine: its programs and what they need to start, read-only. */
export const SYSTEM_ARGUMENTS: readonly string[] = [
  ...["--ro-bind", "/usr", "/usr"],
  ...["bin", "sbin", "lib", "lib32", "lib64"].flatMap((name) => {
    const found = lstatSync(`/${name}`, { throwIfNoEntry: false });
    if (found === undefined) return [];
    return found.isSymbolicLink() ? ["--symlink", `usr/${name}`, `/${name}`] : ["--ro-bind", `/${name}`, `/${name}`];
  }),
  ...["passwd", "group", "nsswitch.conf", "ld.so.cache", "alternatives", "localtime", "zsh"].flatMap((name) => [
    "--ro-bind-try",
    `/etc/${name}`,
    `/etc/${name}`,
  ]),
  ...["--proc", "/proc", "--dev", "/dev", "--remount-ro", "/dev"],
];

/** Runs it in `copy`, which afterwards is as it was before. */
export async function runLine(line: string, cwd: string, shell: Shell, copy: WorldCopy): Promise<Run> {
  const { home, secrets } = copy.world;
  const env = {
    HOME: home,
    PATH: `/usr/local/bin:/usr/bin:/bin:${home}/bin`,
    USER: "ada",
    LC_ALL: "C.UTF-8",
    TERM: "dumb",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_PAGER: "cat",
    SECRET_TOKEN: secrets.token,
  };
  const args = [
    ...SYSTEM_ARGUMENTS,
    ...["--bind", copy.tmp, "/tmp", "--bind", copy.home, home, "--chdir", cwd],
    ...["--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"],
    ...["--json-status-fd", "3", "--"],
    ...["prlimit", "--nproc=300", "--fsize=10000000", "--core=0", "--"],
    ...SHELLS[shell],
    line,
  ];
  const { output, isTimedOut } = await printed(args, env);
  const changes = copy.takeChanges();
  const text = `${output}\n${changes.writtenText}`;
  const leaked = (Object.keys(secrets) as (keyof typeof secrets)[]).filter((name) => isIn(text, secrets[name]));
  return { shell, changes, leaked, isTimedOut, output: output.slice(0, 2000) };
}

function printed(args: string[], env: Record<string, string>): Promise<{ output: string; isTimedOut: boolean }> {
  return new Promise((resolve, reject) => {
    const child = spawn("bwrap", args, { env, stdio: ["ignore", "pipe", "pipe", "pipe"] });
    let output = "";
    let status = "";
    let isTimedOut = false;
    // Killing bubblewrap ends all that runs in its process namespace.
    const timer = setTimeout(() => {
      isTimedOut = true;
      child.kill("SIGKILL");
    }, TIME_LIMIT_MS);
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("latin1").on("data", (piece: string) => {
        if (output.length < KEPT_OUTPUT) output += piece;
      });
    }
    child.stdio[3]?.on("data", (piece: Buffer) => {
      status += piece.toString("latin1");
    });
    child.on("error", reject);
    child.on("close", () => {
      clearTimeout(timer);
      // A line that didn't start did nothing, which must not count as harmless.
      if (isTimedOut || status.includes('"exit-code"')) resolve({ output, isTimedOut });
      else reject(new Error(`the sandbox did not start: ${output.slice(0, 500)}`));
    });
  });
}

/** A secret counts as seen where ten of its digits in a row are, whatever white space and quotes are between them. */
function isIn(text: string, secret: string): boolean {
  const digits = text.replace(/[\s"'\\]/g, "");
  for (let at = 0; at + 10 <= secret.length; at++) if (digits.includes(secret.slice(at, at + 10))) return true;
  return false;
}
