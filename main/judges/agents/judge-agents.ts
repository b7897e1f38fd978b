import { createRequire } from "node:module";
import { plainWords } from "@metnos-gate/shell-reading";
import { z } from "zod";
import type { Env } from "../../../ipc/base/paths.ts";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import { findMachine, type Machine } from "../../box/arguments/machine.ts";
import type { AddressRules } from "../../box/network/lookup.ts";
import type { BoxProbe } from "../../box/service/probe.ts";
import type { Config } from "../../config/index.ts";
import {
  type JudgeAgentConfig,
  type JudgeToolConfig,
  needsBox,
  type ReviewConfig,
  sendToModel,
} from "../../decide/reviews/config.ts";
import { type ListedHost, readListedHost } from "../../targets/listed-host.ts";
import type { JudgeAgent, Model } from "../reviews/judge-ports.ts";
import { AgentBox } from "./agent-box.ts";
import { AgentHosts } from "./agent-hosts.ts";
import { astGrepSearch } from "./ast-grep-search.ts";
import { commandAgent } from "./command-agent.ts";
import { fsRead } from "./fs-read.ts";
import { modelAgent } from "./model-agent.ts";
import { cut, type JudgeTool, ToolRefused } from "./tool.ts";

export interface JudgeAgentParts {
  /** By name; every one that a judge agent of the configuration names. */
  models: ReadonlyMap<string, Model>;
  /** The configuration of boxes: what every one may read, and the limits that none exceeds. */
  box: Config["box"];
  home: string;
  env: Env;
  /** The gate's state folder, and its other folders: never shown. */
  state_dir: string;
  gateFolders: readonly string[];
  /** Logs an unexpected error after which the gate continues. */
  failed(what: string, error: unknown): void;
  /** Others only in tests. */
  machine?: Machine;
  addressRules?: AddressRules;
  probe?(): Promise<BoxProbe>;
}

/**
 * The judge agents of the configuration, by name.
 * @throws GateError `invalid_config` where one needs what this machine doesn't have
 */
export function openJudgeAgents(config: ReviewConfig, parts: JudgeAgentParts): Map<string, JudgeAgent> {
  const entries = Object.entries(config.judge_agents);
  const boxed = entries.find(([, agent]) => needsBox(agent));
  const box = boxed === undefined ? undefined : openBox(boxed[0], config, parts);
  return new Map(
    entries.map(([name, agent]) => [name, openAgent(name, agent, { ...parts, judge: config.judge }, box)]),
  );
}

const listedHosts = ({ hosts }: JudgeAgentConfig): ListedHost[] =>
  // The configuration was refused where one is none.
  hosts.flatMap((host) => readListedHost(host) ?? []);

function openAgent(
  name: string,
  agent: JudgeAgentConfig,
  { home, env, models, judge }: JudgeAgentParts & Pick<ReviewConfig, "judge">,
  box: AgentBox | undefined,
): JudgeAgent {
  const { homeReal = home, gateFolders = [] } = box?.machine ?? {};
  const place = { home, homeReal, env, gateFolders };
  const hosts = listedHosts(agent);
  if (agent.kind === "command")
    return commandAgent(name, { argv: agent.command, hosts }, { box: required(box, name), place });
  const model = models.get(agent.model);
  if (model === undefined) throw invalid(name, `there is no [models.${agent.model}]`);
  const tools = agent.tools.map((tool) => openTool(name, tool, hosts, required(box, name)));
  const send = sendToModel(judge.send, model.is_online);
  return modelAgent(name, model, { prompt: agent.prompt, max_steps: agent.max_steps, tools, send }, place);
}

function openTool(name: string, tool: JudgeToolConfig, hosts: readonly ListedHost[], box: AgentBox): JudgeTool {
  switch (tool.name) {
    case "cmd.run":
      return cmdRun(tool, hosts, box);
    case "fs.read":
      return fsRead(box);
    case "ast_grep.search": {
      const { node } = box.machine;
      const library = astGrepLibrary();
      if (node === null) throw invalid(name, `ast_grep.search needs Node, and ${NO_NODE}`, INSTALL_NODE);
      if (library === null) throw invalid(name, "ast_grep.search isn't there for this machine");
      return astGrepSearch(box, node, library);
    }
  }
}

function required(box: AgentBox | undefined, name: string): AgentBox {
  if (box === undefined) throw invalid(name, "it needs a box");
  return box;
}

function invalid(name: string, what: string, hint = "see docs/configuration.md"): GateError {
  return new GateError("invalid_config", `[judge_agents.${name}]: ${what}`, hint);
}

const NO_NODE = "no Node program was found";
const INSTALL_NODE = "install Node, and have it in PATH where the gate is started";
const WITHOUT = "leave this judge agent out, or its tools";
const INSTALL = "install bubblewrap (sudo apt install bubblewrap), or leave this judge agent out";

function openBox(first: string, config: ReviewConfig, parts: JudgeAgentParts): AgentBox {
  const { home, env, box, state_dir, gateFolders, failed, probe } = parts;
  const machine = parts.machine ?? findMachine({ env, home, config: box, state_dir, gateFolders });
  if (process.platform !== "linux") throw invalid(first, "it needs a box, which there is only on Linux", WITHOUT);
  if (machine.makers.length === 0) throw invalid(first, "it needs a box, and bubblewrap is missing", INSTALL);
  if (machine.bash === null) throw invalid(first, "it needs a box, and bash is missing", WITHOUT);
  const keyVariables = Object.values(config.models).flatMap(({ key_env }) => (key_env === undefined ? [] : [key_env]));
  return new AgentBox({
    machine,
    keyVariables,
    failed,
    ...(probe === undefined ? {} : { probe }),
    ...openHosts(config, machine, parts),
  });
}

function openHosts(
  { judge_agents }: ReviewConfig,
  { node, boxFolder }: Machine,
  { failed, addressRules }: JudgeAgentParts,
): { hosts?: AgentHosts } {
  const [first] = Object.entries(judge_agents).find(([, { hosts }]) => hosts.length > 0) ?? [];
  if (first === undefined) return {};
  if (node === null) throw invalid(first, `hosts can't be reached from the box: ${NO_NODE}`, INSTALL_NODE);
  const rules = addressRules === undefined ? {} : { rules: addressRules };
  return { hosts: new AgentHosts({ folder: boxFolder, node, failed, ...rules }) };
}

/** ast-grep's library for this machine, one file that Node loads; null where there is none. */
function astGrepLibrary(): string | null {
  try {
    const require = createRequire(import.meta.url);
    const packageRequire = createRequire(require.resolve("@ast-grep/napi"));
    for (const kind of ["gnu", "musl"]) {
      const path = resolved(packageRequire, `@ast-grep/napi-linux-${process.arch}-${kind}`);
      // The system loads no file that lies in the packaged app's archive.
      if (path !== null) return path.replace(/([/\\])app\.asar([/\\])/, "$1app.asar.unpacked$2");
    }
    return null;
  } catch {
    return null; // the package isn't installed
  }
}

function resolved(from: NodeJS.Require, name: string): string | null {
  try {
    return from.resolve(name);
  } catch {
    return null; // it isn't this machine's
  }
}

/** Of a command's output; bytes. What a model gets of it is less. */
const MAX_OUTPUT = 4 * 1024 * 1024;

const argsSchema = z.strictObject({ command: z.string().max(4096) });

interface CommandsToRun {
  /** Whole commands, each of literal words. */
  allowlist: readonly string[];
  timeout_seconds: number;
}

/** @param hosts that the commands may reach */
function cmdRun({ allowlist, timeout_seconds }: CommandsToRun, hosts: readonly ListedHost[], box: AgentBox): JudgeTool {
  const allowed = allowlist.map((command) => plainWords(command));
  const isAllowed = (words: readonly string[]) =>
    allowed.some((one) => one?.length === words.length && one.every((word, index) => word === words[index]));
  return {
    name: "cmd.run",
    description: `runs one of these commands, exactly as it is written here, in the workspace: ${allowlist.map((one) => JSON.stringify(one)).join(", ")}. Args: {"command": TEXT}`,
    async run(args, workspace, signal) {
      const read = argsSchema.safeParse(args);
      if (!read.success) throw new ToolRefused('it takes {"command": TEXT}');
      const words = plainWords(read.data.command);
      if (words === null || !isAllowed(words)) throw new ToolRefused("this command is not on the list");
      const { how, code, output } = await box.run(
        {
          argv: words,
          workspace,
          hosts,
          withErrors: true,
          maxOutput: MAX_OUTPUT,
          timeoutMs: timeout_seconds * 1000,
        },
        signal,
      );
      const text = cut(output.toString("utf8"));
      switch (how) {
        case "exited":
          return `exit code ${code}\n${text}`;
        case "stopped":
          return `ended after ${timeout_seconds} seconds, without an exit code\n${text}`;
        case "too-long":
          return `ended as it printed more than ${MAX_OUTPUT / 1024 / 1024} MiB, without an exit code\n${text}`;
      }
    },
  };
}
