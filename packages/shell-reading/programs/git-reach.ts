import { join } from "node:path";
import type { Word } from "../reading.ts";
import { certainPath, realForm } from "../targets/path.ts";
import { projectRoot } from "../targets/project.ts";
import { gitCommand } from "./git.ts";
import { gitFoldersOf } from "./git-folders.ts";
import { type Setting, settingsIn } from "./git-repository.ts";

/** How far a git command reaches beyond the work tree and the repository's own objects and branches. */

/**
 * `network`: it fetches over https. `machine`: it needs the user's keys, or another machine's rights. `settings`: it changes the
 * repository's settings, or makes a repository. Null: none of these.
 */
export type GitReach = "network" | "machine" | "settings" | null;

const FETCHES = /^(?:fetch|pull|ls-remote)$/;

/** @param cwd where it runs; null where that isn't known */
export function gitReach(args: readonly Word[], cwd: string | null, home: string): GitReach {
  const { name, rest, folder } = gitCommand(args);
  const at = folder === "here" ? cwd : certainPath(folder.text, cwd);
  const texts = rest.map(({ text }) => text);
  if (isAlias(name, args.slice(0, -rest.length || undefined), at, home)) return "settings";
  const [first = ""] = texts.filter((text) => !text.startsWith("-"));
  if (name === "remote" && first === "update") return remoteReach([], at, home);
  if (FETCHES.test(name)) return remoteReach(texts, at, home);
  if (
    /^(?:push|send-email|send-pack|request-pull|credential.*|svn|p4|archimport|imap-send|instaweb|daemon)$/.test(name)
  )
    return "machine";
  if (name === "lfs") return first === "track" || first === "untrack" ? "settings" : "machine";
  if (name === "submodule") return /^(?:status|summary|foreach)?$/.test(first) ? null : "settings";
  return changesSettings(name, first, texts) ? "settings" : null;
}

/** Options of `git submodule add` that choose what is fetched; each has a value in the next word, but for `--quiet`. */
const SUBMODULE_OPTIONS = new Set(["-b", "--branch", "--depth", "--name"]);

/** True for `git submodule add URL [PATH]` over https into the folder that it runs in, with nothing that changes how git works. */
export function addsSubmodule(args: readonly Word[]): boolean {
  const { name, rest, folder } = gitCommand(args);
  if (name !== "submodule" || folder !== "here" || args[0]?.text !== "submodule") return false;
  if (rest.some(({ is_resolved, glob }) => !is_resolved || glob === true)) return false;
  const [first, ...words] = rest.map(({ text }) => text);
  if (first !== "add") return false;
  const operands: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (SUBMODULE_OPTIONS.has(word)) at++;
    else if (word !== "-q" && word !== "--quiet") operands.push(word);
  }
  const [url = "", path = "x", ...more] = operands;
  return more.length === 0 && urlReach(url) === "network" && /^[\w][\w./-]*$/.test(path) && !path.includes("..");
}

/** A name that these words, or the repository's settings, give to any other command: what it does isn't read. */
function isAlias(name: string, options: readonly Word[], cwd: string | null, home: string): boolean {
  if (options.some(({ text }) => /^(?:--config-env=)?alias\./i.test(text))) return true;
  const settings = settingsAt(cwd, home);
  return settings !== null && keysOf(settings).has(`alias.${name.toLowerCase()}`);
}

/** In lower case. Each command of a line is looked for among them. */
function keysOf(settings: readonly Setting[]): ReadonlySet<string> {
  const known = keys.get(settings);
  if (known !== undefined) return known;
  const found = new Set(settings.map(([key]) => key.toLowerCase()));
  keys.set(settings, found);
  return found;
}

const keys = new WeakMap<readonly Setting[], ReadonlySet<string>>();

/** What it writes, it writes into settings, or where a repository is made. */
function changesSettings(name: string, first: string, texts: readonly string[]): boolean {
  switch (name) {
    case "clone":
    case "init":
      return true;
    case "config":
      return !texts.some((text) => /^(?:--get.*|--list|-l|--show-origin|--show-scope|get|list)$/.test(text))
        ? texts.filter((text) => !text.startsWith("-")).length !== 1
        : false;
    case "remote":
      return /^(?:add|remove|rm|rename|set-url|set-head|set-branches)$/.test(first);
    case "branch":
      return texts.some((text) =>
        /^(?:-u|--set-upstream-to.*|--unset-upstream|-[mMcC]|--move|--copy|--edit-description)$/.test(text),
      );
    case "sparse-checkout":
    case "maintenance":
      return true;
    // What it removes or renames in `.git/worktrees` says where a work tree is: nothing in a box may change that.
    case "worktree":
      return /^(?:remove|move|repair)$/.test(first);
    default:
      return false;
  }
}

function remoteReach(texts: readonly string[], cwd: string | null, home: string): GitReach {
  const operands = texts.filter((text) => !text.startsWith("-"));
  const [remote] = operands;
  if (remote !== undefined && /^[a-z][a-z0-9+.-]*:\/\/|^[^/]+:/i.test(remote)) return urlReach(remote);
  if (remote !== undefined && /^[./~]/.test(remote)) return "machine";
  const urls = remoteUrls(cwd, home);
  return urls.length > 0 && urls.every((url) => urlReach(url) === "network") ? "network" : "machine";
}

/** The URLs of the remotes that the repository's own settings name; none where they aren't known. */
export function remoteUrls(cwd: string | null, home: string): string[] {
  const urls = settingsAt(cwd, home)?.filter(([key]) => /^remote\..*\.(?:push)?url$/s.test(key));
  return urls?.map(([, url]) => url) ?? [];
}

function urlReach(url: string): "network" | "machine" {
  return /^https:\/\/[^@\s]+$/i.test(url) ? "network" : "machine";
}

/** The settings of the repository that a folder is in; null where they aren't known. */
function settingsAt(cwd: string | null, home: string): ReturnType<typeof settingsIn> {
  const folder = cwd === null ? null : realForm(cwd);
  const root = folder === null ? null : projectRoot(folder, home);
  const folders = root === null ? null : gitFoldersOf(root);
  return folders === null ? null : settingsIn(join(folders.common, "config"));
}

/** A git command as it is named to the user: without what it is given. */
export function gitWords(args: readonly Word[]): string {
  return `git ${gitCommand(args).name}`.trimEnd();
}
