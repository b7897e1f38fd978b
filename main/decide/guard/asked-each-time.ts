import { realForm } from "../../shell-reading/targets/path.ts";
import { askedEachTime, beginsAsKey, isProjectsInGit, mayBeSecret } from "../../shell-reading/targets/secret-files.ts";
import type { ResolvedRequirement } from "../../shell-reading/targets/target.ts";
import { SKIPPED_FOLDERS, scanTree } from "../../shell-reading/targets/tree-scan.ts";
import type { HeldByGit } from "../description/held-by-git.ts";

/** Marks what reads or writes such a file (targets/secret-files.ts), by its name or among all that lies below a folder. */

/**
 * The need, marked if its path is such a file, by the path as it is written or as it resolves, or a private key of whatever name.
 * @param held what Git holds as it is may be the project's own
 */
export function markedByName(need: ResolvedRequirement, held: HeldByGit): ResolvedRequirement {
  const { capability, target, access, ask_each_time } = need;
  if (target.kind !== "path" || access === "list" || ask_each_time !== undefined) return need;
  const { lexical, real, is_tree } = target;
  const named = askedEachTime(lexical) ?? (real === null ? undefined : askedEachTime(real));
  const is_key = named === undefined && capability === "fs:read" && !is_tree && beginsAsKey(real ?? lexical);
  const why = is_key ? "a private key" : named;
  return why === undefined || isProjects(lexical, real, held) ? need : { ...need, ask_each_time: why };
}

/** How far a read of everything below a folder is looked through. Beyond it a file is read without being asked about by name. */
const SEARCH = { max_entries: 8000, max_depth: 8, skipped: SKIPPED_FOLDERS };
const MAX_FOUND = 20;

/** A need of its own for each such file that a read of a whole tree would reach. */
export function askedBelow(
  { capability, target, access, skips_hidden }: ResolvedRequirement,
  held: HeldByGit,
): ResolvedRequirement[] {
  if (capability !== "fs:read" || target.kind !== "path" || !target.is_tree || access === "list") return [];
  const { lexical, real } = target;
  const root = real ?? lexical;
  const found: ResolvedRequirement[] = [];
  scanTree(root, SEARCH, ({ relative, name, is_folder }) => {
    const is_skipped = is_folder || (skips_hidden === true && /(?:^|\/)\./.test(relative));
    const there = below(root, relative);
    const is_candidate = !is_skipped && mayBeSecret(name, there.slice(0, -name.length - 1));
    const why = is_candidate ? askedEachTime(there) : undefined;
    if (why !== undefined && !isProjects(there, there, held)) {
      const path = below(lexical, relative);
      found.push({
        capability,
        target: { kind: "path", lexical: path, real: realForm(path), is_tree: false },
        ask_each_time: why,
      });
    }
    return found.length < MAX_FOUND;
  });
  return found;
}

function isProjects(lexical: string, real: string | null, held: HeldByGit): boolean {
  return real !== null && isProjectsInGit(lexical) && isProjectsInGit(real) && held.heldAt(real) === "held";
}

function below(folder: string, relative: string): string {
  return folder === "/" ? `/${relative}` : `${folder}/${relative}`;
}
