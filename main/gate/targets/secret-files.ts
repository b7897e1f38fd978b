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

/** Why the file at `path` (absolute, normal) is asked about each time, or undefined. */
export function askedEachTime(path: string): string | undefined {
  const folded = foldedPath(path);
  return ANY_RULE.test(folded) ? RULES.find(({ ends }) => ends.test(folded))?.why : undefined;
}
