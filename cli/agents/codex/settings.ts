import { rmSync } from "node:fs";
import { parse } from "smol-toml";
import { isObject, type Json } from "../../../ipc/base/json-object.ts";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import { codexHome, configFile, hooksFile } from "../../../main/hooks/codex/codex-home.ts";
import { launcherFile, writeLauncher } from "../../hook/launcher.ts";
import type { ConnectOptions, ConnectResult } from "../adapter.ts";
import { putIntoSettings, takeOutOfSettings } from "../settings-edit.ts";
import { backUp, backupFile, parseSettings, readText, writeSettings } from "../settings-file.ts";
import { AppServer } from "./app-server.ts";
import { codexProgram } from "./codex-program.ts";
import { hooksIn, isOurHook, settingsIn, TRUSTED, writeConfig } from "./codex-settings.ts";
import { EVENTS, holdsOurs, isWrittenCommand, ourGroups, withOurs, withoutOurs } from "./entries.ts";

/**
 * Codex's hooks.json, with the gate's hook in it, and config.toml, in which Codex itself notes that the hook is trusted: it calls no
 * other.
 */

/** Whether the model may start programs that it types into later: what it types passes no hook. */
const INTERACTIVE = "features.unified_exec_tty";

/**
 * Writes the hook and the launcher that it calls, and has Codex trust it. Running it again changes nothing.
 * @throws GateError `invalid_settings` for a file that can't be read, `client_failed` if Codex can't be asked, or doesn't trust the hook
 */
export async function connectCodex({ project, answerSeconds, client }: ConnectOptions): Promise<ConnectResult> {
  const env = process.env;
  if (project)
    throw new GateError(
      "invalid_settings",
      "Codex can be connected for all projects only: in a project's own folder it reads no hooks that aren't trusted there",
      "leave --project out",
    );
  const program = codexProgram(env, client);
  const file = hooksFile(env);
  const configText = readText(configFile(env));
  const config = parseConfig(configFile(env), configText);
  const written = putIntoSettings({
    file,
    events: EVENTS,
    change: (settings) => withOurs(settings, ourGroups(writeLauncher(), answerSeconds)),
    holdsOurs,
  });
  const isTrustedNow = await AppServer.use({ program, env, cwd: codexHome(env) }, async (server) => {
    const edits = await editsFor(server, env);
    if (edits.length > 0 && configText !== undefined) backUp(configFile(env), configText, mentionsOurs(config, file));
    await writeConfig(server, edits);
    if (!(await writtenHooks(server, env)).every(({ trust }) => TRUSTED.includes(trust)))
      throw new GateError(
        "client_failed",
        "Codex does not trust the gate's hook",
        "start codex, review its hooks there",
      );
    return edits.length > 0;
  });
  return { ...written, changed: written.changed || isTrustedNow, notes: notesOn(config) };
}

function notesOn({ web_search }: Json): string[] {
  const search = `what Codex searches the web for is sent by its provider, and passes no gate; to have it off: web_search = "disabled" in config.toml`;
  return [
    "Codex's model can start no programs any more that it types into later (features.unified_exec_tty = false): what it types would pass no gate",
    ...(web_search === "disabled" ? [] : [search]),
    "sessions of Codex that run already are asked about from their next start on",
  ];
}

/** @throws GateError `client_failed` if Codex doesn't list our hook: then it would never call it */
async function ourHooks(server: AppServer, env: NodeJS.ProcessEnv) {
  const { hooks, problems } = await hooksIn(server, codexHome(env));
  const ours = hooks.filter((hook) => isOurHook(hook) && hook.file === hooksFile(env));
  if (ours.length > 0) return ours;
  throw new GateError("client_failed", "Codex does not find the gate's hook", problems.join("; ") || "run doctor");
}

/** Those that were written just now: nothing else is trusted, whatever it is called. */
async function writtenHooks(server: AppServer, env: NodeJS.ProcessEnv) {
  const launcher = launcherFile(env);
  return (await ourHooks(server, env)).filter(({ command }) => isWrittenCommand(command, launcher));
}

async function editsFor(server: AppServer, env: NodeJS.ProcessEnv): Promise<{ path: string; value: unknown }[]> {
  const { config } = await settingsIn(server, codexHome(env));
  const untrusted = (await writtenHooks(server, env)).filter(({ trust }) => !TRUSTED.includes(trust));
  const isInteractive = !isObject(config.features) || config.features.unified_exec_tty !== false;
  return [
    ...untrusted.map(({ key, hash }) => ({ path: statePath(key), value: { trusted_hash: hash } })),
    ...(isInteractive ? [{ path: INTERACTIVE, value: false }] : []),
  ];
}

const statePath = (key: string) => `hooks.state.${JSON.stringify(key)}`;

/**
 * Takes our hook and what Codex noted for it out, and nothing else; a file that this leaves as it was before is restored to the very bytes. The
 * launcher stays: sessions that run already still call it.
 */
export async function disconnectCodex({ client }: ConnectOptions): Promise<ConnectResult> {
  const env = process.env;
  const file = hooksFile(env);
  const text = readText(file);
  const settings = parseSettings(file, text, EVENTS);
  const config = parseConfig(configFile(env), readText(configFile(env)));
  if (text === undefined || !holdsOurs(settings)) return { file, changed: false, backup: null };
  const program = codexProgram(env, client);
  await AppServer.use({ program, env, cwd: codexHome(env) }, async (server) => {
    const ours = await ourHooks(server, env);
    const before = parseConfig(backupFile(configFile(env)), readText(backupFile(configFile(env))));
    const features = isObject(before.features) ? before.features : {};
    const was = features.unified_exec_tty ?? null;
    const isOff = isObject(config.features) && config.features.unified_exec_tty === false;
    await writeConfig(server, [
      ...ours.map(({ key }) => ({ path: statePath(key), value: null })),
      ...(isOff && was !== false ? [{ path: INTERACTIVE, value: was }] : []),
    ]);
  });
  restoreConfig(configFile(env));
  return takeOutOfSettings({ file, events: EVENTS, change: withoutOurs });
}

/** The backup in config.toml's place where both say the same, and no file where it says nothing and none was there. */
function restoreConfig(file: string): void {
  const meaning = (text: string | undefined) => JSON.stringify(withoutEmpty(parseConfig(file, text)));
  const backup = backupFile(file);
  const [text, before] = [readText(file), readText(backup)];
  if (before === undefined && meaning(text) === "{}") rmSync(file, { force: true });
  if (before === undefined || meaning(before) !== meaning(text)) return;
  writeSettings(file, before);
  rmSync(backup);
}

/** @throws GateError `invalid_settings` if it isn't valid TOML: Codex doesn't start with such a file */
function parseConfig(file: string, text: string | undefined): Json {
  try {
    return parse(text ?? "");
  } catch (error) {
    throw new GateError("invalid_settings", `${file} is not valid TOML`, "mend it first; it was left as it is", {
      cause: error,
    });
  }
}

/** True if Codex has noted something for the hooks of this file. */
function mentionsOurs({ hooks }: Json, file: string): boolean {
  const state = isObject(hooks) && isObject(hooks.state) ? hooks.state : {};
  return Object.keys(state).some((key) => key.startsWith(`${file}:`));
}

/** Codex leaves the table of what was taken out. */
function withoutEmpty(table: Json): Json {
  const entries = Object.entries(table).map(([key, value]) => [key, isTable(value) ? withoutEmpty(value) : value]);
  return Object.fromEntries(entries.filter(([, value]) => !isTable(value) || Object.keys(value).length > 0));
}

/** A table, and none of TOML's dates. */
function isTable(value: unknown): value is Json {
  return isObject(value) && !(value instanceof Date);
}
