import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Json, parseObject } from "../../../ipc/base/json-object.ts";
import { type Env, homeFolder } from "../../../ipc/base/paths.ts";
import { LeftToProgram } from "../dialect.ts";
import { withoutComments } from "../json-comments.ts";
import { RuleFiles } from "../rule-files.ts";

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

function systemDefaultsFile(env: Env): string {
  return env.GEMINI_CLI_SYSTEM_DEFAULTS_PATH || join(dirname(systemSettingsFile(env)), "system-defaults.json");
}

/** @throws LeftToProgram */
export function settingsSources(cwd: string, env: Env, files = new RuleFiles(false)): SettingsSource[] {
  return [
    source("defaults", systemDefaultsFile(env), files),
    source("user", userSettingsFile(env), files),
    source("project", join(cwd, ".gemini", "settings.json"), files),
    source("system", systemSettingsFile(env), files),
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

/** @throws LeftToProgram */
export function source(kind: SourceKind, file: string, files = new RuleFiles(false)): SettingsSource {
  if (!existsSync(file)) return { kind, file, settings: undefined };
  try {
    const text = files.read(file);
    // To take comments out of a text takes long where it is made for that.
    const settings = parseObject(files.isGate ? text : withoutComments(text));
    if (settings === undefined && files.isGate) throw new LeftToProgram();
    return settings === undefined
      ? { kind, file, settings, problem: "is not a JSON object" }
      : { kind, file, settings };
  } catch (error) {
    if (error instanceof LeftToProgram) throw error;
    return { kind, file, settings: undefined, problem: "can't be read" };
  }
}
