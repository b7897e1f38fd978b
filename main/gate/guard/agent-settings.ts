import { dirname } from "node:path";
import { foldedPath } from "../targets/folded-path.ts";
import { linksOnWay, realForm } from "../targets/path.ts";
import { kindOf } from "../targets/path-kind.ts";
import { isAtOrBelow } from "../targets/pattern.ts";
import type { CallEnvironment } from "./call-environment.ts";

/**
 * Where Claude Code keeps the entry that calls the gate, and what could turn it off: for the user to change, never for an agent. Of
 * the home, of any project, and of the machine (`managed-settings.json`); names are compared without regard to case.
 */
const NAMED =
  /\/(?:\.claude(?:\/settings(?:\.local)?\.json(?:\/.*)?)?|managed-settings\.(?:json|d)(?:\/.*)?)$|^(?:\/private)?\/etc\/claude-code(?:\/|$)|\/library\/application support\/claudecode(?:\/|$)/;
/** The files in such a folder. */
export const SETTINGS_FILES: readonly string[] = ["settings.json", "settings.local.json"];

/** The working directory and those above it, up to the home: any of them may be the project. */
function foldersAbove(cwd: string | undefined, home: string): string[] {
  const folders: string[] = [];
  for (let here = cwd; here !== undefined && here !== "/" && here !== home && folders.length < 32; here = dirname(here))
    folders.push(here);
  return folders;
}

/**
 * Tells what a write would replace. Made once for all of a call's writes: where links of the known settings lead is looked up then, and
 * only where a path doesn't say by its own name.
 */
export class AgentSettings {
  readonly #environment: CallEnvironment;
  #looked_up: readonly string[] | undefined;

  constructor(environment: CallEnvironment) {
    this.#environment = environment;
  }

  /** What the known settings really are, and a folder that the environment names: by their whole path. */
  get #known(): readonly string[] {
    this.#looked_up ??= knownSettings(this.#environment);
    return this.#looked_up;
  }

  /** True if `path` (absolute, normal) is such a file, or a folder of them as a whole. */
  isAt(path: string): boolean {
    const folded = foldedPath(path);
    if (NAMED.test(folded)) return true;
    return this.#known.some(
      (known) => folded === known || SETTINGS_FILES.some((name) => folded === `${known}/${name}`),
    );
  }

  /** True if one that is known by its path lies below `folder`. */
  isBelow(folder: string): boolean {
    const folded = foldedPath(folder);
    return this.#known.some((known) => isAtOrBelow(known, folded));
  }
}

function knownSettings({ home, cwd, env }: CallEnvironment): string[] {
  const named = env?.CLAUDE_CONFIG_DIR;
  const moved = named?.startsWith("/") ? named.replace(/(.)\/+$/, "$1") : undefined;
  const known = moved === undefined ? [] : [moved];
  const folders = [...new Set([home, ...foldersAbove(cwd, home)])].map((folder) => `${folder}/.claude`).concat(known);
  for (const folder of folders) {
    if (kindOf(folder) === "nothing") continue;
    for (const path of [folder, ...SETTINGS_FILES.map((name) => `${folder}/${name}`)]) {
      const real = realForm(path);
      if (real !== null && real !== path) known.push(real, ...linksOnWay(path));
    }
  }
  return known.map(foldedPath);
}
