import { foldedPath } from "../targets/folded-path.ts";
import { realForm } from "../targets/path.ts";
import { kindOf } from "../targets/path-kind.ts";
import { isAtOrBelow } from "../targets/pattern.ts";
import { type CallEnvironment, programFolders } from "./call-environment.ts";
import { isProgramPlace } from "./program-places.ts";
import { movedPlaces } from "./settings-places.ts";

/**
 * Places whose content is run later, or says what is run: whoever writes there runs code, whatever tool writes. Names are compared
 * without regard to case. A place that isn't listed is written under the rules for files.
 */

interface PathRule {
  /** In lower case. */
  names: readonly string[];
  /** It is a folder: what lies in it counts as well. */
  is_folder: boolean;
}

const folders = (...paths: string[]): PathRule[] => paths.map((path) => ({ names: path.split("/"), is_folder: true }));
const files = (...paths: string[]): PathRule[] => paths.map((path) => ({ names: path.split("/"), is_folder: false }));

/** Wherever they lie: in a project, in the home, in somebody else's. */
const ANYWHERE: readonly PathRule[] = [
  // git, and what it calls
  ...folders(".git", ".husky", ".config/git"),
  ...files(".gitmodules", ".gitattributes", ".gitconfig"),
  // what a shell reads as it starts
  ...files(".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".inputrc"),
  ...files(".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".kshrc", ".mkshrc", ".cshrc", ".tcshrc", ".login"),
  ...folders(".config/fish", ".config/zsh", ".oh-my-zsh", ".bashrc.d", ".profile.d", ".zshrc.d"),
  ...files(".envrc", ".pam_environment", ".xprofile", ".xsession", ".xsessionrc", ".xinitrc"),
  ...folders(".config/environment.d", ".bash_completion.d", ".local/share/bash-completion", ".local/share/fish"),
  ...files(".bash_completion", ".zcompdump", ".cargo/env", ".selected_editor", ".xonshrc"),
  ...folders(
    ".config/nushell",
    ".config/plasma-workspace",
    ".config/i3",
    ".config/sway",
    ".config/hypr",
    ".config/openbox",
  ),
  ...folders(".local/share/gnome-shell", ".docker/cli-plugins", ".gradle/init.d", ".ipython", ".local/share/nvim"),
  ...files(".config/go/env", ".bunfig.toml", ".pdbrc", ".pryrc", ".vscode/mcp.json"),
  ...folders(
    ".vscode/extensions",
    ".vscode-server",
    ".config/vscodium",
    ".config/jetbrains",
    ".config/zed",
    ".kiro",
    ".qwen",
    ".amp",
  ),
  // what a session, a timer or a bus starts
  ...folders(".config/autostart", ".config/systemd", ".local/share/systemd", ".local/share/dbus-1"),
  ...folders(".local/share/applications", "launchagents", "launchdaemons"),
  // programs
  ...folders(".local/bin", ".cargo/bin", ".bun", ".deno", ".volta", ".nvm", ".fnm", ".pyenv", ".rbenv"),
  ...folders(
    ".asdf",
    ".sdkman",
    ".nodenv",
    ".jenv",
    ".rustup",
    ".npm-global",
    ".local/share/mise",
    ".local/share/pnpm",
  ),
  ...folders(".venv/bin", "venv/bin", ".local/lib", "node_modules/.bin", ".yarn/releases", ".yarn/plugins"),
  // settings of programs that load or call others
  ...files(".npmrc", ".yarnrc", ".yarnrc.yml", ".pnpmfile.cjs", ".cargo/config", ".cargo/config.toml", ".mise.toml"),
  ...files(".curlrc", ".wgetrc", ".screenrc", ".tmux.conf", ".gdbinit", ".lldbinit", ".pythonrc", ".irbrc", ".psqlrc"),
  ...files(".sqliterc", ".rprofile", ".hgrc", ".vimrc", ".gvimrc", ".exrc", ".nvimrc", ".emacs", ".lessfilter"),
  ...files(
    ".jq",
    ".ripgreprc",
    ".direnvrc",
    ".lesskey",
    ".wgetrc2",
    ".nanorc",
    ".ackrc",
    ".lefthook.yml",
    "lefthook.yml",
  ),
  ...folders(".config/direnv", ".config/ripgrep", ".config/jq", ".config/curlrc", ".config/gh", ".config/helix"),
  ...folders(".vim", ".emacs.d", ".config/nvim", ".config/vim", ".config/emacs", ".config/tmux", ".config/pip"),
  // editors
  ...files(".vscode/tasks.json", ".vscode/launch.json", ".vscode/settings.json"),
  ...folders(".idea", ".zed", ".devcontainer", ".config/code", ".config/cursor", "application support/code"),
  // agents
  ...folders(".claude", ".codex", ".cursor", ".gemini", ".opencode", ".config/opencode", ".windsurf", ".continue"),
  ...folders(".agents", ".jetbrains"),
  ...files(".mcp.json", ".claude.json", "opencode.json", "opencode.jsonc", "tui.json", "tui.jsonc"),
];

/** From the root. */
const FROM_ROOT: readonly PathRule[] = [
  ...folders("etc", "usr", "bin", "sbin", "lib", "lib32", "lib64", "opt/homebrew", "nix/store", "var/spool/cron"),
  ...folders("var/spool/at", "run/systemd", "private/etc", "system", "applications"),
];

/** What a project is built in, below a folder of the system's. */
const IS_SOURCE = /^\/usr\/(?:local\/)?src\//;

/** From a home folder: programs, and those that agents' clients keep and start. */
const FROM_HOME: readonly PathRule[] = folders(
  "bin",
  "go/bin",
  ".cache/opencode",
  ".local/share/opencode",
  ".local/share/claude",
);

const BY_FIRST = new Map<string, PathRule[]>();
for (const rule of ANYWHERE) {
  const first = rule.names[0] ?? "";
  BY_FIRST.set(first, [...(BY_FIRST.get(first) ?? []), rule]);
}

function matchesAt(names: readonly string[], at: number, rule: PathRule): boolean {
  const end = at + rule.names.length;
  if (at < 0 || end > names.length || (!rule.is_folder && end < names.length)) return false;
  return rule.names.every((name, index) => name === names[at + index]);
}

/** The last names of the places that are known wherever they lie, in lower case: what has another name is none of them. */
export const RUN_LATER_NAMES: ReadonlySet<string> = new Set(ANYWHERE.map(({ names }) => names.at(-1) ?? ""));

/** Hidden folders that hold such a place, not all of whose content is one: a link by such a name brings one along. */
export const RUN_LATER_FOLDERS: ReadonlySet<string> = new Set(
  ANYWHERE.flatMap(({ names }) => names.slice(0, 1)).filter((name) => name.startsWith(".")),
);

/** True if the names of a path, in lower case, end in a place that is known wherever it lies. */
export function endsInRunLater(names: readonly string[]): boolean {
  return ANYWHERE.some(({ names: place }) =>
    matchesAt(names, names.length - place.length, { names: place, is_folder: false }),
  );
}

/** True if what is written at `path` (absolute, normal) is run later, or says what is. */
export function runsLater(path: string, environment: CallEnvironment): boolean {
  // zsh loads a compiled start-up file in the other's place.
  const names = foldedPath(path)
    .slice(1)
    .replace(/\.zwc$/, "")
    .split("/");
  if (FROM_ROOT.some((rule) => matchesAt(names, 0, rule)) && !IS_SOURCE.test(path)) return true;
  for (let at = 0; at < names.length; at++) {
    if (BY_FIRST.get(names[at] ?? "")?.some((rule) => matchesAt(names, at, rule))) return true;
  }
  const { home, env } = environment;
  for (const own of new Set([home, realForm(home) ?? home])) {
    if (!isAtOrBelow(path, own)) continue;
    const below = path
      .slice(own.length + 1)
      .toLowerCase()
      .split("/");
    if (FROM_HOME.some((rule) => matchesAt(below, 0, rule))) return true;
  }
  if (movedPlaces(env).some((moved) => isAtOrBelow(foldedPath(path), foldedPath(moved.path)))) return true;
  if (isProgramPlace(path)) return true;
  const programs = programFolders(env);
  if (programs.has(foldedPath(path)) || programs.has(foldedPath(folderOf(path)))) return true;
  return path.endsWith("/HEAD") || path.includes("/HEAD/") || makesRepository(path, names);
}

/**
 * True if one of the known places lies below `folder`: part of the path to one that is hidden or in a home, a folder of
 * programs, the working directory.
 */
export function holdsRunLater(folder: string, { home, cwd, env }: CallEnvironment): boolean {
  if (cwd !== undefined && isAtOrBelow(cwd, folder)) return true;
  for (const programs of programFolders(env)) if (isAtOrBelow(programs, foldedPath(folder))) return true;
  const names = foldedPath(folder).slice(1).split("/");
  const isOnTheWay = (rule: PathRule, at: number) =>
    names.length - at < rule.names.length && names.slice(at).every((name, index) => name === rule.names[index]);
  if (FROM_ROOT.some((rule) => isOnTheWay(rule, 0))) return true;
  const home_names = foldedPath(home).slice(1).split("/");
  const is_in_home = isAtOrBelow(folder, home);
  if (is_in_home && FROM_HOME.some((rule) => isOnTheWay(rule, home_names.length))) return true;
  return ANYWHERE.some((rule) => {
    for (let at = 0; at < names.length; at++) {
      const is_there = rule.names[0]?.startsWith(".") === true || (is_in_home && at === home_names.length);
      if (is_there && isOnTheWay(rule, at)) return true;
    }
    return false;
  });
}

/** What git reads of a folder once it is a repository, named `.git` or not. */
const OF_REPOSITORY =
  /^(?:head|config|config\.worktree|commondir|gitdir|description|packed-refs|index|shallow|info|hooks|objects|refs|modules|worktrees)$/;

/** `evil/config` where `evil/HEAD` is, or `evil/objects` and `evil/refs`: git takes such a folder for a repository. */
function makesRepository(path: string, lower: readonly string[]): boolean {
  const names = path.slice(1).split("/");
  for (const [index, name] of lower.entries()) {
    if (!OF_REPOSITORY.test(name)) continue;
    const folder = `/${names.slice(0, index).join("/")}`;
    if ((name !== "head" && exists(`${folder}/HEAD`)) || (exists(`${folder}/objects`) && exists(`${folder}/refs`)))
      return true;
  }
  return false;
}

const exists = (path: string): boolean => kindOf(path) !== "nothing";

function folderOf(path: string): string {
  const slash = path.lastIndexOf("/");
  return slash <= 0 ? "/" : path.slice(0, slash);
}
