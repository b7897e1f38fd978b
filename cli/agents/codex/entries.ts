import type { Json } from "../../../ipc/base/json-object.ts";
import { shellQuoted } from "../../../ipc/base/shell-quoted.ts";
import { askingStatus } from "../../../ipc/socket/asking-status.ts";
import { callsGate, GateHooks, groupListOf, hooksIn, MARGIN_SECONDS } from "../hook-groups.ts";

/** The gate's entries among the hooks of a hooks.json. */

/** The events whose hooks are ours to write. Only the first can keep anything from running. */
export const EVENTS = [
  "PreToolUse",
  "PostToolUse",
  "UserPromptSubmit",
  "SubagentStart",
  "SubagentStop",
  "SessionEnd",
] as const;
export type HookEvent = (typeof EVENTS)[number];

/** For hooks that don't wait for the user; Codex waits no longer than that at the end of a session. */
const REPORT_SECONDS = 10;
const END_SECONDS = 3;

/**
 * The command that Codex is to call. Codex runs a call whose hook fails in whatever way but this one: exit code 2 with a text. So a shell
 * looks at what the hook says, whatever became of the hook.
 * @param answerSeconds how long the gate takes for its answer at the most
 */
export function hookCommand(launcher: string, answerSeconds: number): string {
  const hook = `${shellQuoted(launcher)} hook codex --wait ${answerSeconds + MARGIN_SECONDS} --client "$PPID"`;
  const without = "Metnos Gate: without an answer of its hook nothing runs; tell the user to connect codex again";
  const blocks = `blocks() { echo "${without}" >&2; exit 2; }; trap blocks INT TERM HUP`;
  const script = `${blocks}; answer=$(${hook}) && case $answer in "{"*"}") printf "%s\\n" "$answer"; exit 0 ;; esac; blocks`;
  // Whichever shell the user has: Codex starts that one.
  return `/bin/sh -c ${shellQuoted(script)}`;
}

/** What is called after a call, and what for a session: neither can keep anything from running. */
const reportCommand = (launcher: string) => `${shellQuoted(launcher)} after codex`;
const sessionCommand = (launcher: string) => `${shellQuoted(launcher)} session codex`;

/**
 * True if a hook's command is one that is written for this launcher, to the letter, whatever time it was written with. What only names the
 * launcher can be anybody's: nothing is trusted by that.
 */
export function isWrittenCommand(command: string, launcher: string): boolean {
  const wait = Number(/ --wait (\d{1,7}) /.exec(command)?.[1]);
  return [hookCommand(launcher, wait - MARGIN_SECONDS), reportCommand(launcher), sessionCommand(launcher)].includes(
    command,
  );
}

/** The groups that are written, one for each event, for all tools. */
export function ourGroups(launcher: string, answerSeconds: number): Record<HookEvent, Json> {
  const group = (command: string, timeout: number, more: Json = {}): Json => ({
    matcher: "*",
    hooks: [{ type: "command", command, timeout, ...more }],
  });
  const session = sessionCommand(launcher);
  const asking = hookCommand(launcher, answerSeconds);
  return {
    PreToolUse: group(asking, answerSeconds + 2 * MARGIN_SECONDS, { statusMessage: askingStatus() }),
    PostToolUse: group(reportCommand(launcher), REPORT_SECONDS),
    UserPromptSubmit: group(session, REPORT_SECONDS),
    SubagentStart: group(session, REPORT_SECONDS),
    SubagentStop: group(session, REPORT_SECONDS),
    SessionEnd: group(session, END_SECONDS),
  };
}

/** True if a hook's command calls the gate. */
export const isOurCommand = (command: unknown): boolean => callsGate(command, "codex");

const OURS = new GateHooks<HookEvent>(EVENTS, ({ command }) => isOurCommand(command));

export const holdsOurs = (settings: Json): boolean => OURS.areIn(settings);

/** Without our hooks, and without what they alone had made. */
export const withoutOurs = (settings: Json): Json => OURS.outOfAll(settings);

/**
 * With our groups, each at its place or at the end. What others trust is bound to the place of their hooks: none of them is moved, and our
 * hooks are alone in their groups.
 */
export function withOurs(settings: Json, ours: Record<HookEvent, Json>): Json {
  return EVENTS.reduce((changed, event) => withGroup(changed, event, ours[event]), settings);
}

function withGroup(settings: Json, event: HookEvent, ours: Json): Json {
  const groups = groupListOf(settings, event);
  const at = groups.findIndex((group) => OURS.isIn(group) && hooksIn(group).length === 1);
  const kept = groups.map((group, index) => (index === at ? ours : OURS.outOf(group)));
  const all = at === -1 ? [...kept, ours] : kept;
  return { ...settings, hooks: { ...(settings.hooks as Json | undefined), [event]: all } };
}
