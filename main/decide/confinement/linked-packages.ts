import { basename, dirname, join } from "node:path";
import { realForm } from "../../shell-reading/targets/path.ts";
import { kindOf } from "../../shell-reading/targets/path-kind.ts";
import { isAtOrBelow } from "../../shell-reading/targets/pattern.ts";
import { projectRoot } from "../../shell-reading/targets/project.ts";
import { pathTarget, type ResolvedRequirement } from "../../shell-reading/targets/target.ts";
import type { Touched } from "./touched.ts";

/** Packages that a project shares with another one by a link, as worktrees often do. */

const PACKAGES = "node_modules";

/**
 * What of them is to be read, each folder by a need of its own: whoever may write in the project may have made the link. Nothing where
 * it leads to anything but another project's packages.
 * @param root of the project; absolute and real
 * @param cwd in it
 */
export function linkedPackages(root: string, cwd: string, home: string): Extract<Touched, { reads: unknown }> {
  const reads: string[] = [];
  const needs: ResolvedRequirement[] = [];
  for (let folder = realForm(cwd) ?? root; isAtOrBelow(folder, root); folder = dirname(folder)) {
    const link = join(folder, PACKAGES);
    const real = kindOf(link) === "link" ? realForm(link) : null;
    if (real !== null && isOfAnotherProject(real, root, home)) {
      reads.push(real);
      needs.push({ capability: "fs:read", target: pathTarget(real, home, undefined, true) });
    }
  }
  return { reads, needs };
}

function isOfAnotherProject(packages: string, root: string, home: string): boolean {
  if (basename(packages) !== PACKAGES || isAtOrBelow(packages, root) || kindOf(packages) !== "folder") return false;
  return projectRoot(dirname(packages), home) !== null;
}
