import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { errorCode } from "../../errors.ts";

/** Git runs programs that its settings name: hooks, monitors, filters, differences. Where there are any, git is no plain reader. */

const NAMES_PROGRAMS =
  /fsmonitor|hookspath|textconv|\bexternal\b|\bclean\b|\bsmudge\b|\bprocess\b|sshcommand|\[include|pager|editor|gpg|\bhelper\b|\bdriver\b|alias/i;
const MAX_SETTINGS = 256 * 1024;

/** True if it does, or if that can't be told. A folder without a repository has none. */
export function gitRunsPrograms(folder: string | null): boolean {
  if (folder === null) return true;
  for (let here = folder; ; here = dirname(here)) {
    const place = join(here, ".git");
    const kind = kindOf(place);
    if (kind === "folder") return settingsNamePrograms(join(place, "config")) || hasHooks(join(place, "hooks"));
    // A worktree's or a submodule's: its settings lie elsewhere.
    if (kind !== "none") return true;
    if (dirname(here) === here) return false;
  }
}

function kindOf(path: string): "folder" | "other" | "none" {
  try {
    return statSync(path, { throwIfNoEntry: true }).isDirectory() ? "folder" : "other";
  } catch (error) {
    const code = errorCode(error);
    return code === "ENOENT" || code === "ENOTDIR" ? "none" : "other";
  }
}

function settingsNamePrograms(file: string): boolean {
  try {
    const text = readFileSync(file, "utf8");
    return text.length > MAX_SETTINGS || NAMES_PROGRAMS.test(text);
  } catch (error) {
    return errorCode(error) !== "ENOENT";
  }
}

function hasHooks(folder: string): boolean {
  try {
    return readdirSync(folder).some((name) => !name.endsWith(".sample"));
  } catch (error) {
    return errorCode(error) !== "ENOENT";
  }
}
