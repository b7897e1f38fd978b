import { chmodSync, lstatSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import { fileError } from "./file-errors.ts";

/** Prepares the sockets' paths: a folder that only its owner can enter, with nothing but a socket at their paths. */

/** @throws GateError `folder_not_private`, `socket_unusable`: nothing was changed then */
export function prepareSocket(path: string, stateDir: string): void {
  makePrivate(dirname(path), stateDir);
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined || stat.isSocket()) return;
  throw new GateError(
    "socket_unusable",
    `${path} is there and is not a socket`,
    `move it away: mv ${path} ${path}.old`,
  );
}

/** A GateError for the system's error when listening fails. An error that has a hint is returned as it is. */
export function socketError(error: unknown, path: string): unknown {
  if (error instanceof Error && "hint" in error) return error;
  return fileError(error, "the socket", path, "socket_unusable");
}

/**
 * The gate's own folder is made private if it isn't. One that was configured (`METNOS_RUNTIME_DIR`, `METNOS_GATE_SOCKET`) is
 * refused instead: it may be a shared folder such as `/tmp`.
 */
function makePrivate(folder: string, stateDir: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw fileError(error, "the sockets' folder", folder, "socket_unusable");
  }
  const { mode, uid } = statSync(folder);
  if (uid !== process.getuid?.()) {
    throw new GateError(
      "folder_not_private",
      `the sockets' folder ${folder} belongs to another user`,
      "name a folder of your own: METNOS_RUNTIME_DIR, METNOS_GATE_SOCKET",
    );
  }
  if ((mode & 0o077) === 0) return;
  if (!folder.startsWith(`${stateDir}/`)) {
    throw new GateError(
      "folder_not_private",
      `the sockets' folder ${folder} is open to others`,
      `name a folder of their own, or close it: chmod 700 ${folder}`,
    );
  }
  chmodSync(folder, 0o700);
}
