import { shellQuoted } from "../../../ipc/shell-quoted.ts";
import { isObject, type Json } from "../../json-object.ts";
import { LAUNCHER_NAME } from "../claude-code/entries.ts";

/** The gate's entry among the hooks of a hooks.json. */

const EVENT = "PreToolUse";
const STATUS = "Metnos Gate is asking you";

/** Seconds that the hook waits beyond the gate's own time, and Codex beyond the hook's. */
const MARGIN_SECONDS = 15;

/**
 * The command that Codex is to call. Codex runs a call whose hook fails in whatever way but this one: exit code 2 with a text. So a shell
 * looks at what the hook says, whatever became of the hook.
 * @param answer_seconds how long the gate takes for its answer at the most
 */
export function hookCommand(launcher: string, answer_seconds: number): string {
  const hook = `${shellQuoted(launcher)} hook codex --wait ${answer_seconds + MARGIN_SECONDS} --client "$PPID"`;
  const without = "Metnos Gate: without an answer of its hook nothing runs; tell the user to connect codex again";
  const script = `answer=$(${hook}) && case $answer in "{"*"}") printf "%s\\n" "$answer"; exit 0 ;; esac; echo "${without}" >&2; exit 2`;
  // Whichever shell the user has: Codex starts that one.
  return `/bin/sh -c ${shellQuoted(script)}`;
}

/** The group that is written: one hook for all tools. */
export function ourGroup(launcher: string, answer_seconds: number): Json {
  const timeout = answer_seconds + 2 * MARGIN_SECONDS;
  const hook = { type: "command", command: hookCommand(launcher, answer_seconds), timeout, statusMessage: STATUS };
  return { matcher: "*", hooks: [hook] };
}

/** True if a hook's command calls the gate. */
export function isOurCommand(command: unknown): boolean {
  return typeof command === "string" && command.includes(LAUNCHER_NAME) && / hook codex( |$)/.test(command);
}

function isOurs(group: unknown): boolean {
  return hooksOf(group).some(({ command }) => isOurCommand(command));
}

function hooksOf(group: unknown): Json[] {
  return isObject(group) && Array.isArray(group.hooks) ? group.hooks.filter(isObject) : [];
}

function groupsOf({ hooks }: Json): unknown[] {
  const groups = isObject(hooks) ? hooks[EVENT] : undefined;
  return Array.isArray(groups) ? groups : [];
}

export function holdsOurs(settings: Json): boolean {
  return groupsOf(settings).some(isOurs);
}

/**
 * With our group, at its place or the end. What others trust is bound to the place of their hooks: none of them is moved, and our hook
 * is alone in its group.
 */
export function withOurs(settings: Json, ours: Json): Json {
  const groups = groupsOf(settings);
  const at = groups.findIndex((group) => isOurs(group) && hooksOf(group).length === 1);
  const kept = groups.map((group, index) => (index === at ? ours : withoutOursIn(group)));
  const all = at === -1 ? [...kept, ours] : kept;
  return { ...settings, hooks: { ...(settings.hooks as Json | undefined), [EVENT]: all } };
}

function withoutOursIn(group: unknown): unknown {
  if (!isOurs(group)) return group;
  return { ...(group as Json), hooks: hooksOf(group).filter(({ command }) => !isOurCommand(command)) };
}

/** Without our hooks, and without what they alone had made. */
export function withoutOurs(settings: Json): Json {
  const groups = groupsOf(settings);
  if (!groups.some(isOurs)) return settings;
  const kept = groups.filter((group) => !isOurs(group) || hooksOf(group).length > 1).map(withoutOursIn);
  const { [EVENT]: _, ...events } = settings.hooks as Json;
  const hooks: Json = kept.length > 0 ? { ...(settings.hooks as Json), [EVENT]: kept } : events;
  if (Object.keys(hooks).length > 0) return { ...settings, hooks };
  const { hooks: _hooks, ...rest } = settings;
  return rest;
}
