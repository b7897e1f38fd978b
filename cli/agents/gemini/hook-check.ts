import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { isObject, type Json } from "../../../ipc/base/json-object.ts";
import type { Env } from "../../../ipc/base/paths.ts";
import { visible } from "../../../ipc/base/visible-text.ts";
import {
  extensionHooks,
  geminiFolder,
  type SettingsSource,
  settingsSources,
  source,
} from "../../../main/hooks/gemini/settings-sources.ts";
import type { Check } from "../../check.ts";
import { launcherProblem } from "../../hook/launcher.ts";
import type { CheckContext } from "../adapter.ts";
import { hookGroupsOf, hooksIn } from "../hook-groups.ts";
import { HookReport } from "../hook-report.ts";
import { EVENTS, isWritten, ourGroups, ourHooksIn } from "./entries.ts";

/** Whether Gemini CLI calls the gate in a folder, by the settings that are in force there. */

const REPORT = new HookReport("gemini");
const failed = REPORT.failed.bind(REPORT);

type Source = SettingsSource & { settings: Json };

export interface HookContext extends CheckContext {
  launcher: string;
}

/** One line if all is well, otherwise one for each thing that is wrong; and the other hooks beside the gate's, by name. */
export function geminiChecks(context: HookContext): Check[] {
  const all = settingsSources(context.cwd, context.env);
  const sources = all.filter((source): source is Source => source.settings !== undefined);
  const holders = sources.filter(({ settings }) => ourHooksIn(settings).length > 0);
  const others = REPORT.others(otherHooks(sources, context));
  if (holders.length === 0) return [...unreadable(all), REPORT.notInstalled(), ...others];
  const problems = [
    ...unreadable(all),
    ...switchedOff(sources, holders),
    ...untrusted(context, all),
    ...entryProblems(holders, context),
  ];
  const detail = `in ${holders.map(({ file }) => file).join(" and ")}; an editor that starts Gemini (--acp) calls no hook`;
  return [...REPORT.of(problems, detail), ...others];
}

function unreadable(sources: readonly SettingsSource[]): Check[] {
  return sources.flatMap(({ file, problem }) =>
    problem === undefined ? [] : [failed(`${file} ${problem}`, `mend ${file}`)],
  );
}

/** The strongest file that has the switch decides; a name that any of them disables is disabled. */
function switchedOff(sources: readonly Source[], holders: readonly Source[]): Check[] {
  const config = ({ settings }: Source): Json => (isObject(settings.hooksConfig) ? settings.hooksConfig : {});
  const decisive = sources.findLast((source) => typeof config(source).enabled === "boolean");
  const off =
    decisive === undefined || config(decisive).enabled === true
      ? []
      : [switchedOffIn(decisive.file, "hooksConfig.enabled: false", "hooksConfig.enabled")];
  const names = holders.flatMap(({ settings }) => ourHooksIn(settings)).flatMap(({ name, command }) => [name, command]);
  const disabling = sources.filter((source) => {
    const { disabled } = config(source);
    return Array.isArray(disabled) && disabled.some((name) => names.includes(name));
  });
  return [
    ...off,
    ...disabling.map(({ file }) => switchedOffIn(file, "hooksConfig.disabled with its name", "its name")),
  ];
}

function switchedOffIn(file: string, what: string, entry: string): Check {
  return failed(`switched off here: ${file} has ${what}`, `take ${entry} out of ${file}`);
}

function untrusted({ cwd, env }: HookContext, sources: readonly SettingsSource[]): Check[] {
  const why = distrust(cwd, env, sources);
  if (why === undefined) return [];
  return [
    failed(
      `not called here: Gemini is set not to trust this folder (${why}), and there it calls no hook`,
      "gemini, then /permissions",
    ),
  ];
}

/** Not what `connect` writes, or what it calls doesn't run. */
function entryProblems(holders: readonly Source[], { launcher, answerSeconds }: HookContext): Check[] {
  const expected = ourGroups(launcher, answerSeconds);
  const isWhole = (settings: Json) =>
    EVENTS.every((event) =>
      hookGroupsOf(settings, event).some((group) => JSON.stringify(group) === JSON.stringify(expected[event])),
    );
  const problems = holders
    .filter(({ settings }) => !isWhole(settings))
    .map(({ file }) => REPORT.outdated(`the hook in ${file}`));
  const problem = launcherProblem(launcher);
  return problem === undefined ? problems : [...problems, failed(problem)];
}

function otherHooks(sources: readonly Source[], { env, launcher }: HookContext): string[] {
  return [
    ...sources.flatMap(({ file, settings }) => foreign(settings, launcher).map((name) => `${name} (${file})`)),
    ...extensionHooks(env).flatMap(({ name, hooks }) =>
      foreign(isObject(hooks.hooks) ? hooks : { hooks }, launcher).map(
        (hook) => `${hook} (the extension ${visible(name)})`,
      ),
    ),
  ];
}

/** What is only called like the gate's is another's. */
function foreign(settings: Json, launcher: string): string[] {
  return hookGroupsOf(settings, "BeforeTool")
    .flatMap(hooksIn)
    .filter((hook) => !isWritten(hook, launcher))
    .map(({ name, command }) => visible(String(name ?? command ?? "one without a name")).slice(0, 200));
}

// Whether Gemini CLI trusts a folder: in one that it doesn't trust it calls no hooks, the user's own among them.

/** The rule that says that the folder isn't trusted: of those that cover it the longest path counts. Undefined where none says so. */
function distrust(cwd: string, env: Env, sources: readonly SettingsSource[]): string | undefined {
  // Only the user's and the administrator's files can switch it off.
  const switches = sources.filter(({ kind }) => kind !== "project").map(({ settings }) => trustSwitch(settings));
  if (switches.findLast((isOn) => isOn !== undefined) === false) return undefined;
  if (env.GEMINI_CLI_TRUST_WORKSPACE === "true") return undefined;
  const file = env.GEMINI_CLI_TRUSTED_FOLDERS_PATH || join(geminiFolder(env), "trustedFolders.json");
  const { settings: rules = {} } = source("user", file);
  const covering = Object.entries(rules)
    .map(([path, level]) => ({ path: level === "TRUST_PARENT" ? dirname(path) : path, level }))
    .filter(({ path }) => isWithin(real(cwd), real(path)))
    .sort((a, b) => b.path.length - a.path.length);
  return covering[0]?.level === "DO_NOT_TRUST" ? `${file} says so of ${covering[0].path}` : undefined;
}

function trustSwitch(settings: Json | undefined): boolean | undefined {
  const security = settings?.security;
  const trust = isObject(security) ? security.folderTrust : undefined;
  return isObject(trust) && typeof trust.enabled === "boolean" ? trust.enabled : undefined;
}

function isWithin(folder: string, above: string): boolean {
  return folder === above || folder.startsWith(above.endsWith("/") ? above : `${above}/`);
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
