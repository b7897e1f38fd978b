import { dirname } from "node:path";
import { type Json, parseObject } from "../../../ipc/base/json-object.ts";
import type { Env } from "../../../ipc/base/paths.ts";
import {
  readSettings,
  type SettingsSource,
  settingsSources,
} from "../../../main/hooks/claude-code/effective-settings.ts";
import { launcherFile } from "../../hook/launcher.ts";
import { foreignHooks, reachingVariables, switchedOffBy, turnsHooksOff } from "./dangers.ts";
import { callsForAllTools, LAUNCHED, weakenedHooks } from "./entries.ts";

/** `metnos-gate hook claude-code config-change`: whether settings that changed while a session runs may take effect in it. */

/** The sources that Claude Code lets a hook block; an administrator's settings take effect whatever it answers. */
const HELD_UP = ["user_settings", "project_settings", "local_settings"];

/** Claude Code's answer: a block with its reason, a warning to the user, or nothing. What can't be understood is blocked. */
export function configChange(input: string, env: Env, argv: readonly string[] = []): object {
  const change = parseObject(input);
  if (change === undefined) return block("the change of its settings can't be read");
  const { source, file_path, cwd } = change;
  if (typeof source !== "string") return block("a change of settings without a source");
  if (!HELD_UP.includes(source)) return {};
  if (typeof file_path !== "string") return block("a change of settings without a file");
  const { settings = {}, problem } = readSettings(file_path);
  if (problem !== undefined) return block(`${file_path} ${problem}`);
  if (turnsHooksOff(settings)) return block(`${file_path} turns hooks off (disableAllHooks), and the gate with them`);
  const session = typeof cwd === "string" ? cwd : process.cwd();
  const folders = source === "user_settings" ? [session] : [dirname(dirname(file_path)), session];
  const read = (folder: string) => settingsSources({ cwd: folder, env });
  // The session may have moved to a folder below the project's.
  for (const folder of [...folders, ...foldersAbove(session)]) {
    const danger = dangerIn(read(folder));
    if (danger !== undefined) return block(danger);
  }
  // What it was started with takes precedence over these files.
  const isLaunched = argv.includes(LAUNCHED);
  if (!isLaunched && !folders.flatMap(read).some((other) => callsForAllTools(other.settings ?? {}, launcherFile(env))))
    return block(`after the change of ${file_path} no settings call the gate for every tool any more`);
  return warningOf(file_path, settings, launcherFile(env));
}

function foldersAbove(folder: string): string[] {
  const above = dirname(folder);
  return above === folder ? [] : [above, ...foldersAbove(above)];
}

/** A change has Claude Code read all files anew, those as well whose own change was blocked. */
function dangerIn(all: readonly SettingsSource[]): string | undefined {
  const sources = all.filter(({ kind }) => kind !== "managed");
  const off = switchedOffBy(sources);
  if (off !== undefined) return `${off.file} turns hooks off (disableAllHooks), and the gate with them`;
  for (const { file, settings = {} } of sources) {
    const variables = reachingVariables(settings);
    if (variables.length > 0) return `${file} sets ${variables.join(", ")}, which could reach into the gate's hook`;
    if (weakenedHooks(settings).length > 0) return `${file} has a hook of the gate that is not waited for or heeded`;
  }
  return undefined;
}

function warningOf(file: string, settings: Json, launcher: string): object {
  const others = foreignHooks(settings, launcher);
  if (others.length === 0) return {};
  const systemMessage = `Metnos Gate: ${file} has other hooks before tools (${others.join(", ")}): such a hook can change a call after you approved it`;
  return { systemMessage };
}

function block(why: string): object {
  return {
    decision: "block",
    reason: `Metnos Gate: ${why}. The settings from before hold until Claude Code is restarted`,
  };
}
