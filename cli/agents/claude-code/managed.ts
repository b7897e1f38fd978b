import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Json } from "../../../ipc/base/json-object.ts";
import { shellQuoted } from "../../../ipc/base/shell-quoted.ts";
import { managedFolder } from "../../../main/hooks/claude-code/effective-settings.ts";
import { launcherFile, writeLauncher } from "../../hook/launcher.ts";
import type { ConnectResult } from "../adapter.ts";
import { readText } from "../settings-file.ts";
import { ourEntries, withEntries } from "./entries.ts";

/**
 * The gate's hooks among an administrator's settings, which nothing of a project's or the user's takes precedence over. A file of its own
 * there (`managed-settings.d`), so that no other is touched; only an administrator can put it there, so the command is printed, never run.
 */

const NAME = "50-metnos-gate.json";

/** With these the hooks hold against a project's settings and its environment, and no other hook can change a call (tried with 2.1.197 and 2.1.330). */
export function managedSettings(launcher: string, answer_seconds: number): Json {
  const settings = {
    disableAllHooks: false,
    allowManagedHooksOnly: true,
    // 2.1.197 calls no hooks where a project sets the first; the others reach into every program that it starts.
    env: { CLAUDE_CODE_SIMPLE: "0", LD_PRELOAD: "", LD_AUDIT: "" },
  };
  return withEntries(settings, ourEntries(launcher, answer_seconds));
}

/** Writes the launcher and the file as it is to be. @param folder where this system has an administrator's settings */
export function connectManaged(answer_seconds: number, folder = managedFolder()): ConnectResult {
  const file = managedFile(folder);
  const launcher = writeLauncher();
  const text = `${JSON.stringify(managedSettings(launcher, answer_seconds), null, 2)}\n`;
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
  const is_there = readText(file) !== undefined;
  return { file, changed: false, backup: null, ...(is_there ? { todo: [`sudo rm ${shellQuoted(file)}`] } : {}) };
}

function managedFile(folder: string): string {
  return join(folder, "managed-settings.d", NAME);
}
