import { tmpdir } from "node:os";
import { isAtOrBelow, projectRoot, realForm } from "@metnos-gate/shell-reading/files";
import { workingDirectoryOf } from "@metnos-gate/shell-reading/programs";
import type { ProposedCall } from "../../../ipc/contract/wire.ts";
import type { GuardEnv } from "./call-environment.ts";

/** Where a call works. */
export interface CallPlace {
  home: string;
  /** Absolute; left out where it isn't known. */
  cwd: string | undefined;
  env: GuardEnv | undefined;
  /** The Git root above the working directory, as its links lead; null outside of one. */
  project: string | null;
  /** See `takesComments`. */
  has_comments?: boolean;
  /** True for a path (absolute) that lies neither in the project, or in the working directory where there is none, nor among temporary files. */
  isOutside(path: string): boolean;
}

const TEMPORARY = ["/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp"];

export function placeOf(call: ProposedCall, home: string, env: GuardEnv | undefined): CallPlace {
  const cwd = workingDirectoryOf(call, home);
  const known = cwd?.startsWith("/") === true ? cwd : undefined;
  const project = known === undefined ? null : projectRoot(realForm(known) ?? known, home);
  return { home, cwd: known, env, project, isOutside: outsideOf(project ?? known, home) };
}

function outsideOf(folder: string | undefined, home: string): (path: string) => boolean {
  // Everything, or all that is the user's, is no project.
  if (folder === undefined || isAtOrBelow(home, folder)) return () => false;
  // Few calls ask.
  let roots: string[] | undefined;
  return (path) => {
    roots ??= insideOf(folder);
    const forms = new Set([path, realForm(path) ?? path]);
    return [...forms].some((form) => !roots?.some((root) => isAtOrBelow(form, root)));
  };
}

function insideOf(folder: string): string[] {
  const own = [...new Set([folder, realForm(folder) ?? folder])];
  const temporary = [...TEMPORARY, tmpdir()].filter((one) => !own.some((root) => isAtOrBelow(root, one)));
  return [...own, ...temporary];
}
