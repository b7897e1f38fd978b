import { statSync } from "node:fs";
import { dirname, join } from "node:path";
import { isDevice, programName, type SimpleCommand } from "@metnos-gate/shell-reading";
import { isAtOrBelow, realForm } from "@metnos-gate/shell-reading/files";
import { programOf } from "@metnos-gate/shell-reading/programs";
import { pathName, type ResolvedRequirement, targetText } from "../../targets/target.ts";
import { ALWAYS_READABLE, type Declaration } from "./declaration.ts";
import { confinedProject, type Project, type ProjectPlace } from "./project.ts";
import { fileKind, holdsTooMuch, isBelowAny, NO_FILES } from "./touched.ts";

/**
 * The box of a clear line: the files and folders that it needs, and nothing else of the user's. What it needs is why nobody is asked; the
 * box is why that holds.
 */

export interface NeedsPlace extends ProjectPlace {
  /** Absolute. */
  cwd: string;
  /** True where reading all of this project is allowed without asking. */
  mayRead(project: string): boolean;
  /** Of a project, or of a folder in one: it holds more than is looked through. */
  isTooLarge(folder: string): boolean;
  /** It is git, which sets what is harmless in a repository, or makes one. */
  changes_settings: boolean;
}

export type NeedsBox =
  | { declaration: Declaration }
  /**
   * The line runs as it is, and what of it no box could have. `is_asked`: what it writes is asked about each time. `fetches`: it reads or writes
   * files of its project as soon as a host answers.
   */
  | { as_is: string; isAsked?: boolean; fetches?: true };

export function needsBox(
  needs: readonly ResolvedRequirement[],
  commands: readonly SimpleCommand[],
  place: NeedsPlace,
): NeedsBox {
  const reader = new NeedsReader(place);
  for (const need of needs) reader.need(need, needs);
  const ofMachine = commands.find(({ name, argv }) => programOf(name).isAboutMachine(argv.slice(1)));
  if (ofMachine !== undefined) reader.leave(ofMachine.name);
  const hasGit = commands.some(({ name }) => programOf(name).worksOnRepository);
  return reader.box(programsOf(commands), hasGit);
}

/** True for a line that a shell does by itself, without a file. */
export function isShellOnly(commands: readonly SimpleCommand[]): boolean {
  return commands.every(
    ({ name, via, redirects }) =>
      programOf(name).isDoneByShell && via.length === 0 && redirects.every(({ target }) => isDevice(target.text)),
  );
}

/** The programs of a line, with those that start others. */
export function programsOf(commands: readonly SimpleCommand[]): string[] {
  const names = commands.flatMap(({ name, via }) => [...via.map((label) => label.split(" ")[0] ?? ""), name]);
  return [...new Set(names.map(programName))].filter((name) => name !== "" && !programOf(name).isDoneByShell);
}

class NeedsReader {
  readonly #place: NeedsPlace;
  readonly #project: Project | null;
  readonly #reads = new Set<string>();
  readonly #writes = new Set<string>();
  /** Folders among them that are written as such: git's, of a repository. */
  readonly #entered = new Set<string>();
  readonly #links = new Set<string>();
  /** Files that are there and lose their names, or get other contents by them. */
  readonly #replaced = new Set<string>();
  #showsProject = false;
  #asIs: string | null = null;
  #writtenOutside: string | null = null;
  /** Contents are read, or something is written, that a box can hold. */
  #hasMore = false;
  #reachesHost = false;
  #isProjectTooLarge = false;
  /** So are the folders that it writes. */
  #isTooLarge = false;

  constructor(place: NeedsPlace) {
    this.#place = place;
    this.#project = confinedProject(place.cwd, place);
  }

  need(need: ResolvedRequirement, all: readonly ResolvedRequirement[]): void {
    const { capability, target } = need;
    const isFile = capability === "fs:read" || capability === "fs:write";
    this.#reachesHost ||= capability === "network:http";
    if (!isFile || target.kind !== "path" || target.real === null || target.is_process_relative)
      return this.leave(targetText(target));
    if (isDevice(target.real)) return;
    if (isBelowAny(target.real, NO_FILES)) return this.leave(pathName(target));
    if (target.lexical !== target.real) this.#links.add(target.lexical);
    if (capability === "fs:read")
      this.#read(target.real, pathName(target), { is_tree: target.is_tree, isNames: need.access === "list" });
    else this.#write(need, target.real, all);
  }

  /**
   * What no box has takes a line out of it only where it is all that the line does: nothing else may leave with it, git least of all. In
   * the box it fails.
   */
  box(programs: readonly string[], hasGit: boolean): NeedsBox {
    const project = this.#writes.size === 0 ? this.#project : this.#projectWritten();
    const isHeld = !this.#isTooLarge && (hasGit || (this.#hasMore && !this.#reachesHost));
    const fetches = this.#reachesHost && this.#hasMore && project !== null ? { fetches: true as const } : {};
    // Asked about by its name, or granted: a box could only refuse what the user has allowed.
    if (this.#writtenOutside !== null) return { as_is: this.#writtenOutside, isAsked: hasGit, ...fetches };
    if (this.#asIs !== null && !isHeld) return { as_is: this.#asIs, ...fetches };
    const writes = [...this.#writes].filter((path) => project !== null && isAtOrBelow(path, project.root));
    const shown = this.#showsProject && this.#project !== null ? [this.#project.root] : [];
    const reads = [...this.#reads].filter((path) => !shown.some((folder) => isAtOrBelow(path, folder)));
    const { cwd } = this.#place;
    const declaration = {
      kind: "needs" as const,
      project: project?.root ?? realForm(cwd) ?? cwd,
      cwd,
      reads: outermost([...shown, ...reads]),
      writes: outermost(writes),
      network: false,
      links: [...this.#links],
      ...(this.#isProjectTooLarge && writes.length > 0 ? { is_project_too_large: true as const } : {}),
      ...(this.#replaced.size === 0 ? {} : { replaces: [...this.#replaced] }),
      programs,
      ...(this.#place.changes_settings ? { changes_settings: [...this.#entered].map(settingsOfFolder) } : {}),
    };
    return { declaration };
  }

  leave(shown: string): void {
    this.#asIs ??= shown;
  }

  #read(real: string, shown: string, { is_tree, isNames }: { is_tree: boolean; isNames: boolean }): void {
    const kind = fileKind(real);
    if (kind === "nothing") return;
    if (kind === "other" || holdsTooMuch(real, this.#place.home, this.#project?.root)) return this.leave(shown);
    if (isBelowAny(real, ALWAYS_READABLE) && isForEverybody(real)) return;
    const { root } = this.#project ?? {};
    this.#hasMore ||= !isNames;
    this.#showsProject ||=
      (kind === "folder" || is_tree) && root !== undefined && isAtOrBelow(real, root) && this.#place.mayRead(root);
    this.#reads.add(real);
  }

  /** A file that is there and keeps its name; else the folder that gets the name, or loses it. */
  #write(need: ResolvedRequirement, real: string, all: readonly ResolvedRequirement[]): void {
    const { target, access, copied_from } = need;
    const kind = fileKind(real);
    if (kind === "other" || target.kind !== "path") return this.leave(targetText(target));
    const isEntered = kind === "folder" && target.is_folder === true;
    const keepsName = kind === "file" && access === undefined && copied_from === undefined && !isRead(real, all);
    if (kind === "file" && !keepsName) this.#replaced.add(real);
    if (isEntered) this.#entered.add(real);
    this.#writes.add(isEntered || keepsName ? real : folderThere(dirname(real)));
  }

  /** The one project that all of it is written in. */
  #projectWritten(): Project | null {
    const [first = ""] = this.#writes;
    const inside = this.#project !== null && isAtOrBelow(first, this.#project.root) ? this.#project : null;
    const project = inside ?? confinedProject(fileKind(first) === "file" ? dirname(first) : first, this.#place);
    const outside = [...this.#writes].find((path) => project === null || !isAtOrBelow(path, project.root));
    if (outside !== undefined || project === null) this.#writtenOutside = outside ?? first;
    else if (this.#place.isTooLarge(project.root)) {
      this.#isProjectTooLarge = true;
      const tooLarge = [...this.#writes].find((path) => path === project.root || this.#place.isTooLarge(path));
      this.#isTooLarge = tooLarge !== undefined;
      if (tooLarge !== undefined) this.leave(tooLarge);
    }
    this.#hasMore ||= [...this.#writes].some((path) => project !== null && isAtOrBelow(path, project.root));
    return project;
  }
}

const settingsOfFolder = (folder: string): string => join(folder, ".git/config");

/** By the same name read and written: a program may put another file in its place. */
function isRead(real: string, needs: readonly ResolvedRequirement[]): boolean {
  return needs.some(
    ({ capability, target }) => capability === "fs:read" && target.kind === "path" && target.real === real,
  );
}

/** The nearest folder that is there. */
function folderThere(path: string): string {
  return path === "/" || fileKind(path) !== "nothing" ? path : folderThere(dirname(path));
}

function outermost(paths: readonly string[]): string[] {
  const all = new Set(paths);
  return [...all].sort().filter((path) => !isBelowOne(path, all));
}

function isBelowOne(path: string, folders: ReadonlySet<string>): boolean {
  for (let here = path; here !== "/"; ) {
    here = dirname(here);
    if (folders.has(here)) return true;
  }
  return false;
}

function isForEverybody(real: string): boolean {
  try {
    return (statSync(real).mode & 0o004) !== 0;
  } catch {
    return false; // gone meanwhile: then it is shown by its name, or isn't there
  }
}
