import { realForm } from "../targets/path.ts";
import { kindOf } from "../targets/path-kind.ts";

/** Folders between a path and the root: more than anybody nests. */
const MAX_FOLDERS = 64;

/** The root of the Git work tree that `folder` (absolute) lies in, by where links lead; null outside of one. */
export function projectOf(folder: string): string | null {
  let here = realForm(folder);
  for (let left = MAX_FOLDERS; here !== null && left > 0; left--) {
    const kind = kindOf(`${here === "/" ? "" : here}/.git`);
    if (kind === "folder" || kind === "file") return here;
    if (here === "/") return null;
    here = here.slice(0, here.lastIndexOf("/")) || "/";
  }
  return null;
}
