import { execFileSync } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const SOURCE = fileURLToPath(new URL("failing-disk.c", import.meta.url));
const { EIO, ENOSPC, EROFS } = constants.errno;
const CODES = { EIO, ENOSPC, EROFS } as const;

export interface Fault {
  /** `sync`: what is written reaches the system and perhaps not the disk. */
  what: "write" | "sync";
  /** A part of the files' paths, without blanks. */
  of: string;
  code: keyof typeof CODES;
}

/** A disk that fails while a gate runs, by a library that is loaded into it before all others. */
export interface FailingDisk {
  /** For the gate. */
  env: { LD_PRELOAD: string; FAILING_DISK_LIST: string };
  /** From now on these fail, and no others. */
  fail(...faults: Fault[]): void;
  /** The paths of what failed so far, each once. */
  hits(): string[];
}

/** Compiles the library in a folder that the gate's user can read. @throws Error where that can't be done here: no Linux, no C compiler */
export function makeFailingDisk(folder: string): FailingDisk {
  const [library, list] = [join(folder, "failing-disk.so"), join(folder, "faults")];
  if (process.platform !== "linux") throw new Error("only Linux loads it");
  execFileSync("cc", ["-shared", "-fPIC", "-O1", "-o", library, SOURCE, "-ldl"], { stdio: "pipe" });
  const fail = (...faults: Fault[]) =>
    writeFileSync(list, faults.map(({ what, of, code }) => `${what} ${of} ${CODES[code]}\n`).join(""));
  fail();
  const hitsFile = `${list}.hits`;
  writeFileSync(hitsFile, "");
  // Written to by the gate's user.
  chmodSync(hitsFile, 0o666);
  const hits = () => [
    ...new Set(
      readFileSync(hitsFile, "utf8")
        .split("\n")
        .filter((path) => path !== ""),
    ),
  ];
  return { env: { LD_PRELOAD: library, FAILING_DISK_LIST: list }, fail, hits };
}
