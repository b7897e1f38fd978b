import { lstatSync } from "node:fs";
import { dirname } from "node:path";
import { isAtOrBelow, projectRoot, realForm } from "@metnos-gate/shell-reading/files";
import { workingDirectoryOf } from "@metnos-gate/shell-reading/programs";
import { shortenHome, visible } from "../../../ipc/base/visible-text.ts";
import { commandLinesOf } from "../../decide/description/describe.ts";
import { namesOfCall } from "../../decide/description/named-danger.ts";
import { loggedNameOf } from "../../decide/executors/catalog.ts";
import type { CommandLine } from "../../decide/executors/command-lines.ts";
import type { Unfinished } from "../../decide/stages/examination.ts";
import { pathName, type ResolvedRequirement } from "../../targets/target.ts";
import { commandsText, type KnownPlaces, LEFT_OUT, mayNameRevisions } from "./command-text.ts";

/** What is kept of a call: programs, what they are to do, options' names, places below a project and hosts. Nothing that isn't known as one of these. */
export interface CallLine {
  text: string;
  tool: string;
  /** Absolute; null where it isn't known. */
  project: string | null;
  /** Files below a project that it names as what it changes, as they are shown. */
  files: readonly string[];
  hosts: readonly string[];
}

/** `whole`: a command line or the arguments as they are, instead. */
export type Keep = "line" | "whole" | "nothing";

/** Characters of a line. */
const MAX_LINE = 300;
const MAX_WHOLE = 4000;
/** Places of one line that are shown, and that are counted. */
const SHOWN = 4;
const COUNTED = 64;
/** For so long a folder's project, whether a program is there, and where settings lie is taken to be the same. In milliseconds. */
const KNOWN_MS = 30_000;
const MAX_KNOWN = 2000;

interface LineSettings {
  home: string;
  keep: Keep;
  /** Folders of programs, as in PATH. */
  path: string;
  /** Milliseconds of a monotonic clock. */
  steady?: () => number;
}

/** Makes the lines of calls. What it finds on the disk is looked for once in a while. */
export class CallLines {
  readonly #home: string;
  readonly #keep: Keep;
  readonly #folders: readonly string[];
  readonly #projects: Lately<{ root: string | null; isRepository: boolean }>;
  readonly #programs: Lately<boolean>;

  constructor({ home, keep, path, steady = () => performance.now() }: LineSettings) {
    this.#home = home;
    this.#keep = keep;
    this.#folders = path.split(":").filter((folder) => folder.startsWith("/"));
    this.#projects = new Lately(steady, MAX_KNOWN);
    this.#programs = new Lately(steady, MAX_KNOWN);
  }

  /** Whatever the call says. */
  lineOf(x: Unfinished): CallLine {
    const { call, executor } = x;
    const cwd = workingDirectoryOf(call, this.#home);
    const project = cwd?.startsWith("/") === true ? this.#projectOf(cwd).root : null;
    const tool = loggedNameOf(call.executor, executor.is_described);
    const needs = x.stated_needs ?? x.needs;
    // Denied before anybody read it.
    if (needs === undefined) return { text: `${tool} ${LEFT_OUT}`, tool, project, files: [], hosts: [] };
    const nameOf = (path: string) => this.#shownPlace(path, project);
    const commands = commandLinesOf(x);
    const named = commands.some(mayNameRevisions) ? needs.filter(isThereNow) : needs;
    const files = placesOf(
      named.filter(({ capability }) => capability === "fs:write"),
      nameOf,
    );
    const hosts = hostsOf(needs);
    const known = { tool, needs: named, project, nameOf, hosts };
    const text =
      this.#keep === "whole"
        ? wholeOf(x, commands, tool)
        : commands.length === 0
          ? toolText(known)
          : this.#commandText(x, commands, known);
    return { text, tool, project, files, hosts };
  }

  #commandText(
    x: Unfinished,
    commands: readonly CommandLine[],
    { tool, needs, project, nameOf, hosts }: Known,
  ): string {
    const named = new Set<string>();
    for (const { target } of needs) if (target.kind === "path") named.add(target.lexical).add(pathName(target));
    const isClear = !needs.some(({ capability }) => capability === "code:exec");
    const places: KnownPlaces = {
      isNamed: (path) => named.has(path),
      isThere: isClear ? undefined : isThere,
      nameOf,
      isProgram: (name) => this.isProgram(name, project),
    };
    const names = () => namesOfCall(x.call, x.settings, x.lines);
    const text = commands.map((line) => commandsText(line, names, places)).join("; ");
    const unsaid = hosts.filter((host) => !text.includes(host));
    return cut(`${text === "" ? `${tool} ${LEFT_OUT}` : text}${unsaid.length === 0 ? "" : ` → ${listed(unsaid)}`}`);
  }

  /** A path (absolute) below the project, or below another repository; null of any other. */
  #shownPlace(path: string, project: string | null): string | null {
    const root = this.rootOf(path, project);
    if (root === null) return null;
    return visible(root === project ? (belowOf(path, project) ?? path) : shortenHome(path, this.#home));
  }

  /** The project, or another repository, that a path (absolute) lies in; null of any other. */
  rootOf(path: string, project: string | null): string | null {
    if (project !== null && isAtOrBelow(path, project)) return project;
    const { root, isRepository } = this.#projectOf(dirname(path));
    return root !== null && isRepository && isAtOrBelow(path, root) ? root : null;
  }

  /** The repository that a folder is in; the folder itself outside of one, never the home folder or one above it. */
  #projectOf(folder: string): { root: string | null; isRepository: boolean } {
    return this.#projects.of(folder, () => {
      const real = realForm(folder) ?? folder;
      const repository = projectRoot(real, this.#home);
      const holdsHome = [this.#home, realForm(this.#home) ?? this.#home].some((home) => isAtOrBelow(home, real));
      return { root: repository ?? (holdsHome ? null : real), isRepository: repository !== null };
    });
  }

  /** True for a program that lies on PATH, or among the project's own. */
  isProgram(name: string, project: string | null): boolean {
    if (!/^[A-Za-z0-9_][\w.+-]{0,63}$/.test(name)) return false;
    return this.#programs.of(`${name}\0${project ?? ""}`, () => {
      const own = project === null ? [] : [`${project}/node_modules/.bin`, `${project}/.venv/bin`];
      return [...this.#folders, ...own].some((folder) => isThere(`${folder}/${name}`));
    });
  }
}

/** What was found on the disk, by a key, for some seconds: then it is looked for again. */
export class Lately<T> {
  readonly #steady: () => number;
  readonly #most: number;
  readonly #known = new Map<string, { found: T; at: number }>();

  /** @param steady milliseconds of a monotonic clock @param most keys that are remembered */
  constructor(steady: () => number, most: number) {
    this.#steady = steady;
    this.#most = most;
  }

  of(key: string, find: () => T): T {
    const now = this.#steady();
    const known = this.#known.get(key);
    if (known !== undefined && now - known.at < KNOWN_MS) return known.found;
    if (this.#known.size >= this.#most) this.#known.clear();
    const found = find();
    this.#known.set(key, { found, at: now });
    return found;
  }
}

/** What is known of a call whose line is made. */
interface Known {
  tool: string;
  needs: readonly ResolvedRequirement[];
  project: string | null;
  nameOf(path: string): string | null;
  hosts: readonly string[];
}

function toolText({ tool, needs, nameOf, hosts }: Known): string {
  const places = [...placesOf(needs, nameOf), ...hosts];
  const isMore = needs.some(({ target }) => target.kind === "exact" || target.kind === "unknown");
  return cut([tool, listed(places), ...(isMore && places.length === 0 ? [LEFT_OUT] : [])].join(" ").trimEnd());
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false; // a file where a folder would have to be, a name that is too long
  }
}

const isThereNow = ({ target }: ResolvedRequirement): boolean => target.kind !== "path" || isThere(target.lexical);

/** As it is named from the folder; null where it isn't below it. */
function belowOf(path: string, folder: string): string | null {
  if (path === folder) return ".";
  return isAtOrBelow(path, folder) ? path.slice(folder.length + (folder.endsWith("/") ? 0 : 1)) : null;
}

function placesOf(needs: readonly ResolvedRequirement[], nameOf: (path: string) => string | null): string[] {
  const places = new Set<string>();
  for (const { target } of needs) {
    if (target.kind !== "path" || places.size >= COUNTED) continue;
    const name = nameOf(pathName(target));
    if (name !== null) places.add(target.is_tree && name !== "." ? `${name}/` : name);
  }
  return [...places];
}

function hostsOf(needs: readonly ResolvedRequirement[]): string[] {
  const hosts = needs.flatMap(({ target }) => (target.kind === "host" ? [visible(target.host)] : []));
  return [...new Set(hosts)].slice(0, COUNTED);
}

/** `a, b, c, d +3` */
function listed(names: readonly string[]): string {
  const more = names.length - SHOWN;
  return `${names.slice(0, SHOWN).join(", ")}${more > 0 ? ` +${more}` : ""}`;
}

function cut(text: string): string {
  return text.length > MAX_LINE ? `${text.slice(0, MAX_LINE - 1)}${LEFT_OUT}` : text;
}

function wholeOf({ call }: Unfinished, commands: readonly CommandLine[], tool: string): string {
  const whole =
    commands.length > 0 ? commands.map(({ text }) => text).join("\n") : `${tool} ${JSON.stringify(call.args)}`;
  return whole.slice(0, MAX_WHOLE);
}
