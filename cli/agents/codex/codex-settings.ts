import { isObject, type Json } from "../../../ipc/base/json-object.ts";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import type { AppServer } from "./app-server.ts";
import { isOurCommand } from "./entries.ts";

/** What Codex says of its hooks and settings in a folder. */

/** Whether Codex calls a hook: one that isn't trusted is left out without a word. */
export interface CodexHook {
  key: string;
  event: string;
  command: string;
  matcher: string | null;
  timeout_seconds: number;
  file: string;
  isEnabled: boolean;
  hash: string;
  trust: string;
}

export interface CodexHooks {
  hooks: readonly CodexHook[];
  /** What it could not read, or reads otherwise than it was written. */
  problems: readonly string[];
}

export const TRUSTED: readonly string[] = ["trusted", "managed"];

/** @throws GateError `client_failed` where it answers in another form */
export async function hooksIn(server: AppServer, cwd: string): Promise<CodexHooks> {
  const { data } = await server.request("hooks/list", { cwds: [cwd] });
  const [found] = Array.isArray(data) ? data.filter(isObject) : [];
  if (found === undefined || !Array.isArray(found.hooks)) throw unknownForm();
  const errors = listOf(found.errors).map((error) => String(isObject(error) ? error.message : error));
  return {
    hooks: found.hooks.filter(isObject).map(hookOf),
    problems: [...errors, ...listOf(found.warnings).map(String)],
  };
}

function hookOf(hook: Json): CodexHook {
  const { key, eventName, command, matcher, timeoutSec, sourcePath, enabled, currentHash, trustStatus } = hook;
  if (typeof key !== "string" || typeof currentHash !== "string" || typeof trustStatus !== "string")
    throw unknownForm();
  return {
    key,
    event: String(eventName),
    command: typeof command === "string" ? command : String(hook.handlerType),
    matcher: typeof matcher === "string" ? matcher : null,
    timeout_seconds: Number(timeoutSec),
    file: String(sourcePath),
    isEnabled: enabled !== false && hook.async !== true,
    hash: currentHash,
    trust: trustStatus,
  };
}

export const isOurHook = ({ command }: CodexHook): boolean => isOurCommand(command);

/** The one of our hooks that asks the gate. */
export const isAsking = (hook: CodexHook): boolean => hook.event === "preToolUse" && isOurHook(hook);

/** True if Codex calls it. */
export const isCalled = ({ isEnabled, trust }: CodexHook): boolean => isEnabled && TRUSTED.includes(trust);

/** The settings in force in a folder, and the file that each comes from. */
export async function settingsIn(
  server: AppServer,
  cwd: string,
): Promise<{ config: Json; origin(name: string): string }> {
  const { config, origins } = await server.request("config/read", { cwd, includeLayers: false });
  if (!isObject(config)) throw unknownForm();
  return {
    config,
    origin(name) {
      const found = isObject(origins) && isObject(origins[name]) ? origins[name].name : undefined;
      if (!isObject(found)) return "its settings";
      if (typeof found.dotCodexFolder === "string") return `${found.dotCodexFolder}/config.toml`;
      return typeof found.file === "string" ? found.file : String(found.type);
    },
  };
}

/** Has Codex write into the user's config.toml; null takes a setting out. @throws GateError `client_failed` with what it says */
export async function writeConfig(
  server: AppServer,
  edits: readonly { path: string; value: unknown }[],
): Promise<void> {
  if (edits.length === 0) return;
  const { status } = await server.request("config/batchWrite", {
    edits: edits.map(({ path, value }) => ({ keyPath: path, mergeStrategy: "replace", value })),
    reloadUserConfig: true,
  });
  if (typeof status !== "string" || !status.startsWith("ok")) throw unknownForm();
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function unknownForm(): GateError {
  return new GateError("client_failed", "this Codex answers in a form that isn't known", "use another version of it");
}
