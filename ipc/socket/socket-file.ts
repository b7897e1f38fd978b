import { chmodSync, lstatSync, renameSync, unlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { type FileIdentity, identityOf, isStillAt } from "../base/file-identity.ts";

/**
 * A listening socket's file. When a server closes, Node removes the path that it has bound, even if another server's socket is there
 * by then; so a server binds under a unique name, and its file is moved to where clients connect.
 */

let bound = 0;

/** A name in the same folder that no other server uses. */
export function bindingPath(path: string): string {
  return join(dirname(path), `.${process.pid.toString(36)}-${(bound++).toString(36)}`);
}

/**
 * Makes a bound socket private (0600) and moves it to `path`, replacing one that an earlier gate has left there.
 * @throws an error with code `socket_path_taken` where something else than a socket is there, or the system's
 */
export function moveSocket(from: string, path: string): FileIdentity {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSocket() === false) {
    throw Object.assign(new Error(`${path} is not a socket`), {
      code: "socket_path_taken",
      hint: "move it away and start again",
    });
  }
  chmodSync(from, 0o600);
  const identity = identityOf(from);
  if (identity === undefined) throw new Error(`the socket ${from} was removed`);
  renameSync(from, path);
  return identity;
}

/** Removes a socket's file, unless another gate's socket is at its path now. */
export function removeSocket(path: string, identity: FileIdentity): void {
  if (isStillAt(path, identity)) unlinkSync(path);
}
