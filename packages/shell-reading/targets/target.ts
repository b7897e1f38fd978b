import { expandHome, isAtOrBelow, type ResolvedPath, realForm, resolvePath } from "./path.ts";
import { hostOfUrl } from "./url.ts";

type PathTarget = ResolvedPath & {
  kind: "path";
  /** Where a link leads, as it is named: the real path, the home folder under its usual name. Left out: as it is written. */
  name?: string;
  is_tree: boolean;
  /** It names a folder: what a grant offers below it is its own. */
  is_folder?: true;
};

/** What one part of a command line would touch. */
export type LineTarget =
  | PathTarget
  /** `sends`: more goes there than the question for what is fetched. */
  | { kind: "host"; host: string; sends?: true }
  /** It is unknown. */
  | { kind: "unknown"; shown: string };

/** That a line reads, writes or fetches, and what. */
export interface LineNeed {
  capability: "fs:read" | "fs:write" | "network:http";
  target: LineTarget;
  /** How a path is touched where that says more than the capability: only names are listed (ls, find), or it is deleted. */
  access?: "list" | "delete";
  /** The write puts this file's or folder's names below the target (a copy, a move). Absolute path of the source. */
  copied_from?: string;
  /** Names that begin with a dot are left out of a tree. */
  skips_hidden?: true;
  /** Not in these folders, by their paths below it: a pattern matches them. */
  but_in?: readonly string[];
  /** Of names that are listed: what the files hold, or held, is printed as well, as a repository has it. */
  shows_contents?: true;
}

/** A path argument as a target. `is_tree`: the call reaches everything below it. */
export function pathTarget(raw: string, home: string, cwd: string | undefined, isTree: boolean): LineTarget {
  const resolved = resolvePath(raw, home, cwd && expandHome(cwd, home));
  if (resolved === null) return { kind: "unknown", shown: raw };
  const name = nameOf(resolved, home);
  return { kind: "path", ...resolved, ...(name === undefined ? {} : { name }), is_tree: isTree };
}

/** A home folder that is itself reached by a link (/home -> /var/home) keeps its usual name: it is no link that a call follows. */
function nameOf({ lexical, real, is_process_relative }: ResolvedPath, home: string): string | undefined {
  if (real === null || real === lexical || is_process_relative) return undefined;
  const realHome = realForm(home);
  if (realHome === null || realHome === home || realHome === "/" || !isAtOrBelow(real, realHome)) return undefined;
  return home + real.slice(realHome.length);
}

export function urlTarget(url: string, sends = false): LineTarget {
  const host = hostOfUrl(url);
  return host === null ? { kind: "unknown", shown: url } : hostTarget(host, sends);
}

const hostTarget = (host: string, sends: boolean): LineTarget => ({
  kind: "host",
  host,
  ...(sends ? { sends: true as const } : {}),
});
