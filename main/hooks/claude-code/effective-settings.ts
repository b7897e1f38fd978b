import { readdirSync, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Json } from "../../../ipc/json-object.ts";
import { isObject } from "../../../ipc/json-object.ts";

/** The settings files that Claude Code reads in a folder, the strongest first. */

export interface SettingsSource {
  kind: "managed" | "local" | "project" | "user";
  file: string;
  /** Undefined if the file isn't there. */
  settings: Json | undefined;
  /** Why the file has no effect, though it is there. */
  problem: string | undefined;
}

export interface SettingsContext {
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Where an administrator's settings are; left out, where this system has them. */
  managed_folder?: string;
}

const MANAGED_FOLDERS: Partial<Record<NodeJS.Platform, string>> = {
  darwin: "/Library/Application Support/ClaudeCode",
  linux: "/etc/claude-code",
};

/** A file larger than this is no settings file, in bytes. */
const MAX_BYTES = 8 * 1024 * 1024;

/** Reads them all. Never throws. */
export function settingsSources({ cwd, env, managed_folder = managedFolder() }: SettingsContext): SettingsSource[] {
  const user_folder = env.CLAUDE_CONFIG_DIR || join(env.HOME || homedir(), ".claude");
  const files: [SettingsSource["kind"], string][] = [
    ...managedFiles(managed_folder).map((file): [SettingsSource["kind"], string] => ["managed", file]),
    ...projectFiles(cwd),
    ["user", join(user_folder, "settings.json")],
  ];
  const seen = new Set<string>();
  return files.flatMap(([kind, file]) => {
    // In the home folder the project's settings are the user's.
    if (seen.has(file)) return [];
    seen.add(file);
    return [{ kind, file, ...readSettings(file) }];
  });
}

/** Managed settings hold for a client in a test, too: their variables and programs could give it another place to connect to, and a key. */
export function isRedirected(cwd: string, env: SettingsContext["env"]): boolean {
  return settingsSources({ cwd, env }).some(
    ({ kind, settings }) =>
      kind === "managed" && Object.keys(settings ?? {}).some((key) => /^env$|helper|refresh|export|login/i.test(key)),
  );
}

/** Those of a project in this folder alone. Never throws. */
export function projectSources(folder: string): SettingsSource[] {
  return projectFiles(folder).map(([kind, file]) => ({ kind, file, ...readSettings(file) }));
}

function projectFiles(folder: string): [SettingsSource["kind"], string][] {
  return [
    ["local", join(folder, ".claude", "settings.local.json")],
    ["project", join(folder, ".claude", "settings.json")],
  ];
}

/** Where this system has an administrator's settings. */
export function managedFolder(): string {
  return MANAGED_FOLDERS[process.platform] ?? "/etc/claude-code";
}

/** Fragments take precedence over the file itself, the last one over the others. */
function managedFiles(folder: string): string[] {
  const fragments = join(folder, "managed-settings.d");
  let names: string[] = [];
  try {
    names = readdirSync(fragments).filter((name) => name.endsWith(".json") && !name.startsWith("."));
  } catch {
    // most machines have none
  }
  return [
    ...names
      .sort()
      .reverse()
      .map((name) => join(fragments, name)),
    join(folder, "managed-settings.json"),
  ];
}

/** A settings file as Claude Code would read it: one that isn't a JSON object has no effect. Never throws. */
export function readSettings(file: string): Pick<SettingsSource, "settings" | "problem"> {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return { settings: undefined, problem: undefined };
  if (!stat.isFile() || stat.size > MAX_BYTES) return { settings: {}, problem: "is not a settings file" };
  try {
    // Claude Code reads a file that begins with a byte order mark as if there were none.
    const text = readFileSync(file, "utf8").replace(/^\uFEFF/, "");
    const value: unknown = text.trim() === "" ? {} : JSON.parse(text);
    return isObject(value)
      ? { settings: value, problem: undefined }
      : { settings: {}, problem: "is not a JSON object" };
  } catch (error) {
    const problem = error instanceof SyntaxError ? "is not valid JSON" : "can't be read";
    return { settings: {}, problem };
  }
}
