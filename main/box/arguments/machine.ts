import { existsSync } from "node:fs";
import { join } from "node:path";
import { isAtOrBelow, realForm } from "@metnos-gate/shell-reading/files";
import type { Env } from "../../../ipc/base/paths.ts";
import { isProgram } from "../../base/files/is-program.ts";
import type { Config } from "../../config/index.ts";
import { CERTIFICATE_VARIABLES } from "../../decide/confinement/environment.ts";
import { type Maker, makerAt, ownMaker } from "../maker.ts";
import { nodeForBox } from "../node.ts";
import { type Caches, type Covers, cachesFor, makeCovers } from "./caches.ts";
import { type SystemFolders, systemFolders } from "./system-folders.ts";
import { findToolchains, type Toolchains } from "./toolchains.ts";
import { isNeverShown } from "./unusable-places.ts";

/** What a box is made of on this machine, found once; nothing in it depends on a project. */

export interface Machine {
  /** What makes boxes here: the first with which the probe passes does. */
  readonly makers: readonly Maker[];
  /** Absolute, or null. */
  readonly bash: string | null;
  /** As the user names it, and its real path. */
  readonly home: string;
  readonly homeReal: string;
  readonly uid: number;
  /** The gate's folder for boxes. */
  readonly boxFolder: string;
  /** The gate's own files: never in a box, whatever a declaration names. Real paths. */
  readonly gateFolders: readonly string[];
  readonly system: SystemFolders;
  readonly toolchains: Toolchains;
  /** Files and folders of certificates that variables name, and what the configuration lets every box read. */
  readonly reads: readonly string[];
  readonly caches: Caches;
  readonly covers: Covers;
  /** For the gate's own programs inside, absolute; null where there is none. */
  readonly node: string | null;
  readonly settings: Config["box"];
  /** Of the gate: git's settings are read with it. */
  readonly env: Env;
}

export interface MachineOptions {
  env: Env;
  home: string;
  config: Config["box"];
  /** The gate's state folder. */
  state_dir: string;
  /** Other folders and files of the gate: its settings, its trail, its sockets. */
  gateFolders?: readonly string[];
}

/** Finds it; cheap enough to be found again when something was installed. @throws the system's error where the gate's folder can't be made */
export function findMachine({ env, home, config, state_dir, gateFolders = [] }: MachineOptions): Machine {
  const boxFolder = join(state_dir, "box");
  const covers = makeCovers(boxFolder);
  const system = systemFolders();
  const shown = [...system.folders, ...system.links.map(({ path }) => realOf(path))];
  const caches = cachesFor(env, home);
  const toolchains = findToolchains(env, home, { shown, kept: [caches.at, ...caches.links.map(({ path }) => path)] });
  const isSeen = (path: string) => [...shown, ...toolchains.paths].some((folder) => isAtOrBelow(path, folder));
  const homeReal = realOf(home);
  const own = [...new Set([state_dir, ...gateFolders].map(realOf))];
  const mayBeShown = (path: string) =>
    isThere(path) && !isSeen(realOf(path)) && !isNeverShown(realOf(path), { homeReal, gateFolders: own });
  const certificates = CERTIFICATE_VARIABLES.map((name) => env[name] ?? "").filter((path) => path.startsWith("/"));
  const reads = [...certificates, ...config.reads].filter(mayBeShown);
  return {
    makers: [ownMaker(boxFolder), findBubblewrap()].filter((maker) => maker !== null),
    bash: USUAL_FOLDERS.map((folder) => join(folder, "bash")).find(isProgram) ?? null,
    home,
    homeReal,
    uid: process.getuid?.() ?? 0,
    boxFolder,
    gateFolders: own,
    system,
    toolchains,
    reads,
    caches,
    covers,
    node: nodeForBox(env),
    settings: config,
    env,
  };
}

/** Where no agent installs programs: others that are on the gate's PATH may be a project's, as an activated environment's are. */
const USUAL_FOLDERS = ["/usr/bin", "/bin", "/usr/local/bin", "/run/current-system/sw/bin"];

function findBubblewrap(): Maker | null {
  const path = USUAL_FOLDERS.map((folder) => join(folder, "bwrap")).find(isProgram);
  return path === undefined ? null : makerAt(path, "bubblewrap");
}

const isThere = (path: string): boolean => existsSync(path);

const realOf = (path: string): string => realForm(path) ?? path;
