import { basename, dirname, join } from "node:path";
import { isAtOrBelow, kindOf } from "@metnos-gate/shell-reading/files";
import { isHarmlessToSet, type Setting, settingsOf } from "@metnos-gate/shell-reading/git";
import { readRegularBytes, TOO_LARGE } from "../../../ipc/base/regular-file.ts";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import { errorCode } from "../../base/errors.ts";
import { isRepositorySettings } from "../arguments/git.ts";
import type { Known } from "./places.ts";
import { namesOnlySubmodules } from "./submodule-settings.ts";

/**
 * The settings of the repositories that runs work on: what they held before the first of them, and whether what they hold now is more than
 * git itself says of branches, remotes and submodules. In a box no mount keeps them once they have been replaced outside of it, as git does
 * with each change: the kernel takes the mount away with the file.
 */

const MAX_BYTES = 262_144;
/** In bytes, of all repositories of a project: they are read as each run starts, and written down for the next gate. */
const MAX_TOGETHER = 8 * 1024 * 1024;

/** One file of settings and what it held; with one character for each byte. */
export interface KeptSettings {
  readonly path: string;
  readonly before: string;
}

/**
 * Of a folder that runs may write: its repository's own settings, those of the repositories in it, and those of `more` that lie there and
 * are there. @throws GateError `box_unavailable` where that is too much
 */
export function keptSettings({ folder, places }: Known, more: readonly string[]): KeptSettings[] {
  const own = join(folder, basename(folder) === ".git" ? "config" : ".git/config");
  const all = places.map(({ path }) => Buffer.from(path, "latin1").toString()).filter(isRepositorySettings);
  const named = more.filter((path) => isAtOrBelow(path, folder));
  let left = MAX_TOGETHER;
  return [...new Set([own, ...all, ...named])].flatMap((path) => {
    const before = textOf(path, true);
    left -= before?.length ?? 0;
    if (left < 0) throw tooLong();
    return before === undefined ? [] : [{ path, before }];
  });
}

/** Those that hold something else by now, and more than they may. */
export function changedSettings(kept: readonly KeptSettings[]): KeptSettings[] {
  return kept.filter(({ path, before }) => {
    const now = textOf(path);
    if (now === before) return false;
    // With its folder all of a repository is gone: nothing runs by its settings.
    if (now === undefined) return kindOf(dirname(path)) !== "nothing";
    if (basename(path) !== ".gitmodules") return !changesOnlyHarmless(before, now);
    return !now.startsWith(before) || !namesOnlySubmodules(now.slice(before.length));
  });
}

/** Where a submodule comes from, or a remote that wasn't there. */
const PLAIN_URL = /^(?:https?:\/\/|\/|\.)[\w.:/~@%+-]*$/;

/** True where the settings differ in nothing but what git itself keeps of branches, remotes and submodules, and what names and prints. */
export function changesOnlyHarmless(before: string, now: string): boolean {
  const [oldSettings, newSettings] = [settingsOf(before), settingsOf(now)];
  if (oldSettings === null || newSettings === null) return false;
  const remotes = new Set(oldSettings.flatMap(([key]) => /^remote\.(.*)\.[^.]*$/s.exec(key)?.[1] ?? []));
  const others = (settings: readonly Setting[]) => JSON.stringify(settings.filter((one) => !isHarmless(one, remotes)));
  return others(oldSettings) === others(newSettings);
}

function isHarmless([key, value]: Setting, remotes: ReadonlySet<string>): boolean {
  const [, section, name = "", last = ""] = /^(branch|remote|submodule)\.(.*)\.([^.]*)$/s.exec(key) ?? [];
  switch (section) {
    case "branch":
      // Where it is pushed to stays among what was there.
      if (last === "remote") return value === "." || remotes.has(value);
      return /^(?:merge|rebase|description|vscode-merge-base|github-pr-owner-number)$/.test(last);
    case "remote":
      // By GitHub's command: which of them it is about.
      if (last === "gh-resolved") return /^[\w./-]*$/.test(value);
      return (
        !remotes.has(name) && (last === "fetch" || (last === "url" && /^https?:/.test(value) && PLAIN_URL.test(value)))
      );
    case "submodule":
      if (!/^[\w./-]+$/.test(name) || name.split("/").includes("..")) return false;
      return last === "url" ? PLAIN_URL.test(value) : last === "active" && value === "true";
    default:
      return isHarmlessToSet(key, Buffer.from(value, "latin1").toString());
  }
}

/** @param hasToFit what holds more can't be kept. @throws GateError `box_unavailable` where it does */
function textOf(path: string, hasToFit = false): string | undefined {
  try {
    return readRegularBytes(path, { maxBytes: MAX_BYTES, follows: false }).toString("latin1");
  } catch (error) {
    if (hasToFit && errorCode(error) === TOO_LARGE) throw tooLong();
    return undefined; // not there, or no file by now
  }
}

function tooLong(): GateError {
  return new GateError("box_unavailable", "its repositories' settings are too long", "run it outside the box");
}
