import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { tempFolder } from "./temp-folder.ts";

const SOURCE = fileURLToPath(new URL("failing-disk.c", import.meta.url));
/** `EIO`, `EROFS`, `ENOSPC`. */
const CODES = { EIO: 5, ENOSPC: 28, EROFS: 30 } as const;

export interface Fault {
  /** `sync`: what is written reaches the system and perhaps not the disk. */
  what: "write" | "sync";
  /** A part of the files' paths. */
  of: string;
  code: keyof typeof CODES;
}

/** A disk that fails while a gate runs, by a library that is loaded into it before all others. */
export interface FailingDisk {
  /** For the gate. */
  env: { LD_PRELOAD: string; FAILING_DISK_LIST: string };
  /** From now on these fail, and no others. */
  fail(...faults: Fault[]): void;
}

/** Undefined where no such library can be made; with CI=true that fails. */
export function failingDisk(): FailingDisk | undefined {
  const folder = tempFolder();
  const [library, list] = [join(folder, "failing-disk.so"), join(folder, "faults")];
  try {
    if (process.platform !== "linux") throw new Error("only Linux loads it");
    execFileSync("cc", ["-shared", "-fPIC", "-O1", "-o", library, SOURCE, "-ldl"], { stdio: "pipe" });
  } catch (error) {
    if (process.env.CI === "true") throw error;
    console.warn("skipped: a disk that fails needs a C compiler, and Linux");
    return undefined;
  }
  const fail = (...faults: Fault[]) =>
    writeFileSync(list, faults.map(({ what, of, code }) => `${what} ${of} ${CODES[code]}\n`).join(""));
  fail();
  return { env: { LD_PRELOAD: library, FAILING_DISK_LIST: list }, fail };
}
