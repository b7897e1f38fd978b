import { isAtOrBelow } from "../../shell-reading/targets/pattern.ts";

/** What no box shows or lets be written, whatever a declaration or the configuration names. Paths are real. */

interface Around {
  readonly home_real: string;
  readonly gate_folders: readonly string[];
}

const NEVER_SHOWN = /^\/(?:proc|sys|dev(?!\/shm\/.)|run(?!\/user\/\d+\/.))(?:\/|$)/;
const NEVER_WRITTEN =
  /^\/(?:proc|sys|dev(?!\/shm\/.)|run(?!\/user\/\d+\/.)|etc|bin|sbin|lib\w*|boot|usr(?!\/(?:local\/)?src\/.))(?:\/|$)/;
const SHARED = ["/tmp", "/run", "/dev/shm", "/usr", "/etc"];

/** The home or a folder above it, the kernel's, the machine's sockets, the gate's own. */
export function isNeverShown(path: string, { home_real, gate_folders }: Around): boolean {
  if (isAtOrBelow(home_real, path) || NEVER_SHOWN.test(path)) return true;
  return gate_folders.some((own) => isAtOrBelow(path, own));
}

/** These, and the system's folders, those that all users share, and whatever the gate's lie in. */
export function isNeverWritten(path: string, around: Around): boolean {
  if (isNeverShown(path, around) || NEVER_WRITTEN.test(path)) return true;
  return [...SHARED, ...around.gate_folders].some((folder) => isAtOrBelow(folder, path));
}
