import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Json, parseObject } from "../../../ipc/json-object.ts";
import { type Env, homeFolder } from "../../../ipc/paths.ts";
import { readRegularFile } from "../../../ipc/regular-file.ts";
import { withoutComments } from "../json-comments.ts";

/** The settings that Gemini CLI reads in a folder, from the weakest to the strongest, and what else brings hooks. */

export type SourceKind = "defaults" | "user" | "project" | "system";

export interface SettingsSource {
  kind: SourceKind;
  file: string;
  /** Undefined where there is no such file, or it can't be read. */
  settings: Json | undefined;
  /** Why it can't be read. */
  problem?: string;
}

/** The folder of the user's own settings. */
export function geminiFolder(env: Env): string {
  return join(env.GEMINI_CLI_HOME || homeFolder(env), ".gemini");
}

export function userSettingsFile(env: Env): string {
  return join(geminiFolder(env), "settings.json");
}

export function systemSettingsFile(env: Env): string {
  if (env.GEMINI_CLI_SYSTEM_SETTINGS_PATH) return env.GEMINI_CLI_SYSTEM_SETTINGS_PATH;
  return process.platform === "darwin"
    ? "/Library/Application Support/GeminiCli/settings.json"
    : "/etc/gemini-cli/settings.json";
}

export function systemDefaultsFile(env: Env): string {
  return env.GEMINI_CLI_SYSTEM_DEFAULTS_PATH || join(dirname(systemSettingsFile(env)), "system-defaults.json");
}

export function settingsSources(cwd: string, env: Env): SettingsSource[] {
  return [
    source("defaults", systemDefaultsFile(env)),
    source("user", userSettingsFile(env)),
    source("project", join(cwd, ".gemini", "settings.json")),
    source("system", systemSettingsFile(env)),
  ];
}

/** The hooks of the extensions that are installed: files of hooks by the extension's name. */
export function extensionHooks(env: Env): { name: string; hooks: Json }[] {
  const folder = join(geminiFolder(env), "extensions");
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) => {
    const { settings } = source("user", join(folder, name, "hooks", "hooks.json"));
    return settings === undefined ? [] : [{ name, hooks: settings }];
  });
}

export function source(kind: SourceKind, file: string): SettingsSource {
  if (!existsSync(file)) return { kind, file, settings: undefined };
  try {
    const settings = parseObject(withoutComments(readRegularFile(file)));
    return settings === undefined
      ? { kind, file, settings, problem: "is not a JSON object" }
      : { kind, file, settings };
  } catch {
    return { kind, file, settings: undefined, problem: "can't be read" };
  }
}
