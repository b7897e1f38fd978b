import type { Json } from "../../../ipc/base/json-object.ts";
import { shellQuoted } from "../../../ipc/base/shell-quoted.ts";
import { askingStatus } from "../../../ipc/socket/asking-status.ts";
import { SHELL_TOOL } from "../../../main/hooks/gemini/payload.ts";
import { callsGate, GateHooks, hooksIn, MARGIN_SECONDS } from "../hook-groups.ts";

/** The gate's hooks among those of Gemini CLI's settings. */

/** The events whose hooks are ours to write. Only the first can keep anything from running. */
export const EVENTS = ["BeforeTool", "AfterTool", "BeforeAgent", "SessionEnd"] as const;
type HookEvent = (typeof EVENTS)[number];

/**
 * As Gemini lists them, and as a settings file can switch them off by name. Of the one that asks, its screen shows it meanwhile, and beside
 * what it says of a denial.
 */
export const hookName = askingStatus;
const REPORT_NAME = "metnos-gate";

/** For hooks that don't wait for the user. In milliseconds. */
const REPORT_MS = 10_000;

/** What a project's .env can set that reaches into the shell that runs the hook, before a line of the hook runs. */
const EMPTIED = ["BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "PS4", "LD_PRELOAD", "LD_AUDIT", "LD_LIBRARY_PATH"];

/**
 * The groups that are written, one for each event.
 * @param answerSeconds how long the gate takes for its answer at the most
 */
export function ourGroups(launcher: string, answerSeconds: number): Record<HookEvent, Json> {
  const session = {
    matcher: "*",
    hooks: [ourHook(`${REPORT_NAME} session`, `${shellQuoted(launcher)} session gemini`, REPORT_MS)],
  };
  const after = {
    matcher: SHELL_TOOL,
    hooks: [ourHook(`${REPORT_NAME} after`, `${shellQuoted(launcher)} after gemini`, REPORT_MS)],
  };
  return {
    BeforeTool: askingGroup(launcher, answerSeconds),
    AfterTool: after,
    BeforeAgent: session,
    SessionEnd: session,
  };
}

/** In order: so that the gate sees what the hooks before it made of a call. */
function askingGroup(launcher: string, answerSeconds: number): Json {
  const wait = answerSeconds + MARGIN_SECONDS;
  const failed =
    "Metnos Gate: its hook is missing or failed, so nothing is allowed. Tell the user to connect gemini again";
  // Gemini runs the call where a hook is killed by a signal, as by Ctrl+C, or ends with 1: the shell then says 2, which blocks.
  const blocks = `blocks() { echo '${failed}' >&2; exit 2; }; trap blocks INT TERM HUP`;
  const command = `${blocks}; ${shellQuoted(launcher)} hook gemini --wait ${wait} --client "$PPID" || blocks`;
  return { matcher: "*", sequential: true, hooks: [ourHook(hookName(), command, (wait + MARGIN_SECONDS) * 1000)] };
}

function ourHook(name: string, command: string, timeout: number): Json {
  return {
    type: "command",
    name,
    command,
    timeout,
    env: Object.fromEntries(EMPTIED.map((variable) => [variable, ""])),
  };
}

/** True if a hook before tools is the one that is written for this launcher, to the letter, whatever time it was written with. */
export function isWritten({ command }: Json, launcher: string): boolean {
  const wait = Number(/ --wait (\d{1,7}) /.exec(String(command))?.[1]);
  return hooksIn(askingGroup(launcher, wait - MARGIN_SECONDS)).some((hook) => hook.command === command);
}

const OURS = new GateHooks<HookEvent>(EVENTS, ({ command }) => callsGate(command, "gemini"));

/** Those that are asked before a tool. */
export const ourHooksIn = (settings: Json): Json[] => OURS.in(settings, "BeforeTool");

export const holdsOurs = (settings: Json): boolean => OURS.areIn(settings);

/** Without our hooks, and without what they alone had made. */
export const withoutOurs = (settings: Json): Json => OURS.outOfAll(settings);

/** Ours is the last: what other hooks of this file make of a call, it sees. */
export function withOurs(settings: Json, ours: Record<HookEvent, Json>): Json {
  const groups = EVENTS.map((event) => [event, [...OURS.outOfList(settings, event), ours[event]]]);
  return { ...settings, hooks: { ...(settings.hooks as Json | undefined), ...Object.fromEntries(groups) } };
}
