import type { Json } from "../../../ipc/base/json-object.ts";
import { isObject } from "../../../ipc/base/json-object.ts";
import { hookGroupsOf, hooksIn } from "../hook-groups.ts";
import { USUAL_SHELL } from "../usual-shell.ts";
import { isWrittenFor } from "./entries.ts";

/** What in Claude Code's settings switches the gate's hook off, or reaches into it. */

/** Variables that Claude Code itself reads, and that keep it from calling hooks, or from finding the user's. */
const SWITCHES =
  /^CLAUDE_(?:CONFIG_DIR|CODE_(?:SIMPLE|SAFE_MODE|RESTRICTED|RESTRICT_PERSONAL_CONFIG|PERSONAL_HOOKS_OFF))$/;
/** Those that act on any program as it starts, before the hook's launcher can drop them, or on any shell. */
export const LOADERS =
  /^(?:LD_|DYLD_|BASH_FUNC_)|^(?:GLIBC_TUNABLES|GCONV_PATH|LOCPATH|BASH_ENV|ENV|ZDOTDIR|SHELLOPTS|BASHOPTS)$/;
/** What its commands run in, and what is read in there first. */
const SHELLS = /^(?:CLAUDE_CODE_SHELL(?:_PREFIX)?|HOME|CLAUDE_ENV_FILE)$/;
const GATE = /^METNOS_/;
/** Of Node's options those that run code; limits of memory and the like are left to the project. */
const CODE_OPTIONS = /(?:^|\s)(?:-r|--require|--import|--loader|--experimental-loader|--env-file|--inspect|--openssl)/;
const UNSET = ["", "0", "false"];

/** The names of the variables in a settings file's `env` that affect the hook or the gate. */
export function reachingVariables(settings: Json): string[] {
  if (!isObject(settings.env)) return [];
  return Object.entries(settings.env)
    .filter(([name, value]) => {
      if (SWITCHES.test(name)) return !UNSET.includes(String(value));
      if (name === "NODE_OPTIONS") return CODE_OPTIONS.test(String(value));
      if (LOADERS.test(name)) return value !== "";
      if (name === "SHELL") return !USUAL_SHELL.test(String(value));
      return SHELLS.test(name) || GATE.test(name);
    })
    .map(([name]) => name);
}

/** True if the file disables all hooks; versions differ in what else than `true` they take for it. */
export function turnsHooksOff(settings: Json): boolean {
  const { disableAllHooks } = settings;
  return disableAllHooks !== undefined && disableAllHooks !== false && disableAllHooks !== null;
}

/**
 * The file that switches hooks off among these, the strongest first: undefined if none does. A stronger file's `false` counts only where
 * it says nothing else, since one that Claude Code finds any fault with is ignored as a whole.
 */
export function switchedOffBy<Source extends { settings: Json | undefined }>(
  sources: readonly Source[],
): Source | undefined {
  const decisive = sources.find(({ settings = {} }) => {
    return turnsHooksOff(settings) || (settings.disableAllHooks === false && Object.keys(settings).length === 1);
  });
  return decisive?.settings !== undefined && turnsHooksOff(decisive.settings) ? decisive : undefined;
}

/**
 * The commands and addresses of the other hooks before a tool: such a hook can change a call after it was approved. One that only mentions
 * the gate's launcher is another one.
 */
export function foreignHooks(settings: Json, launcher: string): string[] {
  return hookGroupsOf(settings, "PreToolUse")
    .flatMap(hooksIn)
    .filter((hook) => !isWrittenFor(hook, launcher))
    .map(({ command, url, type }) => String(command ?? url ?? type));
}
