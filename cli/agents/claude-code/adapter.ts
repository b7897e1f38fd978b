import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { Json } from "../../../ipc/base/json-object.ts";
import { shellQuoted } from "../../../ipc/base/shell-quoted.ts";
import { managedFolder, settingsSources } from "../../../main/hooks/claude-code/effective-settings.ts";
import { launcherFile, writeLauncher } from "../../hook/launcher.ts";
import type { Adapter, ConnectResult } from "../adapter.ts";
import { withClientCheck } from "../client-check.ts";
import { putIntoSettings, takeOutOfSettings } from "../settings-edit.ts";
import { readText } from "../settings-file.ts";
import {
  callsForAllTools,
  EVENTS,
  holdsOurs,
  launchedEntries,
  ourEntries,
  withEntries,
  withoutOurs,
} from "./entries.ts";
import { claudeCodeChecks } from "./hook-check.ts";

export const claudeCode: Adapter = {
  name: "claude-code",
  title: "Claude Code",
  program: "claude",
  hasManaged: true,
  takesHookAtOnce: true,
  async connect({ project, answerSeconds, managed }) {
    return managed ? connectManaged(answerSeconds) : connectClaudeCode({ project, answerSeconds });
  },
  async disconnect({ project, managed }) {
    return managed ? disconnectManaged() : disconnectClaudeCode({ project });
  },
  checks(context) {
    const checks = claudeCodeChecks(context, launcherFile(context.env), context.answerSeconds);
    return withClientCheck(claudeCode, context, checks);
  },
  async launch({ args, cwd, env, answerSeconds }) {
    const launcher = writeLauncher(env);
    const user = settingsSources({ cwd, env }).find(({ kind }) => kind === "user")?.settings ?? {};
    // The same entries twice would ask twice.
    const hooks = callsForAllTools(user, launcher) ? {} : withEntries({}, launchedEntries(launcher, answerSeconds));
    const settings = { disableAllHooks: false, ...hooks };
    return { program: "claude", args: ["--settings", JSON.stringify(settings), ...args], env: {} };
  },
};

// Claude Code's settings.json: the gate's hooks in it, and everything else as it was.

interface SettingsOptions {
  /** The project's file instead of the user's. */
  project: boolean;
  /** How long the gate waits for an answer; the hook's own time-out is longer. */
  answerSeconds?: number;
}

const DEFAULT_ANSWER_SECONDS = 600;

/** The user's settings.json, or the one of the project in this folder. */
export function settingsFile({ project }: Pick<SettingsOptions, "project">): string {
  if (project) return join(process.cwd(), ".claude", "settings.json");
  return join(process.env.CLAUDE_CONFIG_DIR || join(process.env.HOME || homedir(), ".claude"), "settings.json");
}

/**
 * Writes the hooks and the launcher that they call. Running it again changes nothing in the settings.
 * @throws GateError `invalid_settings` if the file isn't a JSON object, `hook_unusable` if the launcher can't run
 */
export function connectClaudeCode(options: SettingsOptions): ConnectResult {
  const seconds = options.answerSeconds ?? DEFAULT_ANSWER_SECONDS;
  return putIntoSettings({
    file: settingsFile(options),
    events: EVENTS,
    change: (settings) => withEntries(settings, ourEntries(writeLauncher(), seconds)),
    holdsOurs,
  });
}

/** Takes our hooks out, and nothing else. The launcher stays: sessions that run already still call it. */
export function disconnectClaudeCode(options: SettingsOptions): ConnectResult {
  return takeOutOfSettings({ file: settingsFile(options), events: EVENTS, change: withoutOurs });
}

// The gate's hooks among an administrator's settings, which nothing of a project's or the user's takes precedence over. A file of its own
// there (`managed-settings.d`), so that no other is touched; only an administrator can put it there, so the command is printed, never run.

const NAME = "50-metnos-gate.json";

/** With these the hooks hold against a project's settings and its environment, and no other hook can change a call (tried with 2.1.197 and 2.1.330). */
export function managedSettings(launcher: string, answerSeconds: number): Json {
  const settings = {
    disableAllHooks: false,
    allowManagedHooksOnly: true,
    // 2.1.197 calls no hooks where a project sets the first; the others reach into every program that it starts.
    env: { CLAUDE_CODE_SIMPLE: "0", LD_PRELOAD: "", LD_AUDIT: "" },
  };
  return withEntries(settings, ourEntries(launcher, answerSeconds));
}

/** Writes the launcher and the file as it is to be. @param folder where this system has an administrator's settings */
export function connectManaged(answerSeconds: number, folder = managedFolder()): ConnectResult {
  const file = managedFile(folder);
  const launcher = writeLauncher();
  const text = `${JSON.stringify(managedSettings(launcher, answerSeconds), null, 2)}\n`;
  if (readText(file) === text) return { file, changed: false, backup: null };
  const draft = join(dirname(launcherFile()), NAME);
  mkdirSync(dirname(draft), { recursive: true, mode: 0o700 });
  rmSync(draft, { force: true });
  writeFileSync(draft, text, { mode: 0o600, flag: "wx" });
  return {
    file,
    changed: false,
    backup: null,
    todo: [
      `sudo mkdir -p ${shellQuoted(dirname(file))}`,
      `sudo install -m 0644 ${shellQuoted(draft)} ${shellQuoted(file)}`,
    ],
    notes: [
      "they hold for everybody who uses Claude Code on this machine, and no other hook runs then: take allowManagedHooksOnly out of the file for that",
    ],
  };
}

export function disconnectManaged(folder = managedFolder()): ConnectResult {
  const file = managedFile(folder);
  const isThere = readText(file) !== undefined;
  return { file, changed: false, backup: null, ...(isThere ? { todo: [`sudo rm ${shellQuoted(file)}`] } : {}) };
}

function managedFile(folder: string): string {
  return join(folder, "managed-settings.d", NAME);
}
