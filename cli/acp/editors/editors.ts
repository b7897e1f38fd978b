import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ownLauncher } from "../../../ipc/base/own-command.ts";
import { type Env, homeFolder } from "../../../ipc/base/paths.ts";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import { backUp, backupFile, readText, writeSettings } from "../../agents/settings-file.ts";
import { agentNameOf } from "../agent-name.ts";
import { type EditorAgent, installedWords } from "./agents.ts";
import { withEntry, withoutEntry } from "./entry.ts";

/** The entries of editors that start an agent with the gate in front of it. */

export const EDITORS = ["zed", "jetbrains", "neovim"] as const;
export type Editor = (typeof EDITORS)[number];

/** What has to be started anew: what runs already keeps what it was started with. */
export const RESTARTED: Readonly<Record<Editor, string>> = {
  zed: "start a new thread in Zed: one that is open keeps the agent that it was started with. Restart Zed where its list of agents doesn't change",
  jetbrains: "restart the IDE, and start a new chat: one that is open keeps the agent that it was started with",
  neovim:
    "restart Neovim once its configuration is changed: a chat that is open keeps the agent that it was started with",
};

export function isEditor(name: string): name is Editor {
  return EDITORS.some((editor) => editor === name);
}

/** What an editor starts. */
export interface EditorEntry {
  /** As the editor lists it. */
  name: string;
  /** As it is paired at the gate. */
  agent: string;
  command: string;
  args: readonly string[];
}

/** @throws GateError `client_failed` where it isn't installed */
export function entryOf(agent: EditorAgent, env: Env = process.env): EditorEntry {
  const words = installedWords(agent, env);
  if (words === undefined) {
    const [program = ""] = agent.words;
    throw new GateError(
      "client_failed",
      `${agent.title} for editors is not installed: no ${program} on PATH`,
      `install ${program} first`,
    );
  }
  const [command = "", ...args] = gateWords();
  const name = agentNameOf(agent.words);
  return {
    name: `${agent.title} (Metnos Gate)`,
    agent: name,
    command,
    args: [...args, "acp", "--agent", name, "--", ...words],
  };
}

/** This program with whole paths: an editor may have another PATH. */
function gateWords(): string[] {
  const launcher = ownLauncher();
  if (launcher === undefined)
    throw new GateError("client_failed", "this program's launcher can't be found", "reinstall it");
  return launcher.endsWith(".js") ? [process.execPath, launcher] : [launcher];
}

/** The editor's settings file; undefined where its settings are a program. */
export function settingsOf(editor: Editor, env: Env = process.env): string | undefined {
  const home = homeFolder(env);
  if (editor === "zed") return join(env.XDG_CONFIG_HOME || join(home, ".config"), "zed/settings.json");
  return editor === "jetbrains" ? join(home, ".jetbrains/acp.json") : undefined;
}

export interface EditorResult {
  file: string;
  changed: boolean;
  backup: string | null;
}

/** Writes the entry. Twice changes nothing. @throws GateError `invalid_settings` where the file can't be read as settings: it stays as it is */
export function connectEditor(editor: Editor, file: string, { name, command, args }: EditorEntry): EditorResult {
  const entry = { ...(editor === "zed" ? { type: "custom" } : {}), command, args: [...args], env: {} };
  const text = readText(file);
  const next = kept(file, () => withEntry(text, name, entry));
  if (next === text) return { file, changed: false, backup: null };
  const backup = text === undefined ? null : backUp(file, text, text.includes("(Metnos Gate)"));
  writeSettings(file, next);
  return { file, changed: true, backup };
}

/** Takes it out, and nothing else; a file that nobody has changed since is as it was before. */
export function disconnectEditor(file: string, { name }: Pick<EditorEntry, "name">): EditorResult {
  const text = readText(file);
  if (text === undefined) return { file, changed: false, backup: null };
  const next = kept(file, () => withoutEntry(text, name));
  if (next === text) return { file, changed: false, backup: null };
  writeSettings(file, beforeIfUnchanged(file, next, name) ?? next);
  return { file, changed: true, backup: null };
}

function beforeIfUnchanged(file: string, without: string, name: string): string | undefined {
  const backup = backupFile(file);
  if (!existsSync(backup)) return undefined;
  const before = readFileSync(backup, "utf8");
  const again = withoutEntry(withEntry(before, name, { command: "" }), name);
  return again === without ? before : undefined;
}

function kept(file: string, change: () => string): string {
  try {
    return change();
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new GateError(
      "invalid_settings",
      `${file} can't be read as settings`,
      "mend it first; it was left as it is",
      { cause: error },
    );
  }
}

/** For editors whose settings are a program: what to put in there. */
export function luaOf({ name, command, args }: EditorEntry): string {
  const text = (value: string) => JSON.stringify(value);
  return [
    "-- CodeCompanion: adapters.acp of its setup",
    `[${text(name)}] = function()`,
    '  return require("codecompanion.adapters").extend("gemini_cli", {',
    `    name = ${text(name)},`,
    `    commands = { default = { ${[command, ...args].map(text).join(", ")} } },`,
    "  })",
    "end,",
  ].join("\n");
}
