import {
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { fileError } from "./file-errors.ts";

/**
 * Writes `text` into `file` (0600) atomically: it is on the disk, under this name, once this returns. A link at
 * the path is replaced, not followed; a folder there is an error.
 * @param what the file is, for the sentence that refuses it
 * @throws GateError `file_unusable`; the file is as it was then
 */
export function writeDurably(file: string, text: string, what: string): void {
  const folder = dirname(file);
  const made = `${file}.new`;
  let folderFd: number | undefined;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // Opened before anything changes: it must not fail, with too many open files, after the rename.
    folderFd = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
    rmSync(made, { force: true });
    writeNew(made, text);
    renameSync(made, file);
    fsyncSync(folderFd);
  } catch (error) {
    removeQuietly(made);
    throw fileError(error, what, file);
  } finally {
    if (folderFd !== undefined) closeSync(folderFd);
  }
}

/** What was made, renamed or removed in a folder is on the disk once this returns. @throws the system's error */
export function syncFolder(folder: string): void {
  const descriptor = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function writeNew(file: string, text: string): void {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const fd = openSync(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    fchmodSync(fd, 0o600);
    writeFileSync(fd, text);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function removeQuietly(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // the write's error is reported; a remaining file of this name is replaced the next time
  }
}
