import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { writeLauncher } from "../cli/hook/launcher.ts";
import { agentPaths } from "../ipc/paths.ts";
import { recordTestedClient } from "../ipc/tested-clients.ts";
import { CLAUDE_CODE } from "../main/hooks/claude-code/dialect.ts";
import { clientProgram } from "../main/hooks/client-program.ts";
import { type Figure, figure, median } from "./figure.ts";
import { benchHome, startGate } from "./gate-process.ts";
import { workFolders } from "./round-trip.ts";

/** `hook claude-code` as Claude Code calls it, by its launcher, as a cold process against `node -e 0` and against the npm package cc-safety-net. */

const RUNS = 41;
/** The program alone; its launcher adds two processes, which let nothing of a project's environment through. */
const MAX_PROGRAM_MS = 6;
const MAX_LAUNCHED_MS = 15;
/** After a call that wasn't confined: a shell, and no program. */
const MAX_AFTER_MS = 4;
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
  const bash = payload.replace('"Read"', '"Bash"').replace(/"tool_input":\{[^}]*\}/, '"tool_input":{"command":"ls"}');
  try {
    const times = { node: [] as number[], program: [] as number[], hook: [] as number[], other: [] as number[] };
    const after = { nothing: [] as number[], hook: [] as number[] };
    for (let run = 0; run < RUNS + 3; run++) {
      const node = (await cold(process.execPath, ["-e", "0"], "", env)).ms;
      const ours = await cold(launcher, ["hook", "claude-code"], payload, env);
      const program = await cold(process.execPath, [PROGRAM, "hook", "claude-code"], payload, env);
      for (const { output } of [ours, program])
        if (!output.includes('"permissionDecision":"allow"')) throw new Error(`the hook printed: ${output}`);
      const nothing = (await cold("/bin/true", [], payload, env)).ms;
      const ran = await cold(launcher, ["after", "claude-code"], payload, env);
      if (ran.output !== "") throw new Error(`the hook after a call printed: ${ran.output}`);
      const other = (await cold(process.execPath, [SAFETY_NET, "--claude-code"], bash, env)).ms;
      if (run < 3) continue; // the first ones warm the file cache
      times.node.push(node);
      times.program.push(program.ms);
      times.hook.push(ours.ms);
      times.other.push(other);
      after.nothing.push(nothing);
      after.hook.push(ran.ms);
    }
    const [node, program, ours, other] = [
      median(times.node),
      median(times.program),
      median(times.hook),
      median(times.other),
    ];
    const [nothing, ran] = [median(after.nothing), median(after.hook)];
    const client = median(clientTimes(home.env, folder));
    const ms = (value: number) => `${value.toFixed(1)} ms`;
    return [
      figure(
        "hook's program beyond node -e 0",
        program - node,
        "ms",
        MAX_PROGRAM_MS,
        `${ms(program)} against ${ms(node)}`,
      ),
      figure(
        "hook by its launcher, beyond node -e 0",
        ours - node,
        "ms",
        MAX_LAUNCHED_MS,
        `${ms(ours)} against ${ms(node)}`,
      ),
      figure(
        "hook after a call, beyond /bin/true",
        ran - nothing,
        "ms",
        MAX_AFTER_MS,
        `${ms(ran)} against ${ms(nothing)}`,
      ),
      figure("whether a call can be confined", client, "ms", MAX_CLIENT_MS, "a client on record, five settings files"),
      figure("hook against cc-safety-net", ours / other, "x", null, `${ms(ours)} against ${ms(other)}`),
    ];
  } finally {
    await gate.stop();
    home.remove();
    work.remove();
  }
}

/** With this very process for the client. In milliseconds. */
function clientTimes(env: NodeJS.ProcessEnv, cwd: string): number[] {
  const { state_dir } = agentPaths(env);
  const program = clientProgram(process.pid);
  if (program === undefined) throw new Error("this system doesn't say which program a process is");
  const tested_at = new Date().toISOString();
  recordTestedClient(state_dir, "claude-code", { ...program, version: "", tested_at, passed: true, problem: null });
  const permissions = { deny: ["Read(./.env)", "Bash(curl:*)"], ask: ["Bash(git push:*)"] };
  mkdirSync(join(cwd, ".claude"), { recursive: true });
  writeFileSync(join(cwd, ".claude/settings.json"), JSON.stringify({ permissions }));
  return Array.from({ length: RUNS }, () => {
    const started = performance.now();
    const can_confine = CLAUDE_CODE.canConfine(
      {
        session_id: "",
        call: { intent: "", executor: "Bash", args: {} },
        rewritable: { input: {}, line: "npm test", cwd },
      },
      { reader: process.pid, state_dir, env, is_gate: false },
    );
    if (!can_confine) throw new Error("the client is on record");
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
