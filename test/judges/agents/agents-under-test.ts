import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { findMachine, type Machine } from "../../../main/box/arguments/machine.ts";
import { configSchema } from "../../../main/config/config.ts";
import type { JudgeAgentConfig } from "../../../main/decide/reviews/config.ts";
import { type JudgeAgentParts, openJudgeAgents } from "../../../main/judges/agents/judge-agents.ts";
import type { JudgeAgent, Model } from "../../../main/judges/reviews/judge-ports.ts";
import { tempFolder } from "../../support/temp-folder.ts";

/** Judge agents in real boxes, on a home, a gate's folder and a worker's project that are the test's own. */

type OtherParts = Pick<JudgeAgentParts, "machine" | "probe" | "addressRules">;

export interface AgentsUnderTest {
  folder: string;
  home: string;
  state_dir: string;
  project: string;
  failures: string[];
  /** An executable script for bash, outside the project. @returns its path */
  script(text: string, name?: string): string;
  /** @param parts other ones than this machine's */
  agent(config: JudgeAgentConfig, model?: Model, parts?: OtherParts): JudgeAgent;
  machine(): Machine;
  /** Runs such a script as a judge agent of the project. */
  judge(text: string, signal?: AbortSignal): Promise<string>;
}

export function agentsUnderTest(env: Record<string, string> = {}): AgentsUnderTest {
  const folder = tempFolder();
  const [home, stateDir, project] = ["home", "state", "project"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const each of [home, stateDir, project]) mkdirSync(each);
  const failures: string[] = [];
  const script = (text: string, name = "judge") => written(join(folder, "programs", name), `#!/bin/bash\n${text}\n`);
  const agent = (config: JudgeAgentConfig, model?: Model, parts: OtherParts = {}): JudgeAgent => {
    const { name = "none" } = model ?? {};
    const all = configSchema.parse({
      // Of a gate, in no judge agent's box whatever the user lets into boxes.
      box: { environment: ["METNOS_STATE_DIR"] },
      judge: { online: config.hosts.length > 0 },
      judge_agents: { agent: config },
      models: { [name]: { dialect: "openai", base_url: "http://127.0.0.1:1/v1", model: "m", key_env: "MODEL_KEY" } },
    });
    const agents = openJudgeAgents(all, {
      models: new Map(model === undefined ? [] : [[model.name, model]]),
      box: all.box,
      home,
      env: { PATH: process.env.PATH, HOME: home, ...env },
      state_dir: stateDir,
      gateFolders: [],
      failed: (what, error) => failures.push(`${what}: ${error instanceof Error ? error.cause : error}`),
      ...parts,
    });
    return agents.get("agent") ?? raise("there is no such judge agent");
  };
  const judge = (text: string, signal: AbortSignal = new AbortController().signal) =>
    agent({ kind: "command", command: [script(text)], hosts: [] }).judge(
      { task: "look" },
      { cwd: project, agent_name: "worker" },
      signal,
    );
  const machine = () => findMachine({ env: {}, home, config: configSchema.parse({}).box, state_dir: stateDir });
  return { folder, home, state_dir: stateDir, project, failures, script, agent, machine, judge };
}

function raise(message: string): never {
  throw new Error(message);
}

/** Writes a program. @returns its path */
export function written(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode: 0o755 });
  return path;
}

/** All of a folder: names, kinds, modes, owners, contents and times. */
export function stateOf(folder: string): string {
  const hash = createHash("sha256");
  const visit = (path: Buffer) => {
    const { mode, uid, gid, size, mtimeMs, ctimeMs, nlink, rdev } = lstatSync(path);
    hash.update(path).update(JSON.stringify([mode, uid, gid, size, mtimeMs, ctimeMs, nlink, rdev]));
    const kind = lstatSync(path);
    if (kind.isFile()) hash.update(readFileSync(path));
    else if (kind.isSymbolicLink()) hash.update(readlinkSync(path, { encoding: "buffer" }));
    else if (kind.isDirectory())
      for (const name of readdirSync(path, { encoding: "buffer" }).sort(Buffer.compare))
        visit(Buffer.concat([path, Buffer.from("/"), name]));
  };
  visit(Buffer.from(folder));
  return hash.digest("hex");
}
