import { dirname } from "node:path";
import { pathTarget } from "@metnos-gate/shell-reading";
import { isAtOrBelow, isFollowingOver, projectRoot, realForm, resolvePath } from "@metnos-gate/shell-reading/files";
import { gitFoldersOf } from "@metnos-gate/shell-reading/git";
import type { GuardEnv } from "../places/call-environment.ts";
import type { GateFiles } from "../places/gate-files.ts";
import { holdsSecrets, protectedPath } from "../places/protected-paths.ts";
import { runsLater } from "../places/run-later.ts";
import { movedPlaces } from "../places/settings-places.ts";
import { pathFormOf, SYSTEM_FOLDERS } from "../places/vital-paths.ts";

/** The folder that a confined command works on, and may write. */

export interface ProjectPlace {
  home: string;
  env: GuardEnv | undefined;
  /** Left out where there is no gate whose files could be touched. */
  gateFiles?: GateFiles | undefined;
  /** The folder of an active grant for writing to it and all below, at or above this one (real); undefined where there is none. */
  grantedFolder(folder: string): string | undefined;
}

export interface Project {
  /** Absolute and real. */
  root: string;
  /** The folder of its repository where that lies outside of it, as a worktree's does; real. */
  repository: string | null;
}

/** The Git repository or worktree of the working directory, or else the folder that was granted; null where neither can be used. */
export function confinedProject(cwd: string, place: ProjectPlace): Project | null {
  const here = placeOf(cwd);
  return here === null ? null : projectAt(here, projectRoot(here, place.home), place);
}

/** @param here absolute and real @param root of its repository */
function projectAt(here: string, root: string | null, place: ProjectPlace): Project | null {
  if (root === null) {
    const granted = place.grantedFolder(here);
    return granted !== undefined && isUsable(granted, place) ? { root: granted, repository: null } : null;
  }
  const folders = gitFoldersOf(root);
  if (folders === null || !isUsable(root, place)) return null;
  if (isAtOrBelow(folders.common, root)) return { root, repository: null };
  // The repository of a home folder, or of the machine's settings, is no project's.
  const owner = folders.common.replace(/\/\.git(?:\/modules\/.*)?$/s, "");
  return isUsable(owner, place) ? { root, repository: folders.common } : null;
}

/**
 * The nearest one, at a folder above this path (absolute), that a confined command could work on; null where there is none, and undefined
 * where finding out takes too long.
 */
export function projectAbove(path: string, place: ProjectPlace): Project | null | undefined {
  let here = placeOf(path);
  for (let folder = path; here === null; here = placeOf(folder)) {
    if (isFollowingOver()) return undefined;
    if (folder === "/") return null;
    folder = above(folder);
  }
  for (;;) {
    const root = projectRoot(here, place.home);
    const project = projectAt(here, root, place);
    if (project !== null || here === "/") return project;
    // One that can't be used may lie in another; and no root is looked for further above.
    here = root === null ? above(here) : dirname(root);
  }
}

/** Fewer names than a root is looked for above a folder. */
const STEP = 48;

const above = (path: string): string => path.split("/").slice(0, -STEP).join("/") || "/";

/** Where a path leads (absolute); null where that is unknown, or is another place for the agent's own process. */
export function placeOf(path: string): string | null {
  const resolved = resolvePath(path, "/");
  return resolved === null || resolved.is_process_relative === true ? null : resolved.real;
}

/** Top folders below which nothing is a project of anybody's. */
const NO_PLACE = /^\/(?:proc|sys|dev|run|boot)(?:\/|$)/;
const SHARED: ReadonlySet<string> = new Set([...SYSTEM_FOLDERS.map((name) => `/${name}`), "/", "/tmp", "/var/tmp"]);

/**
 * Never a home folder or one above it, one that others share, a place whose content runs later or that holds keys, the gate's own
 * folders or one above them: who may write there could do more than change a project.
 */
function isUsable(folder: string, { home, env, gateFiles }: ProjectPlace): boolean {
  if (SHARED.has(folder) || NO_PLACE.test(folder)) return false;
  if ([home, realForm(home) ?? home].some((one) => isAtOrBelow(one, folder))) return false;
  if (runsLater(folder, { home, env })) return false;
  // A box knows settings in a project by their names: those that are elsewhere, by the environment, have none.
  if (movedPlaces(env).some(({ path }) => isAtOrBelow(realForm(path) ?? path, folder))) return false;
  const form = pathFormOf(folder);
  if (protectedPath(form, home) !== undefined || holdsSecrets(form, home)) return false;
  const target = pathTarget(folder, home, undefined, true);
  return gateFiles?.touchedBy({ capability: "fs:write", target }) === undefined;
}
