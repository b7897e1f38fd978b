import { statSync } from "node:fs";
import { dirname } from "node:path";

const WRITABLE_BY_OTHERS = 0o022;

/**
 * True unless another user of this machine could be listening at `path`: they must not get a token, nor be believed. What isn't
 * there is nobody's: connecting will say so. Imports nothing but Node, for the hook's fast path.
 * @param uid who asks; root, and systems without user ids, are not looked at
 */
export function isOwnSocket(path: string, uid = process.getuid?.() ?? 0): boolean {
  if (uid === 0) return true;
  try {
    const folder = statSync(dirname(path));
    if ((folder.uid !== uid && folder.uid !== 0) || (folder.mode & WRITABLE_BY_OTHERS) !== 0) return false;
    return statSync(path).uid === uid;
  } catch {
    return true; // not there, or not to be reached: connecting fails, too
  }
}
