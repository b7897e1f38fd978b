import { existsSync, readFileSync } from "node:fs";
import { ownCommand } from "../../../ipc/base/own-command.ts";
import { visible } from "../../../ipc/base/visible-text.ts";
import type { Check } from "../../check.ts";
import { pluginText } from "../../hook/opencode-plugin.ts";
import type { CheckContext } from "../adapter.ts";
import { configFiles, namedPlugins, PLUGIN_NAME, pluginFile, pluginFolders, pluginsIn } from "./places.ts";
import { type RunningOpenCode, runningOpenCodes } from "./running.ts";

/** Whether OpenCode asks the gate in a folder: that its plugin is there, and what runs without it. */

const CHECK = "opencode plugin";
const CONNECT = "connect opencode";

export function openCodeChecks({ cwd, env, answer_seconds }: CheckContext): Check[] {
  const found = pluginFolders(cwd, env).flatMap(pluginsIn);
  const ours = found.filter((file) => file.endsWith(`/${PLUGIN_NAME}`));
  const problems = [
    ...(ours.length === 0 ? [failed("not installed", ownCommand(CONNECT))] : []),
    ...ours
      .filter((file) => !isCurrent(file, env, answer_seconds))
      .map((file) => failed(`${file} is not the one that this version writes`, ownCommand(CONNECT))),
    ...(ours.length > 1
      ? [
          failed(
            `it is in ${ours.join(" and ")}: each call is asked about twice`,
            `${ownCommand(CONNECT)} --remove in one of them`,
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
  return [...(problems.length > 0 ? problems : [{ check: CHECK, ok: true, detail }]), ...others(cwd, env, found)];
}

function failed(detail: string, fix: string): Check {
  return { check: CHECK, ok: false, detail, fix };
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
  if (all.length === 0) return unreadable;
  const detail = `beside the gate's, in the same process as its plugin: ${all.join(", ")}`;
  return [...unreadable, { check: "opencode other plugins", ok: true, detail }];
}
