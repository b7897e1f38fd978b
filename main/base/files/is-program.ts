import { accessSync, constants, statSync } from "node:fs";

/** True of a file that this user may run; links are followed. */
export function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false; // not there, or not to be run
  }
}
