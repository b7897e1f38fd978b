import { join } from "node:path";
import { readRegularBytes } from "../files/regular-bytes.ts";
import type { SimpleCommand } from "../reading.ts";
import { certainPath, realForm } from "../targets/path.ts";
import { projectRoot } from "../targets/project.ts";
import { onceADecision } from "../targets/tree-scan.ts";
import { gitCommand } from "./git.ts";
import { gitFoldersOf } from "./git-folders.ts";
import { ownSettings, type Setting, settingsIn } from "./git-repository.ts";

/** Where a git command sends to or fetches from: the addresses behind a remote's name, read from its settings as files. */

export interface GitRemote {
  /** Null where the command gives the address itself. */
  name: string | null;
  /** As git would reach them; null where they can't be read, or words of the command may change them. */
  urls: readonly string[] | null;
  /** The addresses of the repository's other remotes. */
  others: readonly string[];
}

const REACHES = /^(?:push|fetch|pull|ls-remote|clone)$/;
/** Their options that take the next word. */
const VALUED =
  /^(?:-o|--push-option|--repo|--receive-pack|--upload-pack|--exec|--depth|--deepen|-j|--jobs|--shallow-since|--shallow-exclude|--refmap|--negotiation-tip|--server-option|-s|-X|-b|--branch|-c|--config|--origin|--reference|--template|--separate-git-dir|--filter|--sort)$/;
const MAX_HEAD = 4096;

/** True if a git command sends to another repository, or fetches from one. */
export function reachesRemote({ argv }: SimpleCommand): boolean {
  return REACHES.test(gitCommand(argv.slice(1)).name);
}

/** Null of a command that reaches no other repository. */
export function gitRemoteOf({ argv, cwd, assignments }: SimpleCommand, home: string): GitRemote | null {
  const args = argv.slice(1);
  const { name, rest, folder } = gitCommand(args);
  if (!REACHES.test(name)) return null;
  const before = args.slice(0, args.length - rest.length - 1);
  const isChanged =
    before.some(({ text }) => /^(?:-c|--config-env|--git-dir|--exec-path|--namespace)/.test(text)) ||
    assignments.some((one) => /^GIT_/.test(one.name));
  const [given] = operandsOf(rest.map(({ text, is_resolved }) => (is_resolved ? text : null)));
  if (given === null) return { name: null, urls: null, others: [] };
  const at = folder === "here" ? cwd : certainPath(folder.text, cwd);
  const settings = settingsAt(at, home);
  const others = settings === null ? [] : settings.all.flatMap(([key, url]) => (IS_URL.test(key) ? [url] : []));
  const isPush = name === "push";
  if (given !== undefined && (isAddress(given) || name === "clone")) {
    const urls = isChanged || settings === null ? null : [instead(given, settings.all, isPush)];
    return { name: null, urls: name === "clone" && !isChanged ? (urls ?? [given]) : urls, others };
  }
  if (settings === null) return { name: given ?? null, urls: null, others: [] };
  const remote = given ?? usualRemote(settings, isPush);
  if (remote === null || isChanged) return { name: remote, urls: null, others };
  const urls = addressesOf(remote, settings.all, isPush);
  const own = new Set(settings.all.filter(([key]) => key.startsWith(`remote.${remote}.`)).map(([, url]) => url));
  return { name: remote, urls: urls.length === 0 ? null : urls, others: others.filter((url) => !own.has(url)) };
}

const IS_URL = /^remote\..*\.(?:push)?url$/s;

/**
 * The hosted repository that a tool works with where its words name none: the one that was chosen, else by the remotes' usual names.
 * Null where none is known.
 */
export function hostedRepository(cwd: string | null, home: string): { name: string; url: string } | null {
  const settings = settingsAt(cwd, home);
  if (settings === null) return null;
  const { all } = settings;
  const chosen = all.findLast(([key, value]) => /^remote\..*\.gh-resolved$/s.test(key) && value === "base")?.[0];
  const usual = ["upstream", "github", "origin"].map((one) => `remote.${one}.url`);
  const keys = [...(chosen === undefined ? [] : [chosen.replace(/gh-resolved$/, "url")]), ...usual];
  const key = keys.find((one) => all.some(([name]) => name === one)) ?? all.find(([name]) => IS_URL.test(name))?.[0];
  const url = key === undefined ? undefined : addressesOf(nameIn(key), all, false)[0];
  return key === undefined || url === undefined ? null : { name: nameIn(key), url };
}

const nameIn = (key: string): string => key.slice("remote.".length, key.lastIndexOf("."));

/** `null` among the words: one that isn't known. */
function operandsOf(words: readonly (string | null)[]): (string | null)[] {
  const found: (string | null)[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? null;
    if (word?.startsWith("-") && word !== "--") {
      if (VALUED.test(word)) at++;
    } else if (word !== "--") found.push(word);
  }
  return found;
}

function isAddress(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\/|^[^/\s]+:|^[./~]/i.test(text);
}

/** A push goes to each of its own addresses, else to the usual ones. */
function addressesOf(remote: string, all: readonly Setting[], isPush: boolean): string[] {
  const named = (key: string) => all.filter(([one]) => one === `remote.${remote}.${key}`).map(([, url]) => url);
  const own = isPush ? named("pushurl") : [];
  // What is given for pushing is taken as it is, but for the usual replacements.
  if (own.length > 0) return own.map((url) => instead(url, all, false));
  return named("url").map((url) => instead(url, all, isPush));
}

/** As `url.X.insteadOf` and, for pushes, `url.X.pushInsteadOf` say: the longest beginning wins. */
function instead(url: string, all: readonly Setting[], isPush: boolean): string {
  const by = (key: string) =>
    all
      .flatMap(([one, begin]) => {
        const base = one.startsWith("url.") && one.endsWith(`.${key}`) ? one.slice(4, -key.length - 1) : null;
        return base !== null && begin !== "" && url.startsWith(begin) ? [{ base, begin }] : [];
      })
      .sort((a, b) => b.begin.length - a.begin.length)[0];
  const found = (isPush ? by("pushinsteadof") : undefined) ?? by("insteadof");
  return found === undefined ? url : found.base + url.slice(found.begin.length);
}

/** The remote that git takes where none is named; null where that isn't known. */
function usualRemote({ all, branch }: Settings, isPush: boolean): string | null {
  const value = (key: string) => all.findLast(([one]) => one === key)?.[1];
  const ofBranch = branch === null ? undefined : value(`branch.${branch}.remote`);
  const ofPush = isPush
    ? ((branch === null ? undefined : value(`branch.${branch}.pushremote`)) ?? value("remote.pushdefault"))
    : undefined;
  const names = new Set(all.flatMap(([key]) => /^remote\.(.*)\.url$/s.exec(key)?.[1] ?? []));
  const [only] = names;
  return ofPush ?? ofBranch ?? (names.size === 1 && only !== undefined ? only : names.has("origin") ? "origin" : null);
}

interface Settings {
  /** The system's, the user's, then the repository's. */
  all: readonly Setting[];
  branch: string | null;
}

/** Null where one of the files can't be read to its end, takes in others, or says too much: then no address is known. */
function settingsAt(cwd: string | null, home: string): Settings | null {
  const folder = cwd === null ? null : realForm(cwd);
  const root = folder === null ? null : projectRoot(folder, home);
  return settingsOfRoots(`${root} ${home}`, () => ({ settings: settingsOfRoot(root, home) })).settings;
}

/** A line may name remotes hundreds of times. */
const settingsOfRoots = onceADecision<{ settings: Settings | null }>();

function settingsOfRoot(root: string | null, home: string): Settings | null {
  const folders = root === null ? null : gitFoldersOf(root);
  const files = [...ownSettings(home), ...(folders === null ? [] : [join(folders.common, "config")])];
  const read = files.map((file) => settingsIn(file));
  const all = read.flatMap((entries) => entries ?? []);
  if (read.includes(null) || all.some(([key]) => /^include(?:if)?\./.test(key))) return null;
  const branch = folders === null ? null : branchIn(join(folders.git, "HEAD"));
  const ofBranch = `branch.${branch}.`;
  const ofRemotes = all.filter(([key]) => /^(?:remote|url)\./.test(key) || key.startsWith(ofBranch));
  return ofRemotes.length > MAX_OF_REMOTES ? null : { all: ofRemotes, branch };
}

/** Settings that say where remotes are: each command of a line that names one is held against all of them. */
const MAX_OF_REMOTES = 500;

function branchIn(file: string): string | null {
  try {
    const text = readRegularBytes(file, { maxBytes: MAX_HEAD }).toString();
    return /^ref:\s*refs\/heads\/(\S+)\s*$/.exec(text)?.[1] ?? null;
  } catch {
    return null; // not there, or not to be read: then no branch says where it goes
  }
}

/** An address in its parts; `host` is null of a folder of this machine, and of what isn't understood. */
export function addressParts(url: string): { host: string | null; path: string } {
  const withScheme = /^[a-z][a-z0-9+.-]*:\/\/(?:[^@/]*@)?([^/]*)(.*)$/is.exec(url);
  if (withScheme !== null) {
    const [, authority = "", path = ""] = withScheme;
    const host = /^(?:[\w.-]+|\[[0-9a-f:.]+\])(?::\d*)?$/i.test(authority) ? authority.toLowerCase() : hostOf(url);
    return { host: host === "" ? null : host, path: trimmed(path) };
  }
  const short = /^(?:[^@/\s:]*@)?([\w.-]+|\[[0-9a-f:.]+\]):(?!\/\/)(.*)$/is.exec(url);
  if (short === null) return { host: null, path: url };
  const path = short[2] ?? "";
  return { host: (short[1] ?? "").toLowerCase(), path: trimmed(path.startsWith("/") ? path : `/${path}`) };
}

/** Names in other alphabets as they are looked up. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : "";
}

const trimmed = (path: string): string =>
  path
    .replace(/[?#].*$/s, "")
    .replace(/\/+$/, "")
    .replace(/\.git$/, "");
