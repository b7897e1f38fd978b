import { realForm } from "../targets/path.ts";
import type { Need } from "../targets/target.ts";
import { SKIPPED_FOLDERS, scanTree } from "../targets/tree-scan.ts";
import { foldedPath } from "./folded-path.ts";

/**
 * Files that often hold secrets and often have to be read all the same: asked about by name each time, at every level, whatever was
 * granted. Keys and password stores are never an agent's: see protected-paths.ts.
 */

interface Rule {
  why: string;
  /** The path's end, in lower case. */
  ends: RegExp;
}

const RULES: readonly Rule[] = [
  { why: "a file that often holds passwords", ends: /\/\.env(?!\.(?:example|sample|template)$)(?:rc|\.[^/]*)?$/ },
  { why: "a registry's settings, often with its token", ends: /\/\.(?:npmrc|pypirc)$/ },
  {
    why: "a history of what was typed",
    ends: /\/(?:\.[a-z0-9_-]*history|fish_history|consolehost_history\.txt|\.lesshst|\.histfile|\.dbshell)$/,
  },
  { why: "an agent's own login", ends: /\/(?:\.claude\/\.credentials|\.codex\/auth)\.json$/ },
];
const ANY_RULE = new RegExp(RULES.map(({ ends }) => ends.source).join("|"));

/** The last name of each of them, and of few others: a search sees many names. */
const MAY_BE_NAME = /^\.|history|^auth\.json$|[^ -~]/i;

/** Why the file at `path` (absolute, normal) is asked about each time, or undefined. */
export function askedEachTime(path: string): string | undefined {
  const folded = foldedPath(path);
  return ANY_RULE.test(folded) ? RULES.find(({ ends }) => ends.test(folded))?.why : undefined;
}

/** The need, marked if its path is such a file, by the path as it is written or as it resolves. */
export function markedByName(need: Need): Need {
  const { target, access, ask_each_time } = need;
  if (target.kind !== "path" || access === "list" || ask_each_time !== undefined) return need;
  const why = askedEachTime(target.lexical) ?? (target.real === null ? undefined : askedEachTime(target.real));
  return why === undefined ? need : { ...need, ask_each_time: why };
}

/** How far a read of everything below a folder is looked through. Beyond it a file is read without being asked about by name. */
const SEARCH = { max_entries: 2000, max_depth: 4, skipped: SKIPPED_FOLDERS };
const MAX_FOUND = 20;

/** A need of its own for each such file that a read of a whole tree would come by. */
export function askedBelow({ capability, target, access, skips_hidden }: Need): Need[] {
  if (capability !== "fs:read" || target.kind !== "path" || !target.is_tree || access === "list") return [];
  const { lexical, real } = target;
  const root = real ?? lexical;
  const found: Need[] = [];
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
