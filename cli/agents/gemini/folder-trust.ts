import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { isObject, type Json } from "../../../ipc/base/json-object.ts";
import type { Env } from "../../../ipc/base/paths.ts";
import { geminiFolder, type SettingsSource, source } from "../../../main/hooks/gemini/settings-sources.ts";

/** Whether Gemini CLI trusts a folder: in one that it doesn't trust it calls no hooks, the user's own among them. */

/** The rule that says that the folder isn't trusted: of those that cover it the longest path counts. Undefined where none says so. */
export function distrust(cwd: string, env: Env, sources: readonly SettingsSource[]): string | undefined {
  // Only the user's and the administrator's files can switch it off.
  const switches = sources.filter(({ kind }) => kind !== "project").map(({ settings }) => trustSwitch(settings));
  if (switches.findLast((is_on) => is_on !== undefined) === false) return undefined;
  if (env.GEMINI_CLI_TRUST_WORKSPACE === "true") return undefined;
  const file = env.GEMINI_CLI_TRUSTED_FOLDERS_PATH || join(geminiFolder(env), "trustedFolders.json");
  const { settings: rules = {} } = source("user", file);
  const covering = Object.entries(rules)
    .map(([path, level]) => ({ path: level === "TRUST_PARENT" ? dirname(path) : path, level }))
    .filter(({ path }) => isWithin(real(cwd), real(path)))
    .sort((a, b) => b.path.length - a.path.length);
  return covering[0]?.level === "DO_NOT_TRUST" ? `${file} says so of ${covering[0].path}` : undefined;
}

function trustSwitch(settings: Json | undefined): boolean | undefined {
  const security = settings?.security;
  const trust = isObject(security) ? security.folderTrust : undefined;
  return isObject(trust) && typeof trust.enabled === "boolean" ? trust.enabled : undefined;
}

function isWithin(folder: string, above: string): boolean {
  return folder === above || folder.startsWith(above.endsWith("/") ? above : `${above}/`);
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
