import { closeSync, constants, fstatSync, openSync, type Stats } from "node:fs";
import { errorCode, GateError } from "./errors.ts";

/** The files that the gate writes in place: never through a link, never into what isn't a file, never waiting for a reader. */

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR } = constants;

const WAYS = {
  /** Made where it isn't there; what is written goes to its end. */
  append: O_RDWR | O_CREAT | O_APPEND,
  /** Made where it isn't there; its bytes stay until they are written over. */
  overwrite: O_RDWR | O_CREAT,
  read: O_RDONLY,
} as const;

const OWNER_ONLY = 0o600;

/**
 * Opens a file of the gate's own; a new one is only for its owner.
 * @throws GateError `not_a_file` where a link, a folder or a pipe is in its place, with its name; else the system's error
 */
export function openOwnFile(file: string, way: keyof typeof WAYS): number {
  let descriptor: number;
  try {
    descriptor = openSync(file, WAYS[way] | O_NOFOLLOW | O_NONBLOCK, OWNER_ONLY);
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

/** What is in a file's place, in words; "a file" for one. */
export function kindOfFile(stat: Stats): string {
  if (stat.isFile()) return "a file";
  if (stat.isSymbolicLink()) return "a link";
  if (stat.isDirectory()) return "a folder";
  if (stat.isFIFO()) return "a named pipe";
  return stat.isSocket() ? "a socket" : "a device";
}

/** What the system says of a link, a folder, and a pipe that nobody reads or a socket. */
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
