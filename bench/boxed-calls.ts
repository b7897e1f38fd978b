import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { confinedCommand } from "../ipc/base/confined-command.ts";
import { OperatorClient } from "../ipc/socket/operator-client.ts";
import { makeCodingProject } from "../test/support/coding-project.ts";
import { type BenchHome, benchHome, type GateProcess, startGate } from "./gate-process.ts";
import { LineClient } from "./line-client.ts";
import { processorTime } from "./processor-time.ts";

/** Calls whose commands run in boxes, of a client of a gate in a process of its own, in a project as people have them. */

const FOLDERS = 130;
/** What a command leaves is looked at after its end: by then that is done. */
const AFTER_MS = 30;

/** Runs the project's own code: what a test script does as well, and a file that it writes. */
export const RUNS_CODE = "sh tests.sh";

export interface BoxedCalls {
  home: BenchHome;
  gate: GateProcess;
  project: string;
  /** Asks about it, runs it as it was allowed, and reports its end. @returns what of the gate's processor that took, in milliseconds */
  call(line: string): Promise<number>;
  close(): Promise<void>;
}

export async function boxedCalls(nodeFlags: readonly string[] = []): Promise<BoxedCalls> {
  const home = benchHome([]);
  home.env.PATH = `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`;
  const project = makeCodingProject(home.home, home.env);
  for (let index = 0; index < FOLDERS; index++) {
    const folder = join(project, `src/part-${index % 13}/folder-${index}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "index.ts"), `export const part = ${index};\n`);
  }
  writeFileSync(join(project, "tests.sh"), "echo passed > test/empty/last.txt\n");
  const gate = await startGate(home, [], { nodeFlags });
  const { agent_socket, operator_socket, operatorToken } = home.paths;
  const operator = await OperatorClient.connect(operator_socket, operatorToken);
  while (!(await operator.call("box.status", {})).is_available) await wait(50);
  for (const capability of ["fs:read", "fs:write"] as const)
    await operator.call("grants.add", { capability, target: `${project}/**` });
  await operator.close();
  const client = await greeted(agent_socket, home.token);
  let count = 0;
  return {
    home,
    gate,
    project,
    async call(line) {
      const before = processorTime(gate.child.pid);
      const callId = `c${++count}`;
      const { data } = await client.ask({
        type: "tool.call",
        data: {
          id: callId,
          intent: "",
          executor: "Bash",
          args: { command: line },
          context: { cwd: project, call_id: callId },
        },
      });
      await run(wordsOf(data, line), project, home.env);
      await client.ask({ type: "tool.ran", data: { id: `${callId}r`, call_id: callId, ok: true, duration_ms: 1 } });
      await wait(AFTER_MS);
      return (processorTime(gate.child.pid) - before) / 1000;
    },
    async close() {
      client.close();
      await gate.stop();
      home.remove();
    },
  };
}

async function greeted(path: string, token: string): Promise<LineClient> {
  const client = await LineClient.connect(path);
  const hello = { id: "h", protocol: 1, agent: { name: "bench" }, token, supports: ["confine"] };
  const { type } = await client.ask({ type: "hello", data: hello });
  if (type !== "hello.ok") throw new Error(`the gate answered ${type}`);
  return client;
}

function wordsOf({ outcome, confine, reason }: Record<string, unknown>, line: string): string {
  if (outcome !== "allowed" || typeof confine !== "object") throw new Error(`${line}: ${outcome}, ${reason}`);
  return confinedCommand((confine as { argv: string[] }).argv);
}

function run(line: string, cwd: string, env: NodeJS.ProcessEnv): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn("/bin/bash", ["-c", line], { cwd, env, stdio: ["ignore", "ignore", "pipe"] });
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
    child.once("error", reject);
    child.once("close", (code) => (code === 0 ? resolve() : reject(new Error(`it ended with ${code}: ${said}`))));
  });
}
