import { readdirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { isObject, type Json } from "../../../ipc/base/json-object.ts";
import { NOT_A_FILE, TOO_LARGE } from "../../../ipc/base/regular-file.ts";
import { errorCode } from "../../base/errors.ts";
import { LeftToProgram } from "../dialect.ts";
import { RuleFiles } from "../rule-files.ts";

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
  managedFolder?: string;
}

const MANAGED_FOLDERS: Partial<Record<NodeJS.Platform, string>> = {
  darwin: "/Library/Application Support/ClaudeCode",
  linux: "/etc/claude-code",
};

/** Reads them all. @throws LeftToProgram */
export function settingsSources(
  { cwd, env, managedFolder: managedIn = managedFolder() }: SettingsContext,
  files = new RuleFiles(false),
): SettingsSource[] {
  const userFolder = env.CLAUDE_CONFIG_DIR || join(env.HOME || homedir(), ".claude");
  const all: [SettingsSource["kind"], string][] = [
    ...managedFiles(managedIn).map((file): [SettingsSource["kind"], string] => ["managed", file]),
    ...projectFiles(cwd),
    ["user", join(userFolder, "settings.json")],
  ];
  const seen = new Set<string>();
  return all.flatMap(([kind, file]) => {
    // In the home folder the project's settings are the user's.
    if (seen.has(file)) return [];
    seen.add(file);
    return [{ kind, file, ...readSettings(file, files) }];
  });
}

/** Managed settings hold for a client in a test, too: their variables and programs could give it another place to connect to, and a key. */
export function isRedirected(cwd: string, env: SettingsContext["env"]): boolean {
  return settingsSources({ cwd, env }).some(
    ({ kind, settings }) =>
      kind === "managed" && Object.keys(settings ?? {}).some((key) => /^env$|helper|refresh|export|login/i.test(key)),
  );
}

/** Those of a project in this folder alone. @throws LeftToProgram */
export function projectSources(folder: string, files = new RuleFiles(false)): SettingsSource[] {
  return projectFiles(folder).map(([kind, file]) => ({ kind, file, ...readSettings(file, files) }));
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

/** A settings file as Claude Code would read it: one that isn't a JSON object has no effect. @throws LeftToProgram */
export function readSettings(file: string, files = new RuleFiles(false)): Pick<SettingsSource, "settings" | "problem"> {
  files.takeTime();
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return { settings: undefined, problem: undefined };
  try {
    // Claude Code reads a file that begins with a byte order mark as if there were none.
    const text = files.read(file).replace(/^\uFEFF/, "");
    const value: unknown = text.trim() === "" ? {} : JSON.parse(text);
    return isObject(value)
      ? { settings: value, problem: undefined }
      : { settings: {}, problem: "is not a JSON object" };
  } catch (error) {
    if (error instanceof LeftToProgram) throw error;
    return { settings: {}, problem: problemOf(error) };
  }
}

function problemOf(error: unknown): string {
  if (error instanceof SyntaxError) return "is not valid JSON";
  return [NOT_A_FILE, TOO_LARGE].includes(errorCode(error)) ? "is not a settings file" : "can't be read";
}
