import { keepLatest } from "../../base/keep-latest.ts";
import { isNeverWritten } from "../../box/arguments/unusable-places.ts";
import { ProjectTree } from "../../box/project/project-tree.ts";
import { TimeSlice } from "../../box/project/time-slice.ts";
import { confinedProject } from "../../decide/confinement/project.ts";
import type { GuardEnv } from "../../decide/places/call-environment.ts";
import type { Worker, WorkerMount } from "../reviews/judge-ports.ts";

/** What of a worker's files a judge agent sees. */

/** Where it sees them, beside their own path. */
export const WORKSPACE = "/workspace";

/** Absolute, real paths. */
export interface Workspace {
  /** The worker's project: its repository, or else its working directory. */
  readonly folder: string;
  /** Of a worktree: the repository's folder, outside of it. */
  readonly repository: string | null;
}

export interface WorkspacePlace {
  readonly home: string;
  readonly homeReal: string;
  readonly env: GuardEnv;
  /** Real paths. */
  readonly gateFolders: readonly string[];
}

/**
 * The worker's workspace; null where it has none, or one that no box shows: a home, what is shared or holds keys, the gate's own
 * folders and those above them.
 */
export function workspaceOf({ cwd }: Pick<Worker, "cwd">, place: WorkspacePlace): Workspace | null {
  if (cwd === null) return null;
  const project = confinedProject(cwd, {
    home: place.home,
    env: place.env,
    grantedFolder: (folder) => folder,
  });
  if (project === null) return null;
  const { root, repository } = project;
  const shown = repository === null ? [root] : [root, repository];
  return shown.some((path) => isNeverWritten(path, place)) ? null : { folder: root, repository };
}

/** As the payload says them: each place where a judge agent finds files of the worker. */
export function mountsOf(workspace: Workspace | null): WorkerMount[] {
  if (workspace === null) return [];
  const { folder, repository } = workspace;
  const places: [source: string, target: string][] = [
    [folder, WORKSPACE],
    [folder, folder],
    ...(repository === null ? [] : [[repository, repository] as [string, string]]),
  ];
  const byTarget = new Map(places.map(([source, target]) => [target, source]));
  return [...byTarget].map(([target, source]) => ({ source, target, read_only: true }));
}

/** Folders whose trees are remembered. */
const MAX_TREES = 8;

/** What no judge agent gets of a workspace, as paths with one character for each byte. */
export interface Withheld {
  /** Files that often hold secrets. */
  readonly secrets: readonly string[];
  /** Settings of repositories in it: what of them is a password isn't shown. */
  readonly settings: readonly string[];
  /** Named pipes and sockets: somebody outside may read what is written to one. */
  readonly pipes: readonly string[];
}

/** Finds it. */
export class WithheldFiles {
  readonly #trees = new Map<string, ProjectTree>();

  /**
   * Others have their turns meanwhile.
   * @throws Error where there is more in the workspace than is looked through; the system's error
   */
  async find({ folder }: Workspace): Promise<Withheld> {
    const tree = this.#trees.get(folder) ?? new ProjectTree(folder);
    keepLatest(this.#trees, folder, tree, MAX_TREES);
    const { secrets, pipes, places, isWhole } = await tree.lookInTurns(new TimeSlice());
    if (!isWhole) throw new Error("the workspace holds too many files and folders for a box");
    return {
      secrets: secrets.map(({ path }) => path),
      settings: places.map(({ path }) => path).filter((path) => /\/config(?:\.worktree)?$/.test(path)),
      pipes: pipes.map(({ path }) => path),
    };
  }
}
