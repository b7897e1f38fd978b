import { type Dirent, lstatSync, readdirSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { segmentsOf } from "@metnos-gate/shell-reading";
import { askedEachTime, isAtOrBelow, linksOnWay } from "@metnos-gate/shell-reading/files";
import type { Env } from "../../../ipc/base/paths.ts";
import { holdsSecrets, protectedPath } from "../../decide/places/protected-paths.ts";
import { readLinks } from "./links.ts";
import type { Link } from "./system-folders.ts";

/** Programs that a user installed outside the system's folders: found by PATH, by where its links lead, and by the known roots. */

export interface Toolchains {
  /** Files and folders to show read-only, real, none below another. */
  readonly paths: readonly string[];
  /** Links on the way to PATH's folders, such as a version manager's `current`. */
  readonly links: readonly Link[];
}

interface KnownRoot {
  /** The variable that moves it. */
  variable: string | null;
  /** Below the home. */
  usual: string;
  /** What of it is shown; left out: all of it. */
  parts?: readonly string[];
}

const KNOWN_ROOTS: readonly KnownRoot[] = [
  { variable: "NVM_DIR", usual: ".nvm" },
  { variable: "NVM_DIR", usual: ".config/nvm" },
  { variable: "FNM_DIR", usual: ".local/share/fnm" },
  { variable: "VOLTA_HOME", usual: ".volta" },
  { variable: "N_PREFIX", usual: "n", parts: ["bin", "lib", "n", "include", "share"] },
  { variable: "NODENV_ROOT", usual: ".nodenv" },
  { variable: "PNPM_HOME", usual: ".local/share/pnpm" },
  { variable: null, usual: ".npm-global", parts: ["bin", "lib"] },
  { variable: null, usual: ".local/lib" },
  { variable: "BUN_INSTALL", usual: ".bun", parts: ["bin", "install/global"] },
  { variable: "DENO_INSTALL", usual: ".deno", parts: ["bin"] },
  { variable: "ASDF_DATA_DIR", usual: ".asdf" },
  { variable: "ASDF_DIR", usual: ".asdf" },
  { variable: null, usual: ".tool-versions" },
  { variable: "MISE_DATA_DIR", usual: ".local/share/mise" },
  { variable: "RUSTUP_HOME", usual: ".rustup" },
  // Never `credentials.toml`, nor settings that may hold a registry's token.
  { variable: "CARGO_HOME", usual: ".cargo", parts: ["bin"] },
  { variable: "PYENV_ROOT", usual: ".pyenv" },
  { variable: "UV_PYTHON_INSTALL_DIR", usual: ".local/share/uv" },
  { variable: "PIPX_HOME", usual: ".local/share/pipx" },
  { variable: "PIPX_HOME", usual: ".local/pipx" },
  { variable: null, usual: ".local/share/pypoetry/venv" },
  { variable: "CONDA_ROOT", usual: "miniconda3" },
  { variable: "CONDA_ROOT", usual: "anaconda3" },
  { variable: "MAMBA_ROOT_PREFIX", usual: "miniforge3" },
  { variable: "MAMBA_ROOT_PREFIX", usual: "micromamba" },
  { variable: "GOROOT", usual: ".local/go" },
  { variable: "GOENV_ROOT", usual: ".goenv" },
  { variable: null, usual: "sdk" },
  { variable: "GOPATH", usual: "go", parts: ["bin"] },
  {
    variable: "DOTNET_ROOT",
    usual: ".dotnet",
    parts: ["dotnet", "sdk", "shared", "host", "packs", "templates", "library-packs", "sdk-manifests", "tools"],
  },
  { variable: "SDKMAN_DIR", usual: ".sdkman" },
  { variable: "JENV_ROOT", usual: ".jenv" },
  { variable: "JAVA_HOME", usual: ".jdk" },
  { variable: "RBENV_ROOT", usual: ".rbenv" },
  { variable: null, usual: ".rvm" },
  { variable: "ANDROID_HOME", usual: "Android/Sdk" },
  // Never `var`, where its services keep their data.
  {
    variable: "HOMEBREW_PREFIX",
    usual: ".linuxbrew",
    parts: ["bin", "sbin", "lib", "Cellar", "opt", "etc", "include", "share", "Homebrew", "Library"],
  },
  { variable: "PERL_LOCAL_LIB_ROOT", usual: "perl5" },
  { variable: "GHCUP_INSTALL_BASE_PREFIX", usual: ".ghcup" },
  { variable: "JULIAUP_DEPOT_PATH", usual: ".juliaup" },
];

/** Beside a `bin` folder these belong to the same installation. */
const BESIDE_BIN = [
  ...["bin", "sbin", "lib", "lib32", "lib64", "libexec", "share", "include", "conf", "jmods", "release", "pyvenv.cfg"],
  ...["etc", "packages", "version", "conda-meta", "pkgs", "boot", "plugins", "jbr"],
];

/** A folder of programs is read to find where its links lead; one with more entries isn't one. */
const MAX_PROGRAMS = 4096;

interface Around {
  /** Real folders that every box shows already. */
  shown: readonly string[];
  /** Folders that are a project's own in its box, and that its runs may change: nothing is shown in them. */
  kept: readonly string[];
}

/** Finds them. */
export function findToolchains(env: Env, home: string, around: Around): Toolchains {
  const found = new Found(realOf(home) ?? home, around);
  for (const { variable, usual, parts } of KNOWN_ROOTS) {
    const moved = variable === null ? undefined : env[variable];
    for (const root of new Set([join(home, usual), moved?.split(":")[0] ?? ""])) {
      if (!root.startsWith("/")) continue;
      for (const path of parts === undefined ? [root] : parts.map((part) => join(root, part))) found.add(path);
    }
  }
  const links: string[] = [];
  for (const folder of new Set([join(home, ".local/bin"), join(home, "bin"), ...(env.PATH ?? "").split(":")])) {
    // A relative entry, or one of a project's, is as good as not there.
    if (!folder.startsWith("/") || basename(dirname(folder)) === "node_modules") continue;
    if (found.addPrograms(folder)) links.push(...linksOnWay(folder));
  }
  return { paths: found.paths(), links: readLinks(links) };
}

class Found {
  readonly #home: string;
  readonly #shown: readonly string[];
  readonly #kept: readonly string[];
  readonly #paths = new Set<string>();

  constructor(home: string, { shown, kept }: Around) {
    this.#home = home;
    this.#shown = shown;
    this.#kept = kept;
  }

  /** None of them below another. */
  paths(): string[] {
    const outer: string[] = [];
    for (const path of [...this.#paths].sort()) {
      if (!outer.some((other) => isAtOrBelow(path, other))) outer.push(path);
    }
    return outer;
  }

  /** @returns whether it is shown now */
  add(path: string): boolean {
    const real = realOf(path);
    if (real === undefined) return false;
    if (this.#isShown(real)) return true;
    if (!this.#mayBeShown(real)) return false;
    this.#paths.add(real);
    return true;
  }

  /** A folder of programs, what belongs to its installation, and where its links lead. */
  addPrograms(folder: string): boolean {
    const real = realOf(folder);
    if (real === undefined) return false;
    if (this.#isSystem(real)) return true;
    if (!this.#addInstallation(real)) return false;
    for (const entry of entriesOf(real)) if (entry.isSymbolicLink()) this.#addTarget(join(real, entry.name));
    return true;
  }

  #addInstallation(real: string): boolean {
    const isFolderShown = this.add(real);
    const above = dirname(real);
    const name = basename(real);
    if (isFolderShown && (name === "bin" || name === "sbin") && !this.#isCommonFolder(above)) {
      for (const beside of BESIDE_BIN) this.add(join(above, beside));
    }
    return isFolderShown;
  }

  /** What a link among the programs leads to: a package, an installation, or one file. */
  #addTarget(link: string): void {
    const target = realOf(link);
    if (target === undefined || this.#isShown(target)) return;
    const packages = target.lastIndexOf("/node_modules/");
    if (packages !== -1) {
      this.add(target.slice(0, packages + "/node_modules".length));
      return;
    }
    const folder = dirname(target);
    if (basename(folder) === "bin" && this.#addInstallation(folder)) return;
    this.add(target);
  }

  #isSystem(real: string): boolean {
    return this.#shown.some((folder) => isAtOrBelow(real, folder));
  }

  #isShown(real: string): boolean {
    return this.#isSystem(real) || [...this.#paths].some((path) => isAtOrBelow(real, path));
  }

  /** The home and what is used by many programs aren't one program's installation; a working copy isn't, either. */
  #isCommonFolder(folder: string): boolean {
    if (isAtOrBelow(this.#home, folder) || folder === join(this.#home, ".local")) return true;
    return realOf(join(folder, ".git")) !== undefined;
  }

  #mayBeShown(real: string): boolean {
    if (isAtOrBelow(this.#home, real) || OTHER_PLACES.test(real)) return false;
    if (this.#kept.some((folder) => isAtOrBelow(real, folder))) return false;
    if (isSecret(real, this.#home)) return false;
    return !entriesOf(real).some(({ name }) => isSecret(join(real, name), this.#home));
  }
}

/** The kernel's and the machine's own folders, other systems' disks, and the whole of what is kept for users or services. */
const OTHER_PLACES =
  /^\/(?:(?:dev|proc|run|sys|boot|mnt\/[a-z])(?:\/|$)|(?:home|root|mnt|media|srv|var|tmp|data|work|Users)$|home\/[^/]+$)|^\/$/;

/** Below root's own home every path counts as protected: what lies in it is judged by its name there. */
function isSecret(path: string, home: string): boolean {
  const belowHome = isAtOrBelow(path, home) ? path.slice(home.length) : path;
  const segments = segmentsOf(belowHome);
  const pattern = { segments, isKnown: true, hasPattern: false };
  if (askedEachTime(path) !== undefined || protectedPath(pattern, home) !== undefined) return true;
  return holdsSecrets({ ...pattern, segments: segmentsOf(path) }, home);
}

function entriesOf(folder: string): Dirent[] {
  try {
    return lstatSync(folder).isDirectory() ? readdirSync(folder, { withFileTypes: true }).slice(0, MAX_PROGRAMS) : [];
  } catch {
    return []; // not to be listed: then nothing in it is found
  }
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined; // not there, or a link that leads nowhere
  }
}
