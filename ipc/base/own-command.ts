import { accessSync, constants, existsSync, realpathSync, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import { shellWord } from "./shell-quoted.ts";

/** How this program is called on this machine: every command that it prints for a user runs as it is printed. */

const NAME = "metnos-gate";
type Env = Readonly<Record<string, string | undefined>>;

let found: { path: string | undefined; command: string } | undefined;

/** `agents list` as a shell line that runs in any folder: `metnos-gate agents list`, or with the launcher's whole path in its place. */
export function ownCommand(words = ""): string {
  const path = process.env.PATH;
  if (found === undefined || found.path !== path)
    found = { path, command: commandOf(process.env, fileURLToPath(import.meta.url)) };
  return words === "" ? found.command : `${found.command} ${words}`;
}

/** The launcher's whole path, for who starts this program without a shell. */
export function ownLauncher(): string | undefined {
  const module = fileURLToPath(import.meta.url);
  const archive = /^(.*)[\\/]app\.asar(?:\.unpacked)?[\\/]/.exec(module)?.[1];
  return archive !== undefined && process.env.APPIMAGE ? undefined : launcherOf(process.env, module, archive);
}

/** The bare name only where PATH has this very launcher under it: another program of that name must never be proposed. @param module this file, or what it was built into */
export function commandOf(env: Env, module: string): string {
  const archive = /^(.*)[\\/]app\.asar(?:\.unpacked)?[\\/]/.exec(module)?.[1];
  // Other programs' AppImages set it, too; and what is in one is gone once it has ended.
  if (archive !== undefined && env.APPIMAGE) return `${shellWord(env.APPIMAGE)} --cli`;
  const launcher = launcherOf(env, module, archive);
  if (launcher === undefined) return NAME;
  return onPath(env) === realpathSync(launcher) ? NAME : shellWord(launcher);
}

function launcherOf(env: Env, module: string, archive: string | undefined): string | undefined {
  const places = [
    env.METNOS_GATE_LAUNCHER,
    ...(archive === undefined
      ? // One folder up from dist/client.js, two from ipc/base/ and from dist/cli/.
        ["../../bin/metnos-gate.js", "../../../bin/metnos-gate.js"].map((place) => join(module, place))
      : [join(archive, "bin", NAME)]),
  ];
  return places.find((place) => place !== undefined && isAbsolute(place) && existsSync(place));
}

/** What a shell would run under the name. Folders that npm adds for a package's own commands are in no user's PATH. */
function onPath(env: Env): string | undefined {
  for (const folder of (env.PATH ?? "").split(delimiter)) {
    if (!isAbsolute(folder) || folder.includes("/node_modules/")) continue;
    const file = join(folder, NAME);
    try {
      accessSync(file, constants.X_OK);
      if (statSync(file).isFile()) return realpathSync(file);
    } catch {
      // not there, or nothing that runs: a shell looks further, too
    }
  }
  return undefined;
}
