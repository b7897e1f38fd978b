import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { isObject, type Json, parseObject } from "../../../ipc/base/json-object.ts";
import { type Env, homeFolder } from "../../../ipc/base/paths.ts";
import { readRegularFile } from "../../../ipc/base/regular-file.ts";
import { withoutComments } from "../../../main/hooks/json-comments.ts";

/** Where OpenCode finds plugins and settings. */

export const PLUGIN_NAME = "metnos-gate.js";

/** The user's own folder. */
function configFolder(env: Env): string {
  return join(env.XDG_CONFIG_HOME || join(homeFolder(env), ".config"), "opencode");
}

export function pluginFile(env: Env): string {
  return join(configFolder(env), "plugin", PLUGIN_NAME);
}

/** The folders whose plugins OpenCode loads in a folder, in its order: the user's, the project's from above downwards. */
export function pluginFolders(cwd: string, env: Env): string[] {
  const projects = foldersUpFrom(cwd).map((folder) => join(folder, ".opencode"));
  const own = [configFolder(env), ...projects, ...(env.OPENCODE_CONFIG_DIR ? [env.OPENCODE_CONFIG_DIR] : [])];
  return own.flatMap((folder) => [join(folder, "plugin"), join(folder, "plugins")]);
}

export function pluginsIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => /\.[jt]s$/.test(name))
    .sort()
    .map((name) => join(folder, name));
}

/** The settings files that can name plugins: `settings` is undefined where the file can't be read as OpenCode does. */
export function configFiles(cwd: string, env: Env): { file: string; settings: Json | undefined }[] {
  const folders = [configFolder(env), ...foldersUpFrom(cwd).flatMap((folder) => [folder, join(folder, ".opencode")])];
  const files = folders.flatMap((folder) => ["opencode.json", "opencode.jsonc"].map((name) => join(folder, name)));
  return [...files, ...(env.OPENCODE_CONFIG ? [env.OPENCODE_CONFIG] : [])]
    .filter(existsSync)
    .map((file) => ({ file, settings: read(file) }));
}

/** What a settings file names as plugins, one text each. */
export function namedPlugins({ plugin }: Json): string[] {
  if (!Array.isArray(plugin)) return [];
  return plugin.map((one) => String(Array.isArray(one) ? one[0] : isObject(one) ? one.package : one));
}

function read(file: string): Json | undefined {
  try {
    return parseObject(withoutComments(readRegularFile(file)));
  } catch {
    return undefined;
  }
}

/** From above downwards, the folder itself last. */
function foldersUpFrom(folder: string): string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [...foldersUpFrom(above), folder];
}
