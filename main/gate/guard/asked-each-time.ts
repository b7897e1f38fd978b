import { realForm } from "../targets/path.ts";
import { askedEachTime } from "../targets/secret-files.ts";
import type { ResolvedRequirement } from "../targets/target.ts";
import { SKIPPED_FOLDERS, scanTree } from "../targets/tree-scan.ts";

/** Marks what reads or writes such a file (targets/secret-files.ts), by its name or among all that lies below a folder. */

/** The last name of each of them, and of few others: a search sees many names. */
const MAY_BE_NAME = /^\.|history|^auth\.json$|[^ -~]/i;

/** The need, marked if its path is such a file, by the path as it is written or as it resolves. */
export function markedByName(need: ResolvedRequirement): ResolvedRequirement {
  const { target, access, ask_each_time } = need;
  if (target.kind !== "path" || access === "list" || ask_each_time !== undefined) return need;
  const why = askedEachTime(target.lexical) ?? (target.real === null ? undefined : askedEachTime(target.real));
  return why === undefined ? need : { ...need, ask_each_time: why };
}

/** How far a read of everything below a folder is looked through. Beyond it a file is read without being asked about by name. */
const SEARCH = { max_entries: 8000, max_depth: 8, skipped: SKIPPED_FOLDERS };
const MAX_FOUND = 20;

/** A need of its own for each such file that a read of a whole tree would reach. */
export function askedBelow({ capability, target, access, skips_hidden }: ResolvedRequirement): ResolvedRequirement[] {
  if (capability !== "fs:read" || target.kind !== "path" || !target.is_tree || access === "list") return [];
  const { lexical, real } = target;
  const root = real ?? lexical;
  const found: ResolvedRequirement[] = [];
  scanTree(root, SEARCH, ({ relative, name, is_folder }) => {
    const is_skipped = is_folder || (skips_hidden === true && /(?:^|\/)\./.test(relative));
    const why = is_skipped || !MAY_BE_NAME.test(name) ? undefined : askedEachTime(`${root}/${relative}`);
    if (why !== undefined) {
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

function below(folder: string, relative: string): string {
  return folder === "/" ? `/${relative}` : `${folder}/${relative}`;
}
