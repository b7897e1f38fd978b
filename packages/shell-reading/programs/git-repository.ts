import { readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { errorCode, readRegularBytes, TOO_LARGE } from "../files/regular-bytes.ts";
import { BUILD_FOLDERS } from "../targets/build-folders.ts";
import { hasTooManyNames, kindOf, realForm } from "../targets/path.ts";
import { isTakenByGit } from "../targets/project.ts";
import { isSecretInGit } from "../targets/secret-files.ts";
import { mayLookOn, onceADecision, scanTree } from "../targets/tree-scan.ts";
import { type GitIndex, readIndex } from "./git-index.ts";

/**
 * Whether git itself would run anything: its settings, hooks and attributes can name programs. What is looked at is all that git
 * would read, and each setting must be on an allow list.
 */

/**
 * What a subcommand does: reads; shows files' contents; changes the index; commits; makes a branch or tag; changes a harmless setting or
 * makes a repository; pushes; anything else.
 */
export type GitWork = "read" | "show" | "add" | "commit" | "ref" | "set" | "push" | "change";

/** Hooks that git would run, by what it does. Any of them may refresh the index. */
const REFRESHES = ["post-index-change"];
const COMMITS =
  "post-index-change pre-commit prepare-commit-msg commit-msg post-commit post-rewrite reference-transaction pre-auto-gc".split(
    " ",
  );
const HOOKS: Readonly<Record<GitWork, readonly string[]>> = {
  read: REFRESHES,
  show: REFRESHES,
  add: REFRESHES,
  commit: COMMITS,
  ref: ["reference-transaction"],
  set: [],
  push: ["pre-push", "reference-transaction"],
  change: [...COMMITS, "pre-merge-commit", "post-merge", "post-checkout"],
};

/** References in files of their own. */
const MAX_REFERENCES = 5000;
/** Bytes of a folder of a repository itself, as most file systems measure it: some hundred names. */
const MAX_FOLDER = 256 * 1024;
const MAX_SETTINGS = 256 * 1024;

export interface Repository {
  /** The folder that holds `.git`. */
  root: string;
}

/** What looking at one repository takes, as entries of folders that one call's looks may see: a line may name hundreds. */
const LOOKED_AT = 100;

/** The repository that git would work on from `folder`, or why it isn't certain that nothing runs. */
export function gitProblem(
  folder: string | null,
  home: string,
  work: GitWork,
  showsContents: boolean,
): Repository | { problem: string } {
  if (!mayLookOn(LOOKED_AT)) return { problem: "more of it in one line than is looked at" };
  // git goes up by where links lead.
  const start = folder === null ? null : realForm(folder);
  if (start === null) return { problem: "its folder isn't known" };
  // Any confined command writes there, and nobody looks through what it has left.
  if (start.split("/").some((name) => BUILD_FOLDERS.has(name.toLowerCase())))
    return { problem: "a folder that builds fill" };
  if (hasTooManyNames(start)) return { problem: "a folder that lies too deep" };
  for (let here = start; ; here = dirname(here)) {
    const git = join(here, ".git");
    switch (kindOf(git)) {
      case "folder": {
        if (!isTakenByGit(git)) return { problem: "a .git that git passes over" };
        const settings = settingsFor(git, home);
        const problem =
          problemInFiles(git, here) ??
          // Once it has committed it learns how these conflicts were resolved, and reads and writes the files that are named there.
          (work === "commit" || work === "change" ? problemInConflicts(git) : null) ??
          problemInSettings(settings, work) ??
          problemInHooks(git, here, settings, work);
        if (problem !== null) return { problem };
        return lookAtIndex(join(git, "index"), here, showsContents);
      }
      case "nothing":
        // A folder that is a repository itself needs nothing that is called .git, and its objects may lie elsewhere.
        if (kindOf(join(here, "HEAD")) !== "nothing") return { problem: "a folder that is a repository itself" };
        break;
      default:
        return { problem: "a worktree or submodule, whose settings lie elsewhere" };
    }
    if (dirname(here) === here) return { problem: "no repository" };
  }
}

/** Why `git init` may do more in a folder than make a repository there, or nothing to one that is there; else null. */
export function initProblem(folder: string | null, home: string): string | null {
  const at = folder === null ? null : realForm(folder);
  if (at === null) return "its folder isn't known";
  if (kindOf(join(at, ".git")) !== "nothing") {
    const found = gitProblem(at, home, "set", false);
    if ("problem" in found) return found.problem;
    // Its samples of hooks would be written there.
    return kindOf(join(at, ".git/hooks")) === "link" ? "links in its .git" : null;
  }
  if (kindOf(join(at, "HEAD")) !== "nothing") return "a folder that is a repository itself";
  return problemInSettings(userSettings(home), "set");
}

const MOVED = "commondir config.worktree objects/info/alternates objects/info/http-alternates modules".split(" ");
/** Files that move the settings elsewhere, add objects from elsewhere, or add other repositories. */
function problemInFiles(git: string, root: string): string | null {
  const moved = MOVED.find((name) => kindOf(join(git, name)) !== "nothing");
  if (moved !== undefined) return `its ${moved}`;
  if (leadsElsewhere(git)) return "links in its .git";
  return kindOf(join(root, ".gitmodules")) === "nothing" ? null : "its submodules";
}

function problemInConflicts(git: string): string | null {
  const stat = statSync(join(git, "MERGE_RR"), { throwIfNoEntry: false });
  return stat === undefined || stat.size === 0 ? null : "its conflicts to learn from";
}

/** What git prints of these, or writes there, it reads and writes through links. */
const NO_LINKS_BELOW = ["refs", "logs", "worktrees", "rebase-merge", "rebase-apply", "sequencer"];

/**
 * Objects and references that are links may be another repository's, and what git adds to a log goes through a link. Its hooks are
 * looked at wherever they are.
 */
function leadsElsewhere(git: string): boolean {
  const limits = { maxEntries: MAX_REFERENCES, maxDepth: 32, skipped: new Set<string>() };
  const packs = join(git, "objects/pack");
  return (
    hasLink(git, "hooks") ||
    hasLink(join(git, "objects")) ||
    (kindOf(packs) !== "nothing" && hasLink(packs)) ||
    NO_LINKS_BELOW.some((name) => !scanTree(join(git, name), limits, ({ is_link }) => !is_link))
  );
}

/** True if one of a folder's entries is a link, or may be: not all of them can be looked at. */
function hasLink(path: string, but?: string): boolean {
  try {
    if (statSync(path).size > MAX_FOLDER) return true;
    const links = readdirSync(path, { withFileTypes: true }).filter((entry) => entry.isSymbolicLink());
    return links.some(({ name }) => name !== but);
  } catch {
    return true; // gone, or not to be read
  }
}

/** By a signature git asks another program. */
const SORT_KEY = /^(?!.*signature)/is;

/** Section and key in lower case, `*` for a subsection's name; the value, where only some are harmless. */
const HARMLESS_SETTINGS: ReadonlyMap<string, RegExp> = new Map([
  ...`
  core.filemode core.logallrefupdates core.ignorecase core.precomposeunicode core.symlinks core.autocrlf
  core.safecrlf core.eol core.quotepath core.abbrev core.whitespace core.untrackedcache core.preloadindex
  core.longpaths core.protectntfs core.commentchar core.excludesfile remote.*.fetch remote.*.push remote.*.tagopt
  remote.*.prune remote.*.gh-resolved branch.*.remote branch.*.merge branch.*.rebase branch.*.pushremote
  branch.*.description branch.*.vscode-merge-base branch.*.github-pr-owner-number branch.autosetuprebase
  branch.autosetupmerge user.name user.email user.useconfigonly author.name author.email committer.name
  committer.email init.defaultbranch pull.rebase pull.ff push.default push.autosetupremote push.followtags
  fetch.prune fetch.prunetags fetch.parallel rebase.autostash rebase.autosquash merge.conflictstyle merge.ff
  diff.algorithm diff.renames diff.colormoved diff.mnemonicprefix diff.noprefix log.date log.decorate
  log.abbrevcommit status.short status.branch status.showuntrackedfiles stash.showpatch rerere.enabled
  help.autocorrect safe.directory column.ui feature.manyfiles commit.verbose
  `
    .trim()
    .split(/\s+/)
    .map((key): [string, RegExp] => [key, /./s]),
  ...Object.entries({
    "core.repositoryformatversion": /^[01]$/,
    "core.bare": /^false$/i,
    "remote.*.url": /^(?!ext::)/,
    "remote.*.pushurl": /^(?!ext::)/,
    "branch.sort": SORT_KEY,
    "tag.sort": SORT_KEY,
    "index.version": /^[23]$/,
    "commit.gpgsign": /^(?:false|no|off|0)$/i,
    "tag.gpgsign": /^(?:false|no|off|0)$/i,
    "core.fsmonitor": /^(?:false|no|off|0)$/i,
    // A folder that no agent may write: hooks in any other could be added at any time.
    "core.hookspath": /^\.husky(?:\/_)?$/,
  }),
]);
/**
 * In the user's own settings, which no agent may write, also what reading never runs: git shows what it prints to a program through
 * no pager, and asks nobody for passwords. Filters run for any file that has the attribute, so only git-lfs by its own names.
 */
const HARMLESS_OWN =
  /^(?:alias\.|color\.|advice\.|credential\.|url\.|http\.|https\.|gc\.|maintenance\.|sendemail\.|github\.|gitlab\.|hub\.|delta\.|interactive\.|mergetool\.|difftool\.|gui\.|gitk\.|pager\.)/;
const OWN_KEYS = new Set(
  "core.editor core.pager core.askpass core.sshcommand sequence.editor merge.tool diff.tool user.signingkey gpg.format core.attributesfile".split(
    " ",
  ),
);
const LFS: ReadonlyMap<string, string> = new Map([
  ["filter.lfs.clean", "git-lfs clean -- %f"],
  ["filter.lfs.smudge", "git-lfs smudge -- %f"],
  ["filter.lfs.process", "git-lfs filter-process"],
  ["filter.lfs.required", "true"],
]);

function isHarmless(key: string, value: string, isOwn: boolean): boolean {
  const general = key.replace(/^(remote|branch)\.(.*)\.([^.]*)$/s, "$1.*.$3");
  if (
    HARMLESS_SETTINGS.get(general)?.test(value) ||
    (HARMLESS_SETTINGS.has(general) && value === "" && general !== "core.bare")
  )
    return true;
  if (/^(?:color|advice)\./.test(key)) return true;
  return isOwn && (HARMLESS_OWN.test(key) || OWN_KEYS.has(key) || LFS.get(key) === value);
}

/** Settings that say how git names, prints and asks: a line may change them in the repository, as it may change its branches. */
const SETTABLE =
  /^(?:(?:user|author|committer)\.(?:name|email)|color\.[a-z]+|advice\.[a-z]+|core\.(?:autocrlf|safecrlf|eol|quotepath|abbrev)|pull\.(?:rebase|ff)|push\.(?:default|autosetupremote)|fetch\.prune|init\.defaultbranch|merge\.(?:conflictstyle|ff)|diff\.(?:algorithm|renames|colormoved|mnemonicprefix|noprefix)|log\.(?:date|decorate|abbrevcommit)|status\.(?:short|branch)|branch\.(?:autosetuprebase|autosetupmerge|sort)|tag\.sort|rebase\.(?:autostash|autosquash)|rerere\.enabled|column\.ui)$/;

/** @param key as it is written: git takes sections and keys in any case */
export function isHarmlessToSet(key: string, value: string): boolean {
  const name = key.toLowerCase();
  return SETTABLE.test(name) && value.length <= 256 && !/[\p{Cc}]/u.test(value) && isHarmless(name, value, false);
}

/** The files that git takes settings from, besides the repository's. */
export function ownSettings(home: string): string[] {
  const { XDG_CONFIG_HOME, GIT_CONFIG_GLOBAL, GIT_CONFIG_SYSTEM } = process.env;
  return [
    GIT_CONFIG_SYSTEM ?? "/etc/gitconfig",
    join(XDG_CONFIG_HOME || join(home, ".config"), "git/config"),
    GIT_CONFIG_GLOBAL ?? join(home, ".gitconfig"),
  ];
}

/** The user's own list of what git ignores. */
export function ownIgnoreLists(home: string): string[] {
  const named = userSettings(home).flatMap(({ entries }) =>
    (entries ?? []).flatMap(([key, value]) => (key === "core.excludesfile" ? [value.replace(/^~(?=\/)/, home)] : [])),
  );
  const usual = join(process.env.XDG_CONFIG_HOME || join(home, ".config"), "git/ignore");
  return [named.at(-1) ?? usual];
}

/** What one file sets; `isOwn`: it is the user's or the system's, not the repository's. `entries` is null where it can't be read. */
interface SettingsFile {
  isOwn: boolean;
  entries: readonly Setting[] | null;
}

function userSettings(home: string): SettingsFile[] {
  return ownSettings(home).map((file) => ({ isOwn: true, entries: settingsIn(file) }));
}

function settingsFor(git: string, home: string): SettingsFile[] {
  return [...userSettings(home), { isOwn: false, entries: settingsIn(join(git, "config")) }];
}

function problemInSettings(files: readonly SettingsFile[], work: GitWork): string | null {
  for (const { isOwn, entries } of files) {
    if (entries === null) return "settings that can't be read";
    for (const [key, value] of entries) {
      const signs = key === "commit.gpgsign" || key === "tag.gpgsign";
      if (isOwn && signs && work !== "commit" && work !== "ref") continue;
      if (!isHarmless(key, value, isOwn)) return `its setting ${shownKey(key)}`;
    }
  }
  return null;
}

/** Section and key only: a subsection may be anything. */
function shownKey(key: string): string {
  const [section = "", ...rest] = key.split(".");
  const last = rest.at(-1) ?? "";
  return rest.length > 1 ? `${section}.*.${last}` : `${section}.${last}`;
}

/** `section[.subsection].key` and value. */
export type Setting = [key: string, value: string];

/** Every setting of a file; an empty list where there is none; null where a line isn't plain. */
export const settingsIn = (file: string): readonly Setting[] | null =>
  settingsOfDecision(file, () => ({ settings: readSettings(file) })).settings;

/** A line may name git hundreds of times, and a hostile file of settings takes milliseconds. */
const settingsOfDecision = onceADecision<{ settings: Setting[] | null }>();

function readSettings(file: string): Setting[] | null {
  try {
    return settingsOf(readRegularBytes(file, { maxBytes: MAX_SETTINGS }).toString());
  } catch (error) {
    const code = errorCode(error);
    return code === "ENOENT" || code === "ENOTDIR" ? [] : null;
  }
}

/** Longer than a section's name is, in characters: each of its settings has all of it, a hostile file thousands of them. */
export const MAX_SECTION = 512;
/** Of the names of one file's settings, together; in characters. */
const MAX_KEYS = 1024 * 1024;

/** Every setting of a file's text; null where a line isn't plain. */
export function settingsOf(text: string): Setting[] | null {
  const found: Setting[] = [];
  let section = "";
  let left = MAX_KEYS;
  for (const line of text.split("\n")) {
    const bare = line.trim();
    if (bare === "" || /^[#;]/.test(bare)) continue;
    const head = /^\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]\s*(?:[#;].*)?$/.exec(bare);
    if (head !== null) {
      if (head[0].length > MAX_SECTION) return null;
      section = `${head[1]?.toLowerCase()}${head[2] === undefined ? "" : `.${head[2].replace(/\\(.)/g, "$1")}`}.`;
      continue;
    }
    const entry = /^([A-Za-z][\w-]*)\s*(?:=\s*(.*))?$/s.exec(bare);
    // A value that continues in the next line, or a header with a setting behind it, is read no further.
    if (entry === null || section === "" || bare.endsWith("\\")) return null;
    const key = section + (entry[1] ?? "").toLowerCase();
    left -= key.length;
    if (left < 0) return null;
    found.push([key, entry[2] === undefined ? "true" : plainValue(entry[2])]);
  }
  return found;
}

function plainValue(value: string): string {
  return /^"(?:[^"\\]*)"$/.test(value) ? value.slice(1, -1) : value;
}

function problemInHooks(git: string, root: string, files: readonly SettingsFile[], work: GitWork): string | null {
  const folders = [join(git, "hooks")];
  for (const { entries } of files)
    for (const [key, value] of entries ?? []) if (key === "core.hookspath") folders.push(join(root, value));
  for (const folder of folders) {
    let names: string[];
    try {
      if (statSync(folder).size > MAX_FOLDER) return "hooks that can't be listed";
      names = readdirSync(folder);
    } catch (error) {
      if (errorCode(error) === "ENOENT") continue;
      return "hooks that can't be listed";
    }
    const hook = HOOKS[work].find((name) => names.some((one) => one.toLowerCase().replace(/\.exe$/, "") === name));
    if (hook !== undefined) return `its hook ${hook}`;
  }
  return null;
}

/** Names in an index that are looked for secrets. */
const MAX_NAMES = 100_000;
const TOO_LARGE_INDEX = "its index is too large to be looked at";

/** Of an index that was looked through, and in which folder. */
const tracked = new WeakMap<GitIndex, { root: string; tracksSecret: boolean }>();

/** What is tracked: other repositories, into which git would look, and secrets. */
function lookAtIndex(file: string, root: string, showsContents: boolean): Repository | { problem: string } {
  let index: GitIndex | null;
  try {
    ({ index } = readIndex(file));
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT") return { root };
    return { problem: code === TOO_LARGE ? TOO_LARGE_INDEX : "its index can't be read" };
  }
  if (index === null) return { problem: "its index has a form that isn't read" };
  if (showsContents && index.size > MAX_NAMES) return { problem: TOO_LARGE_INDEX };
  if (index.hasSubmodules) return { problem: "its submodules" };
  if (index.leadsOut) return { problem: "an index that names files elsewhere" };
  return showsContents && tracksSecret(index, root) ? { problem: "a secret that it tracks" } : { root };
}

function tracksSecret(index: GitIndex, root: string): boolean {
  const known = tracked.get(index);
  if (known?.root === root) return known.tracksSecret;
  let tracksSecret = false;
  for (const name of index.names()) {
    tracksSecret = isSecretInGit(`${root}/${name}`);
    if (tracksSecret) break;
  }
  tracked.set(index, { root, tracksSecret });
  return tracksSecret;
}
