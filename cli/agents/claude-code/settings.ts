import { homedir } from "node:os";
import { join } from "node:path";
import { writeLauncher } from "../../hook/launcher.ts";
import type { ConnectResult } from "../adapter.ts";
import { putIntoSettings, takeOutOfSettings } from "../settings-edit.ts";
import { EVENTS, holdsOurs, ourEntries, withEntries, withoutOurs } from "./entries.ts";

/** Claude Code's settings.json: the gate's hooks in it, and everything else as it was. */

export interface SettingsOptions {
  /** The project's file instead of the user's. */
  project: boolean;
  /** How long the gate waits for an answer; the hook's own time-out is longer. */
  answer_seconds?: number;
}

const DEFAULT_ANSWER_SECONDS = 600;

/** The user's settings.json, or the one of the project in this folder. */
export function settingsFile({ project }: Pick<SettingsOptions, "project">): string {
  if (project) return join(process.cwd(), ".claude", "settings.json");
  return join(process.env.CLAUDE_CONFIG_DIR || join(process.env.HOME || homedir(), ".claude"), "settings.json");
}

/**
 * Writes the hooks and the launcher that they call. Running it again changes nothing in the settings.
 * @throws GateError `invalid_settings` if the file isn't a JSON object, `hook_unusable` if the launcher can't run
 */
export function connectClaudeCode(options: SettingsOptions): ConnectResult {
  const seconds = options.answer_seconds ?? DEFAULT_ANSWER_SECONDS;
  return putIntoSettings({
    file: settingsFile(options),
    events: EVENTS,
    change: (settings) => withEntries(settings, ourEntries(writeLauncher(), seconds)),
    holdsOurs,
  });
}

/** Takes our hooks out, and nothing else. The launcher stays: sessions that run already still call it. */
export function disconnectClaudeCode(options: SettingsOptions): ConnectResult {
  return takeOutOfSettings({ file: settingsFile(options), events: EVENTS, change: withoutOurs });
}
