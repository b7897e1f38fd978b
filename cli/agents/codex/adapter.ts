import { launcherFile, writeLauncher } from "../../hook/launcher.ts";
import type { Adapter, Launch, LaunchOptions } from "../adapter.ts";
import { withClientCheck } from "../client-check.ts";
import { AppServer } from "./app-server.ts";
import { CODEX_PROGRAM, codexProgram } from "./codex-program.ts";
import { type CodexHook, hooksIn, isAsking, isCalled } from "./codex-settings.ts";
import { isWrittenCommand, ourGroups } from "./entries.ts";
import { codexChecks } from "./hook-check.ts";
import { connectCodex, disconnectCodex } from "./settings.ts";

/** Codex with the gate's hook in its arguments: they take precedence over a project's settings, and no file is changed. */

const ALWAYS = ["-c", "features.hooks=true", "-c", "features.unified_exec_tty=false"];
/** Its own sandbox can't be made in a box. */
const BOXED = ["-c", 'sandbox_mode="danger-full-access"'];

export async function launchCodex(options: LaunchOptions): Promise<Launch> {
  const { answerSeconds, cwd, env, client, isBoxed } = options;
  const args = [...(isBoxed ? BOXED : []), ...options.args];
  writeLauncher(env);
  const program = codexProgram(env, client);
  const launcher = launcherFile(env);
  const groups = Object.entries(ourGroups(launcher, answerSeconds));
  const hooks = groups.flatMap(([event, group]) => ["-c", `hooks.${event}=[${toml(group)}]`]);
  const found = await AppServer.use({ program, args: [...ALWAYS, ...hooks], env, cwd }, (server) =>
    hooksIn(server, cwd),
  );
  // A project's hook that only looks like the gate's must not be trusted by this.
  const ours = found.hooks.filter(({ command }) => isWrittenCommand(command, launcher));
  // Where it is connected, another one would ask twice.
  if (ours.some((hook) => isAsking(hook) && isCalled(hook) && isForAllTools(hook)))
    return { program, args: [...ALWAYS, ...args], env: {} };
  const state = Object.fromEntries(ours.map(({ key, hash }) => [key, { trusted_hash: hash }]));
  return { program, args: [...ALWAYS, ...hooks, "-c", `hooks.state=${toml(state)}`, ...args], env: {} };
}

const isForAllTools = ({ matcher }: CodexHook): boolean => matcher === null || matcher === "*";

/** JSON's values as TOML writes them on one line. */
function toml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toml).join(", ")}]`;
  if (typeof value === "object" && value !== null)
    return `{${Object.entries(value)
      .map(([key, one]) => `${JSON.stringify(key)} = ${toml(one)}`)
      .join(", ")}}`;
  return JSON.stringify(value);
}

export const codex: Adapter = {
  name: "codex",
  title: "Codex",
  program: CODEX_PROGRAM,
  connect: connectCodex,
  disconnect: disconnectCodex,
  async checks(context) {
    return await withClientCheck(codex, context, await codexChecks(context));
  },
  launch: launchCodex,
};
