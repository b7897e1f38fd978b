import { existsSync, readFileSync } from "node:fs";
import { visible } from "../../../ipc/base/visible-text.ts";
import type { Check } from "../../check.ts";
import { pluginText } from "../../hook/opencode-plugin.ts";
import type { CheckContext } from "../adapter.ts";
import { HookReport } from "../hook-report.ts";
import { configFiles, namedPlugins, PLUGIN_NAME, pluginFile, pluginFolders, pluginsIn } from "./places.ts";
import { type RunningOpenCode, runningOpenCodes } from "./running.ts";

/** Whether OpenCode asks the gate in a folder: that its plugin is there, and what runs without it. */

const REPORT = new HookReport("opencode", "plugin");
const failed = REPORT.failed.bind(REPORT);

export function openCodeChecks({ cwd, env, answer_seconds }: CheckContext): Check[] {
  const found = pluginFolders(cwd, env).flatMap(pluginsIn);
  const ours = found.filter((file) => file.endsWith(`/${PLUGIN_NAME}`));
  const problems = [
    ...(ours.length === 0 ? [REPORT.notInstalled()] : []),
    ...ours.filter((file) => !isCurrent(file, env, answer_seconds)).map((file) => REPORT.outdated(file)),
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
  const loaded = runningOpenCodes(env).filter(({ has_plugin }) => has_plugin).length;
  const detail = `in ${ours[0] ?? pluginFile(env)}${loaded === 0 ? "" : `, loaded by ${loaded} that run${loaded === 1 ? "s" : ""} now`}`;
  return [...REPORT.of(problems, detail), ...others(cwd, env, found)];
}

function isCurrent(file: string, env: CheckContext["env"], answer_seconds: number): boolean {
  return existsSync(file) && readFileSync(file, "utf8") === pluginText(env, answer_seconds);
}

/** OpenCode says nothing where a plugin fails to load: what runs then asks nobody. */
function withoutPlugin({ pid, has_plugin, is_pure }: RunningOpenCode): Check[] {
  if (has_plugin) return [];
  const why = is_pure ? "it was started with --pure" : "it was started before connect, or failed to load it";
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
