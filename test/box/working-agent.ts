import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Decision } from "../../ipc/contract/decision.ts";
import { startGate } from "../support/running-gate.ts";

/** Of its shell. */
const PATH = "/usr/local/bin:/usr/bin:/bin";

/** A gate whose box is ready, and an agent that runs what it is given, in a project that it may work on. */
export async function workingAgent() {
  const gate = await startGate();
  await gate.gate.core.box.ready;
  const project = join(gate.home.home, "site");
  mkdirSync(project);
  execFileSync("git", ["init", "-q", project]);
  const agent = await gate.agent("tester", "Supervised", { supports: ["confine"] });
  for (const capability of ["fs:read", "fs:write"] as const)
    await gate.operator.call("grants.add", { capability, target: `${project}/**` });
  const decide = async (command: string): Promise<Decision> =>
    (await agent.ask({ executor: "shell_exec", args: { command }, context: { cwd: project, path: PATH } })).decision;
  return { gate, project, decide };
}
