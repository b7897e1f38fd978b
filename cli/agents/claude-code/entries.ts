import type { Json } from "../../../ipc/base/json-object.ts";
import { shellQuoted } from "../../../ipc/base/shell-quoted.ts";
import { askingStatus } from "../../../ipc/socket/asking-status.ts";
import { GateHooks, groupListOf, hookGroupsOf, hooksIn, LAUNCHER_NAME, MARGIN_SECONDS } from "../hook-groups.ts";

/** The gate's entries among the hooks of a settings file. */

/** The events whose hooks are ours to write. */
export const EVENTS = [
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "ConfigChange",
  "SessionStart",
  "UserPromptSubmit",
  "SessionEnd",
  "SubagentStart",
  "SubagentStop",
  "CwdChanged",
] as const;
export type HookEvent = (typeof EVENTS)[number];

/** The entries of earlier versions called the command itself. */
const EARLIER = /metnos-gate(\.js)?'? hook claude-code(\s|$)/;

/** Said to the hook of a client that was started with the gate's hooks. */
export const LAUNCHED = "--launched";

/** For hooks that don't wait for the user: long, because an earlier Claude Code continues where a hook is late, and a busy machine can be slow. */
const CHECK_SECONDS = 60;
/** Earlier versions wrote this instead. */
const MIN_SECONDS = 10;

/** The events whose hooks are called for some tools, and for which. */
const MATCHERS: Partial<Record<HookEvent, string>> = {
  PreToolUse: "*",
  PostToolUse: "*",
  PostToolUseFailure: "*",
};

/** After a call nothing is left to block, and what the user says or the session does isn't the gate's to block. */
const BLOCKING: readonly HookEvent[] = ["PreToolUse", "ConfigChange"];

/** What has Claude Code call a hook for some calls only, once, without waiting for it, or by another shell. */
const WEAKENING = ["if", "once", "async", "asyncRewake", "shell"];

/**
 * What Claude Code is to call.
 *
 * The gate's hook is called without a shell (`args`): a shell's prefix and settings that a project may set don't reach it. A version
 * that doesn't know `args` calls the launcher with none, which then blocks. Since earlier versions let a call through whose hook
 * can't be started, and every version one whose hook ends with 0 without a word, a second hook, for the shell, blocks where the launcher
 * is missing, does not run or is cut off.
 * @param answerSeconds how long the gate takes for its answer at the most
 */
export function ourEntries(launcher: string, answerSeconds: number): Record<HookEvent, Json[]> {
  const wait = answerSeconds + MARGIN_SECONDS;
  const missing =
    "Metnos Gate: its hook is missing, so nothing is allowed. Ask the user to connect claude-code to it again";
  // By what it prints: an empty file runs, and a folder is executable.
  const blocking: Json = {
    type: "command",
    command: `[ -n "$(${shellQuoted(launcher)} check 2>/dev/null)" ] || { echo '${missing}' >&2; exit 2; }`,
    timeout: CHECK_SECONDS,
    onFailure: "block",
  };
  const after: Json = { type: "command", command: launcher, args: ["after", "claude-code"], timeout: CHECK_SECONDS };
  const session: Json = { ...after, args: ["session", "claude-code"] };
  return {
    PreToolUse: [
      {
        type: "command",
        command: launcher,
        args: ["hook", "claude-code", "--wait", String(wait)],
        timeout: wait + MARGIN_SECONDS,
        onFailure: "block",
        statusMessage: askingStatus(),
      },
      blocking,
    ],
    PostToolUse: [after],
    PostToolUseFailure: [after],
    ConfigChange: [
      {
        type: "command",
        command: launcher,
        args: ["hook", "claude-code", "config-change"],
        timeout: CHECK_SECONDS,
        onFailure: "block",
      },
      blocking,
    ],
    SessionStart: [session],
    UserPromptSubmit: [session],
    SessionEnd: [session],
    SubagentStart: [session],
    SubagentStop: [session],
    CwdChanged: [session],
  };
}

/** For a client that is started with them: no settings file has to hold them then. */
export function launchedEntries(launcher: string, answerSeconds: number): Record<HookEvent, Json[]> {
  const entries = ourEntries(launcher, answerSeconds);
  const [change, ...others] = entries.ConfigChange;
  if (change === undefined || !Array.isArray(change.args)) return entries;
  return { ...entries, ConfigChange: [{ ...change, args: [...change.args, LAUNCHED] }, ...others] };
}

export function isOurs(hook: Json): boolean {
  const { command } = hook;
  return typeof command === "string" && (command.includes(LAUNCHER_NAME) || EARLIER.test(command));
}

/** True if it calls nothing but this launcher, as a hook before a tool that `connect` wrote does. */
export function isWrittenFor({ command, args }: Json, launcher: string): boolean {
  return ourEntries(launcher, 0).PreToolUse.some(
    (entry) => entry.command === command && Array.isArray(entry.args) === Array.isArray(args),
  );
}

const OURS = new GateHooks<HookEvent>(EVENTS, isOurs);

/** Our hooks for an event, in their order. */
export const ourHooksIn = (settings: Json, event: HookEvent): Json[] => OURS.in(settings, event);

/** Without our hooks, and without what they alone had made. */
export const withoutOurs = (settings: Json): Json => OURS.outOfAll(settings);

/** How long the gate may take for its answer, as these hooks were written with; null where they don't say it. In seconds. */
export function answerSecondsOf(settings: Json): number | null {
  const waits = ourHooksIn(settings, "PreToolUse")
    .map(waitOf)
    .filter((wait) => wait > 0);
  return waits.length === 0 ? null : Math.min(...waits) - MARGIN_SECONDS;
}

function waitOf({ args }: Json): number {
  const at = Array.isArray(args) ? args.indexOf("--wait") : -1;
  return Array.isArray(args) && at !== -1 ? Number(args[at + 1]) : 0;
}

/** Hooks of the gate that Claude Code would not call each time, not wait for, or not heed: equal ones elsewhere have the same fault. */
export function weakenedHooks(settings: Json): Json[] {
  return EVENTS.flatMap((event) =>
    ourHooksIn(settings, event).filter(
      (hook) => String(hook.command).includes(LAUNCHER_NAME) && !isWhole(hook, BLOCKING.includes(event)),
    ),
  );
}

function isWhole(hook: Json, isBlocking = true): boolean {
  const { type, timeout, onFailure } = hook;
  const wait = waitOf(hook);
  return (
    type === "command" &&
    (!isBlocking || onFailure === "block") &&
    typeof timeout === "number" &&
    timeout >= MIN_SECONDS &&
    timeout > wait &&
    WEAKENING.every((key) => hook[key] === undefined || hook[key] === false)
  );
}

/** True if the hook is called after every call, however it ended. */
export function callsAfterAll(settings: Json): boolean {
  return (["PostToolUse", "PostToolUseFailure"] as const).every((event) =>
    hookGroupsOf(settings, event).some(
      (group) => isMatched(group) && hooksIn(group).some((hook) => isOurs(hook) && isWhole(hook, false)),
    ),
  );
}

function isMatched({ matcher }: Json): boolean {
  return matcher === undefined || matcher === "" || matcher === "*";
}

/** True if the gate is asked before every tool. @param launcher the program that must be called; left out, any launcher of the gate's */
export function callsForAllTools(settings: Json, launcher?: string): boolean {
  return hookGroupsOf(settings, "PreToolUse").some(
    (group) => isMatched(group) && hooksIn(group).some((hook) => asksGate(hook, launcher) && isWhole(hook)),
  );
}

function asksGate({ command, args }: Json, launcher: string | undefined): boolean {
  if (typeof command !== "string" || !Array.isArray(args)) return false;
  const isLauncher = launcher === undefined ? command.endsWith(`/${LAUNCHER_NAME}`) : command === launcher;
  const [kind, agent, option = "--"] = args;
  return isLauncher && kind === "hook" && agent === "claude-code" && String(option).startsWith("--");
}

export function holdsOurs(settings: Json): boolean {
  return ourHooksIn(settings, "PreToolUse").length > 0;
}

/** Earlier entries of ours are updated in their place; otherwise new ones go to the end. */
export function withEntries(settings: Json, entries: Record<HookEvent, Json[]>): Json {
  return EVENTS.reduce((changed, event) => withEventEntries(changed, event, entries[event]), settings);
}

function withEventEntries(settings: Json, event: HookEvent, entries: readonly Json[]): Json {
  const groups = groupListOf(settings, event);
  const matcher = MATCHERS[event];
  const position = groups.findIndex((group) => OURS.isIn(group));
  const updated =
    position === -1
      ? [...groups, { ...(matcher === undefined ? {} : { matcher }), hooks: entries }]
      : groups.flatMap((group, index) =>
          index === position ? [{ ...(group as Json), hooks: replaced(hooksIn(group), entries) }] : OURS.leftOf(group),
        );
  return { ...settings, hooks: { ...(settings.hooks as Json | undefined), [event]: updated } };
}

/** Our hooks are replaced by the entries, at the place of the first of them; what the user added to one stays if it does not weaken it. */
function replaced(hooks: readonly Json[], entries: readonly Json[]): Json[] {
  const ours = hooks.filter(isOurs);
  const first = hooks.findIndex(isOurs);
  const others = (from: number, to?: number) => hooks.slice(from, to).filter((hook) => !isOurs(hook));
  return [
    ...others(0, first),
    ...entries.map((entry, index) => ({ ...strengthened(ours[index] ?? {}), ...entry })),
    ...others(first),
  ];
}

function strengthened(hook: Json): Json {
  return Object.fromEntries(Object.entries(hook).filter(([key]) => !WEAKENING.includes(key)));
}
