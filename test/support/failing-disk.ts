import { type FailingDisk, makeFailingDisk } from "../../reliability/failing-disk.ts";
import { tempFolder } from "./temp-folder.ts";

export type { FailingDisk };

/** Undefined where no such library can be made; with CI=true that fails. */
export function failingDisk(): FailingDisk | undefined {
  try {
    return makeFailingDisk(tempFolder());
  } catch (error) {
    if (process.env.CI === "true") throw error;
    console.warn("skipped: a disk that fails needs a C compiler, and Linux");
    return undefined;
  }
}
