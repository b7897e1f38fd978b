import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Env, PLACE_VARIABLES } from "../../../ipc/base/paths.ts";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import { productFolder } from "../../decide/places/gate-files.ts";

/** What the service runs, whichever system runs it. */
export interface ServiceParts {
  /** Program and arguments; the program's path is absolute. */
  command: readonly string[];
  environment: Readonly<Record<string, string>>;
}

/** A line of each file that this product writes: one without it is the user's own. */
export const SERVICE_MARK = "Made by metnos-gate service install; metnos-gate service remove takes it away.";

/** As the launcher's first line has them: they keep a long-lived gate small. */
const NODE_FLAGS = ["--max-semi-space-size=16", "--initial-old-space-size=32", "--expose-gc"];
/** The C library would keep memory for each of Node's threads by itself. */
const NODE_VARIABLES = { MALLOC_ARENA_MAX: "1" };

/** The page without a printed link: what a service prints is kept, and agents can read it. */
const SERVE = ["serve", "--web", "--no-link"];

/**
 * This product with the folders of this environment.
 * @throws GateError `not_available` where it runs from a place that a service can't start it from
 */
export function serviceParts(env: Env): ServiceParts {
  const environment: Record<string, string> = { ...NODE_VARIABLES };
  for (const name of PLACE_VARIABLES) {
    const value = env[name];
    if (value) environment[name] = value;
  }
  return { command: [...program(env), ...SERVE], environment };
}

function program(env: Env): string[] {
  const installed = env.METNOS_GATE_LAUNCHER;
  if (installed && existsSync(installed)) return [installed];
  const launcher = join(productFolder(), "bin/metnos-gate.js");
  // The image itself stays; what is in it is mounted at another place each time.
  if (process.versions.electron !== undefined && env.APPIMAGE) return [env.APPIMAGE, "--cli", "--"];
  if (process.versions.electron !== undefined || !existsSync(launcher)) {
    throw new GateError(
      "not_available",
      "this program doesn't know the path it can be started by",
      "run the installed metnos-gate command",
    );
  }
  return [process.execPath, ...NODE_FLAGS, launcher];
}
