import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { errorCode } from "../files/regular-bytes.ts";
import { kindFollowed } from "./path.ts";
import { following } from "./tree-scan.ts";

/** How a file begins. `unreadable`: another kind of file, a link, no permission, somebody keeps it from being read, or the call's paths take too long. */
export type Beginning = { kind: "file"; text: string } | { kind: "nothing" } | { kind: "unreadable" };

/**
 * The first bytes of a regular file, one character for each; a link is not followed. Never waits: not for a pipe, nor for a lease that a
 * hostile command may hold.
 */
export function beginningOf(path: string | Buffer, maxBytes: number): Beginning {
  return following(path.toString(), () => readBeginning(path, maxBytes)) ?? { kind: "unreadable" };
}

function readBeginning(path: string | Buffer, maxBytes: number): Beginning {
  let fd: number;
  try {
    // Most aren't there, and an error costs ten times a look.
    if (typeof path === "string" && kindFollowed(path) === "nothing") return { kind: "nothing" };
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const code = errorCode(error);
    return { kind: code === "ENOENT" || code === "ENOTDIR" || code === "ENAMETOOLONG" ? "nothing" : "unreadable" };
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) return { kind: stat.isDirectory() ? "nothing" : "unreadable" };
    const bytes = Buffer.allocUnsafe(Math.min(stat.size, maxBytes));
    return { kind: "file", text: bytes.toString("latin1", 0, readSync(fd, bytes, 0, bytes.length, 0)) };
  } catch {
    return { kind: "unreadable" };
  } finally {
    closeSync(fd);
  }
}
