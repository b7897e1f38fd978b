import type { Json } from "../../../ipc/base/json-object.ts";
import {
  type SettingsContext,
  type SettingsSource,
  settingsSources,
} from "../../../main/hooks/claude-code/effective-settings.ts";
import type { Check } from "../../check.ts";
import { launcherProblem } from "../../hook/launcher.ts";
import { LAUNCHER_NAME } from "../hook-groups.ts";
import { HookReport } from "../hook-report.ts";
import { reachingVariables, switchedOffBy, turnsHooksOff } from "./dangers.ts";
import {
  answerSecondsOf,
  callsAfterAll,
  callsForAllTools,
  EVENTS,
  holdsOurs,
  ourEntries,
  ourHooksIn,
  weakenedHooks,
} from "./entries.ts";
import { otherHooks } from "./other-hooks.ts";

/** Whether Claude Code calls the gate in a folder, by the settings that are in force there. */

const REPORT = new HookReport("claude-code");
const failed = REPORT.failed.bind(REPORT);

type Source = SettingsSource & { settings: Json };

/**
 * One line if all is well, otherwise one for each thing that is wrong; and the other hooks beside the gate's, by name.
 * @param answerSeconds how long the gate takes for its answer at the most, as the hooks were or should be written with
 */
export function claudeCodeChecks(context: SettingsContext, launcher: string, answerSeconds: number): Check[] {
  const sources = settingsSources(context).filter((source): source is Source => source.settings !== undefined);
  const holders = sources.filter(({ settings }) => holdsOurs(settings));
  const others = REPORT.others(otherHooks(sources, launcher));
  if (holders.length === 0) return [...unreadable(sources), REPORT.notInstalled(), ...others];
  const problems = [
    ...unreadable(sources),
    ...switchedOff(sources, holders),
    ...sources.flatMap(variables),
    ...holders.flatMap((holder) => entryProblems(holder, launcher, answerSeconds)),
  ];
  const detail = `in ${holders.map(({ file }) => file).join(" and ")}`;
  return [...REPORT.of(problems, detail), ...others];
}

function unreadable(sources: readonly Source[]): Check[] {
  return sources.flatMap(({ file, problem }) =>
    problem === undefined ? [] : [failed(`${file} ${problem}: Claude Code ignores it`, `mend ${file}`)],
  );
}

/** An administrator's settings take precedence; of the others the strongest that has the setting counts. */
function switchedOff(sources: readonly Source[], holders: readonly Source[]): Check[] {
  const managed = sources.filter(({ kind }) => kind === "managed");
  const off = managed.find(({ settings }) => turnsHooksOff(settings));
  if (off !== undefined) return [failed(`switched off here: ${off.file} has disableAllHooks`, askAdministrator(off))];
  if (holders.some(({ kind }) => kind === "managed")) return [];
  const only = managed.find(({ settings }) => settings.allowManagedHooksOnly === true);
  if (only !== undefined)
    return [failed(`switched off here: ${only.file} has allowManagedHooksOnly`, askAdministrator(only))];
  const decisive = switchedOffBy(sources.filter(({ kind }) => kind !== "managed"));
  if (decisive === undefined) return [];
  return [
    failed(`switched off here: ${decisive.file} has disableAllHooks`, `take disableAllHooks out of ${decisive.file}`),
  ];
}

function askAdministrator({ file }: Source): string {
  return `have the gate's hooks put into ${file} by who administers this machine`;
}

function variables({ file, settings }: Source): Check[] {
  const found = reachingVariables(settings);
  if (found.length === 0) return [];
  const names = found.join(", ");
  return [
    failed(`${file} sets ${names}, which can switch the hook off or reach into it`, `take ${names} out of ${file}`),
  ];
}

/** The entries are not those that `connect` would write, apply to some tools only, or what they call doesn't run. */
function entryProblems({ file, settings }: Source, launcher: string, answerSeconds: number): Check[] {
  const problems: Check[] = [];
  const isCurrent = areWritten(settings, launcher, answerSeconds);
  const writtenFor = answerSecondsOf(settings);
  if (!isCurrent && writtenFor !== null && areWritten(settings, launcher, writtenFor))
    problems.push(failed(waitDetail(file, writtenFor, answerSeconds)));
  else if (!isCurrent) problems.push(REPORT.outdated(`the hook in ${file}`));
  // An earlier version's entries are reported once.
  const isLaunched = ourHooksIn(settings, "PreToolUse").some((hook) => launcherOf(hook).length > 0);
  if (weakenedHooks(settings).length > 0) problems.push(failed(weakenedDetail(file)));
  else if (isLaunched && !callsForAllTools(settings))
    problems.push(failed(`the hook in ${file} is not called for every tool`, `set its matcher to "*"`));
  else if (isCurrent && !callsAfterAll(settings))
    problems.push(failed(`the hook in ${file} is not called after each call`, `set its matcher to "*"`));
  for (const called of new Set(ourHooksIn(settings, "PreToolUse").flatMap(launcherOf))) {
    const problem = launcherProblem(called);
    if (problem !== undefined) problems.push(failed(problem));
  }
  return problems;
}

/** The entries are those that `connect` writes for so many seconds. */
function areWritten(settings: Json, launcher: string, answerSeconds: number): boolean {
  const expected = ourEntries(launcher, answerSeconds);
  return EVENTS.every((event) => {
    const found = ourHooksIn(settings, event);
    return expected[event].length === found.length && expected[event].every((entry, at) => holds(found[at], entry));
  });
}

function waitDetail(file: string, writtenFor: number, answerSeconds: number): string {
  return `the hook in ${file} waits for ${writtenFor} s, but by gate.toml the judges and you may take ${answerSeconds} s together`;
}

function holds(found: Json | undefined, entry: Json): boolean {
  return Object.entries(entry).every(([key, value]) => JSON.stringify(found?.[key]) === JSON.stringify(value));
}

/** Of two equal hooks Claude Code calls one, and takes everything else from the strongest file: a project's can replace the user's. */
function weakenedDetail(file: string): string {
  return `a hook of the gate in ${file} is not waited for or heeded each time (async, if, once, shell, timeout or onFailure)`;
}

function launcherOf({ command, args }: Json): string[] {
  return typeof command === "string" && Array.isArray(args) && command.endsWith(`/${LAUNCHER_NAME}`) ? [command] : [];
}
