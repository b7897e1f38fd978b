import { dirname } from "node:path";
import {
  askedAsRepository,
  askedEachTime,
  beginsAsKey,
  isAtOrBelow,
  isProjectsInGit,
  kindOf,
  mayBeSecret,
  realForm,
  SKIPPED_FOLDERS,
  scanTree,
  type TreeEntry,
} from "@metnos-gate/shell-reading/files";
import { type CallTarget, type ResolvedRequirement, targetText } from "../../targets/target.ts";
import { AgentSettings, holdsSettings, isSettingsFolder } from "./agent-settings.ts";
import { isMadeByBuild } from "./built-folders.ts";
import type { CallEnvironment } from "./call-environment.ts";
import { counted } from "./deleted-files.ts";
import { HeldByGit } from "./held-by-git.ts";
import { handedAtStart, importedByWritten, instructionsBeside } from "./instructions.ts";
import { protectedPath } from "./protected-paths.ts";
import { holdsRunLater, runsLater } from "./run-later.ts";
import { pathFormOf } from "./vital-paths.ts";

/**
 * What a call's paths mean beyond what its tool says of them: secrets are asked about by name, a write where content is run later is
 * running code, a copied, moved or deleted folder is what lies in it. Only adds needs, whatever tool has them.
 */

type PathTarget = Extract<CallTarget, { kind: "path" }>;
type PathNeed = ResolvedRequirement & { target: PathTarget };

/** How far a folder that is copied, moved or deleted is looked through. Beyond it, anything may lie there. */
const LOOK = { maxEntries: 1000, maxDepth: 16, skipped: SKIPPED_FOLDERS };
/** Needs for single names in copied and deleted folders: one is enough for the guard. */
const MAX_NAMED = 5;

/** @param args of the call */
export function withFurtherNeeds(
  needs: readonly ResolvedRequirement[],
  environment: CallEnvironment,
  args: Readonly<Record<string, unknown>> = {},
): ResolvedRequirement[] {
  const held = new HeldByGit(environment.home);
  const all = markedAsTrees(needs, held).map((need) => markedByName(need, held));
  for (const need of needs) all.push(...askedBelow(need, held));
  all.push(...instructionsBeside(all, environment, held, markedByName));
  const writes = needs.filter(
    (need): need is PathNeed => need.capability === "fs:write" && need.target.kind === "path",
  );
  // What is found beyond the needs themselves only reads.
  if (writes.length === 0) return all;
  all.push(...importedByWritten(all, args, environment, held, markedByName));
  const settings = new AgentSettings(environment);
  const code = new Set<string>();
  for (const write of writes) {
    const { canRun, named } = lookedThrough(write, writes, settings, environment);
    if (canRun) code.add(shownText(write.target));
    all.push(...named);
  }
  for (const value of code) {
    const isThere = all.some(
      ({ capability, target }) => capability === "code:exec" && target.kind === "exact" && target.value === value,
    );
    if (!isThere) all.push({ capability: "code:exec", target: { kind: "exact", value } });
  }
  return all;
}

/** See `handedAtStart`. @param cwd absolute and normal */
export const handedBy = (cwd: string, home: string): string[] => handedAtStart(cwd, home, markedByName);

interface Found {
  /** Content may get where it is run later, or the gate's hook may be touched. */
  canRun: boolean;
  /** What would surely be written or deleted that the guard has to see by name. */
  named: ResolvedRequirement[];
}

function lookedThrough(
  write: PathNeed,
  writes: readonly PathNeed[],
  settings: AgentSettings,
  environment: CallEnvironment,
): Found {
  const { target, access, copied_from } = write;
  const paths = formsOf(target);
  const isThere = paths.some((path) => runsLater(path, environment));
  if (copied_from !== undefined) {
    const copied = lookedAtSource(write, copied_from, writes, settings, environment);
    return { ...copied, canRun: copied.canRun || isThere };
  }
  if (!target.is_tree)
    return {
      canRun: isThere || (target.is_folder !== true && paths.some((path) => isFolderOfMore(path, environment))),
      named: [],
    };
  // Anything may be put anywhere below.
  if (access !== "delete") return { canRun: true, named: [] };
  const holds = isThere || paths.some((path) => holdsRunLater(path, environment) || settings.isBelow(path));
  const deleted = lookedAtDeleted(target, settings);
  return { ...deleted, canRun: holds || deleted.canRun };
}

/** A folder that is there, taken as a whole (moved, closed): with the working directory or an agent's settings in it. */
function isFolderOfMore(path: string, { cwd }: CallEnvironment): boolean {
  if (kindOf(path) !== "folder") return false;
  if (cwd !== undefined && isAtOrBelow(cwd, path)) return true;
  return holdsSettings(path);
}

function lookedAtDeleted(target: PathTarget, settings: AgentSettings): Found {
  const root = target.real ?? target.lexical;
  const named: ResolvedRequirement[] = [];
  const isComplete = scanTree(root, LOOK, ({ relative, is_link }) => {
    const path = `${root}/${relative}`;
    // The folder by itself may hold other things only.
    const isOne = isSettingsFolder(path) ? is_link : settings.isAt(path);
    if (isOne) named.push(writeOf(path, "delete"));
    return named.length < MAX_NAMED;
  });
  return { canRun: !isComplete, named };
}

/** Each name in the source is a name below the target. */
function lookedAtSource(
  { target }: PathNeed,
  source: string,
  writes: readonly PathNeed[],
  settings: AgentSettings,
  environment: CallEnvironment,
): Found {
  const kind = kindOf(source);
  if (kind === "file") return { canRun: false, named: [] };
  const root = target.real ?? target.lexical;
  // Not there yet, a link, or changed by the same call: what will lie in it can't be known.
  if (kind !== "folder") return { canRun: true, named: [] };
  const isChanged = foldersOf(writes).has(source);
  const entries: TreeEntry[] = [];
  const isComplete = scanTree(source, LOOK, (entry) => entries.push(entry) > 0);
  let canRun = isChanged || !isComplete || formsOf(target).some((path) => holdsRunLater(path, environment));
  const named: ResolvedRequirement[] = [];
  const isMerged = kindOf(root) !== "nothing";
  for (const { relative, is_link } of entries) {
    const path = root === "/" ? `/${relative}` : `${root}/${relative}`;
    if (settings.isAt(path) || protectedPath(pathFormOf(path), environment.home) !== undefined) {
      named.push(writeOf(path));
    }
    // A link in the source may be followed; one that is there already leads the write elsewhere.
    canRun ||= is_link || runsLater(path, environment) || (isMerged && kindOf(path) === "link");
    if (named.length === MAX_NAMED) return { canRun: true, named };
  }
  return { canRun, named };
}

/** The folders, above one another, that something is written in. */
function foldersOf(writes: readonly PathNeed[]): ReadonlySet<string> {
  const known = folders.get(writes);
  if (known !== undefined) return known;
  const found = new Set<string>();
  for (const { target } of writes)
    for (let here = target.lexical; here !== "/" && !found.has(dirname(here)); here = dirname(here))
      found.add(dirname(here));
  folders.set(writes, found);
  return found;
}

const folders = new WeakMap<readonly PathNeed[], ReadonlySet<string>>();

function writeOf(path: string, access?: "delete"): ResolvedRequirement {
  const askEachTime = askedEachTime(path);
  return {
    capability: "fs:write",
    target: { kind: "path", lexical: path, real: realForm(path), is_tree: false },
    ...(access === undefined ? {} : { access }),
    ...(askEachTime === undefined ? {} : { ask_each_time: askEachTime }),
  };
}

function formsOf({ lexical, real }: PathTarget): string[] {
  return real === null || real === lexical ? [lexical] : [lexical, real];
}

/** What is run is what the path leads to. */
function shownText(target: PathTarget): string {
  return targetText(target.real === null ? target : { ...target, lexical: target.real });
}

/** The needs, those marked that delete a folder which holds what neither Git nor a build brings back: a grant on writing there was given for less. */
function markedAsTrees(needs: readonly ResolvedRequirement[], held: HeldByGit): ResolvedRequirement[] {
  if (!needs.some(({ access }) => access === "delete")) return [...needs];
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

// Marks what reads or writes such a file (targets/secret-files.ts), by its name or among all that lies below a folder.

/**
 * The need, marked if its path is such a file, by the path as it is written or as it resolves, or a private key of whatever name.
 * @param held what Git holds as it is may be the project's own
 */
export function markedByName(need: ResolvedRequirement, held: HeldByGit): ResolvedRequirement {
  const { capability, target, access, ask_each_time } = need;
  if (target.kind !== "path" || access === "list" || ask_each_time !== undefined) return need;
  const { lexical, real, is_tree } = target;
  const unnamed = is_tree && capability === "fs:read" ? askedAsRepository(real ?? lexical) : undefined;
  if (unnamed !== undefined) return { ...need, ask_each_time: unnamed };
  const named = askedEachTime(lexical) ?? (real === null || real === lexical ? undefined : askedEachTime(real));
  const isKey = named === undefined && capability === "fs:read" && !is_tree && beginsAsKey(real ?? lexical);
  const why = isKey ? "a private key" : named;
  return why === undefined || isProjects(lexical, real, held) ? need : { ...need, ask_each_time: why };
}

/** How far a read of everything below a folder is looked through. Beyond it a file is read without being asked about by name. */
const SEARCH = { maxEntries: 8000, maxDepth: 8, skipped: SKIPPED_FOLDERS };
const MAX_FOUND = 20;

/** A need of its own for each such file that a read of a whole tree would reach. */
export function askedBelow(
  { capability, target, access, skips_hidden, but_in = [] }: ResolvedRequirement,
  held: HeldByGit,
): ResolvedRequirement[] {
  if (capability !== "fs:read" || target.kind !== "path" || !target.is_tree || access === "list") return [];
  const { lexical, real } = target;
  const root = real ?? lexical;
  const found: ResolvedRequirement[] = [];
  scanTree(root, SEARCH, ({ relative, name, is_folder }) => {
    const isHidden = () => /(?:^|\/)\./.test(relative) && !but_in.some((folder) => relative.startsWith(folder));
    const isSkipped = is_folder || (skips_hidden === true && isHidden());
    const there = below(root, relative);
    const isCandidate = !isSkipped && mayBeSecret(name, there.slice(0, -name.length - 1));
    const why = isCandidate ? askedEachTime(there) : undefined;
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
