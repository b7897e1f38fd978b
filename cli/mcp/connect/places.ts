import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { isObject, type Json } from "../../../ipc/base/json-object.ts";
import type { AdapterName } from "../../agents/adapter.ts";

/** Where each client that has JSON settings keeps its servers, and in which form. */

export interface ServerEntry {
  /** The keys that lead to it, its own name last. */
  path: readonly string[];
  /** What starts it; undefined of a server that is at an address, or in a form that isn't known. */
  words: readonly string[] | undefined;
  timeout_seconds: number | undefined;
}

export interface SettingsPlace {
  file: string;
  /** The entries in its settings. */
  entries(settings: Json): ServerEntry[];
  /** The members of an entry as they are with these words. */
  members(words: readonly string[]): Json;
}

/** Undefined for Codex, whose settings are its own to write. */
export function placeOf(
  agent: AdapterName,
  project: boolean,
  env: NodeJS.ProcessEnv,
  cwd: string,
): SettingsPlace | undefined {
  const home = env.HOME || homedir();
  switch (agent) {
    case "claude-code":
      if (project) return commandPlace(join(cwd, ".mcp.json"), (settings) => serversIn(settings, ["mcpServers"]));
      return commandPlace(join(env.CLAUDE_CONFIG_DIR || home, ".claude.json"), (settings) => [
        ...serversIn(settings, ["mcpServers"]),
        ...projectsIn(settings).flatMap((name) => serversIn(settings, ["projects", name, "mcpServers"])),
      ]);
    case "gemini":
      return commandPlace(join(project ? cwd : home, ".gemini", "settings.json"), (settings) =>
        serversIn(settings, ["mcpServers"]),
      );
    case "opencode":
      return openCodePlace(project ? cwd : join(env.XDG_CONFIG_HOME || join(home, ".config"), "opencode"));
    default:
      return undefined;
  }
}

/** `{"command": "...", "args": [...]}`, as most clients have it. */
function commandPlace(file: string, entries: SettingsPlace["entries"]): SettingsPlace {
  return { file, entries, members: ([command, ...args]) => ({ command, args }) };
}

/** `{"type": "local", "command": [...]}` */
function openCodePlace(folder: string): SettingsPlace {
  const files = ["opencode.jsonc", "opencode.json", "config.json"].map((name) => join(folder, name));
  return {
    file: files.find((file) => existsSync(file)) ?? join(folder, "opencode.json"),
    entries: ({ mcp }) =>
      Object.entries(isObject(mcp) ? mcp : {}).map(([name, entry]) => ({
        path: ["mcp", name],
        words: isObject(entry) && entry.url === undefined ? wordsIn(entry.command) : undefined,
        timeout_seconds: isObject(entry) ? secondsIn(entry.timeout) : undefined,
      })),
    members: (words) => ({ command: words }),
  };
}

function serversIn(settings: Json, path: readonly string[]): ServerEntry[] {
  let servers: unknown = settings;
  for (const key of path) servers = isObject(servers) ? servers[key] : undefined;
  return Object.entries(isObject(servers) ? servers : {}).map(([name, entry]) => ({
    path: [...path, name],
    words: isObject(entry) ? commandIn(entry) : undefined,
    timeout_seconds: isObject(entry) ? secondsIn(entry.timeout) : undefined,
  }));
}

function projectsIn({ projects }: Json): string[] {
  return Object.keys(isObject(projects) ? projects : {});
}

function commandIn({ command, args = [], url, httpUrl, type = "stdio" }: Json): string[] | undefined {
  if (typeof command !== "string" || url !== undefined || httpUrl !== undefined || type !== "stdio") return undefined;
  return wordsIn(Array.isArray(args) ? [command, ...args] : undefined);
}

function wordsIn(value: unknown): string[] | undefined {
  const isWords = Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === "string");
  return isWords && value[0] !== "" ? value : undefined;
}

/** These clients have milliseconds. */
function secondsIn(timeout: unknown): number | undefined {
  return typeof timeout === "number" && timeout > 0 ? timeout / 1000 : undefined;
}
