import { mkdirSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { type Env, homeFolder } from "../../ipc/base/paths.ts";
import { GateError } from "../../ipc/contract/gate-error.ts";
import type { CheckedParams } from "../../ipc/contract/operator-api.ts";
import { programOnPath } from "../../main/agents/agents-on-path.ts";
import type { Adapter, Launch } from "../agents/adapter.ts";
import { hookProgram, launcherFile } from "../hook/launcher.ts";
import { launcherText } from "../hook/launcher-text.ts";
import { type BoxedClient, boxedClient, modelHosts } from "./boxed-clients.ts";

/** What the gate is asked for to run a whole agent in a box. */

/** Where the box has the gate's things (main/box/network/relay.ts, main/box/agent-runs/agent-plan.ts). */
const FOLDER = "/run/metnos-gate";

interface BoxFile {
  source: string;
  at: string;
}

/** The gate's hook at the path that the client's settings name: writes the launcher for boxes, the same for each run. @throws GateError `hook_unusable`; the system's error */
function boxHook(env: Env): BoxFile[] {
  const program = hookProgram(env);
  const at = launcherFile(env);
  const source = join(dirname(at), "boxed-launcher");
  const text = launcherText({
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: homeFolder(env), METNOS_GATE_SOCKET: `${FOLDER}/gate.sock` },
    program: { nodes: [`${FOLDER}/node`], scripts: [`${FOLDER}/hook/hook.cjs`] },
    token_file: `${FOLDER}/token`,
  });
  mkdirSync(dirname(source), { recursive: true, mode: 0o700 });
  const made = `${source}.new`;
  rmSync(made, { force: true });
  writeFileSync(made, text, { mode: 0o700, flag: "wx" });
  renameSync(made, source);
  return [
    { source, at },
    { source: program, at: `${FOLDER}/hook` },
  ];
}

export interface BoxedRun {
  request: CheckedParams["box.prepare_agent"];
  /** The environment of what starts it: of it the box gets what its lists name. */
  env: Env;
}

export interface BoxedRunOptions {
  adapter: Adapter;
  launch: Launch;
  cwd: string;
  env: Env;
  /** That the user named. */
  hosts: readonly string[];
}

/** @throws GateError `invalid_input` where the program isn't there, `hook_unusable` */
export function boxedRun({ adapter, launch, cwd, env, hosts }: BoxedRunOptions): BoxedRun {
  const client = boxedClient(adapter.name, env);
  const own = { ...client.env, ...launch.env };
  const files = (launch.files ?? []).map((file) => ({ source: file, at: file }));
  return boxedCommand({
    name: adapter.name,
    client,
    words: [launch.program, ...launch.args],
    own,
    cwd,
    env,
    hosts,
    files,
  });
}

export interface BoxedCommandOptions extends Pick<BoxedRunOptions, "cwd" | "env" | "hosts"> {
  /** As it is paired. */
  name: string;
  client: BoxedClient;
  /** Its program, by its path or its name on PATH, and its words. */
  words: readonly string[];
  /** Variables that are set for it. */
  own: Readonly<Record<string, string | undefined>>;
  /** Further files that its program is made of; of the gate's, what it needs. */
  parts?: readonly string[];
  files?: readonly BoxFile[];
}

/** @throws as `boxedRun` */
export function boxedCommand(options: BoxedCommandOptions): BoxedRun {
  const { name, client, words, own, cwd, env, hosts, parts = [], files = [] } = options;
  const [called = "", ...args] = words;
  const found = called.startsWith("/") ? called : programOnPath(called, env.PATH);
  if (found === undefined)
    throw new GateError("invalid_input", `there is no ${called} on PATH`, "name it by its whole path");
  // The name may be a link that the box doesn't have.
  const program = realpathSync(found);
  const settings = client.settings.map((path) =>
    path.endsWith("/")
      ? { path: path.slice(0, -1), is_folder: true }
      : { path, is_folder: false, is_json: client.jsonSettings.includes(path) },
  );
  return {
    request: {
      agent: name,
      argv: [program, ...args],
      cwd,
      path: env.PATH,
      program: [...new Set([program, ...parts].map(installationOf))],
      variables: [...new Set([...client.variables, ...Object.keys(own)])],
      hosts: [...new Set([...modelHosts(client, env), ...hosts])],
      state: [...client.state],
      settings,
      files: [...boxHook(env), ...files],
    },
    env: { ...env, ...own },
  };
}

/** The file alone; of a package, all that it is installed with. */
function installationOf(program: string): string {
  const packages = program.indexOf(`${sep}node_modules${sep}`);
  return packages === -1 ? program : program.slice(0, packages + `${sep}node_modules`.length);
}
