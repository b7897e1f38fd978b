import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SYSTEM_ARGUMENTS } from "../../shells/run.ts";
import { remove } from "../../support/removed-folders.ts";
import { type Event, eventsOf, WATCHED } from "./trace.ts";
import type { RecordWorld } from "./world.ts";

/** Runs many lines in one sandbox, one after the other, under one watcher of system calls. */

export interface TracedRun {
  line: string;
  events: readonly Event[];
  output: string;
}

const SHELLS = { dash: ["dash"], bash: ["bash", "--noprofile", "--norc"], zsh: ["zsh", "-f"] } as const;
export type Shell = keyof typeof SHELLS;

export interface ToRun {
  line: string;
  /** The project is put back as it was, behind it. */
  changes: boolean;
}

/** Where the driving script, the lines' outputs and the trace are, inside. */
const PLACE = "/records";
/** Far more than all lines of a sandbox take: one that never ends must not look like one that does nothing. */
const LIMIT_MS = 240_000;
const FOLLOWS = /^(?:timeout \S+ )?tail\b.* -(?:\w*[fF]|-f|-retry)/;

/** What follows a file never ends by itself. */
export const isEndless = (line: string): boolean => FOLLOWS.test(line);

/** The home is in memory: ext4 takes longer for each file that is made soon after many were removed. */
function script(lines: readonly ToRun[], { home, project }: RecordWorld): string {
  const begin = `cp -a ${PLACE}/home/. ${home}; cd ${project}`;
  const steps = lines.flatMap(({ line, changes }, index) => [
    `( ${isEndless(line) ? `timeout 0.5 ${line}` : line}\n) < ${PLACE}/input > ${PLACE}/${index} 2>&1`,
    ...(changes
      ? [`: > ${PLACE}/between; cd /; rm -rf ${project}; cp -a ${PLACE}/project ${project}; cd ${project}`]
      : []),
  ]);
  return `${[begin, ...steps].join("\n")}\nexit 0\n`;
}

/** Runs them in a copy of the world below `folder`, which is empty. */
export async function runTraced(
  lines: readonly ToRun[],
  shell: Shell,
  world: RecordWorld,
  folder: string,
): Promise<TracedRun[]> {
  const own = join(folder, "own");
  mkdirSync(own, { recursive: true });
  for (const name of ["home", "project"] as const) spawnSync("cp", ["-a", world[name], join(own, name)]);
  writeFileSync(join(own, "input"), "foo\nbar\n");
  writeFileSync(join(own, "script"), script(lines, world));
  // Its environment is among no process's arguments, which `ps` shows.
  await ended(environment(world), [
    ...[...SYSTEM_ARGUMENTS, "--tmpfs", "/tmp", "--tmpfs", world.home, "--bind", own, PLACE],
    ...["--chdir", PLACE, "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"],
    ...["strace", "-f", "--seccomp-bpf", "-qq", "-y", "-s", "4096", "-e", "signal=none", "-e", `trace=${WATCHED}`],
    ...["-o", `${PLACE}/trace`, ...SHELLS[shell], `${PLACE}/script`],
  ]);
  const events = eventsOf(readFileSync(join(own, "trace"), "latin1"), world.project);
  const byLine = split(events, lines.length);
  const runs = lines.map(({ line }, index) => ({
    line,
    events: byLine[index] ?? [],
    output: readFileSync(join(own, String(index)), "latin1"),
  }));
  remove(folder);
  return runs;
}

export function environment({ home, token }: RecordWorld): Record<string, string> {
  return {
    HOME: home,
    PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
    LC_ALL: "C",
    TERM: "dumb",
    GIT_CONFIG_NOSYSTEM: "1",
    // Nothing is shown on a terminal: it is run only where that is asked for.
    GIT_PAGER: "tac",
    SECRET_TOKEN: token,
  };
}

/** A line's events are those between its output's opening and the next one's, or the putting back of the project. */
function split(events: readonly Event[], count: number): Event[][] {
  const byLine: Event[][] = Array.from({ length: count }, () => []);
  let at = -1;
  for (const event of events) {
    const name = event.path.startsWith(`${PLACE}/`) ? event.path.slice(PLACE.length + 1) : "";
    if (/^\d+$/.test(name)) at = Number(name);
    else if (name === "between") at = -1;
    else if (at !== -1) byLine[at]?.push(event);
  }
  return byLine;
}

function ended(env: NodeJS.ProcessEnv, args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn("bwrap", args, { env, stdio: ["ignore", "ignore", "pipe"] });
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (piece: string) => {
      said += piece;
    });
    // Killing bubblewrap ends all that runs in it.
    const timer = setTimeout(() => child.kill("SIGKILL"), LIMIT_MS);
    child.on("error", reject);
    child.on("close", (code) => {
      clearTimeout(timer);
      return code === 0 ? resolve() : reject(new Error(`the sandbox ended with ${code}: ${said}`));
    });
  });
}
