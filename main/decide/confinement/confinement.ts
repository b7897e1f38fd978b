import { basename, dirname, join } from "node:path";
import { pathTarget, reachOf } from "@metnos-gate/shell-reading";
import {
  following,
  isAtOrBelow,
  isFollowingOver,
  kindOf,
  linksOnWay,
  projectRoot,
  realForm,
  withScanLimit,
} from "@metnos-gate/shell-reading/files";
import { askedOutside } from "@metnos-gate/shell-reading/gate-command";
import { isGitPlanted } from "@metnos-gate/shell-reading/git";
import { programOf, programSearchOf, searchedBelow, workingDirectoryOf } from "@metnos-gate/shell-reading/programs";
import { shellWord } from "../../../ipc/base/shell-quoted.ts";
import type { UnconfinedReason } from "../../../ipc/contract/box.ts";
import type { Level } from "../../../ipc/contract/decision.ts";
import type { ProposedCall } from "../../../ipc/contract/wire.ts";
import { isLoopback } from "../../targets/host.ts";
import type { ResolvedRequirement } from "../../targets/target.ts";
import { namesOfCall } from "../description/named-danger.ts";
import type { Executor } from "../executors/catalog.ts";
import { COMMAND_ARGS, type CommandLine, type CommandLines } from "../executors/command-lines.ts";
import type { GuardSettings } from "../guard/guard.ts";
import { placeOf } from "../places/call-place.ts";
import { HeldByGit } from "../places/held-by-git.ts";
import type { Box } from "./box.ts";
import type { Declaration } from "./declaration.ts";
import { hazardsOf } from "./lost-work.ts";
import { isShellOnly, needsBox, programsOf } from "./needs-box.ts";
import { confinedProject, type Project, type ProjectPlace, projectAbove } from "./project.ts";
import { type Touched, touchedBy } from "./touched.ts";

/** What box does a command line get? What gets none is decided on as if there were none. */

export interface ConfinableCall {
  readonly call: ProposedCall;
  readonly executor: Executor;
  /** As the call states them. */
  readonly needs: readonly ResolvedRequirement[];
  readonly lines: CommandLines;
  readonly level: Level;
  /** The agent runs a call only as it is given back. */
  readonly can_confine: boolean;
  /** What the box shows that the whole agent runs in; undefined where it runs in none. */
  readonly agentBox?: Declaration | undefined;
  readonly settings: Pick<GuardSettings, "home" | "env" | "gateFiles"> & { readonly box?: Box | undefined };
  /** Also where it is clear what it needs: the user's own wish. */
  readonly evenClear?: boolean | undefined;
  /** See `ProjectPlace`. */
  grantedFolder(folder: string): string | undefined;
  /** True where reading all below this folder is allowed without asking. */
  mayRead(folder: string): boolean;
}

/** A call that is decided on as a confined one. */
export interface Confinement {
  reason: null;
  declaration: Declaration;
  /** What is run: a shell's command line. Null where the whole agent is confined: then it runs as it is. */
  line: string | null;
  /** What its box lets through, in place of what it would be. */
  needs: readonly ResolvedRequirement[];
}

export interface NotConfined {
  reason: UnconfinedReason;
  /** What the reason is about, such as a program's name or a path; may be empty. */
  about: string;
  /** What it is decided on in place of what it states. */
  needs?: readonly ResolvedRequirement[];
}

/** Longer ones can't be passed on, in bytes. */
const MAX_LINE = 100 * 1024;

const not = (reason: UnconfinedReason, about = ""): NotConfined => ({ reason, about });

/** Reads the disk, changes nothing. */
export function confinementOf(x: ConfinableCall): Confinement | NotConfined {
  const { settings, needs, executor } = x;
  if (x.agentBox !== undefined) return withinAgentBox(x, x.agentBox);
  if (settings.box?.is_available !== true) return not("unavailable");
  if (!x.can_confine) return not("agent-cannot");
  const line = commandLineOf(x);
  if (line === null) return not("no-command", executor.manifest.name);
  const text = runnableText(line, x.call);
  const isClear = !needs.some(({ capability }) => capability === "code:exec");
  if (text === null) {
    const unusable = not("unusable-line", line.reading.unread ?? "");
    return isClear ? asItIs(x, unusable) : unusable;
  }
  if (line.reading.commands.some(({ name, argv }) => askedOutside(name, argv) !== null)) return not("asked-for");
  if (isClear && x.evenClear !== true) return heldToNeeds(x, line, text);
  const looking = isClear ? null : followed(() => lookingBox(x, line, text));
  if (looking !== null) return looking;
  if (x.level === "ReadOnly") return not("level");
  const found = followed(() => confinementOfLine(x, line, text, settings.box?.has_network === true));
  return found ?? not("leaves-the-box", SLOW_PATH);
}

const SLOW_PATH = "a path that takes too long to be followed";

/** Null where a line's paths take too long to be followed: what else it shows or changes wouldn't be known. */
function followed<T>(look: () => T): T | null {
  return withScanLimit(() => {
    const found = look();
    return isFollowingOver() ? null : found;
  });
}

/** A clear line is decided on by what it needs, and its box has that alone. */
function heldToNeeds(x: ConfinableCall, line: CommandLine, text: string): Confinement | NotConfined {
  const { call, needs, settings } = x;
  const { commands } = line.reading;
  if (isShellOnly(commands)) return not("clear");
  const cwd = workingDirectoryOf(call, settings.home);
  if (cwd === undefined) return asItIs(x, not("clear", "a folder that isn't known"));
  const { repositoryChange: changes, objects } = reachOf(line.reading, settings.home);
  // What isn't git itself could write anything into the settings.
  if (changes !== null && !isOwnGit(x, cwd)) return asItIs(x, not("clear", changes));
  const found = needsBox(needs, commands, {
    ...projectPlace(x),
    cwd,
    mayRead: (folder) => x.mayRead(folder),
    isTooLarge: (project) => settings.box?.isTooLarge?.(project) === true,
    changes_settings: changes !== null,
  });
  if ("as_is" in found)
    return (found.fetches ? fetchedInBox(x, line, text) : null) ?? asItIs(x, not("clear", found.as_is), found.isAsked);
  const { declaration } = found;
  if (objects === "hidden")
    return { reason: null, declaration: { ...declaration, hides_objects: true }, line: text, needs };
  const project = objects === "asked" ? (confinedProject(cwd, projectPlace(x)) ?? projectRead(x)) : null;
  return {
    reason: null,
    declaration,
    line: text,
    needs: project === null ? needs : [...needs, objectsOf(project, settings.home)],
  };
}

/** The first repository that a line reads in, from a folder that is no project. */
function projectRead({ needs, settings: { home } }: ConfinableCall): Pick<Project, "root" | "repository"> | null {
  for (const { capability, target } of needs) {
    if (capability !== "fs:read" || target.kind !== "path") continue;
    const root = projectRoot(target.real ?? target.lexical, home);
    if (root !== null) return { root, repository: null };
  }
  return null;
}

/**
 * What is fetched into a project, and nothing more: in the project's box, as a host may answer late, and any later command exchange the file.
 * Null where it would be too much there: who may fetch from a host doesn't send by that.
 */
function fetchedInBox(x: ConfinableCall, line: CommandLine, text: string): Confinement | null {
  const sends = x.needs.some(({ target }) => target.kind === "host" && target.sends === true);
  if (sends || x.level === "ReadOnly" || x.settings.box?.has_network !== true) return null;
  const found = followed(() => confinementOfLine(x, line, text, true));
  return found?.reason === null ? found : null;
}

/** A shell finds git where no agent may write. */
function isOwnGit({ call, settings: { home } }: ConfinableCall, cwd: string): boolean {
  const search = programSearchOf(call, home);
  return search !== undefined && !isGitPlanted(search, cwd);
}

/** What git runs by a repository's settings would be outside of the box with it. */
const BESIDE_GIT = "what git's line writes outside of its project";

/**
 * What no box holds was looked at before it runs: a confined command that runs meanwhile could put a link, a hook or other settings in its
 * way, or a program on its shell's PATH, and so get out of its own box. So it is asked about each time where one may begin; for a program,
 * where one runs. Names alone may be listed.
 * @param isAsked what it writes is asked about each time, wherever that is
 */
function asItIs(x: ConfinableCall, why: NotConfined, isAsked = false): NotConfined {
  const { box } = x.settings;
  const needs = [...plantable(x), ...x.needs];
  const place = projectPlace(x);
  const isChangeable = (path: string, { root }: Project) =>
    box?.isTooLarge?.(root) !== true || box.isBeingChanged?.(path) === true;
  const folders = new Map<string, Project | null | undefined>();
  const projectOf = (folder: string) => {
    if (!folders.has(folder)) folders.set(folder, projectAbove(folder, place));
    return folders.get(folder);
  };
  const mayChange = (path: string) => {
    const project = projectOf(dirname(path)) ?? (isFollowingOver() ? undefined : confinedProject(path, place));
    return project === undefined || (project !== null && isChangeable(path, project));
  };
  const asked = (need: ResolvedRequirement): ResolvedRequirement => {
    const { capability, target, access, ask_each_time } = need;
    if (isAsked && capability === "fs:write") return { ...need, ask_each_time: ask_each_time ?? BESIDE_GIT };
    if (target.kind !== "path" || access === "list" || ask_each_time !== undefined) return need;
    const { lexical, real } = target;
    const links = lexical === real ? [] : following(lexical, () => linksOnWay(lexical));
    return links === null || [...new Set([lexical, real ?? lexical, ...links])].some(mayChange)
      ? { ...need, ask_each_time: "what a confined command may exchange before it is used" }
      : need;
  };
  return { ...why, needs: withScanLimit(() => needs.map(asked)) };
}

/** Why one of its programs may be another. */
const PLANTED = "a program that a confined command may put on its PATH";
const BY_FILES = "a program for which a project's files say what it runs";

/** That it runs code, where one of its programs may be another one's by the time that it is started, or what a hostile project names. */
function plantable(x: ConfinableCall): ResolvedRequirement[] {
  const { call, settings, needs } = x;
  const { box, home } = settings;
  const line = commandLineOf(x);
  const search = programSearchOf(call, home);
  if (line === null || search === undefined || needs.some(({ capability }) => capability === "code:exec")) return [];
  const programs = programsOf(line.reading.commands);
  const names = [...new Set(programs.flatMap((name) => [name, ...programOf(name).looksUp]))];
  const cwds = new Set([workingDirectoryOf(call, home) ?? null, ...line.reading.commands.map(({ cwd }) => cwd)]);
  const isChanging = (path: string) => box?.isBeingChanged?.(path) === true;
  const isOpen = names.some((name) => [...cwds].some((cwd) => search.mayBePlanted(name, cwd, isChanging)));
  const why = isOpen ? PLANTED : names.some((name) => search.isShim(name)) ? BY_FILES : undefined;
  if (why === undefined) return [];
  return [{ capability: "code:exec", target: { kind: "exact", value: line.text }, ask_each_time: why }];
}

/** The box of a line that only looks at its project; null where it does more, or isn't known to do less. */
function lookingBox(x: ConfinableCall, line: CommandLine, text: string): Confinement | null {
  const { call, needs, settings } = x;
  const { home, env, gateFiles } = settings;
  const reach = reachOf(line.reading, home);
  if (!reach.onlyLooks) return null;
  const cwd = workingDirectoryOf(call, home);
  const project = cwd === undefined ? null : confinedProject(cwd, projectPlace(x));
  if (cwd === undefined || project === null || settings.box?.isTooLarge?.(project.root) === true) return null;
  const touched = touchedBy(needs, reach.commands, project, { home, cwd, env, gateFiles });
  if ("leaves" in touched) return null;
  const repository = project.repository === null ? [] : [project.repository];
  const asked = reach.objects === "asked" ? [objectsOf(project, home)] : [];
  const declaration = {
    kind: "looking" as const,
    ...(reach.objects === "hidden" ? { hides_objects: true as const } : {}),
    project: project.root,
    cwd,
    reads: [project.root, ...repository, ...touched.reads].sort(),
    writes: [],
    network: false,
    programs: programsOf(line.reading.commands),
  };
  return {
    reason: null,
    declaration,
    line: text,
    needs: boxNeeds(declaration, [...touched.needs, ...asked], needs, home),
  };
}

/** What a program beside git may read of its objects, as it may read anything in the project. */
function objectsOf({ root, repository }: Pick<Project, "root" | "repository">, home: string): ResolvedRequirement {
  const target = pathTarget(join(repository ?? join(root, ".git"), "objects"), home, undefined, true);
  return { capability: "fs:read", target, ask_each_time: "what Git holds under no name" };
}

const projectPlace = ({ settings: { home, env, gateFiles }, ...x }: ConfinableCall): ProjectPlace => ({
  home,
  env,
  gateFiles,
  grantedFolder: (folder) => x.grantedFolder(folder),
});

/**
 * A command line of an agent that runs in a box as a whole, and its commands with it. What isn't a shell's may run elsewhere (a provider's
 * own tools, a connector), so it isn't among them; nor what would destroy work.
 */
function withinAgentBox(x: ConfinableCall, declaration: Declaration): Confinement | NotConfined {
  const { call, needs, settings, executor, level } = x;
  if (level === "ReadOnly") return not("level");
  const line = commandLineOf(x);
  if (line === null) return not("no-command", executor.manifest.name);
  if (runnableText(line, call) === null) return not("unusable-line", line.reading.unread ?? "");
  if (!needs.some(({ capability }) => capability === "code:exec")) return not("clear");
  const { home, env } = settings;
  const found = followed(() => hazardsOf(line, namesIn(x), placeOf(call, home, env), new HeldByGit(home)));
  if (found === null) return not("leaves-the-box", SLOW_PATH);
  if (found.loses !== null) return not("destroys-work", found.loses);
  return { reason: null, declaration, line: null, needs: boxNeeds(declaration, [], needs, home) };
}

const namesIn = ({ call, settings, lines }: ConfinableCall) => namesOfCall(call, settings, lines);

function confinementOfLine(
  x: ConfinableCall,
  line: CommandLine,
  text: string,
  hasNetwork: boolean,
): Confinement | NotConfined {
  const { call, needs, settings } = x;
  const { home, env, gateFiles } = settings;
  const cwd = workingDirectoryOf(call, home);
  const project = cwd === undefined ? null : confinedProject(cwd, projectPlace(x));
  if (cwd === undefined || project === null) return not("no-project", call.context?.cwd ?? "");
  if (settings.box?.isTooLarge?.(project.root) === true) return not("project-too-large", project.root);
  const hazards = hazardsOf(line, namesIn(x), placeOf(call, home, env), new HeldByGit(home));
  const reach = reachOf(line.reading, home);
  const machine = reach.machine ?? hazards.reachesOut;
  if (machine !== null) return not("outside-by-nature", machine);
  const mayAdd = project.repository === null && cwd === project.root && isOwnGit(x, cwd);
  const adds = mayAdd ? reach.submoduleAdded : null;
  const fetches = reach.fetcher ?? hazards.fetches ?? hostOf(needs) ?? adds;
  if (fetches !== null && !hasNetwork) return not("outside-by-nature", fetches);
  const stays = reach.leftBehind;
  if (stays !== null) return not("background", stays);
  const touched = touchedBy(needs, reach.commands, project, { home, cwd, env, gateFiles });
  const leaves =
    "leaves" in touched
      ? touched.leaves
      : ((adds === null ? reach.repositoryChange : null) ?? (reach.hasBackground ? null : localHost(needs)));
  if ("leaves" in touched || leaves !== null) return not("leaves-the-box", leaves ?? "");
  if (hazards.loses !== null) return not("destroys-work", hazards.loses);
  const packages = linkedPackages(project.root, cwd, home);
  const searched = searchedBelow(call.context ?? {}, cwd, home, [project.root]);
  const declaration = {
    ...declared(project, cwd, [...touched.reads, ...packages.reads], fetches !== null),
    ...(searched.length > 0 ? { searched } : {}),
    ...(adds !== null ? { changes_settings: [".git/config", ".gitmodules"].map((name) => join(cwd, name)) } : {}),
  };
  const asked = boxNeeds(declaration, [...touched.needs, ...packages.needs], needs, home);
  return { reason: null, declaration, line: text, needs: asked };
}

function declared(project: Project, cwd: string, reads: readonly string[], network: boolean): Declaration {
  return {
    project: project.root,
    cwd,
    reads: [...reads].sort(),
    writes: project.repository === null ? [] : [project.repository],
    network,
  };
}

/** The one command line that the call's shell would run; null where there is none, or it isn't sure which. */
function commandLineOf({ call, executor: { manifest }, lines }: ConfinableCall): CommandLine | null {
  const args = manifest.needs.flatMap(({ capability, target }) =>
    capability === "code:exec" && target.from === "command" && target.is_shell === true ? target.args : [],
  );
  const given = COMMAND_ARGS.filter((name) => call.args[name] !== undefined);
  const [arg] = given;
  if (arg === undefined || given.length > 1 || !args.includes(arg)) return null;
  return lines.all.find((line) => line.arg === arg) ?? null;
}

/** As a shell takes it; null for a line that couldn't be read whole, or passed on. */
function runnableText({ arg, text, is_list, reading }: CommandLine, { args }: ProposedCall): string | null {
  if (reading.unread !== null) return null;
  const value = args[arg];
  const line = is_list && Array.isArray(value) ? value.map((word) => shellWord(String(word))).join(" ") : text;
  const isUsable = line.trim() !== "" && line.isWellFormed() && !line.includes("\0");
  return isUsable && Buffer.byteLength(line) <= MAX_LINE ? line : null;
}

/** This machine, by whatever name. */
const isLocal = (host: string): boolean => isLoopback(host) || host.endsWith(".localhost") || host === "0.0.0.0";

/** A host elsewhere that the line is known to ask. */
function hostOf(needs: readonly ResolvedRequirement[]): string | null {
  for (const { capability, target } of needs)
    if (capability === "network:http" && target.kind === "host" && !isLocal(target.host)) return target.host;
  return null;
}

/** A server on this machine that the line asks: a box has a loopback device of its own. */
function localHost(needs: readonly ResolvedRequirement[]): string | null {
  for (const { capability, target } of needs)
    if (capability === "network:http" && target.kind === "host" && isLocal(target.host)) return target.host;
  return null;
}

/**
 * What a confined call needs: what its box lets through, whatever the program is. The agent's own words can still add a need, and
 * what is asked about by name stays. Hosts aren't among them: each is asked about when it is reached.
 * @param reads the needs that ask for what it reads beside the project
 * @param stated the call's own
 */
function boxNeeds(
  { kind, project, writes, network }: Declaration,
  reads: readonly ResolvedRequirement[],
  stated: readonly ResolvedRequirement[],
  home: string,
): ResolvedRequirement[] {
  const tree = (capability: "fs:read" | "fs:write", folder: string): ResolvedRequirement => ({
    capability,
    target: pathTarget(folder, home, undefined, true),
  });
  const others = stated.filter(({ capability, target, ask_each_time, beyond_grants }) => {
    if (capability === "fs:read" || capability === "fs:write")
      return ask_each_time !== undefined || beyond_grants !== undefined;
    if (capability === "network:http") return !network && target.kind !== "host";
    return capability !== "code:exec";
  });
  const all = [
    ...[project, ...writes].flatMap((folder) =>
      kind === "looking" ? [tree("fs:read", folder)] : [tree("fs:read", folder), tree("fs:write", folder)],
    ),
    ...reads,
    ...others,
  ];
  return [...new Map(all.map((need) => [JSON.stringify(need), need])).values()];
}

// Packages that a project shares with another one by a link, as worktrees often do.

const PACKAGES = "node_modules";

/**
 * What of them is to be read, each folder by a need of its own: whoever may write in the project may have made the link. Nothing where
 * it leads to anything but another project's packages.
 * @param root of the project; absolute and real
 * @param cwd in it
 */
function linkedPackages(root: string, cwd: string, home: string): Extract<Touched, { reads: unknown }> {
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
