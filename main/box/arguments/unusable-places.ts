import { isAtOrBelow } from "@metnos-gate/shell-reading/files";

/** What no box shows or lets be written, whatever a declaration or the configuration names. Paths are real. */

interface Around {
  readonly homeReal: string;
  readonly gateFolders: readonly string[];
}

const NEVER_SHOWN = /^\/(?:proc|sys|dev(?!\/shm\/.)|run(?!\/user\/\d+\/.))(?:\/|$)/;
const NEVER_WRITTEN =
  /^\/(?:proc|sys|dev(?!\/shm\/.)|run(?!\/user\/\d+\/.)|etc|bin|sbin|lib\w*|boot|usr(?!\/(?:local\/)?src\/.))(?:\/|$)/;
const SHARED = ["/tmp", "/run", "/dev/shm", "/usr", "/etc"];

/** The home or a folder above it, the kernel's, the machine's sockets, the gate's own. */
export function isNeverShown(path: string, { homeReal, gateFolders }: Around): boolean {
  if (isAtOrBelow(homeReal, path) || NEVER_SHOWN.test(path)) return true;
  return gateFolders.some((own) => isAtOrBelow(path, own));
}

/** These, and the system's folders, those that all users share, and whatever the gate's lie in. */
export function isNeverWritten(path: string, around: Around): boolean {
  if (isNeverShown(path, around) || NEVER_WRITTEN.test(path)) return true;
  return [...SHARED, ...around.gateFolders].some((folder) => isAtOrBelow(folder, path));
}
