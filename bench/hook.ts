import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { setTimeout as wait } from "node:timers/promises";
import { writeLauncher } from "../cli/hook/launcher.ts";
import { agentPaths } from "../ipc/base/paths.ts";
import { recordTestedClient } from "../ipc/base/tested-clients.ts";
import { CLAUDE_CODE } from "../main/hooks/claude-code/dialect.ts";
import { clientProgram } from "../main/hooks/client-program.ts";
import { pipesFolder } from "../main/hooks/pipes-folder.ts";
import { type Figure, figure, median } from "./figure.ts";
import { benchHome, startGate } from "./gate-process.ts";
import { processorTime } from "./processor-time.ts";
import { workFolders } from "./round-trip.ts";

/**
 * The hooks of a call as Claude Code calls them, by their launcher, which asks the gate over pipes: against `sh -c true`, and against the npm
 * package cc-safety-net. The hook's program, which asks where no pipe answers, against `node -e 0`.
 */

const RUNS = 41;
/** Before a call and after it, together, beyond two shells that do nothing: as time passes, and of processors, the gate's own with it. */
const MAX_CALL_MS = 12;
const MAX_CALL_PROCESSOR_MS = 8;
const MAX_PROGRAM_MS = 6;
/** Whether this very client was tested, and has no rule about the line. */
const MAX_CLIENT_MS = 1;

const PROGRAM = new URL("../dist/hook/hook.cjs", import.meta.url).pathname;
const SAFETY_NET = new URL("../node_modules/cc-safety-net/dist/bin/cc-safety-net.js", import.meta.url).pathname;

export async function hook(): Promise<Figure[]> {
  const work = workFolders(1);
  const [folder = ""] = work.folders;
  const home = benchHome([folder], "claude-code");
  const gate = await startGate(home);
  const { env } = home;
  const launcher = writeLauncher(env);
  const payload = JSON.stringify({
    session_id: "bench",
    transcript_path: "",
    cwd: folder,
    permission_mode: "default",
    hook_event_name: "PreToolUse",
    tool_name: "Read",
    tool_input: { file_path: `${folder}/notes-1.txt` },
    tool_use_id: "bench",
  });
  const reported = JSON.stringify({
    session_id: "bench",
    cwd: folder,
    hook_event_name: "PostToolUse",
    tool_name: "Read",
    tool_input: { file_path: `${folder}/notes-1.txt` },
    tool_response: {},
    tool_use_id: "bench",
  });
  const bash = payload.replace('"Read"', '"Bash"').replace(/"tool_input":\{[^}]*\}/, '"tool_input":{"command":"ls"}');
  try {
    const times: Record<"node" | "program" | "before" | "after" | "nothing" | "other", number[]> = {
      node: [],
      program: [],
      before: [],
      after: [],
      nothing: [],
      other: [],
    };
    await waitForPipes(home.paths.state_dir);
    for (let run = 0; run < RUNS + 3; run++) {
      const node = (await cold(process.execPath, ["-e", "0"], "", env)).ms;
      const ours = await cold(launcher, ["hook", "claude-code"], payload, env);
      const program = await cold(process.execPath, [PROGRAM, "hook", "claude-code"], payload, env);
      for (const { output } of [ours, program])
        if (!output.includes('"permissionDecision":"allow"')) throw new Error(`the hook printed: ${output}`);
      const nothing = (await cold("/bin/sh", ["-c", "true"], payload, env)).ms;
      const ran = await cold(launcher, ["after", "claude-code"], reported, env);
      if (ran.output !== "{}\n") throw new Error(`the hook after a call printed: ${ran.output}`);
      const other = (await cold(process.execPath, [SAFETY_NET, "--claude-code"], bash, env)).ms;
      if (run < 3) continue; // the first ones warm the file cache
      times.node.push(node);
      times.program.push(program.ms);
      times.before.push(ours.ms);
      times.other.push(other);
      times.nothing.push(nothing);
      times.after.push(ran.ms);
    }
    const [node, program, other] = [median(times.node), median(times.program), median(times.other)];
    const [before, after, nothing] = [median(times.before), median(times.after), median(times.nothing)];
    const inputs = { [payload]: ["hook", "claude-code"], [reported]: ["after", "claude-code"] };
    const processor = processorOf(launcher, inputs, { folder, pid: gate.child.pid, env });
    const client = median(clientTimes(home.env, folder));
    const ms = (value: number) => `${value.toFixed(1)} ms`;
    return [
      figure(
        "a call's hooks, before and after it, beyond sh -c true twice",
        before + after - 2 * nothing,
        "ms",
        MAX_CALL_MS,
        `${ms(before)} and ${ms(after)} against ${ms(nothing)}`,
      ),
      figure(
        "their processor time, the gate's with it",
        processor.hooks + processor.gate,
        "ms",
        MAX_CALL_PROCESSOR_MS,
        `${ms(processor.hooks)} beyond two shells, ${ms(processor.gate)} of the gate`,
      ),
      figure(
        "hook's program beyond node -e 0",
        program - node,
        "ms",
        MAX_PROGRAM_MS,
        `${ms(program)} against ${ms(node)}`,
      ),
      figure("whether a call can be confined", client, "ms", MAX_CLIENT_MS, "a client on record, five settings files"),
      figure("hook against cc-safety-net", before / other, "x", null, `${ms(before)} against ${ms(other)}`),
    ];
  } finally {
    await gate.stop();
    home.remove();
    work.remove();
  }
}

/** The gate makes them once it has begun. */
async function waitForPipes(stateDir: string): Promise<void> {
  const folder = pipesFolder(stateDir);
  while (!existsSync(folder) || readdirSync(folder).length < 2 * PAIRS) await wait(20);
}

const PAIRS = 64;

/** Of one call, in milliseconds: as a shell counts it of many, without what as many shells take that do nothing. */
function processorOf(
  launcher: string,
  inputs: Readonly<Record<string, readonly string[]>>,
  { folder, pid, env }: { folder: string; pid: number | undefined; env: NodeJS.ProcessEnv },
): { hooks: number; gate: number } {
  const lines = Object.entries(inputs).map(([input, args], index) => {
    const file = join(folder, `input-${index}`);
    writeFileSync(file, input);
    return `'${launcher}' ${args.join(" ")} <'${file}' >/dev/null`;
  });
  const before = processorTime(pid);
  const hooks = shellProcessor(lines, env);
  const gate = (processorTime(pid) - before) / 1000 / RUNS;
  return { hooks: hooks - shellProcessor(["/bin/sh -c true", "/bin/sh -c true"], env), gate };
}

/** What is printed by `times`: minutes and seconds. */
const TIMES = /(\d+)m([\d.]+)s (\d+)m([\d.]+)s\s*$/;

function shellProcessor(lines: readonly string[], env: NodeJS.ProcessEnv): number {
  const script = `for ((run = 0; run < ${RUNS}; run++)); do ${lines.join("; ")}; done; times`;
  const { stdout } = spawnSync("/bin/bash", ["-c", script], { env, encoding: "utf8" });
  const [, userMinutes, user, systemMinutes, system] = (TIMES.exec(stdout) ?? []).map(Number);
  if (system === undefined) throw new Error(`the shell printed: ${stdout}`);
  const minutes = (userMinutes ?? 0) + (systemMinutes ?? 0);
  return ((minutes * 60 + (user ?? 0) + system) * 1000) / RUNS;
}

/** With this very process for the client. In milliseconds. */
function clientTimes(env: NodeJS.ProcessEnv, cwd: string): number[] {
  const { state_dir } = agentPaths(env);
  const program = clientProgram(process.pid);
  if (program === undefined) throw new Error("this system doesn't say which program a process is");
  const testedAt = new Date().toISOString();
  recordTestedClient(state_dir, "claude-code", {
    ...program,
    version: "",
    tested_at: testedAt,
    passed: true,
    problem: null,
  });
  const permissions = { deny: ["Read(./.env)", "Bash(curl:*)"], ask: ["Bash(git push:*)"] };
  mkdirSync(join(cwd, ".claude"), { recursive: true });
  writeFileSync(join(cwd, ".claude/settings.json"), JSON.stringify({ permissions }));
  return Array.from({ length: RUNS }, () => {
    const started = performance.now();
    const canConfine = CLAUDE_CODE.canConfine(
      {
        session_id: "",
        call: { intent: "", executor: "Bash", args: {} },
        rewritable: { input: {}, line: "npm test", cwd },
      },
      { reader: process.pid, state_dir, env, isGate: false },
    );
    if (!canConfine) throw new Error("the client is on record");
    return performance.now() - started;
  });
}

function cold(
  program: string,
  args: string[],
  input: string,
  env: NodeJS.ProcessEnv,
): Promise<{ ms: number; output: string }> {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const child = spawn(program, args, { env, stdio: ["pipe", "pipe", "inherit"] });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    child.once("error", reject);
    child.once("close", () => resolve({ ms: performance.now() - started, output }));
    child.stdin.on("error", () => child.stdin.destroy()); // a program that doesn't read its input
    child.stdin.end(input);
  });
}
