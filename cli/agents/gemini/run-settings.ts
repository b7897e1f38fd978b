import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { GateError } from "../../../ipc/gate-error.ts";
import { type Env, gatePaths } from "../../../ipc/paths.ts";
import { writeLauncher } from "../../hook/launcher.ts";
import { isObject, type Json } from "../../json-object.ts";
import { serialised, writeSettings } from "../settings-file.ts";
import { HOOK_NAME, ourEntry, withEntry } from "./entries.ts";
import { source, systemDefaultsFile, systemSettingsFile } from "./settings-sources.ts";

/**
 * Variables for one run of Gemini CLI: the settings that it gets as the administrator's, which win over a project's: hooks are on, and the gate's is among
 * them under a name that nobody can have put on a list of disabled ones. What `connect` wrote is switched off for it: nobody is asked twice.
 * @throws GateError `invalid_settings` where the administrator's own can't be read
 */
export function writeRunSettings(env: Env, answer_seconds: number): Record<string, string> {
  const { file: system, settings = {}, problem } = source("system", systemSettingsFile(env));
  if (problem !== undefined) throw new GateError("invalid_settings", `${system} ${problem}`, "mend it first");
  const name = `${HOOK_NAME}-${randomBytes(8).toString("hex")}`;
  const config = isObject(settings.hooksConfig) ? settings.hooksConfig : {};
  const disabled = Array.isArray(config.disabled) ? config.disabled : [];
  const wanted: Json = {
    ...withEntry(settings, ourEntry(writeLauncher(env), answer_seconds, name)),
    hooksConfig: { ...config, enabled: true, disabled: [...disabled, HOOK_NAME] },
  };
  const file = join(gatePaths(env).state_dir, "hook", "gemini-run.json");
  writeSettings(file, serialised(wanted, undefined));
  // Gemini looks for the defaults beside the settings.
  return { GEMINI_CLI_SYSTEM_SETTINGS_PATH: file, GEMINI_CLI_SYSTEM_DEFAULTS_PATH: systemDefaultsFile(env) };
}
