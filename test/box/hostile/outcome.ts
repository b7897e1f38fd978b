import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { getPriority } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as passed } from "node:timers/promises";
import type { Runner } from "./confinement.ts";
import type { HostileScript } from "./script.ts";
import { RUN_LATER, SECRETS, type World } from "./world.ts";

/** What a script did, seen from outside. */
export interface Outcome {
  readonly code: number | null;
  readonly cwd: string;
  readonly stdout: string;
  readonly stderr: string;
  /** What must not have happened; empty where all holds. */
  readonly violations: readonly string[];
}

const LONGEST_RUN_MS = 30_000;
let marks = 100_000_000 + Math.floor(Math.random() * 800_000_000);

/** Runs one script in a project of its own, and looks at everything around it. */
export async function outcomeOf(script: HostileScript, world: World, runner: Runner): Promise<Outcome> {
  const project = world.project(script.isBare === true);
  const mark = String(++marks);
  const names = world.names(project, mark);
  if (script.setup !== undefined) {
    execFileSync("/bin/bash", ["-c", filled(script.setup, names)], {
      cwd: project,
      env: world.env,
      stdio: "pipe",
      ...world.asUser(),
    });
  }
  const before = world.fingerprint(project);
  const plantedBefore = plantedIn(project, script);
  const keptBefore = keptIn(project);
  world.reached.length = 0;
  const ran: Ran = { code: null, cwd: "", stdout: "", stderr: "" };
  const found: string[] = [];
  for (const line of [script.line, ...(script.later ?? [])]) {
    const wrapped = await runner.wrap(filled(line, names), project, project);
    const caller = filled(script.caller ?? "", names);
    Object.assign(ran, await runInShell(`${caller}\n${wrapped}`, project, join(world.root, "reports", mark), world));
    found.push(...(await leftRunning(project, mark)).map((name) => `left running: ${name}`));
    const { failures, wasBypassed, confined } = await runner.settled();
    found.push(...failures.map((failure) => `the gate: ${failure}`));
    if (wasBypassed || confined === null) found.push(`it didn't run in the box: ${ran.stderr}`);
    found.push(...unexpected(ran, script, filled(script.cwd ?? "", names), project, world));
  }
  const violations = [
    ...changes(before, world.fingerprint(project)).map((change) => `outside: ${change}`),
    ...changes(keptBefore, keptIn(project, script.mayMove === true ? keptBefore : undefined)).map(
      (change) => `a kept place: ${change}`,
    ),
    ...changes(plantedBefore, plantedIn(project, script)).map((change) => `planted: ${change}`),
    ...world.reached.map((name) => `reached: ${name}`),
    ...found,
  ];
  if (world.victimState() !== `alive ${getPriority()}`) violations.push(`the other process: ${world.victimState()}`);
  if (existsSync(project)) execFileSync("/bin/chmod", ["-R", "u+rwX", project], { stdio: "ignore" });
  execFileSync("/bin/rm", ["-rf", project]);
  return { ...ran, violations };
}

interface Ran {
  code: number | null;
  cwd: string;
  stdout: string;
  stderr: string;
}

/** The user's shell runs it, and writes down its state afterwards. */
async function runInShell(line: string, cwd: string, report: string, world: World): Promise<Ran> {
  const text = `${line}\nprintf '%s %s' "$?" "$PWD" > ${report}\n`;
  const child = spawn("/bin/bash", ["--noprofile", "--norc", "-c", text], {
    cwd,
    env: world.env,
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
    ...world.asUser(),
  });
  const timer = setTimeout(() => killGroup(child), LONGEST_RUN_MS);
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("latin1").on("data", (text: string) => {
    output.stdout += text;
  });
  child.stderr.setEncoding("latin1").on("data", (text: string) => {
    output.stderr += text;
  });
  const closed = once(child, "close");
  await once(child, "exit");
  // What holds its output open keeps "close" from coming: that is looked at as what was left running.
  await Promise.race([closed, passed(1000, undefined, { ref: false })]);
  clearTimeout(timer);
  const [, code, at] = /^(\d+) ([\s\S]*)$/.exec(existsSync(report) ? readFileSync(report, "utf8") : "") ?? [];
  return { code: code === undefined ? null : Number(code), cwd: at ?? "", ...output };
}

function killGroup(child: ChildProcess): void {
  if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
}

function unexpected(ran: Ran, script: HostileScript, below: string, project: string, world: World): string[] {
  const found: string[] = [];
  const output = ran.stdout + ran.stderr;
  if (/(?<!METNOS_BOX_W)HOLE/.test(output)) found.push(`it says so: ${output.slice(0, 400)}`);
  if (output.includes(world.secret)) found.push("a secret was printed");
  if (ran.code === null) found.push("the caller's shell did not continue");
  if (script.code !== undefined && ran.code !== script.code)
    found.push(`its code is ${ran.code}, not ${script.code}: ${output.slice(0, 400)}`);
  if (script.stdout !== undefined && ran.stdout !== script.stdout)
    found.push(`it printed ${JSON.stringify(ran.stdout.slice(0, 400))}`);
  if (script.stdoutPattern?.test(ran.stdout) === false)
    found.push(`it printed ${JSON.stringify(output.slice(0, 400))}`);
  const cwd = resolve(project, below);
  if (ran.cwd !== cwd) found.push(`the caller's folder is ${JSON.stringify(ran.cwd.slice(0, 200))}, not ${cwd}`);
  return found;
}

/** Places of the ordinary project whose content is run later, or is secret: they stay. */
const KEPT = [...RUN_LATER, ".git/config", ...SECRETS];

/** @param ifGone what counts in the place of what is not there any more */
const keptIn = (project: string, ifGone?: ReadonlyMap<string, string>): Map<string, string> =>
  new Map(
    KEPT.map((name) => {
      const content = contentOf(join(project, name));
      return [name, content === "nothing" ? (ifGone?.get(name) ?? content) : content];
    }),
  );

const plantedIn = (project: string, { planted = [] }: HostileScript): Map<string, string> =>
  new Map(planted.map((name) => [name, contentOf(Buffer.from(join(project, name), "latin1"))]));

function contentOf(path: string | Buffer): string {
  try {
    const stats = lstatSync(path);
    if (stats.isSymbolicLink()) return `link ${readlinkSync(path)}`;
    if (stats.isDirectory()) return "folder";
    return stats.isFile() ? `${stats.mode} ${readFileSync(path, "latin1")}` : "something else";
  } catch {
    return "nothing"; // as good as not there
  }
}

function changes(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths]
    .filter((path) => before.get(path) !== after.get(path))
    .map((path) => `${path}: ${before.get(path) ?? "nothing"} -> ${after.get(path) ?? "nothing"}`);
}

/** Processes that see the project mounted, or carry the script's mark, 5 s after its end; they are ended then. */
export async function leftRunning(project: string, mark: string): Promise<string[]> {
  const deadline = performance.now() + 5000;
  for (;;) {
    const left = runningFor(project, mark);
    if (left.length === 0) return [];
    if (performance.now() > deadline) {
      for (const { pid } of left) process.kill(pid, "SIGKILL");
      return left.map(({ line }) => line);
    }
    await passed(20);
  }
}

export function runningFor(project: string, mark: string): { pid: number; line: string }[] {
  const found: { pid: number; line: string }[] = [];
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    const line = textOf(`/proc/${name}/cmdline`).replaceAll("\0", " ");
    if (line.includes(mark) || textOf(`/proc/${name}/mountinfo`).includes(`${project} `)) found.push({ pid, line });
  }
  return found;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // ended meanwhile, or another user's
  }
}

/** A script's text with the names of this world. */
function filled(text: string, names: Readonly<Record<string, string>>): string {
  return text.replaceAll(/%([A-Z]+)%/g, (whole, name: string) => names[name] ?? whole);
}
