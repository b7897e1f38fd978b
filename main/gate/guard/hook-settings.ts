import type { Need } from "../targets/target.ts";

/** Where Claude Code keeps the entry that calls the gate, and what could turn it off: for the human to change, never for an agent. */
const HOOK_SETTINGS = /(?:^|\/)(?:\.claude\/settings(?:\.local)?\.json|managed-settings\.json)$/i;
/** Their folder: whoever may write all of it may write them. */
const HOOK_FOLDER = /(?:^|\/)\.claude$/i;

/** True if the call would write one of these files, by the path as it is written or as it resolves. */
export function writesHookSettings(needs: readonly Need[]): boolean {
  return needs.some(({ capability, target }) => {
    if (capability !== "fs:write" || target.kind !== "path") return false;
    return [target.lexical, target.real ?? target.lexical].some(
      (path) => HOOK_SETTINGS.test(path) || (target.is_tree && HOOK_FOLDER.test(path)),
    );
  });
}
