import { statSync } from "node:fs";
import { dirname } from "node:path";

const WRITABLE_BY_OTHERS = 0o022;

/**
 * True unless another user of this machine could be listening at `path`: they must not get a token, nor be believed. Also true
 * for a socket that isn't there: connecting fails then. Imports nothing but Node, for the hook's fast path.
 * @param uid the caller's; nothing is checked for root and on systems without user ids
 */
export function isOwnSocket(path: string, uid = process.getuid?.() ?? 0): boolean {
  if (uid === 0) return true;
  try {
    const folder = statSync(dirname(path));
    if ((folder.uid !== uid && folder.uid !== 0) || (folder.mode & WRITABLE_BY_OTHERS) !== 0) return false;
    return statSync(path).uid === uid;
  } catch {
    return true; // not there, or unreachable: connecting fails, too
  }
}
