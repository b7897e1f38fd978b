import { existsSync, rmSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { parse } from "smol-toml";
import { isObject, type Json } from "../../../ipc/base/json-object.ts";
import type { Env } from "../../../ipc/base/paths.ts";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import { codexHome, configFile } from "../../../main/hooks/codex/codex-home.ts";
import { AppServer } from "../../agents/codex/app-server.ts";
import { codexProgram } from "../../agents/codex/codex-program.ts";
import { writeConfig } from "../../agents/codex/codex-settings.ts";
import { readText, writeSettings } from "../../agents/settings-file.ts";
import type { Changed } from "./json-settings.ts";
import type { ServerEntry } from "./places.ts";

/** Codex's servers, in config.toml: Codex itself changes them there, so that everything else stays as it is written. */

export interface CodexEdit {
  env: Env;
  /** The program that the user named. */
  client: string | undefined;
  wordsFor(entry: ServerEntry & { words: readonly string[] }): readonly string[];
  isRemoval: boolean;
}

/** What Codex takes as one part of a setting's name. */
const NAME = /^[A-Za-z0-9_-]+$/;

/** @throws GateError `invalid_settings` if the file isn't TOML, `client_failed` if Codex can't be asked */
export async function editCodexServers({ env, client, wordsFor, isRemoval }: CodexEdit): Promise<Changed> {
  const file = configFile(env);
  const text = readText(file) ?? "";
  const changed: string[] = [];
  const left: string[] = [];
  const edits: { path: string; value: unknown }[] = [];
  for (const entry of entriesIn(parsed(file, text))) {
    const name = entry.path.at(-1) ?? "";
    const { words } = entry;
    if (words === undefined || !NAME.test(name)) {
      left.push(name);
      continue;
    }
    const [command, ...args] = wordsFor({ ...entry, words });
    if (isDeepStrictEqual([command, ...args], words)) continue;
    const path = `mcp_servers.${name}`;
    edits.push({ path: `${path}.command`, value: command }, { path: `${path}.args`, value: args });
    changed.push(name);
  }
  if (edits.length === 0) return { file, changed, left };
  const backup = `${file}.metnos-mcp-backup`;
  if (!isRemoval && !existsSync(backup)) writeSettings(backup, text);
  const program = codexProgram(env, client);
  await AppServer.use({ program, env, cwd: codexHome(env) }, (server) => writeConfig(server, edits));
  if (isRemoval) restore(file, backup);
  return { file, changed, left };
}

/** The very bytes, where nothing else has changed since. */
function restore(file: string, backup: string): void {
  const [now, before] = [readText(file), readText(backup)];
  if (now === undefined || before === undefined) return;
  if (!isDeepStrictEqual(withoutEmptyArgs(parsed(file, now)), withoutEmptyArgs(parsed(backup, before)))) return;
  writeSettings(file, before);
  rmSync(backup);
}

function withoutEmptyArgs(settings: Json): Json {
  for (const entry of Object.values(isObject(settings.mcp_servers) ? settings.mcp_servers : {}))
    if (isObject(entry) && isDeepStrictEqual(entry.args, [])) delete entry.args;
  return settings;
}

function entriesIn({ mcp_servers }: Json): ServerEntry[] {
  return Object.entries(isObject(mcp_servers) ? mcp_servers : {}).map(([name, entry]) => {
    const { command, args = [], tool_timeout_sec }: Json = isObject(entry) ? entry : {};
    const words = Array.isArray(args) ? [command, ...args] : [];
    const isWords = words.length > 0 && words.every((word) => typeof word === "string" && !word.includes("\0"));
    return {
      path: ["mcp_servers", name],
      words: isWords ? (words as string[]) : undefined,
      timeout_seconds: typeof tool_timeout_sec === "number" && tool_timeout_sec > 0 ? tool_timeout_sec : undefined,
    };
  });
}

function parsed(file: string, text: string): Json {
  try {
    return parse(text) as Json;
  } catch (error) {
    throw new GateError("invalid_settings", `${file} is not valid TOML`, "mend it first; it was left as it is", {
      cause: error,
    });
  }
}
