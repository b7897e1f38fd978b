import { rmSync } from "node:fs";
import { launcherFile, writeLauncher } from "../../hook/launcher.ts";
import {
  backUp,
  backupFile,
  parseSettings,
  readText,
  serialised,
  settingsFile,
  writeSettings,
} from "../settings-file.ts";
import { holdsOurs, ourEntries, withEntries, withoutOurs } from "./entries.ts";

/** Claude Code's settings.json: the gate's hooks in it, and everything else as it was. */

export interface SettingsOptions {
  /** The project's file instead of the user's. */
  project: boolean;
  /** How long the gate waits for an answer; the hook's own time-out is longer. */
  answer_seconds?: number;
}

export interface SettingsResult {
  file: string;
  changed: boolean;
  /** The file as it was before, if it was there. */
  backup: string | null;
}

const DEFAULT_ANSWER_SECONDS = 600;

/**
 * Writes the hooks and the launcher that they call. Running it again changes nothing in the settings.
 * @throws GateError `invalid_settings` if the file isn't a JSON object, `hook_unusable` if the launcher can't run
 */
export function connectClaudeCode(options: SettingsOptions): SettingsResult {
  const file = settingsFile(options);
  const text = readText(file);
  const settings = parseSettings(file, text);
  writeLauncher();
  const wanted = withEntries(settings, ourEntries(launcherFile(), options.answer_seconds ?? DEFAULT_ANSWER_SECONDS));
  if (JSON.stringify(wanted) === JSON.stringify(settings)) return { file, changed: false, backup: null };
  const backup = text === undefined ? null : backUp(file, text, holdsOurs(settings));
  writeSettings(file, serialised(wanted, text));
  return { file, changed: true, backup };
}

/**
 * Takes our hooks out, and nothing else; a file that it leaves empty and that we had made is deleted. The launcher stays: sessions that
 * run already still call it.
 */
export function disconnectClaudeCode(options: SettingsOptions): SettingsResult {
  const file = settingsFile(options);
  const text = readText(file);
  const settings = parseSettings(file, text);
  const wanted = withoutOurs(settings);
  if (text === undefined || JSON.stringify(wanted) === JSON.stringify(settings))
    return { file, changed: false, backup: null };
  const backup = backupFile(file);
  const before = readText(backup);
  if (before === undefined && Object.keys(wanted).length === 0) {
    rmSync(file);
    return { file, changed: true, backup: null };
  }
  // Nothing else has changed since: the very bytes are restored.
  const is_as_before = before !== undefined && JSON.stringify(parseSettings(backup, before)) === JSON.stringify(wanted);
  writeSettings(file, is_as_before ? before : serialised(wanted, text));
  if (is_as_before) rmSync(backup);
  return { file, changed: true, backup: is_as_before ? null : backup };
}
