import { execFileSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../../main/base/errors.ts";
import type { Fault } from "../failing-disk.ts";
import type { GateFile } from "./files.ts";

/** How a disk can fail while a gate runs: for one file, by a library in the gate's process; or a whole disk of its own. */

export const FILE_FAULTS = {
  "no room": { what: "write", code: "ENOSPC" },
  EIO: { what: "write", code: "EIO" },
  "EIO of a sync": { what: "sync", code: "EIO" },
  EROFS: { what: "write", code: "EROFS" },
} as const;
export type FileFault = keyof typeof FILE_FAULTS;

export const DISK_FAULTS = ["full, and filled again and again", "ext4 aborted"] as const;
export type DiskFault = (typeof DISK_FAULTS)[number];

/** What fails with this file: of a database what is beside it as well; of a file that is made anew its folder. */
export function faultsOf(file: GateFile, home: string, kind: FileFault): Fault[] {
  const { what, code } = FILE_FAULTS[kind];
  const of = file.column === "agent's token" ? join(file.path(home), "..") : file.path(home);
  // A pause is written there where its database can't hold it.
  const others = file.column === "kept-pauses" ? [join(of, "..", "safety.db")] : [];
  return [of, ...others].map((path) => ({ what, of: path, code }));
}

const MEGABYTES = 24;
const FILL_AGAIN_MS = 5;

/** An ext4 of its own, in a file. */
export class Ext4Disk {
  readonly folder: string;
  readonly #image: string;
  #filling: { timer: NodeJS.Timeout; filler: number } | undefined;

  private constructor(image: string, folder: string) {
    this.#image = image;
    this.folder = folder;
  }

  /** @throws Error where it can't be made here: only root can mount one, and needs a loop device */
  static mount(place: string): Ext4Disk {
    const [image, folder] = [`${place}.image`, `${place}.disk`];
    execFileSync("truncate", ["-s", `${MEGABYTES}M`, image], { stdio: "pipe" });
    // No blocks that only root may use.
    execFileSync("mkfs.ext4", ["-q", "-m", "0", image], { stdio: "pipe" });
    mkdirSync(folder);
    try {
      execFileSync("mount", ["-o", "loop,errors=remount-ro", image, folder], { stdio: "pipe" });
    } catch (error) {
      rmSync(image);
      throw error;
    }
    return new Ext4Disk(image, folder);
  }

  /** What was put there is on the disk, whatever becomes of it. */
  sync(): void {
    execFileSync("sync", ["--file-system", this.folder], { stdio: "pipe" });
  }

  fail(kind: DiskFault): void {
    if (kind === "ext4 aborted") return this.#remount("abort");
    this.#fillOn();
  }

  /** As after a repair: it can be written again. */
  heal(): void {
    this.#stopFilling();
    execFileSync("umount", [this.folder], { stdio: "pipe" });
    try {
      // Its exit code says that something was repaired.
      execFileSync("fsck.ext4", ["-p", "-f", this.#image], { stdio: "pipe" });
    } catch {
      // the mount says whether that was enough
    }
    execFileSync("mount", ["-o", "loop", this.#image, this.folder], { stdio: "pipe" });
    rmSync(join(this.folder, FILLER), { force: true });
  }

  remove(): void {
    this.#stopFilling();
    execFileSync("umount", ["--lazy", this.folder], { stdio: "pipe" });
    rmSync(this.#image);
    rmSync(this.folder, { recursive: true });
  }

  #remount(option: string): void {
    execFileSync("mount", ["-o", `remount,${option}`, this.folder], { stdio: "pipe" });
  }

  /** What becomes free is taken within milliseconds. */
  #fillOn(): void {
    const filler = openSync(join(this.folder, FILLER), "a");
    const fill = () => {
      for (let size = 1024 * 1024; size >= 512; size /= 2) while (isWritten(filler, size));
    };
    fill();
    this.#filling = { timer: setInterval(fill, FILL_AGAIN_MS), filler };
  }

  #stopFilling(): void {
    if (this.#filling === undefined) return;
    clearInterval(this.#filling.timer);
    closeSync(this.#filling.filler);
    this.#filling = undefined;
  }
}

const FILLER = "filler";

function isWritten(descriptor: number, size: number): boolean {
  try {
    return writeSync(descriptor, Buffer.alloc(size, 1)) === size;
  } catch (error) {
    if (errorCode(error) === "ENOSPC") return false;
    throw error;
  }
}
