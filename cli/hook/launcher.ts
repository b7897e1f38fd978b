import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { basename, delimiter, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Env } from "../../ipc/base/paths.ts";
import { gatePaths, PLACE_VARIABLES } from "../../ipc/base/paths.ts";
import { GateError } from "../../ipc/contract/gate-error.ts";
import { pipesFolder } from "../../main/hooks/pipes-folder.ts";
import { LAUNCHER_NAME } from "../agents/hook-groups.ts";
import { FIRST_LINE, type LauncherParts, launcherText } from "./launcher-text.ts";

/** The launcher of the hook, in a folder of the gate: agents can't reach it, and it outlives checkouts and Nodes. */

const BUILT = fileURLToPath(new URL("../../dist", import.meta.url));
const PROGRAM = "hook.cjs";
/** The hook runs on this Node and newer ones. */
const MIN_NODE = 20;
/** Where a Node may be, or be installed later, besides PATH. */
const USUAL_NODES = ["/usr/local/bin/node", "/usr/bin/node", "/opt/homebrew/bin/node"];
/** The variables that locate the gate: the hook must reach the one that was connected, whatever a project sets. */
const KEPT = [...PLACE_VARIABLES, "METNOS_GATE_LAUNCHER", "APPIMAGE", "CLAUDE_CONFIG_DIR"];

export function launcherFile(env: Env = process.env): string {
  return join(hookFolder(env), LAUNCHER_NAME);
}

function hookFolder(env: Env): string {
  return join(gatePaths(env).state_dir, "hook");
}

/** The folder of its program. @throws GateError `hook_unusable` where it isn't built */
export function hookProgram(env: Env): string {
  scripts(env);
  return join(hookFolder(env), "program");
}

/** The shells whose ways with pipes are known, by which a launcher asks the gate without a Node. */
const PIPE_SHELLS = ["dash", "bash", "busybox"];
const [SHELL, SYSTEM_FOLDERS] = ["/bin/sh", ["/usr/bin", "/bin"]] as const;

function pipesOf(env: Env): Pick<LauncherParts, "pipesDir" | "tr"> {
  const tr = SYSTEM_FOLDERS.map((folder) => join(folder, "tr")).find((file) => existsSync(file));
  const hasPipes = tr !== undefined && existsSync(SHELL) && PIPE_SHELLS.includes(basename(realpathSync(SHELL)));
  return {
    ...(tr === undefined ? {} : { tr }),
    ...(hasPipes ? { pipesDir: pipesFolder(gatePaths(env).state_dir) } : {}),
  };
}

/** Writes the launcher and what it needs. @throws GateError `hook_unusable` if the hook isn't built, or the launcher doesn't run here */
export function writeLauncher(env: Env = process.env): string {
  const file = launcherFile(env);
  mkdirSync(hookFolder(env), { recursive: true, mode: 0o700 });
  const installed = env.METNOS_GATE_LAUNCHER;
  const program: LauncherParts["program"] = installed ? { installed } : { nodes: nodesIn(env), scripts: scripts(env) };
  replace(
    file,
    launcherText({ env: keptOf(env), program, ...pipesOf(env), reportsBeside: process.platform !== "linux" }),
    0o700,
  );
  if (!installed) {
    const problem = launcherProblem(file);
    if (problem !== undefined)
      throw new GateError("hook_unusable", problem, "the hook needs /usr/bin/env -S and a POSIX /bin/sh");
  }
  return file;
}

/** Why the launcher doesn't run, in one sentence, or undefined if it would run its hook. */
export function launcherProblem(file: string): string | undefined {
  const { status, stdout, stderr, error } = spawnSync(file, ["check"], { encoding: "utf8", timeout: 10_000 });
  if (status === 0 && stdout.trim() !== "") return outdatedProblem(file);
  const why = error?.message ?? stderr.trim().split("\n", 1)[0];
  return `the hook's launcher ${file} does not run: ${why || (status === 0 ? "it says nothing" : `exit code ${status}`)}`;
}

/** An earlier version's doesn't tell the gate the client's PATH. */
function outdatedProblem(file: string): string | undefined {
  if (readFileSync(file, "utf8").startsWith(`${FIRST_LINE}\n`)) return undefined;
  return `the hook's launcher ${file} is an earlier version's`;
}

function keptOf(env: Env): Record<string, string> {
  const kept: Record<string, string> = { HOME: env.HOME || homedir(), PATH: pathOf(env).join(delimiter) };
  for (const name of KEPT) {
    const value = env[name];
    if (value) kept[name] = value;
  }
  return kept;
}

/** PATH without what a package's own commands are run with, which is removed with the package. */
function pathOf(env: Env): string[] {
  const folders = (env.PATH ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
  return [...new Set([...folders.filter((folder) => !folder.includes("/node_modules/")), "/usr/bin", "/bin"])];
}

/** Every usable Node, the one that runs this first. */
export function nodesIn(env: Env): string[] {
  const own = process.versions.electron === undefined ? [process.execPath] : [];
  const others = [...new Set([...pathOf(env).map((folder) => join(folder, "node")), ...USUAL_NODES])];
  const usable = others.filter((file) => !own.includes(file) && existsSync(file) && isUsable(file));
  return [...own, ...usable];
}

function isUsable(node: string): boolean {
  const options = { encoding: "utf8", timeout: 10_000, env: {} } as const;
  const { status, stdout } = spawnSync(node, ["-p", "process.versions.node"], options);
  return status === 0 && Number(stdout.split(".")[0]) >= MIN_NODE;
}

function scripts(env: Env): string[] {
  return programFiles("hook", PROGRAM, join(hookFolder(env), "program"));
}

/** A program, where it is now, and a copy in `folder` for when that is missing: rebuilt, moved or removed. @throws GateError `hook_unusable` where it isn't built */
export function programFiles(kind: "hook" | "mcp", program: string, folder: string): string[] {
  const built = join(BUILT, kind);
  if (!existsSync(join(built, program)))
    throw new GateError("hook_unusable", `${program} is not built`, "run npm ci in the checkout");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const names = readdirSync(built).filter((name) => name.endsWith(".cjs"));
  for (const name of readdirSync(folder)) if (!names.includes(name)) rmSync(join(folder, name), { recursive: true });
  for (const name of names) replace(join(folder, name), readFileSync(join(built, name), "utf8"), 0o600);
  return [join(built, program), join(folder, program)];
}

/** Whole or not at all, in one step: a hook may be starting right now. */
export function replace(file: string, text: string, mode: number): void {
  const temporary = `${file}.new`;
  rmSync(temporary, { force: true });
  writeFileSync(temporary, text, { mode, flag: "wx" });
  chmodSync(temporary, mode);
  renameSync(temporary, file);
}
