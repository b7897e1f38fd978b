import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { OperatorError } from "../../ipc/operator-api.ts";

/** Claude Code's settings.json: our PreToolUse hook in it, and everything else as it was. */

export interface SettingsOptions {
  /** The project's file instead of the user's. */
  project: boolean;
  /** How long the gate waits for an answer; the hook's own time-out lies above it. */
  ttl_seconds?: number;
}

export interface SettingsResult {
  file: string;
  changed: boolean;
  /** The file as it was before, if it was there. */
  backup: string | null;
}

type Json = Record<string, unknown>;
const LAUNCHER = new URL("../../bin/metnos-gate.js", import.meta.url).pathname;
const OURS = /metnos-gate(\.js)?'? hook claude-code(\s|$)/;

export function settingsFile({ project }: SettingsOptions): string {
  if (project) return join(process.cwd(), ".claude", "settings.json");
  return join(process.env.CLAUDE_CONFIG_DIR || join(process.env.HOME || homedir(), ".claude"), "settings.json");
}

/** Writes the hook. Running it again changes nothing. @throws OperatorError `invalid_settings` if the file isn't a JSON object */
export function connectClaudeCode(options: SettingsOptions): SettingsResult {
  const file = settingsFile(options);
  const text = readText(file);
  const settings = parseSettings(file, text);
  const entry = ourEntry(options.ttl_seconds ?? 600);
  const wanted = withEntry(settings, entry);
  if (JSON.stringify(wanted) === JSON.stringify(settings)) return { file, changed: false, backup: null };
  const backup = text === undefined ? null : backUp(file, text, settings);
  write(file, serialised(wanted, text));
  return { file, changed: true, backup };
}

/** Takes our hook out, and nothing else; a file that it leaves empty and that we had made goes away. */
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
  // Nothing else has changed since: the very bytes come back.
  const is_as_before = before !== undefined && JSON.stringify(parseSettings(backup, before)) === JSON.stringify(wanted);
  write(file, is_as_before ? before : serialised(wanted, text));
  if (is_as_before) rmSync(backup);
  return { file, changed: true, backup: is_as_before ? null : backup };
}

export function isConnected(file: string): boolean {
  const text = readText(file);
  if (text === undefined) return false;
  try {
    return groupsOf(parseSettings(file, text)).some((group) => hooksOf(group).some(isOurs));
  } catch {
    return false; // not a settings file that Claude Code could read either
  }
}

function ourEntry(ttl_seconds: number): Json {
  const wait = ttl_seconds + 15;
  // An installed app has a launcher of its own, which finds the fastest way; its binary is no Node.
  const installed = process.env.METNOS_GATE_LAUNCHER;
  const launcher = installed ? quoted(installed) : `${quoted(process.execPath)} ${quoted(LAUNCHER)}`;
  const command = `${launcher} hook claude-code --wait ${wait}`;
  return { type: "command", command, timeout: wait + 15, onFailure: "block" };
}

function quoted(path: string): string {
  return `'${path.replaceAll("'", "'\\''")}'`;
}

function groupsOf(settings: Json): Json[] {
  const groups = (settings.hooks as Json | undefined)?.PreToolUse;
  return Array.isArray(groups) ? groups.filter((group) => typeof group === "object" && group !== null) : [];
}

function hooksOf(group: Json): Json[] {
  return Array.isArray(group.hooks) ? group.hooks.filter((hook) => typeof hook === "object" && hook !== null) : [];
}

function isOurs(hook: Json): boolean {
  return typeof hook.command === "string" && OURS.test(hook.command);
}

/** An older entry of ours is brought up to date where it stands; otherwise a new one goes to the end. */
function withEntry(settings: Json, entry: Json): Json {
  const groups = groupsOf(settings);
  const is_there = groups.some((group) => hooksOf(group).some(isOurs));
  const updated = is_there
    ? groups.map((group) =>
        hooksOf(group).some(isOurs)
          ? { ...group, hooks: hooksOf(group).map((hook) => (isOurs(hook) ? { ...hook, ...entry } : hook)) }
          : group,
      )
    : [...groups, { matcher: "*", hooks: [entry] }];
  return { ...settings, hooks: { ...(settings.hooks as Json | undefined), PreToolUse: updated } };
}

function withoutOurs(settings: Json): Json {
  const groups = groupsOf(settings);
  if (!groups.some((group) => hooksOf(group).some(isOurs))) return settings;
  const kept = groups
    .map((group) =>
      hooksOf(group).some(isOurs) ? { ...group, hooks: hooksOf(group).filter((hook) => !isOurs(hook)) } : group,
    )
    .filter((group) => !Array.isArray(group.hooks) || group.hooks.length > 0);
  const { PreToolUse: _, ...events } = settings.hooks as Json;
  const hooks: Json = kept.length > 0 ? { ...(settings.hooks as Json), PreToolUse: kept } : events;
  if (Object.keys(hooks).length > 0) return { ...settings, hooks };
  const { hooks: _hooks, ...rest } = settings;
  return rest;
}

function readText(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

function parseSettings(file: string, text: string | undefined): Json {
  if (text === undefined || text.trim() === "") return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw invalid(`${file} is not valid JSON`, error);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw invalid(`${file} is not a JSON object`);
  const { hooks } = value as Json;
  if (hooks !== undefined && (typeof hooks !== "object" || hooks === null || Array.isArray(hooks)))
    throw invalid(`${file}: hooks is not an object`);
  const groups = (hooks as Json | undefined)?.PreToolUse;
  if (groups !== undefined && !Array.isArray(groups)) throw invalid(`${file}: hooks.PreToolUse is not a list`);
  return value as Json;
}

function invalid(message: string, cause?: unknown): OperatorError {
  return Object.assign(new OperatorError("invalid_settings", message, "mend it first; it was left as it is"), {
    cause,
  });
}

function backupFile(file: string): string {
  return `${file}.metnos-backup`;
}

/** Keeps the file as it was before the gate first touched it; one that holds our hook already is no original. */
function backUp(file: string, text: string, settings: Json): string {
  const backup = backupFile(file);
  const holds_ours = groupsOf(settings).some((group) => hooksOf(group).some(isOurs));
  if (!(holds_ours && existsSync(backup))) writeFileSync(backup, text, { mode: 0o600 });
  return backup;
}

function serialised(settings: Json, like: string | undefined): string {
  const indent = /^[{[]\r?\n([ \t]+)/.exec(like ?? "")?.[1] ?? "  ";
  return `${JSON.stringify(settings, null, indent)}${like === undefined || like.endsWith("\n") ? "\n" : ""}`;
}

/** Whole or not at all; through a symbolic link to the real file, whose mode is kept. */
function write(file: string, text: string): void {
  const real = existsSync(file) ? realpathSync(file) : file;
  mkdirSync(dirname(real), { recursive: true, mode: 0o700 });
  const temporary = `${real}.metnos-new`;
  writeFileSync(temporary, text, { mode: 0o600 });
  if (existsSync(real)) chmodSync(temporary, statSync(real).mode & 0o777);
  renameSync(temporary, real);
}
