import { existsSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseObject } from "../../../ipc/base/json-object.ts";
import { type Env, gatePaths } from "../../../ipc/base/paths.ts";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import { PLUGIN_HEADER, pluginText } from "../../hook/opencode-plugin.ts";
import type { Adapter, Launch, LaunchOptions } from "../adapter.ts";
import { withClientCheck } from "../client-check.ts";
import { readText, writeSettings } from "../settings-file.ts";
import { PLUGIN_NAME, pluginFile, pluginFolders, pluginsIn } from "./places.ts";
import { openCodeChecks } from "./plugin-check.ts";

const RESTART = "an OpenCode that runs already has to be started again: it loads plugins when it starts";

export const opencode: Adapter = {
  name: "opencode",
  title: "OpenCode",
  program: "opencode",
  async connect({ project, answer_seconds }) {
    const file = ourFile(project);
    const before = ownText(file);
    const text = pluginText(process.env, answer_seconds);
    if (before !== text) writeSettings(file, text);
    return { file, changed: before !== text, backup: null, notes: before === text ? [] : [RESTART] };
  },
  async disconnect({ project }) {
    const file = ourFile(project);
    if (ownText(file) === undefined) return { file, changed: false, backup: null };
    rmSync(file);
    return { file, changed: true, backup: null, notes: [RESTART] };
  },
  checks(context) {
    const is_connected = pluginFolders(context.cwd, context.env).flatMap(pluginsIn).some(isOurs);
    return withClientCheck(opencode, context, openCodeChecks(context), is_connected);
  },
  async launch(options) {
    if (options.args.includes("--pure"))
      throw new GateError(
        "hook_unusable",
        "with --pure OpenCode loads no plugin, so nothing would be asked",
        "leave --pure out",
      );
    const { env, files = [] } = launchSettings(options);
    return { program: "opencode", args: options.args, env: { OPENCODE_PURE: undefined, ...env }, files };
  },
};

/** Where the plugin isn't connected it is named by the settings of this one run. */
function launchSettings({ cwd, env, answer_seconds }: LaunchOptions): Pick<Launch, "env" | "files"> {
  const connected = pluginFolders(cwd, env).flatMap(pluginsIn);
  if (connected.some(isOurs)) return { env: {} };
  const given = env.OPENCODE_CONFIG_CONTENT;
  const settings = given === undefined ? {} : parseObject(given);
  if (settings === undefined)
    throw new GateError("invalid_settings", "OPENCODE_CONFIG_CONTENT is not a JSON object", "mend it first");
  const file = join(gatePaths(env).state_dir, "hook", "opencode-run", PLUGIN_NAME);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeSettings(file, pluginText(env, answer_seconds));
  const plugin = [...(Array.isArray(settings.plugin) ? settings.plugin : []), pathToFileURL(file).href];
  return { env: { OPENCODE_CONFIG_CONTENT: JSON.stringify({ ...settings, plugin }) }, files: [file] };
}

const isOurs = (file: string): boolean => file.endsWith(`/${PLUGIN_NAME}`);

function ourFile(project: boolean): string {
  const env: Env = process.env;
  return project ? join(process.cwd(), ".opencode", "plugin", PLUGIN_NAME) : pluginFile(env);
}

/** @throws GateError `invalid_settings` where the file is somebody else's */
function ownText(file: string): string | undefined {
  const text = existsSync(file) ? readText(file) : undefined;
  if (text === undefined || text.startsWith(PLUGIN_HEADER)) return text;
  throw new GateError(
    "invalid_settings",
    `${file} is not the gate's plugin`,
    "move it away first; it was left as it is",
  );
}
