import type { UnconfinedReason } from "../../../ipc/box.ts";
import type { Level } from "../../../ipc/decision.ts";
import { shellWord } from "../../../ipc/shell-quoted.ts";
import type { ProposedCall } from "../../../ipc/wire.ts";
import { placeOf } from "../description/call-place.ts";
import { HeldByGit } from "../description/held-by-git.ts";
import type { Executor } from "../executors/catalog.ts";
import { COMMAND_ARGS, type CommandLine, type CommandLines } from "../executors/command-lines.ts";
import { workingDirectoryOf } from "../guard/call-environment.ts";
import type { GuardSettings } from "../guard/guard.ts";
import { asksForOutside } from "../programs/gate-command.ts";
import { isLoopback } from "../targets/host.ts";
import type { ResolvedRequirement } from "../targets/target.ts";
import { withScanLimit } from "../targets/tree-scan.ts";
import type { Box } from "./box.ts";
import { boxNeeds } from "./box-needs.ts";
import type { Declaration } from "./declaration.ts";
import { linkedPackages } from "./linked-packages.ts";
import { onlyLooks } from "./looking.ts";
import { hazardsOf } from "./lost-work.ts";
import { isShellOnly, needsBox, programsOf } from "./needs-box.ts";
import {
  certainCommands,
  changingRepository,
  fetching,
  hasBackground,
  needingTheMachine,
  stayingBehind,
} from "./processes.ts";
import { confinedProject, type Project, type ProjectPlace } from "./project.ts";
import { touchedBy } from "./touched.ts";

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
  readonly agent_box?: Declaration | undefined;
  readonly settings: Pick<GuardSettings, "home" | "env" | "gate_files"> & { readonly box?: Box | undefined };
  /** Also where it is clear what it needs: the user's own wish. */
  readonly even_clear?: boolean | undefined;
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
}

/** Longer ones can't be passed on, in bytes. */
const MAX_LINE = 100 * 1024;

const not = (reason: UnconfinedReason, about = ""): NotConfined => ({ reason, about });

/** Reads the disk, changes nothing. */
export function confinementOf(x: ConfinableCall): Confinement | NotConfined {
  const { settings, needs, executor } = x;
  if (x.agent_box !== undefined) return withinAgentBox(x, x.agent_box);
  if (settings.box?.is_available !== true) return not("unavailable");
  if (!x.can_confine) return not("agent-cannot");
  const line = commandLineOf(x);
  if (line === null) return not("no-command", executor.manifest.name);
  const text = runnableText(line, x.call);
  if (text === null) return not("unusable-line", line.reading.unread ?? "");
  if (asksForOutside(line.reading.commands)) return not("asked-for");
  const is_clear = !needs.some(({ capability }) => capability === "code:exec");
  if (is_clear && x.even_clear !== true) return heldToNeeds(x, line, text);
  const looking = is_clear ? null : withScanLimit(() => lookingBox(x, line, text));
  if (looking !== null) return looking;
  if (x.level === "ReadOnly") return not("level");
  return withScanLimit(() => confinementOfLine(x, line, text, settings.box?.has_network === true));
}

/** A clear line is decided on by what it needs, and its box has that alone. */
function heldToNeeds(x: ConfinableCall, line: CommandLine, text: string): Confinement | NotConfined {
  const { call, needs, settings } = x;
  const { commands } = line.reading;
  if (isShellOnly(commands)) return not("clear");
  const cwd = workingDirectoryOf(call, settings.home);
  if (cwd === undefined) return not("clear");
  // In a box a repository's settings stay as they are.
  const settings_changed = changingRepository(line, settings.home);
  if (settings_changed !== null) return not("clear", settings_changed);
  const found = needsBox(needs, commands, {
    ...projectPlace(x),
    cwd,
    mayRead: (folder) => x.mayRead(folder),
    isTooLarge: (project) => settings.box?.isTooLarge?.(project) === true,
  });
  if ("as_is" in found) return not("clear", found.as_is);
  return { reason: null, declaration: found.declaration, line: text, needs };
}

/** The box of a line that only looks at its project; null where it does more, or isn't known to do less. */
function lookingBox(x: ConfinableCall, line: CommandLine, text: string): Confinement | null {
  const { call, needs, settings } = x;
  const { home, env, gate_files } = settings;
  if (!onlyLooks(line)) return null;
  const cwd = workingDirectoryOf(call, home);
  const project = cwd === undefined ? null : confinedProject(cwd, projectPlace(x));
  if (cwd === undefined || project === null || settings.box?.isTooLarge?.(project.root) === true) return null;
  const touched = touchedBy(needs, certainCommands(line), project, { home, cwd, env, gate_files });
  if ("leaves" in touched) return null;
  const repository = project.repository === null ? [] : [project.repository];
  const declaration = {
    kind: "looking" as const,
    project: project.root,
    cwd,
    reads: [project.root, ...repository, ...touched.reads].sort(),
    writes: [],
    network: false,
    programs: programsOf(line.reading.commands),
  };
  return { reason: null, declaration, line: text, needs: boxNeeds(declaration, touched.needs, needs, home) };
}

const projectPlace = ({ settings: { home, env, gate_files }, ...x }: ConfinableCall): ProjectPlace => ({
  home,
  env,
  gate_files,
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
  const { loses } = withScanLimit(() => hazardsOf(line, placeOf(call, home, env), new HeldByGit(home)));
  if (loses !== null) return not("destroys-work", loses);
  return { reason: null, declaration, line: null, needs: boxNeeds(declaration, [], needs, home) };
}

function confinementOfLine(
  x: ConfinableCall,
  line: CommandLine,
  text: string,
  has_network: boolean,
): Confinement | NotConfined {
  const { call, needs, settings } = x;
  const { home, env, gate_files } = settings;
  const cwd = workingDirectoryOf(call, home);
  const project = cwd === undefined ? null : confinedProject(cwd, projectPlace(x));
  if (cwd === undefined || project === null) return not("no-project", call.context?.cwd ?? "");
  if (settings.box?.isTooLarge?.(project.root) === true) return not("project-too-large", project.root);
  const hazards = hazardsOf(line, placeOf(call, home, env), new HeldByGit(home));
  const machine = needingTheMachine(line, home) ?? hazards.reaches_out;
  if (machine !== null) return not("outside-by-nature", machine);
  const fetches = fetching(line, home) ?? hazards.fetches ?? hostOf(needs);
  if (fetches !== null && !has_network) return not("outside-by-nature", fetches);
  const stays = stayingBehind(line);
  if (stays !== null) return not("background", stays);
  const touched = touchedBy(needs, certainCommands(line), project, { home, cwd, env, gate_files });
  const leaves = "leaves" in touched ? touched.leaves : (changingRepository(line, home) ?? localHost(line, needs));
  if ("leaves" in touched || leaves !== null) return not("leaves-the-box", leaves ?? "");
  if (hazards.loses !== null) return not("destroys-work", hazards.loses);
  const packages = linkedPackages(project.root, cwd, home);
  const declaration = declared(project, cwd, [...touched.reads, ...packages.reads], fetches !== null);
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
  const is_usable = line.trim() !== "" && line.isWellFormed() && !line.includes("\0");
  return is_usable && Buffer.byteLength(line) <= MAX_LINE ? line : null;
}

/** This machine, by whatever name. */
const isLocal = (host: string): boolean => isLoopback(host) || host.endsWith(".localhost") || host === "0.0.0.0";

/** A host elsewhere that the line is known to ask. */
function hostOf(needs: readonly ResolvedRequirement[]): string | null {
  for (const { capability, target } of needs)
    if (capability === "network:http" && target.kind === "host" && !isLocal(target.host)) return target.host;
  return null;
}

/** A server on this machine that the line asks, and hasn't started itself: a box has a loopback device of its own. */
function localHost(line: CommandLine, needs: readonly ResolvedRequirement[]): string | null {
  if (hasBackground(line)) return null;
  for (const { capability, target } of needs)
    if (capability === "network:http" && target.kind === "host" && isLocal(target.host)) return target.host;
  return null;
}
