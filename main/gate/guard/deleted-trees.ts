import { counted } from "../description/deleted-files.ts";
import type { HeldByGit } from "../description/held-by-git.ts";
import { isMadeByBuild } from "../targets/build-folders.ts";
import { kindOf } from "../targets/path-kind.ts";
import type { ResolvedRequirement } from "../targets/target.ts";

/** Deleting a folder with all that is in it is more than writing: a grant on writing there was given for less. */

/** The needs, those marked that delete a folder which holds what neither Git nor a build brings back. */
export function markedAsTrees(needs: readonly ResolvedRequirement[], held: HeldByGit): ResolvedRequirement[] {
  // What is moved is there under another name.
  const moved = new Set(needs.map(({ copied_from }) => copied_from));
  return needs.map((need) => {
    const { capability, target, access } = need;
    if (capability !== "fs:write" || access !== "delete" || target.kind !== "path" || !target.is_tree) return need;
    const path = target.real ?? target.lexical;
    if (moved.has(target.lexical) || kindOf(path) !== "folder" || isMadeByBuild(path)) return need;
    const { files = 0, is_more } = counted([path]);
    if ((files === 0 && is_more !== true) || held.holdsAllBelow(path)) return need;
    // How far a count gets in its time is no property of the folder.
    const number = is_more ? "more files than can be counted in a moment" : files === 1 ? "1 file" : `${files} files`;
    return { ...need, beyond_grants: `a whole folder that is deleted, with ${number}` };
  });
}
