import { type SpawnSyncReturns, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { confinedCommand } from "../ipc/base/confined-command.ts";
import { systemClock } from "../main/base/clocks/system-clock.ts";
import { removeFolder } from "../main/base/files/remove-folder.ts";
import { BoxService } from "../main/box/service/box-service.ts";
import { configSchema } from "../main/config/config.ts";
import type { Declaration } from "../main/decide/confinement/declaration.ts";
import { boxedCalls, RUNS_CODE } from "./boxed-calls.ts";
import { type Figure, figure, median, quantile } from "./figure.ts";

/** What the box adds to a command that a client's shell runs, against the same command without one, in one run. */

const RUNS = 60;
/** An agent's commands don't follow each other at once: the kernel still removes the last one's network while the next one waits. */
const PAUSE_MS = 40;
const MAX_MEDIAN_MS = 8;
/** A box in which a project can only be read. */
const MAX_LOOKING_MS = 6;
/** Of the gate's own processor, all that a run takes from it. */
const MAX_GATE_MS = 2;
/** Calls of each line until the gate's engine has compiled what they take. */
const WARM_UP = 60;
const MAX_P95_MS = 15;
/** A project of so many files, and so many toolchains, may add so much more. */
const [LARGE_FOLDERS, LARGE_FILES, TOOLCHAINS] = [1000, 100, 60];
const MAX_LARGER_MS = 5;
/** Folders below one another, as a command may leave them. */
const DEEP = 1900;
const AT_ONCE = 100;

/** Times one command as often as asked for, inside one shell: its `EPOCHREALTIME` before and after. */
const TIMED = `before=$EPOCHREALTIME; eval "$1" >/dev/null; after=$EPOCHREALTIME; echo $((\${after/./} - \${before/./}))`;

const COMMAND = "true";
const PLAIN = `/bin/bash -c '${COMMAND}'`;

interface Bench {
  box: BoxService;
  folder: string;
  remove(): void;
}

export async function box(): Promise<Figure[]> {
  const small = await benchBox(0);
  const large = await benchBox(TOOLCHAINS);
  try {
    if (!small.box.is_available) throw new Error(`there is no box here: ${JSON.stringify(small.box.status())}`);
    const project = join(small.folder, "project");
    const deepProject = join(small.folder, "deep");
    const largeProject = join(large.folder, "project");
    for (const folder of [project, deepProject]) mkdirSync(folder);
    mkdirSync(join(deepProject, ...Array.from({ length: DEEP }, () => "d")), { recursive: true });
    fill(largeProject);
    const times: Times = { plain: [], boxed: [], looking: [], deep: [], large: [] };
    const prepared: number[] = [];
    const pausing = async (line: string, cwd: string) => {
      await wait(PAUSE_MS);
      return timed(line, cwd);
    };
    for (let run = 0; run < RUNS + 5; run++) {
      const plain = await pausing(PLAIN, project);
      const boxed = await pausing(prepare(small.box, project), project);
      const looking = await pausing(prepare(small.box, project, LOOKING), project);
      const deep = await pausing(prepare(small.box, deepProject), deepProject);
      const began = performance.now();
      const line = prepare(large.box, largeProject);
      const prepareMs = performance.now() - began;
      const larger = await pausing(line, largeProject);
      if (run < 5) continue; // the first ones warm the file cache
      times.plain.push(plain);
      times.boxed.push(boxed);
      times.looking.push(looking);
      times.deep.push(deep);
      times.large.push(larger);
      prepared.push(prepareMs);
    }
    const atOnce = await allAtOnce(small.box, project);
    return figures(times, { prepared, gate: await gateProcessor(), maker: small.box.status().maker ?? "" }, atOnce);
  } finally {
    for (const each of [small, large]) each.remove();
  }
}

type Times = Record<"plain" | "boxed" | "looking" | "deep" | "large", number[]>;

/** Of a whole gate in a process of its own: decision, run, looks before and after it, report. By line. */
async function gateProcessor(): Promise<Map<string, number[]>> {
  const calls = await boxedCalls();
  try {
    const lines = [RUNS_CODE, "cat README.md", "git status"];
    for (let count = 0; count < WARM_UP; count++) for (const line of lines) await calls.call(line);
    const taken = new Map(lines.map((line) => [line, [] as number[]]));
    for (let count = 0; count < RUNS; count++) for (const [line, times] of taken) times.push(await calls.call(line));
    return taken;
  } finally {
    await calls.close();
  }
}

function figures(
  times: Times,
  { prepared, gate, maker }: { prepared: readonly number[]; gate: ReadonlyMap<string, number[]>; maker: string },
  atOnce: number,
): Figure[] {
  const p95 = (values: readonly number[]) => quantile(values, 0.95);
  const said = (values: readonly number[]) =>
    `min ${Math.min(...values).toFixed(1)}, median ${median(values).toFixed(1)}, p95 ${p95(values).toFixed(1)} ms`;
  const { plain, boxed, looking, deep, large } = times;
  const added = (name: string, values: number[], limit: number) =>
    figure(`${name}, added`, median(values) - median(plain), "ms", limit, said(values));
  return [
    figure("plain command", median(plain), "ms", null, said(plain)),
    added(`boxed by ${maker}`, boxed, MAX_MEDIAN_MS),
    ...[...gate].map(([line, taken]) =>
      figure(`the gate's own processor, through its socket: ${line}`, median(taken), "ms", MAX_GATE_MS, said(taken)),
    ),
    figure("boxed, added at the 95th percentile", p95(boxed) - p95(plain), "ms", MAX_P95_MS, ""),
    added("boxed to look only", looking, MAX_LOOKING_MS),
    added(`a project ${DEEP} folders deep`, deep, MAX_MEDIAN_MS + MAX_LARGER_MS),
    added("100,000 files and 60 toolchains", large, MAX_MEDIAN_MS + MAX_LARGER_MS),
    figure("  in the decision", median(prepared), "ms", null, said(prepared)),
    figure(`${AT_ONCE} at once, each`, atOnce / AT_ONCE, "ms", null, `${atOnce.toFixed(0)} ms in all`),
  ];
}

const LOOKING = { kind: "looking", programs: [COMMAND] } as const;

function prepare(service: BoxService, project: string, change: Partial<Declaration> = {}): string {
  const reads = change.kind === "looking" ? [project] : [];
  const { argv } = service.prepare({
    declaration: { project, cwd: project, reads, writes: [], network: false, ...change },
    line: COMMAND,
    agent_id: "bench",
    agent_name: "bench",
    session: "bench",
    call_hash: "",
    call_id: undefined,
  });
  return confinedCommand(argv);
}

async function benchBox(toolchains: number): Promise<Bench> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "metnos-bench-box-")));
  const home = join(folder, "home");
  const reads = Array.from({ length: toolchains }, (_, index) => join(folder, "toolchains", String(index)));
  for (const each of [home, ...reads]) mkdirSync(each, { recursive: true });
  const service = new BoxService({
    paths: { state_dir: join(folder, "state") },
    home,
    env: { HOME: home, PATH: process.env.PATH },
    config: { ...configSchema.parse({}).box, reads },
    clock: systemClock,
    alarms: { raise: (alarm) => console.error(alarm.message) },
    audit: { append: () => undefined },
    agent_pauses: { begin: (agentId) => ({ agent_id: agentId, since: "", until: null }) },
    stateOf: () => ({ level: "Supervised", stopped: null }),
    agents: () => [],
    gateFolders: [],
    failed: (what, error) => console.error(what, error),
  });
  await service.ready;
  const remove = () => {
    service.close();
    // One that covers others, which nobody may look into.
    const closed = join(folder, "state/box/closed");
    if (existsSync(closed)) chmodSync(closed, 0o700);
    removeFolder(folder);
  };
  return { box: service, folder, remove };
}

function fill(project: string): void {
  for (let index = 0; index < LARGE_FOLDERS; index++) {
    const folder = join(project, `part-${Math.floor(index / 50)}`, `folder-${index}`);
    mkdirSync(folder, { recursive: true });
    for (let file = 0; file < LARGE_FILES; file++) writeFileSync(join(folder, `file-${file}.ts`), "");
  }
}

/** In milliseconds, as a shell sees it that is already running. */
async function timed(line: string, cwd: string): Promise<number> {
  const { stdout, stderr, status } = await run(["-c", TIMED, "bash", line], cwd);
  if (status !== 0 || stderr !== "") throw new Error(`it ended with ${status}: ${stderr}`);
  return Number(stdout) / 1000;
}

async function allAtOnce(service: BoxService, project: string): Promise<number> {
  const lines = Array.from({ length: AT_ONCE }, () => prepare(service, project));
  const began = performance.now();
  const ends = await Promise.all(lines.map((line) => run(["-c", line], project)));
  const ms = performance.now() - began;
  const failure = ends.find(({ status }) => status !== 0);
  if (failure !== undefined)
    throw new Error(`one of ${AT_ONCE} at once ended with ${failure.status}: ${failure.stderr}`);
  return ms;
}

function run(
  args: readonly string[],
  cwd: string,
): Promise<Pick<SpawnSyncReturns<string>, "stdout" | "stderr" | "status">> {
  return new Promise((resolve, reject) => {
    const child = spawn("/bin/bash", args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
    let [stdout, stderr] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    child.once("error", reject);
    child.once("close", (status) => resolve({ stdout, stderr, status }));
  });
}
