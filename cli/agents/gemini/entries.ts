import { shellQuoted } from "../../../ipc/shell-quoted.ts";
import type { Json } from "../../json-object.ts";
import { LAUNCHER_NAME } from "../claude-code/entries.ts";
import { hookGroupsOf, hooksIn } from "../settings-edit.ts";

/** The gate's hook among those of Gemini CLI's settings. */

/** The events whose hooks are ours to write. */
export const EVENTS = ["BeforeTool"] as const;

/** As Gemini lists it, and as a settings file can switch it off by name. */
export const HOOK_NAME = "metnos-gate";

/** Seconds that the hook waits beyond the gate's own time, and Gemini beyond the hook's: what is late for Gemini runs. */
const MARGIN_SECONDS = 15;

/** What a project's .env can set that reaches into the shell that runs the hook, before a line of the hook runs. */
const EMPTIED = ["BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "PS4", "LD_PRELOAD", "LD_AUDIT", "LD_LIBRARY_PATH"];

/** @param answer_seconds how long the gate takes for its answer at the most */
export function ourEntry(launcher: string, answer_seconds: number): Json {
  const wait = answer_seconds + MARGIN_SECONDS;
  const failed =
    "Metnos Gate: its hook is missing or failed, so nothing is allowed. Tell the user to connect gemini again";
  return {
    type: "command",
    name: HOOK_NAME,
    // Gemini runs the call where a hook is killed by a signal, or ends with 1: the shell then says 2, which blocks.
    command: `${shellQuoted(launcher)} hook gemini --wait ${wait} --client "$PPID" || { echo '${failed}' >&2; exit 2; }`,
    timeout: (wait + MARGIN_SECONDS) * 1000,
    env: Object.fromEntries(EMPTIED.map((variable) => [variable, ""])),
  };
}

/** True if a hook's command is the one that is written for this launcher, to the letter, whatever time it was written with. */
export function isWritten({ command }: Json, launcher: string): boolean {
  const wait = Number(/ --wait (\d{1,7}) /.exec(String(command))?.[1]);
  return command === ourEntry(launcher, wait - MARGIN_SECONDS).command;
}

/** In order: so that the gate sees what the hooks before it made of a call. */
export function ourGroup(entry: Json): Json {
  return { matcher: "*", sequential: true, hooks: [entry] };
}

export function isOurs({ command }: Json): boolean {
  return typeof command === "string" && command.includes(LAUNCHER_NAME) && command.includes(" hook gemini ");
}

export function ourHooksIn(settings: Json): Json[] {
  return hookGroupsOf(settings, "BeforeTool").flatMap((group) => hooksIn(group).filter(isOurs));
}

/** Ours is the last: what other hooks of this file make of a call, it sees. */
export function withEntry(settings: Json, entry: Json): Json {
  const groups = groupsWithoutOurs(settings);
  return { ...settings, hooks: { ...(settings.hooks as Json | undefined), BeforeTool: [...groups, ourGroup(entry)] } };
}

/** Without our hook, and without what it alone had made. */
export function withoutOurs(settings: Json): Json {
  if (ourHooksIn(settings).length === 0) return settings;
  const groups = groupsWithoutOurs(settings);
  const { BeforeTool: _, ...events } = settings.hooks as Json;
  const hooks: Json = groups.length > 0 ? { ...(settings.hooks as Json), BeforeTool: groups } : events;
  if (Object.keys(hooks).length > 0) return { ...settings, hooks };
  const { hooks: _hooks, ...rest } = settings;
  return rest;
}

/** Everything else of the list as it is, also what isn't understood. */
function groupsWithoutOurs(settings: Json): unknown[] {
  const { BeforeTool: groups = [] } = (settings.hooks ?? {}) as Json;
  return (groups as unknown[]).flatMap((group) => {
    const hooks = hooksIn((group ?? {}) as Json);
    if (!hooks.some(isOurs)) return [group];
    const others = hooks.filter((hook) => !isOurs(hook));
    return others.length > 0 ? [{ ...(group as Json), hooks: others }] : [];
  });
}
