import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ownCommand } from "../../ipc/base/own-command.ts";
import { agentTokenFile, type Env, gatePaths } from "../../ipc/base/paths.ts";
import { GateError } from "../../ipc/contract/gate-error.ts";
import { VERSION } from "../../main/base/version.ts";
import { OUTSIDE } from "../../main/hooks/after-call.ts";
import { PLACEHOLDER, type PluginSettings } from "../agents/opencode/plugin/settings.ts";

/** The plugin for OpenCode as `connect` writes it: the program that was built, with where the gate is. */

const BUILT = fileURLToPath(new URL("../../dist/opencode/plugin.js", import.meta.url));

/** A plugin file of ours begins so. */
export const PLUGIN_HEADER =
  "// Written by Metnos Gate when OpenCode was connected; connecting it again replaces this file.";

const MARGIN_SECONDS = 15;

/**
 * @param answerSeconds how long the gate takes for its answer at the most
 * @param testFolder in the test of a client: its folder
 * @throws GateError `hook_unusable` if it isn't built
 */
export function pluginText(env: Env, answerSeconds: number, testFolder?: string): string {
  if (!existsSync(BUILT)) throw new GateError("hook_unusable", "the plugin is not built", "run npm ci in the checkout");
  const paths = gatePaths(env);
  const settings: PluginSettings = {
    version: VERSION,
    socket: paths.agent_socket,
    token_file: agentTokenFile(paths, "opencode"),
    state_dir: paths.state_dir,
    loaded_dir: loadedFolder(env),
    wait_seconds: answerSeconds + MARGIN_SECONDS,
    commands: {
      start: ownCommand("start"),
      connect: ownCommand("connect opencode"),
      outside: ownCommand(OUTSIDE),
      watch: ownCommand("watch"),
    },
    ...(testFolder === undefined ? {} : { test_folder: testFolder }),
  };
  const program = readFileSync(BUILT, "utf8");
  const text = program.replace(JSON.stringify(PLACEHOLDER), () => JSON.stringify(JSON.stringify(settings)));
  if (text === program)
    throw new GateError(
      "hook_unusable",
      "the plugin that was built has no place for its settings",
      "run npm ci in the checkout",
    );
  return `${PLUGIN_HEADER}\n${text}`;
}

/** Where each OpenCode that has loaded the plugin says so, in a file by its process id. */
export function loadedFolder(env: Env): string {
  return join(gatePaths(env).state_dir, "hook", "opencode");
}
