import { closeSync, constants, fstatSync, mkdirSync, openSync, type Stats } from "node:fs";
import { dirname } from "node:path";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import { errorCode } from "../errors.ts";

/** Opens the files that the gate writes in place: never through a link, never anything but a file, never waiting for a reader. */

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR } = constants;

const WAYS = {
  /** Created if missing, with its folder; writes go to its end. */
  append: O_RDWR | O_CREAT | O_APPEND,
  /** Created if missing, with its folder; its bytes stay until they are overwritten. */
  overwrite: O_RDWR | O_CREAT,
  read: O_RDONLY,
} as const;

const OWNER_ONLY = 0o600;

/**
 * Opens one of the gate's own files; a new one is private to its owner.
 * @throws GateError `not_a_file` where a link, a folder or a pipe is in its place, with its name; else the system's error
 */
export function openOwnFile(file: string, way: keyof typeof WAYS): number {
  let descriptor: number;
  try {
    descriptor = opened(file, WAYS[way] | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    const kind = KIND_OF_REFUSAL[errorCode(error)];
    if (kind === undefined) throw error;
    throw notAFile(file, kind, error);
  }
  const stat = fstatSync(descriptor);
  if (stat.isFile()) return descriptor;
  closeSync(descriptor);
  throw notAFile(file, kindOfFile(stat));
}

/** Only where a folder is missing it is made: an answer may wait for what is opened here. */
function opened(file: string, flags: number): number {
  try {
    return openSync(file, flags, OWNER_ONLY);
  } catch (error) {
    if (errorCode(error) !== "ENOENT" || (flags & O_CREAT) === 0) throw error;
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    return openSync(file, flags, OWNER_ONLY);
  }
}

/** The kind of a directory entry, in words: "a file", "a link", ... */
export function kindOfFile(stat: Stats): string {
  if (stat.isFile()) return "a file";
  if (stat.isSymbolicLink()) return "a link";
  if (stat.isDirectory()) return "a folder";
  if (stat.isFIFO()) return "a named pipe";
  return stat.isSocket() ? "a socket" : "a device";
}

/** The system's codes for a link, a folder, and a pipe without a reader or a socket. */
const KIND_OF_REFUSAL: Readonly<Record<string, string>> = {
  ELOOP: "a link",
  EISDIR: "a folder",
  ENXIO: "a named pipe or a socket",
};

function notAFile(file: string, kind: string, cause?: unknown): GateError {
  return new GateError("not_a_file", `${file} is ${kind}, not a file`, "move it away; the gate makes its own", {
    cause,
  });
}
