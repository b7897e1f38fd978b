import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { CLIENTS, clientsFolder, programIn } from "../test/clients/clients.ts";
import { BENCH_CLIENTS, type BenchClient, type Hooked } from "./clients/bench-clients.ts";
import { type Figure, figure, median } from "./figure.ts";
import { benchHome, startGate } from "./gate-process.ts";
import { workFolders } from "./round-trip.ts";

/**
 * What the gate adds to a tool call in each real client: the time from one request of its model to the next, of reads that nobody is asked
 * about, against no hook and against one that does nothing. The three take turns, so that all have the machine's good and bad moments.
 */

/** Of each client with each hook, in all. */
const CALLS = 30;
const TURNS = 3;
/** The first calls of a session load what the later ones have. */
const FIRST = 2;
/** Of one session, in milliseconds. */
const TIMEOUT_MS = 120_000;

const COMMAND = new URL("../bin/metnos-gate.js", import.meta.url).pathname;
const HOOKED: readonly Hooked[] = ["no hook", "nothing", "gate"];

export async function clients(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const client of BENCH_CLIENTS) {
    const program = programIn(clientsFolder(), client.installed);
    if (program !== undefined) figures.push(...(await measured(client, program)));
    else console.log(`  skipped: ${CLIENTS[client.installed].title} is not installed: npm run clients`);
  }
  return figures;
}

async function measured(client: BenchClient, program: string): Promise<Figure[]> {
  const times: Record<Hooked, number[]> = { "no hook": [], nothing: [], gate: [] };
  for (let turn = 0; turn < TURNS; turn += 1)
    for (const hooked of HOOKED) times[hooked].push(...(await session(client, program, hooked)));
  const [none, nothing, gate] = HOOKED.map((hooked) => median(times[hooked])) as [number, number, number];
  const { title } = CLIENTS[client.installed];
  const said = `no hook ${none.toFixed(1)} ms, ${client.nothing} ${nothing.toFixed(1)} ms, the gate ${gate.toFixed(1)} ms`;
  const detail = `medians of ${times.gate.length} calls: ${said}`;
  return [
    figure(`${title}: the gate adds to a call`, gate - none, "ms", null, detail),
    figure(`${title}: beyond ${client.nothing} as hook`, gate - nothing, "ms", null, detail),
  ];
}

/** The times between the turns of one session, in milliseconds. */
async function session(client: BenchClient, program: string, hooked: Hooked): Promise<number[]> {
  const work = workFolders(1);
  const [project = ""] = work.folders;
  const files = Array.from({ length: CALLS / TURNS + FIRST }, (_, index) => join(project, `file-${index}.txt`));
  for (const file of files) writeFileSync(file, "text\n");
  const home = benchHome([project], client.agent);
  const gate = hooked === "gate" ? await startGate(home, ["--no-notifications"]) : undefined;
  const arrived: number[] = [];
  const api = await client.api(files, () => void arrived.push(performance.now()));
  try {
    const place = { url: api.url, home: home.home, project };
    client.prepare?.(place);
    if (hooked === "nothing") client.hookNothing(place);
    if (hooked === "gate") connect(client, program, home.env);
    const { args, env } = client.start(place);
    await run(program, args, { cwd: project, env: { ...home.env, ...env } });
  } finally {
    api.close();
    await gate?.stop();
    home.remove();
    work.remove();
  }
  const times = arrived.slice(1, files.length + 1).map((at, index) => at - (arrived[index] ?? at));
  if (times.length < files.length)
    throw new Error(`${client.agent} with ${hooked} made ${times.length} of ${files.length} calls`);
  return times.slice(FIRST);
}

function connect({ agent }: BenchClient, program: string, env: NodeJS.ProcessEnv): void {
  execFileSync(process.execPath, [COMMAND, "connect", agent, "--client", program], { env, stdio: "ignore" });
}

/** Runs the client to its end, and ends what it started. */
async function run(
  program: string,
  args: readonly string[],
  options: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<void> {
  const [file, ...words] = program.endsWith(".js") ? [process.execPath, program, ...args] : [program, ...args];
  const child = spawn(file ?? program, words, { ...options, detached: true, stdio: "ignore" });
  const end = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    } catch {
      // all of them have ended
    }
  };
  const timer = setTimeout(end, TIMEOUT_MS);
  await once(child, "exit");
  clearTimeout(timer);
  end();
}
