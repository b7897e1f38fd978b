import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { errorCode } from "../base/errors.ts";
import type { LoginItem } from "../config/settings.ts";

/** Start at login on Linux: an entry in the XDG autostart folder (Desktop Application Autostart Specification). */

/** @param command program and arguments */
export function autostartEntry(file: string, command: readonly string[]): LoginItem {
  return {
    isEnabled() {
      const text = read(file);
      return text !== undefined && !/^\s*(Hidden\s*=\s*true|X-GNOME-Autostart-enabled\s*=\s*false)\s*$/im.test(text);
    },
    setEnabled(isEnabled) {
      if (!isEnabled) {
        rmSync(file, { force: true });
        return;
      }
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      writeFileSync(`${file}.new`, entryText(command), { mode: 0o600 });
      renameSync(`${file}.new`, file);
    },
  };
}

function entryText(command: readonly string[]): string {
  return [
    "[Desktop Entry]",
    "Type=Application",
    "Version=1.5",
    "Name=Metnos Gate",
    "Comment=Asks before AI agents act on this machine",
    `Exec=${command.map(quoted).join(" ")}`,
    "Icon=metnos-gate-app",
    "Terminal=false",
    "X-GNOME-Autostart-enabled=true",
    "",
  ].join("\n");
}

/** One argument of an Exec key: quoted for the key itself, then escaped as every string of a desktop file; % is doubled. */
function quoted(argument: string): string {
  const inQuotes = argument.replace(/["`$\\]/g, "\\$&").replaceAll("%", "%%");
  return `"${inQuotes}"`.replaceAll("\\", "\\\\");
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
