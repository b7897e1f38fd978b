import type { Command } from "commander";
import { ownCommand } from "../../ipc/base/own-command.ts";
import { agentTokenFile, gatePaths } from "../../ipc/base/paths.ts";
import { shellWord } from "../../ipc/base/shell-quoted.ts";
import { visible } from "../../ipc/base/visible-text.ts";
import type { Level } from "../../ipc/contract/decision.ts";
import { programOnPath } from "../../main/agents/agents-on-path.ts";
import { EDITORS, isEditor } from "../acp/editors/editors.ts";
import type { Adapter, AdapterName, CheckContext, ConnectResult } from "../agents/adapter.ts";
import { ADAPTER_NAMES, adapterOf, allAdapters } from "../agents/adapters.ts";
import { pairAgent } from "../agents/pairing.ts";
import { withOperator } from "../operator.ts";
import { EXIT, type ExitCode, list, say, tell, usageError } from "../output.ts";
import type { Column } from "../table.ts";
import { levelOf } from "./policy.ts";

interface Options {
  project?: boolean;
  managed?: boolean;
  remove?: boolean;
  client?: string;
  level?: string;
  mcp?: boolean;
  untested?: boolean;
}

type Done = (code: ExitCode) => void;

/** `connect AGENT`: puts what calls the gate into the client's settings, and pairs the agent. `connect`: what there is to connect. */
export function connectCommand(program: Command, done: Done): void {
  program
    .command("connect [agent] [started]")
    .description(
      `puts the gate in front of an agent (${ADAPTER_NAMES.join(", ")}): writes its hook and pairs it; without a name, lists them`,
    )
    .option("--project", "only for the project in this folder")
    .option(
      "--managed",
      "in the administrator's settings, which take precedence over all others; prints the command for it",
    )
    .option("--level <level>", "ReadOnly, Supervised or Full; only when it is paired for the first time")
    .option("--client <file>", "the agent's program, which is tested; left out, the one on PATH")
    .option("--untested", "doesn't start that program to test it")
    .option("--mcp", "instead of its hook: a proxy in front of each MCP server that its settings start")
    .option("--remove", "takes the hook out again; the pairing stays, see agents revoke")
    .addHelpText(
      "after",
      `\nconnect EDITOR AGENT (${EDITORS.join(", ")}): the entry by which an editor starts it, see docs/acp.md`,
    )
    .action((agent: string | undefined, started: string | undefined, options: Options) =>
      connect(agent, started, { ...options, done }),
    );
}

async function connect(
  agent: string | undefined,
  started: string | undefined,
  { done, ...options }: Options & { done: Done },
): Promise<void> {
  if (agent !== undefined && isEditor(agent)) {
    const { connectInEditor } = await import("../acp/editors/connect.ts");
    return await connectInEditor(agent, started, options);
  }
  if (started !== undefined) throw usageError(`${JSON.stringify(agent)} is no editor`, `one of: ${EDITORS.join(", ")}`);
  if (agent === undefined) return await listAgents(options);
  const adapter = await adapterOf(agent);
  if (adapter === undefined)
    throw usageError(
      `there is no adapter for ${JSON.stringify(agent)}`,
      `one of: ${ADAPTER_NAMES.join(", ")}; for others see docs/protocol.md`,
    );
  if (options.mcp) return await connectServers(adapter.name, options);
  if (options.managed && (adapter.hasManaged !== true || options.project))
    throw usageError("--managed is for Claude Code, and not with --project", "leave out --managed");
  await connectHook(adapter, options, done);
  if (!options.remove)
    say(`start the gate, where none runs, with: ${ownCommand("start")}; answer with: ${ownCommand("watch")}`);
}

/** `connect AGENT`, and with `--remove` the reverse. @throws GateError, which names the file that is in the way */
export async function connectHook(adapter: Adapter, options: Options, done: Done): Promise<void> {
  const { loadChosenConfig, longestAnswerSeconds } = await import("../../main/config/index.ts");
  const config = loadChosenConfig(process.env);
  const settings = {
    project: options.project === true,
    managed: options.managed === true,
    answerSeconds: longestAnswerSeconds(config),
    ...(options.client === undefined ? {} : { client: options.client }),
  };
  if (options.remove) {
    const result = await adapter.disconnect(settings);
    if (result.todo !== undefined) return tell(result, ...todoLines("takes the hook out", result));
    return tell(result, result.changed ? `the hook is out of ${result.file}` : `there was no hook in ${result.file}`);
  }
  const { name } = adapter;
  const level = levelOf(options.level ?? config.agents.default_level);
  const paired = await withOperator((api) => pairAgent(api, name, level));
  const { notes = [], ...result } = await adapter.connect(settings);
  tell({ ...result, agent: paired }, ...connectedLines(result));
  say(`${name} is paired at level ${paired.level}; its token is in ${agentTokenFile(gatePaths(process.env), name)}`);
  for (const note of notes) say(note);
  if (result.changed) say(restartText(adapter));
  if (options.untested !== true) done(await testConnected(adapter, options.client));
}

function restartText({ title, takesHookAtOnce }: Adapter): string {
  return takesHookAtOnce
    ? `no session of ${title} has to be restarted: those that run ask the gate from now on, too`
    : `restart sessions of ${title} that run now: until then they may not ask the gate`;
}

/** Starts the client itself, with a pretended model: whether its commands can be confined, and whether it asks the gate. */
async function testConnected(adapter: Adapter, client: string | undefined): Promise<ExitCode> {
  const [{ clientNote }, { selfTest }] = await Promise.all([
    import("../agents/client-check.ts"),
    import("../self-test/self-test.ts"),
  ]);
  say(`${adapter.title} is tested, with a pretended model ...`);
  say(await clientNote(adapter, client));
  const { check, ok, detail, fix } = await selfTest(adapter, { env: process.env, client });
  say(`${ok ? "" : "FAIL  "}${check}: ${detail}`);
  if (fix !== undefined) say(`      ${fix}`);
  return ok ? EXIT.ok : EXIT.problemFound;
}

function connectedLines(result: ConnectResult): string[] {
  if (result.todo !== undefined) return todoLines("puts the hook there", result);
  if (!result.changed) return [`the hook was in ${result.file} already`];
  return [`the hook is in ${result.file}${result.backup ? ` (before: ${result.backup})` : ""}`];
}

/** What an administrator runs; until then nothing has changed. */
function todoLines(does: string, { todo = [], file }: ConnectResult): string[] {
  return [`nothing has changed yet: an administrator ${does} (${file}) with`, ...todo.map((line) => `  ${line}`)];
}

async function listAgents(options: Options): Promise<void> {
  if (Object.keys(options).length > 0) throw usageError("which agent?", `one of: ${ADAPTER_NAMES.join(", ")}`);
  const found = await installedAgents();
  list(found, installedColumns());
  const next = found.find(({ program, is_connected }) => program !== null && !is_connected);
  if (next !== undefined) say(`connect one with: ${ownCommand(`connect ${next.agent}`)}`);
}

/** `connect AGENT --mcp`. The agent is paired as by its hook. */
async function connectServers(agent: AdapterName, { project = false, remove, client, level }: Options): Promise<void> {
  const { connectMcp, disconnectMcp } = await import("../mcp/connect/connect.ts");
  const given = { agent, project, env: process.env, cwd: process.cwd(), ...(client === undefined ? {} : { client }) };
  if (remove) {
    const result = await disconnectMcp(given);
    tell(result, `${counted(result.changed)} in ${result.file} without the proxy again`);
    return;
  }
  const { loadConfig } = await import("../../main/config/config.ts");
  const { agents } = loadConfig(gatePaths(process.env).configFile, process.env);
  const paired = await withOperator((api) => pairAgent(api, agent, levelOf(level ?? agents.default_level)));
  const result = await connectMcp(given);
  const text =
    result.changed.length === 0
      ? `${result.file} starts no server that is without the proxy`
      : `${counted(result.changed)} in ${result.file} with the proxy`;
  tell({ ...result, agent: paired }, text);
  const [first] = result.left;
  if (first === undefined) return;
  say(`left as they are, since nothing is started for them: ${result.left.map((name) => visible(name)).join(", ")}`);
  say(
    `one at an address is reached by: ${ownCommand(`mcp --name ${shellWord(first)} --agent ${agent} --http ADDRESS`)}`,
  );
}

function counted(names: readonly string[]): string {
  if (names.length === 0) return "no server";
  return `${names.length === 1 ? "1 server" : `${names.length} servers`} (${names.map((name) => visible(name)).join(", ")})`;
}

// What is here of the clients that the gate can be put in front of: `connect` without a name.

export interface InstalledAgent {
  agent: string;
  title: string;
  /** The program's file; null where it isn't on PATH. */
  program: string | null;
  /** Null where it isn't paired. */
  level: Level | null;
  /** The gate is asked before each of its tools in this folder. */
  is_connected: boolean;
  /** Why not, in one sentence; null where it is, and where it isn't installed. */
  problem: string | null;
}

/** Asks each client that is installed and paired, as `doctor` does. */
export async function installedAgents(): Promise<InstalledAgent[]> {
  const { loadChosenConfig, longestAnswerSeconds } = await import("../../main/config/index.ts");
  const { env } = process;
  const answerSeconds = longestAnswerSeconds(loadChosenConfig(env));
  const context: CheckContext = { cwd: process.cwd(), env, answerSeconds };
  const { agents } = await withOperator((api) => api.call("agents.list", {}));
  const adapters = await allAdapters();
  return await Promise.all(
    adapters.map(async ({ name, title, program, checks }) => {
      const file = programOnPath(program, context.env.PATH) ?? null;
      const level = agents.find((agent) => agent.name === name && agent.revoked_at === null)?.level ?? null;
      const row = { agent: name, title, program: file, level };
      if (file === null) return { ...row, is_connected: false, problem: null };
      if (level === null) return { ...row, is_connected: false, problem: "not paired" };
      const failed = (await checks({ ...context, client: file })).find(({ ok }) => !ok);
      return { ...row, is_connected: failed === undefined, problem: failed?.detail ?? null };
    }),
  );
}

function installedColumns(): Column<InstalledAgent>[] {
  return [
    { title: "AGENT", text: ({ agent }) => agent },
    { title: "PROGRAM", text: ({ program }) => visible(program ?? "not installed"), shrinksTo: 16 },
    { title: "LEVEL", text: ({ level }) => level ?? "" },
    { title: "CONNECTED", text: ({ is_connected }) => (is_connected ? "yes" : "no") },
    { title: "WHY", text: ({ problem }) => problem ?? "", shrinksTo: 24 },
  ];
}
