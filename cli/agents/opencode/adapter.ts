import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseObject } from "../../../ipc/base/json-object.ts";
import { type Env, gatePaths } from "../../../ipc/base/paths.ts";
import { visible } from "../../../ipc/base/visible-text.ts";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import type { Check } from "../../check.ts";
import { loadedFolder, PLUGIN_HEADER, pluginText } from "../../hook/opencode-plugin.ts";
import type { Adapter, CheckContext, Launch, LaunchOptions } from "../adapter.ts";
import { withClientCheck } from "../client-check.ts";
import { HookReport } from "../hook-report.ts";
import { readText, writeSettings } from "../settings-file.ts";
import { configFiles, namedPlugins, PLUGIN_NAME, pluginFile, pluginFolders, pluginsIn } from "./places.ts";

const RESTART = "an OpenCode that runs already has to be started again: it loads plugins when it starts";

export const opencode: Adapter = {
  name: "opencode",
  title: "OpenCode",
  program: "opencode",
  async connect({ project, answerSeconds }) {
    const file = ourFile(project);
    const before = ownText(file);
    const text = pluginText(process.env, answerSeconds);
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
    const isConnected = pluginFolders(context.cwd, context.env).flatMap(pluginsIn).some(isOurs);
    return withClientCheck(opencode, context, openCodeChecks(context), isConnected);
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
function launchSettings({ cwd, env, answerSeconds }: LaunchOptions): Pick<Launch, "env" | "files"> {
  const connected = pluginFolders(cwd, env).flatMap(pluginsIn);
  if (connected.some(isOurs)) return { env: {} };
  const given = env.OPENCODE_CONFIG_CONTENT;
  const settings = given === undefined ? {} : parseObject(given);
  if (settings === undefined)
    throw new GateError("invalid_settings", "OPENCODE_CONFIG_CONTENT is not a JSON object", "mend it first");
  const file = join(gatePaths(env).state_dir, "hook", "opencode-run", PLUGIN_NAME);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeSettings(file, pluginText(env, answerSeconds));
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

// Whether OpenCode asks the gate in a folder: that its plugin is there, and what runs without it.

const REPORT = new HookReport("opencode", "plugin");
const failed = REPORT.failed.bind(REPORT);

function openCodeChecks({ cwd, env, answerSeconds }: CheckContext): Check[] {
  const found = pluginFolders(cwd, env).flatMap(pluginsIn);
  const ours = found.filter((file) => file.endsWith(`/${PLUGIN_NAME}`));
  const problems = [
    ...(ours.length === 0 ? [REPORT.notInstalled()] : []),
    ...ours.filter((file) => !isCurrent(file, env, answerSeconds)).map((file) => REPORT.outdated(file)),
    ...(ours.length > 1
      ? [
          failed(
            `it is in ${ours.join(" and ")}: each call is asked about twice`,
            `${REPORT.connect()} --remove in one of them`,
          ),
        ]
      : []),
    ...(env.OPENCODE_PURE === "1" || env.OPENCODE_PURE === "true"
      ? [failed("OPENCODE_PURE is set: OpenCode loads no plugin", "take OPENCODE_PURE out of the environment")]
      : []),
    ...runningOpenCodes(env).flatMap(withoutPlugin),
  ];
  const loaded = runningOpenCodes(env).filter(({ hasPlugin }) => hasPlugin).length;
  const detail = `in ${ours[0] ?? pluginFile(env)}${loaded === 0 ? "" : `, loaded by ${loaded} that run${loaded === 1 ? "s" : ""} now`}`;
  return [...REPORT.of(problems, detail), ...others(cwd, env, found)];
}

function isCurrent(file: string, env: CheckContext["env"], answerSeconds: number): boolean {
  return existsSync(file) && readFileSync(file, "utf8") === pluginText(env, answerSeconds);
}

/** OpenCode says nothing where a plugin fails to load: what runs then asks nobody. */
function withoutPlugin({ pid, hasPlugin, isPure }: RunningOpenCode): Check[] {
  if (hasPlugin) return [];
  const why = isPure ? "it was started with --pure" : "it was started before connect, or failed to load it";
  return [
    failed(
      `an OpenCode runs without the plugin (process ${pid}): ${why}; its tools ask nobody`,
      "end it and start it again; opencode --print-logs says what failed",
    ),
  ];
}

/** No failure, but the user should know them: what the gate's has allowed they can't change, but they can do anything themselves. */
function others(cwd: string, env: CheckContext["env"], found: readonly string[]): Check[] {
  const files = found.filter((file) => !file.endsWith(`/${PLUGIN_NAME}`));
  const configs = configFiles(cwd, env);
  const named = configs.flatMap(({ file, settings }) =>
    namedPlugins(settings ?? {}).map((name) => `${name} (${file})`),
  );
  const unreadable = configs.flatMap(({ file, settings }) =>
    settings === undefined
      ? [{ check: "opencode settings", ok: false, detail: `${file} is not a JSON object`, fix: `mend ${file}` }]
      : [],
  );
  const all = [...files, ...named].map((name) => visible(name).slice(0, 300));
  return [...unreadable, ...REPORT.others(all, "in the same process as its plugin")];
}

/** An OpenCode that runs for this user, from Linux's /proc. */
interface RunningOpenCode {
  pid: number;
  /** The plugin says that it is loaded there. */
  hasPlugin: boolean;
  /** Why it has none, where its command line says so. */
  isPure: boolean;
}

/** It loads its plugins in this time, in milliseconds. */
const STARTS_MS = 20_000;

/** Those that run long enough to have loaded their plugins, or say already that they have. Empty on other systems. */
function runningOpenCodes(env: Env): RunningOpenCode[] {
  if (!existsSync("/proc/self/stat")) return [];
  return readdirSync("/proc")
    .filter((name) => /^[0-9]+$/.test(name))
    .flatMap((name) => {
      try {
        return found(Number(name), env);
      } catch {
        return []; // ended meanwhile, or another user's
      }
    });
}

function found(pid: number, env: Env): RunningOpenCode[] {
  if (basename(readlinkSync(`/proc/${pid}/exe`)) !== "opencode") return [];
  const startedAt = statSync(`/proc/${pid}`).ctimeMs;
  const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  const says = statSync(join(loadedFolder(env), String(pid)), { throwIfNoEntry: false });
  // An earlier process may have had the same id.
  const hasPlugin = says !== undefined && says.mtimeMs >= startedAt - 2000;
  if (!hasPlugin && (Date.now() - startedAt < STARTS_MS || !loadsPlugins(words))) return [];
  return [{ pid, hasPlugin, isPure: words.includes("--pure") }];
}

/** Its other commands start no session, or only once another program wants one. */
const OTHER_COMMANDS = [
  "acp",
  "serve",
  "web",
  "completion",
  "mcp",
  "attach",
  "debug",
  "providers",
  "auth",
  "upgrade",
  "uninstall",
  "models",
  "stats",
  "export",
  "import",
  "session",
  "plugin",
  "plug",
  "db",
];

function loadsPlugins(words: readonly string[]): boolean {
  return !words.slice(1, 2).some((word) => OTHER_COMMANDS.includes(word));
}
