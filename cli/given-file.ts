import { readRegularFile } from "../ipc/base/regular-file.ts";
import { errorCode } from "../main/base/errors.ts";
import { usageError } from "./output.ts";

/**
 * The text of a file that the user has named: one that isn't there is a wrong name, not a folder to be made.
 * @throws GateError `usage` where there is none, else the system's error
 */
export function givenFile(file: string): string {
  try {
    return readRegularFile(file);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    throw usageError(`there is no file ${file}`, "check its name: nothing was compared");
  }
}
