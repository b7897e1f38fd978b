import { readFileSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import type { ResolvedRequirement } from "../../../main/targets/target.ts";
import { isAtOrBelow } from "../../../packages/shell-reading/targets/path.ts";
import type { Event } from "./trace.ts";
import type { TracedRun } from "./traced.ts";
import type { RecordWorld } from "./world.ts";

/** What a run did beyond the needs that the gate said for its line. */

/** What programs start by themselves to do their own work. */
const OWN_STARTS: Readonly<Record<string, readonly string[]>> = {
  egrep: ["grep"],
  fgrep: ["grep"],
  gh: ["git"],
  git: ["git"],
  npm: ["node"],
};
/** Where a host's address is asked for. */
const RESOLVERS = [...readFileSync("/etc/resolv.conf", "utf8").matchAll(/^nameserver (\S+)$/gm)].map(
  ([, address]) => address,
);
/** They open what they name and show nothing of it: so that it is mounted, or as a list of what to leave out. */
const OPENS_ONLY = /^df\b|^tree\b.* --gitignore/;

/** One text each, as `write /path`; `fresh` is the line's new name. */
export function excessOf(
  run: TracedRun,
  needs: readonly ResolvedRequirement[],
  fresh: string,
  world: RecordWorld,
): string[] {
  const cover = new Cover(needs, run.line, world);
  const found = new Set<string>();
  const programs = startable(run.line);
  const made = new Set<string>();
  for (const [index, event] of run.events.entries()) {
    const { deed, path, error, process } = event;
    const name = basename(path);
    if (deed === "run") {
      // Also one that isn't installed here, or not in each folder of the PATH.
      if (name !== "timeout" && !programs.has(name)) found.add(`run ${path}`);
      continue;
    }
    if (deed === "system") {
      // `timeout` itself ends what follows it, and Go's runtime interrupts its own threads.
      if (!isOfDriver(run.events, process) && !/^tgkill\(.*SIGURG/.test(path)) found.add(`system ${path}`);
      continue;
    }
    if (deed === "connect") {
      if (!cover.connects(path)) found.add(`connect ${path}`);
      continue;
    }
    if (isDevice(path)) continue;
    const isNamed = path.includes(fresh);
    const isMissing = error === "ENOENT" || error === "ENOTDIR";
    if (deed === "write" || deed === "delete") {
      if (error === "EEXIST" || error === "EISDIR" || (isMissing && !isNamed)) continue;
      // git takes away the folders that it has emptied.
      if (cover.writes(path) || (deed === "delete" && cover.isEmptiedByGit(path))) continue;
      // A file of its own that it puts in the place of one that it may write, or takes away again.
      if (error === null && (made.has(path) || isTemporary(run.events, index, cover))) {
        made.add(path);
        continue;
      }
      found.add(`${deed} ${path}`);
    } else if (error === null || (isNamed && !isOfSystem(path))) {
      // Also what it has made itself, for itself: `sort -m` copies what it is to write over.
      if (made.has(path) || isOfSystem(path) || isReadByItself(path, run.line, world)) continue;
      // What is opened and never listed is only looked at.
      if (deed === "read" && isFolder(path)) continue;
      if (!cover.reads(path, deed === "list" || OPENS_ONLY.test(run.line))) found.add(`${deed} ${path}`);
    }
  }
  if (run.output.includes(world.token)) found.add("the environment is printed");
  return [...found];
}

/** Names of programs that a line may run: its words, and what those start to do their work. */
function startable(line: string): Set<string> {
  const words = line.split(/\s+/).map((word) => basename(word));
  return new Set(words.flatMap((word) => [word, ...(OWN_STARTS[word] ?? [])]));
}

/** `timeout` is the first that is run in its process. */
function isOfDriver(events: readonly Event[], process: number): boolean {
  const runs = events.filter((event) => event.deed === "run" && event.error === null && event.process === process);
  return basename(runs.at(-1)?.path ?? "") === "timeout";
}

function isTemporary(events: readonly Event[], index: number, cover: Cover): boolean {
  const { path } = events[index] as Event;
  const later = events.slice(index + 1);
  const at = later.findIndex((event) => event.deed === "delete" && event.path === path && event.error === null);
  if (at === -1) return false;
  const next = later[at + 1];
  return dirname(path).startsWith("/tmp") || (next?.deed === "write" && cover.writes(next.path));
}

const isDevice = (path: string): boolean =>
  /^\/dev\/(?:null|zero|full|u?random|tty|pts\/\d+|fd\/\d+|std(?:in|out|err))$/.test(path) ||
  /^(?:pipe|socket|anon_inode):/.test(path);

/** What a program needs to start, and what it may say of the machine. */
function isOfSystem(path: string): boolean {
  if (/^\/etc\/(?:g?shadow|sudoers|ssh\/|ssl\/private)/.test(path)) return false;
  return (
    /^\/(?:usr|lib\w*|s?bin|etc|sys|(?:var\/)?run\/(?:utmp|(?:host\/)?userdb))(?:\/|$)/.test(path) ||
    /^\/proc(?:\/(?:self|sys|\d+|\w+)(?:\/|$)|$)/.test(path)
  );
}

/** What programs open by themselves, whatever they are called with. */
function isReadByItself(path: string, line: string, { home, project }: RecordWorld): boolean {
  if (path.startsWith("/records")) return true;
  // The list of what to leave out.
  if (/^(?:rg|tree|git)\b/.test(line) && /\/\.(?:git|rg)?ignore$/.test(path)) return true;
  if (/^rg\b/.test(line) && path.startsWith(`${project}/.git/`)) return true;
  // zsh looks there for its folder's name, and prints no other.
  if (/^pwd\b/.test(line) && isAtOrBelow(project, path)) return true;
  // rg looks there for the list of what to leave out, too.
  if (/^(?:git|rg)\b/.test(line)) return path === `${home}/.gitconfig`;
  return /^curl\b/.test(line) && path === `${home}/.curlrc`;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

class Cover {
  readonly #needs: readonly ResolvedRequirement[];
  readonly #isGit: boolean;
  readonly #project: string;

  constructor(needs: readonly ResolvedRequirement[], line: string, { project }: RecordWorld) {
    this.#needs = needs;
    this.#isGit = /\bgit\b/.test(line);
    this.#project = project;
  }

  /** `is_list`: names only. */
  reads(path: string, isList: boolean): boolean {
    // Where it is, and the folders on the way to what it may touch, each program may look at.
    if (isList && (path === this.#project || this.#isOnTheWay(path))) return true;
    return this.#needs.some((need) => {
      if (need.capability !== "fs:read" && need.capability !== "fs:write") return false;
      const isWhole = need.access !== "list" || isList;
      // For git a need on the repository means what is in it.
      return (isWhole || this.#isGit) && this.#reaches(need, path, this.#isGit);
    });
  }

  writes(path: string): boolean {
    if (this.#isGit && /\/\.git\/index(?:\.lock)?$/.test(path) && this.reads(dirname(path), true)) return true;
    return this.#needs.some(
      (need) =>
        need.capability === "fs:write" &&
        (this.#reaches(need, path, false) || (this.#isGit && this.#isInItsRepository(need, path))),
    );
  }

  connects(address: string): boolean {
    if (/^unix:\/(?:var\/)?run\/(?:nscd|systemd\/userdb)\//.test(address)) return true;
    const hosts = this.#needs.flatMap(({ target }) => (target.kind === "host" ? [target.host] : []));
    return hosts.includes(address) || (hosts.some((host) => /[a-z]$/.test(host)) && RESOLVERS.includes(address));
  }

  /** For git a folder that may be written means the repository there. */
  #isInItsRepository({ target }: ResolvedRequirement, path: string): boolean {
    return target.kind === "path" && `${path}/`.startsWith(`${target.lexical}/.git/`);
  }

  isEmptiedByGit(path: string): boolean {
    return this.#isGit && path !== this.#project && isFolder(path) && this.#isOnTheWay(path);
  }

  #isOnTheWay(path: string): boolean {
    return this.#needs.some(({ target }) => target.kind === "path" && target.lexical.startsWith(`${path}/`));
  }

  #reaches({ target }: ResolvedRequirement, path: string, isRepository: boolean): boolean {
    if (target.kind !== "path") return false;
    const isTree = target.is_tree || isRepository;
    return [target.lexical, target.real].some(
      (own) => own !== null && (path === own || (isTree && path.startsWith(own === "/" ? "/" : `${own}/`))),
    );
  }
}
