import { spawn } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { confinedCommand } from "../../ipc/base/confined-command.ts";
import type { Alarm } from "../../ipc/contract/alarms.ts";
import { systemClock } from "../../main/base/clocks/system-clock.ts";
import type { AgentState } from "../../main/box/runs/run-plan.ts";
import { BoxService } from "../../main/box/service/box-service.ts";
import { configSchema } from "../../main/config/config.ts";
import type { ConfinedRun } from "../../main/decide/confinement/box.ts";
import type { AuditRecord } from "../../main/records/audit/record.ts";
import { tempFolder } from "../support/temp-folder.ts";

/** Why there is no box to test with here; undefined where there is one. With CI=true that is a failure. */
export function withoutBox(): string | undefined {
  if (process.env.CI === "true" || ["/usr/bin/bwrap", "/usr/local/bin/bwrap"].some((path) => existsSync(path))) return;
  return "bubblewrap is not installed";
}

export const SHELLS = ["bash", "zsh", "dash"].map((name) => `/usr/bin/${name}`).filter((path) => existsSync(path));

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface BoxUnderTest {
  box: BoxService;
  state_dir: string;
  project: string;
  alarms: Omit<Alarm, "since">[];
  trail: AuditRecord[];
  paused: string[];
  /** Of every agent, to be changed. */
  agent: AgentState;
  failures: unknown[];
  prepare(line: string, change?: Partial<ConfinedRun>): readonly string[];
  /** Prepares and runs it as a client does. */
  run(line: string, options?: RunOptions): Promise<Ended>;
}

export interface RunOptions {
  shell?: string;
  input?: string;
  env?: NodeJS.ProcessEnv;
  /** What the client's shell runs after it. */
  after?: string;
  change?: Partial<ConfinedRun>;
}

export async function boxUnderTest(
  folders: { state_dir?: string; project?: string; settings?: object } = {},
): Promise<BoxUnderTest> {
  const folder = tempFolder();
  const stateDir = folders.state_dir ?? join(folder, "state");
  const project = folders.project ?? join(folder, "project");
  for (const each of [stateDir, project]) mkdirSync(each, { recursive: true });
  const [alarms, trail, paused, failures] = [[], [], [], []] as [
    Omit<Alarm, "since">[],
    AuditRecord[],
    string[],
    unknown[],
  ];
  const home = join(folder, "home");
  mkdirSync(home, { recursive: true });
  const agent: AgentState = { level: "Supervised", stopped: null };
  const box = new BoxService({
    paths: { state_dir: stateDir },
    home,
    env: { HOME: home, PATH: process.env.PATH },
    config: configSchema.parse({ box: folders.settings ?? {} }).box,
    clock: systemClock,
    alarms: { raise: (alarm) => alarms.push(alarm) },
    audit: { append: (record) => trail.push(typeof record === "function" ? record() : record) },
    agent_pauses: {
      begin(agentId) {
        paused.push(agentId);
        return { agent_id: agentId, since: "", until: null };
      },
    },
    stateOf: () => ({ ...agent }),
    agents: () => [],
    gateFolders: [],
    failed: (_what, error) => failures.push(error),
  });
  onTestFinished(() => box.close());
  box.begin();
  await box.ready;
  const prepare = (line: string, change: Partial<ConfinedRun> = {}) =>
    box.prepare({
      declaration: { project, cwd: project, reads: [], writes: [], network: false },
      line,
      agent_id: "agent-1",
      agent_name: "tester",
      session: "s",
      call_hash: "0".repeat(64),
      call_id: undefined,
      ...change,
    }).argv;
  return {
    box,
    state_dir: stateDir,
    project,
    alarms,
    trail,
    paused,
    agent,
    failures,
    prepare,
    run: (line, { change, after = "", ...options } = {}) =>
      shellRuns(`${confinedCommand(prepare(line, change))}${after}`, project, options),
  };
}

/** Runs a line in a shell, in a folder. */
export function shellRuns(
  line: string,
  cwd: string,
  { shell = "/bin/bash", input = "", env }: Omit<RunOptions, "after" | "change"> = {},
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(shell, ["-c", line], { cwd, env: env ?? process.env, stdio: ["pipe", "pipe", "pipe"] });
    let [stdout, stderr] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    child.once("error", reject);
    child.once("close", (code, signal) => resolve({ code, signal, stdout, stderr }));
    child.stdin.on("error", () => child.stdin.destroy()); // a command that doesn't read its input
    child.stdin.end(input);
  });
}
