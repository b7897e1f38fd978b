import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { foldedPath, isAtOrBelow, realForm } from "@metnos-gate/shell-reading/files";
import { GATE_COMMAND } from "@metnos-gate/shell-reading/gate-command";
import type { GatePaths } from "../../../ipc/base/paths.ts";
import type { ResolvedRequirement } from "../../targets/target.ts";
import { earlierStateOf } from "./snapshot-path.ts";

/** Paths of the gate's own files, for the guard. */
export interface ProtectedGatePaths {
  /** Folders and files of its data, absolute. */
  dataPaths: readonly string[];
  /** The one thing in them that an agent may talk to. */
  agent_socket: string;
  /** Folders and files of its program: an agent may read them, and change nothing at, below or above them. */
  programPaths: readonly string[];
}

/**
 * What the gate itself is made of. Its data (databases, tokens, configuration, logs, sockets) is neither read nor written by an
 * agent; its program (its folder, the hook in it, the Node it runs on, what starts it at login, what judges for it) is not written.
 */
export class GateFiles {
  /** Folders and single files, in their lexical and their real form. */
  readonly #data: readonly string[];
  readonly #foldedData: readonly string[];
  readonly #foldedProgram: readonly string[];
  /** What a command line would have to mention, absolute and below `~`. */
  readonly #mentions: readonly string[];
  /** The same, for the reading of command lines. */
  readonly protectedPaths: ProtectedGatePaths;

  /** @param programPaths where its program is; left out, where this very file is */
  constructor(paths: GatePaths, home: string, programPaths: readonly string[] = ownProgram()) {
    const lexical = dataPaths(paths);
    this.#data = withRealForms(lexical);
    const program = withRealForms([...programPaths, ...startPaths(paths, home), ...judgePrograms(paths, home)]);
    this.#foldedData = this.#data.map(foldedPath);
    this.#foldedProgram = program.map(foldedPath);
    this.protectedPaths = { dataPaths: this.#data, agent_socket: paths.agent_socket, programPaths: program };
    const belowHome = lexical.filter((path) => path.startsWith(`${home}/`)).map((path) => path.slice(home.length));
    this.#mentions = [
      ...new Set([...this.#data, ...belowHome.flatMap((path) => [`~${path}`, `$HOME${path}`, `\${HOME}${path}`])]),
    ];
  }

  /** True if `path` (absolute, normal) is of the gate's data or lies below it; `isAbove`: or is a folder above it. */
  contains(path: string, isAbove = false): boolean {
    const folded = foldedPath(path);
    return this.#foldedData.some((own) => isAtOrBelow(folded, own) || (isAbove && isAtOrBelow(own, folded)));
  }

  /** True if `path` is of the gate's program, lies below it or is a folder above it. */
  containsProgram(path: string, isWhole = true): boolean {
    const folded = foldedPath(path);
    return this.#foldedProgram.some((own) => isAtOrBelow(folded, own) || (isWhole && isAtOrBelow(own, folded)));
  }

  /** What of the gate a need would touch in a way that no agent may, as words, or undefined. */
  touchedBy({ capability, target }: ResolvedRequirement): string | undefined {
    if (target.kind !== "path") return undefined;
    const isWritten = capability === "fs:write";
    // A folder that is only made, or gets an entry, stays what it is.
    const isWhole = target.is_tree || (isWritten && target.is_folder !== true);
    for (const path of formsOf(target.lexical, target.real)) {
      // A folder above is replaced, moved or closed with all that lies below.
      if (this.contains(path, isWhole)) return "a path inside the gate's own folders, or a folder that holds them";
      if (isWritten && this.containsProgram(path, isWhole))
        return "a change of the gate's own program, or of a folder above it";
    }
    return undefined;
  }

  /** True if a command line names one of the gate's data folders in plain text. */
  isMentionedIn(command: string): boolean {
    return this.#mentions.some((own) => {
      for (let at = command.indexOf(own); at !== -1; at = command.indexOf(own, at + 1)) {
        // `metnos-notes` is another folder.
        if (!/[\w.-]/.test(command[at + own.length] ?? "")) return true;
      }
      return false;
    });
  }
}

function dataPaths(paths: GatePaths): string[] {
  const { receiptsDir, checkpointsDir } = paths;
  const folders = [paths.configDir, paths.state_dir, paths.auditDir, receiptsDir, checkpointsDir, paths.runtimeDir];
  // Also where one of them is a link: what it leads to is as good as the file.
  const files = [paths.grants_db, paths.approvals_db, paths.configFile, paths.policy_overrides, ...paths.keyFiles];
  return [...new Set([...folders, ...files])];
}

/**
 * What no box shows: the folders of its data, and the files that are elsewhere, by a link or by the user's configuration. Of what is in
 * one of the folders that is hidden with it nothing more is named.
 */
export function hiddenFromBoxes(paths: GatePaths): string[] {
  const all = dataPaths(paths).map((path) => realForm(path) ?? path);
  return [...new Set(all)].filter((path) => !all.some((other) => other !== path && isAtOrBelow(path, other)));
}

/** What systemd reads of a unit beside the unit itself: settings for it alone, for `metnos-*` and for each service. */
const DROP_INS = ["metnos-gate.service.d", "metnos-.service.d", "service.d"];

/** What starts the gate at login, whether it is there or not: whoever writes it starts another program in the gate's place. */
function startPaths({ autostartEntry, systemdUnit, launchAgent }: GatePaths, home: string): string[] {
  const [name, folder] = [basename(systemdUnit), dirname(systemdUnit)];
  // systemd may not know of the XDG variables that moved our folder.
  const own = [folder, join(home, ".config/systemd/user")];
  const unitFolders = new Set([
    ...own.flatMap((place) => [place, `${place}.control`]),
    join(home, ".local/share/systemd/user"),
  ]);
  const units = [...unitFolders].flatMap((place) => [name, ...DROP_INS].map((entry) => join(place, entry)));
  return [autostartEntry, launchAgent, ...units, join(folder, "default.target.wants", name)];
}

/** A path above the home would forbid every change in it: the configuration refuses such a command, which is no program either. */
function judgePrograms({ judgePrograms: programs }: GatePaths, home: string): string[] {
  return programs.filter((path) => !isAtOrBelow(home, path));
}

function withRealForms(paths: readonly string[]): string[] {
  return [...new Set(paths.flatMap((path) => [path, realForm(path) ?? path]))];
}

function formsOf(lexical: string, real: string | null): string[] {
  const earlier = earlierStateOf(real ?? lexical) ?? [];
  return (real === null || real === lexical ? [lexical] : [lexical, real]).concat(earlier);
}

/** The folder of this program (a checkout or an installed package), the packages it loads, and the Node that runs it. */
export function ownProgram(
  file: string = fileURLToPath(import.meta.url),
  env: Readonly<Record<string, string | undefined>> = process.env,
): string[] {
  const folder = productFolder(file);
  const above = dirname(folder);
  const paths = [folder, process.execPath];
  // In a checkout it may be a link; of an installed package the others lie beside it.
  const packages = join(folder, "node_modules");
  if (existsSync(packages)) paths.push(packages);
  if (/\/node_modules$/.test(above)) paths.push(above);
  // Of an installed app its archive is one file of several.
  if (folder.endsWith(".asar")) paths.push(dirname(above));
  for (const name of ["APPIMAGE", "METNOS_GATE_LAUNCHER"]) {
    const path = env[name];
    if (path?.startsWith("/")) paths.push(path);
  }
  return [...new Set(paths)];
}

/** The nearest folder above `file` that is this package's. In source and in a bundle it lies at another depth. */
export function productFolder(file: string = fileURLToPath(import.meta.url)): string {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    if (isPackage(join(folder, "package.json"))) return folder;
  }
  return dirname(file);
}

function isPackage(file: string): boolean {
  if (!existsSync(file)) return false;
  try {
    const found: unknown = JSON.parse(readFileSync(file, "utf8"));
    return typeof found === "object" && found !== null && "name" in found && found.name === GATE_COMMAND;
  } catch {
    return false; // another program's, or none
  }
}
