import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type GateProcess, startGate } from "../../bench/gate-process.ts";
import { configureHighestLimits } from "../../bench/highest-limits.ts";
import { startEcho } from "../../bench/line-client.ts";
import { type GatePaths, gatePaths } from "../../ipc/base/paths.ts";
import { OperatorClient } from "../../ipc/socket/operator-client.ts";
import { removeFolder } from "../../main/base/files/remove-folder.ts";
import type { LoadCounts, PairedAgent } from "./agents.ts";
import { type Sample, type Trend, trendsOf } from "./figures.ts";
import type { LoadSettings } from "./load.ts";
import type { ProbeReport, ProbeSettings } from "./probe.ts";

/** A gate under a steady load for a long time: what it needs and how fast it answers must not drift. */

export interface SoakOptions {
  seconds: number;
  /** Not counted: by then the engine has compiled what it will compile, and the answers of the first minute have arrived. */
  warmUpSeconds: number;
  agents: number;
  callsPerSecond: number;
  /** As in `LoadSettings`. */
  mostUnanswered?: number;
  sampleSeconds: number;
  /** What the last third may be against the first. */
  limit: number;
  launcher?: string | undefined;
  progress?: (seconds: number, sample: Sample, counts: LoadCounts) => void;
}

export interface SoakReport {
  trends: Trend[];
  counts: LoadCounts;
  failures: string[];
  /** Of the trail's check at the end. */
  trailProblems: number;
}

/** A gate that is further behind than this with its answers doesn't keep up. */
const LONGEST_BEHIND_SECONDS = 2;
/** A probe's calls a second: few enough to load nothing. */
const PROBE_CALLS_PER_SECOND = 20;

export async function soak(options: SoakOptions): Promise<SoakReport> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "metnos-soak-")));
  const env = { PATH: process.env.PATH ?? "", HOME: folder };
  const { launcher } = options;
  // An earlier version doesn't know them.
  if (launcher === undefined) configureHighestLimits(gatePaths(env));
  const gate = await startGate({ env }, ["--no-notifications"], launcher === undefined ? {} : { launcher });
  const children: ChildProcess[] = [];
  try {
    return await run(options, gate, folder, gatePaths(env), children);
  } finally {
    for (const child of children) child.kill("SIGKILL");
    await gate.stop();
    removeFolder(folder);
  }
}

async function run(
  options: SoakOptions,
  gate: GateProcess,
  folder: string,
  paths: GatePaths,
  children: ChildProcess[],
): Promise<SoakReport> {
  const operator = await OperatorClient.connect(paths.operator_socket, paths.operatorToken);
  const [probeAgent, ...agents] = await pairAgents(operator, 1 + options.agents);
  if (probeAgent === undefined) throw new Error("no agent was paired");
  const readable = await readableFile(operator, folder);
  const { agent_socket, operator_socket, operatorToken } = paths;
  const echoSocket = join(folder, "echo.sock");
  children.push(await startEcho(echoSocket));
  const load = new Child<LoadSettings, LoadCounts>("load.ts", {
    agents,
    agent_socket,
    operator_socket,
    operatorToken,
    readable,
    callsPerSecond: options.callsPerSecond,
    mostUnanswered: options.mostUnanswered,
  });
  const probe = new Child<ProbeSettings, ProbeReport>("probe.ts", {
    agent: probeAgent,
    agent_socket,
    echoSocket,
    callsPerSecond: PROBE_CALLS_PER_SECOND,
  });
  children.push(load.process, probe.process);
  await Promise.all([load.began, probe.began]);
  await sleep(options.warmUpSeconds * 1000);
  probe.take();
  const { samples, counts, failures } = await sampleAll(options, gate, paths, load, probe);
  const { problems } = await operator.call("audit.verify", {});
  await operator.close();
  return { trends: trendsOf(samples, options.limit), counts, failures, trailProblems: problems.length };
}

async function sampleAll(
  { seconds, sampleSeconds, callsPerSecond, progress }: SoakOptions,
  gate: GateProcess,
  paths: GatePaths,
  load: Child<LoadSettings, LoadCounts>,
  probe: Child<ProbeSettings, ProbeReport>,
): Promise<{ samples: Sample[]; counts: LoadCounts; failures: string[] }> {
  const samples: Sample[] = [];
  const failures: string[] = [];
  let counts: LoadCounts | undefined;
  for (let at = sampleSeconds; at <= seconds; at += sampleSeconds) {
    await sleep(sampleSeconds * 1000);
    const measured = probe.take();
    const sample: Sample = {
      gate_ms: measured.flatMap(({ gate_ms }) => gate_ms),
      echo_ms: measured.flatMap(({ echo_ms }) => echo_ms),
      residentMib: gate.residentMib(),
      open_files: gate.openFiles(),
      walMib: largestLog(paths),
    };
    const reported = load.take();
    failures.push(...reported.flatMap((report) => report.failures), ...load.failures(), ...probe.failures());
    counts = reported.at(-1) ?? counts;
    samples.push(sample);
    if (counts !== undefined) progress?.(at, sample, counts);
  }
  if (counts === undefined) throw new Error(`the load never began: ${failures.join("; ")}`);
  if (counts.unanswered > LONGEST_BEHIND_SECONDS * callsPerSecond)
    failures.push(
      `${counts.unanswered} calls have no answer yet: the load is more than the gate takes on this machine`,
    );
  return { samples, counts, failures };
}

async function pairAgents(operator: OperatorClient, count: number): Promise<PairedAgent[]> {
  const agents: PairedAgent[] = [];
  for (let number = 0; number < count; number++) {
    const { name, token_file } = await operator.call("agents.pair", { name: `agent-${number}`, level: "Supervised" });
    agents.push({ name, token: readFileSync(token_file, "utf8").trim() });
  }
  return agents;
}

async function readableFile(operator: OperatorClient, folder: string): Promise<string> {
  const work = join(folder, "work");
  mkdirSync(work);
  writeFileSync(join(work, "notes.txt"), "notes");
  await operator.call("grants.add", { capability: "fs:read", target: `${work}/**` });
  return join(work, "notes.txt");
}

function largestLog({ state_dir }: GatePaths): number {
  const logs = readdirSync(state_dir).filter((name) => name.endsWith("-wal"));
  return Math.max(0, ...logs.map((name) => statSync(join(state_dir, name)).size)) / 2 ** 20;
}

/** A part of the driver in a separate process. */
class Child<Settings extends object, Report extends object> {
  readonly process: ChildProcess;
  /** Resolves with its first message, or its end. */
  readonly began: Promise<unknown>;
  #reports: Report[] = [];
  #failures: string[] = [];

  constructor(file: string, settings: Settings) {
    this.process = fork(new URL(file, import.meta.url), { execArgv: [], serialization: "advanced" });
    this.began = Promise.race([once(this.process, "message"), once(this.process, "exit")]);
    this.process.on("message", (message: Report | { failure: string }) => {
      if ("failure" in message) this.#failures.push(message.failure);
      else this.#reports.push(message);
    });
    this.process.once("exit", (code, signal) => {
      if (signal !== "SIGKILL") this.#failures.push(`${file} ended with ${code ?? signal}`);
    });
    this.process.send(settings);
  }

  /** What it reported since the last time. */
  take(): Report[] {
    return this.#reports.splice(0);
  }

  failures(): string[] {
    return this.#failures.splice(0);
  }
}
