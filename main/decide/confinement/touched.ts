import { statSync } from "node:fs";
import {
  absolutePath,
  effectsOf,
  FROM_INPUT,
  foldersNamed,
  isDevice,
  pathTarget,
  type SimpleCommand,
  type Word,
} from "@metnos-gate/shell-reading";
import { askedEachTime, following, isAtOrBelow, realForm } from "@metnos-gate/shell-reading/files";
import { programOf } from "@metnos-gate/shell-reading/programs";
import { pathName, type ResolvedRequirement, targetText } from "../../targets/target.ts";
import { isForbidden } from "../guard/guard.ts";
import type { CallEnvironment, GuardEnv } from "../places/call-environment.ts";
import { askedBelow, markedByName } from "../places/further-needs.ts";
import type { GateFiles } from "../places/gate-files.ts";
import { HeldByGit } from "../places/held-by-git.ts";
import { runsLater } from "../places/run-later.ts";
import { ALWAYS_READABLE } from "./declaration.ts";
import { type Project, placeOf } from "./project.ts";

/**
 * What a line is known to touch, against what its box would let through: by its needs, and by what its commands' records say where the
 * line as a whole isn't clear. The box holds whatever is not known.
 */

export type Touched =
  /** What it reads outside of the project: each path (real) with the needs that ask for it. */
  | { reads: readonly string[]; needs: readonly ResolvedRequirement[] }
  /** What the box would not let through, as it is shown. */
  | { leaves: string };

export interface TouchedPlace {
  home: string;
  cwd: string;
  env: GuardEnv | undefined;
  /** Left out where there is no gate whose files could be touched. */
  gateFiles?: GateFiles | undefined;
}

/** A process's own view, devices and the machine's sockets: another thing in a box, or nothing. */
export const NO_FILES = ["/proc", "/sys", "/dev", "/run", "/var/run"];
/** What builds make, and only a build runs. */
const BUILT =
  /(?:^|\/)(?:(?:node_modules\/\.bin|\.?venv\/bin|(?:site|dist)-packages|\.bsp)(?:\/|$)|\.pnp\.(?:cjs|loader\.mjs)$|pyvenv\.cfg$)/;

export function touchedBy(
  needs: readonly ResolvedRequirement[],
  commands: readonly SimpleCommand[],
  project: Project,
  place: TouchedPlace,
): Touched {
  const reader = new TouchedReader(project, place);
  for (const need of needs) reader.need(need);
  for (const command of commands) reader.command(command);
  return reader.found();
}

class TouchedReader {
  readonly #project: Project;
  readonly #place: TouchedPlace;
  /** One for all paths: what runs later is remembered by it. */
  readonly #environment: CallEnvironment;
  readonly #reads = new Set<string>();
  readonly #needs: ResolvedRequirement[] = [];
  #leaves: string | null = null;

  constructor(project: Project, place: TouchedPlace) {
    this.#project = project;
    this.#place = place;
    const { home, cwd, env } = place;
    this.#environment = { home, cwd, env };
  }

  found(): Touched {
    return this.#leaves === null ? { reads: [...this.#reads], needs: this.#needs } : { leaves: this.#leaves };
  }

  /** To run code is what the box is for: also where it isn't known what a folder that is copied or moved would bring along. */
  need(need: ResolvedRequirement): void {
    const { capability, target } = need;
    if (capability === "fs:read") this.#read(need);
    if (capability !== "fs:write") return;
    if (target.kind !== "path" || target.real === null || target.is_process_relative) this.#leave(targetText(target));
    else this.#written(target.real, pathName(target));
  }

  command(command: SimpleCommand): void {
    const { cwd } = command;
    if (cwd !== null && !this.#isInside(placeOf(cwd))) return this.#leave(cwd);
    for (const folder of foldersNamed(command)) if (!this.#isInside(placeOf(folder))) this.#leave(folder);
    const { written, treesWritten, moved, changed, treesChanged, deleted, treesDeleted, placed, accesses, ...read } =
      effectsOf(command);
    const changes = [written, treesWritten, moved, changed, treesChanged, deleted, treesDeleted].flat();
    for (const word of [...changes, ...placed.map(({ word }) => word)]) this.#writtenWord(word, cwd);
    this.#script(command);
    for (const word of read.onlyRead) this.#readWord(word, cwd, read.treesRead.includes(word));
    for (const { is_put_away, word } of accesses)
      if (is_put_away && word !== "here") this.#needs.push(this.#named(word.text));
  }

  #named(path: string, isTree = false): ResolvedRequirement {
    const target = pathTarget(path, this.#place.home, undefined, isTree);
    return markedByName({ capability: "fs:read", target }, new HeldByGit(this.#place.home));
  }

  /** The file that it runs. A program of the user's own is where the box finds those, or it isn't there. */
  #script({ name, argv, cwd }: SimpleCommand): void {
    const word = programOf(name).script(argv);
    const path = word === null ? null : absolutePath(word.text, cwd);
    if (word === null || path === null) return;
    if (word !== argv[0] || !runsLater(path, this.#environment)) this.#readWord(word, cwd, false);
  }

  #leave(shown: string): void {
    this.#leaves ??= shown;
  }

  #isInside(real: string | null): boolean {
    return real !== null && isAtOrBelow(real, this.#project.root);
  }

  #written(real: string, shown: string): void {
    const isKept = !BUILT.test(real) && runsLater(real, this.#environment);
    if (!this.#isInside(real) || isKept || askedEachTime(real) !== undefined) this.#leave(shown);
  }

  #writtenWord(word: Word, cwd: string | null): void {
    if (isDevice(word.text)) return;
    if (word.is_resolved && word.glob !== true) {
      const path = word.text === "" ? null : absolutePath(word.text, cwd);
      const real = path === null ? null : placeOf(path);
      return real === null ? this.#leave(word.text) : this.#written(real, word.text);
    }
    // What a search found: outside of the project nothing can be written.
    if (word.pieces.every(({ kind, text }) => kind === "unknown" && text === FROM_INPUT)) return;
    // A name of which only the end is open is in the folder that it begins with.
    const fixed = fixedFolder(word, cwd);
    if (fixed === null || !this.#isInside(placeOf(fixed))) this.#leave(word.text);
  }

  #read(need: ResolvedRequirement): void {
    const { target, access, ask_each_time, skips_hidden } = need;
    if (target.kind !== "path" || target.real === null || target.is_process_relative)
      return this.#leave(targetText(target));
    const { real } = target;
    if (this.#isInside(real)) {
      // The box hides it, unless it is named.
      if (ask_each_time !== undefined) this.#add(real, need);
      return;
    }
    if (isDevice(real)) return;
    if (isBelowAny(real, NO_FILES)) return this.#leave(pathName(target));
    if (ask_each_time === undefined && isBelowAny(real, ALWAYS_READABLE)) return;
    const kind = fileKind(real);
    if (kind === "nothing") return;
    // Of a folder the box would show all, not its names alone.
    const isMore = kind === "folder" && (!target.is_tree || access === "list" || skips_hidden === true);
    if (kind === "other" || isMore || holdsTooMuch(real, this.#place.home, this.#project.root))
      return this.#leave(pathName(target));
    this.#add(real, need);
  }

  /** What the needs don't say already, as the line isn't clear there. */
  #readWord(word: Word, cwd: string | null, isTree: boolean): void {
    if (!word.is_resolved || word.glob === true || word.text === "" || isDevice(word.text)) return;
    const path = absolutePath(word.text, cwd);
    const real = path === null ? null : realForm(path);
    if (path === null || real === null || this.#isInside(real)) return;
    if ([...this.#reads].some((one) => isAtOrBelow(real, one)) || isBelowAny(real, ALWAYS_READABLE)) return;
    const kind = fileKind(real);
    if (kind === "nothing" || (kind === "folder" && !isTree)) return;
    const need = this.#named(path, kind === "folder");
    this.#read(need);
    for (const secret of askedBelow(need, new HeldByGit(this.#place.home))) this.#needs.push(secret);
  }

  /** The guard has read the line: where a link leads that only the commands' records name, it hasn't seen. */
  #add(real: string, need: ResolvedRequirement): void {
    if (isForbidden(need, this.#place)) return this.#leave(targetText(need.target));
    this.#reads.add(real);
    this.#needs.push(need);
  }
}

/** A home folder, or one above it, or one above the project. */
export function holdsTooMuch(real: string, home: string, project: string | undefined): boolean {
  if ([home, realForm(home) ?? home].some((one) => isAtOrBelow(one, real))) return true;
  return project !== undefined && project !== real && isAtOrBelow(project, real);
}

/** The folder of a word whose last name, or what follows in it, isn't known; null where that may be any. */
function fixedFolder({ pieces }: Word, cwd: string | null): string | null {
  const [first] = pieces;
  if (first === undefined || first.kind === "unknown") return null;
  if (pieces.some(({ text, kind }) => kind !== "unknown" && /(?:^|\/)\.\.(?:\/|$)/.test(text))) return null;
  const isAbsolute = first.kind === "text" && first.text.startsWith("/");
  if (!isAbsolute) return first.kind === "text" && first.text.startsWith("~") ? null : cwd;
  return first.text.slice(0, first.text.lastIndexOf("/")) || "/";
}

export function isBelowAny(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => isAtOrBelow(path, folder));
}

export function fileKind(path: string): "file" | "folder" | "nothing" | "other" {
  try {
    const stat = following(path, () => statSync(path, { throwIfNoEntry: false }));
    if (stat === null) return "other";
    if (stat === undefined) return "nothing";
    if (stat.isDirectory()) return "folder";
    return stat.isFile() ? "file" : "other";
  } catch {
    return "other"; // it can't be looked at: then it can't be shown either
  }
}
