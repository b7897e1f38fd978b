import { statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { ownCommand } from "../../../ipc/base/own-command.ts";
import type { GatePaths } from "../../../ipc/base/paths.ts";
import type { DiskRoom } from "../../../ipc/contract/kept-files.ts";
import { byteSize } from "../../../ipc/words/byte-size.ts";
import type { Alarms } from "../../base/alarms.ts";

/** Warns before a disk that holds files of the gate is full. */

/** Less than this, or than this part of a small disk, is little. */
const LOW_BYTES = 256_000_000;
const LOW_PART = 0.05;
/** It isn't little any more once so many times that is free: no alarm comes and goes. */
const ENOUGH_TIMES = 1.25;

/** The folders that the gate writes into. */
export function foldersOf(paths: GatePaths): string[] {
  const { auditDir, grants_db, approvals_db } = paths;
  return [paths.state_dir, auditDir, ...[grants_db, approvals_db].map((file) => dirname(file))];
}

/** The disks that these folders are on, each once; a folder that isn't there has none. */
export function roomOf(folders: readonly string[]): DiskRoom[] {
  const disks = new Map<number, DiskRoom>();
  for (const path of folders) {
    try {
      const { dev } = statSync(path);
      if (disks.has(dev)) continue;
      const { bavail, blocks, bsize } = statfsSync(path);
      const [freeBytes, totalBytes] = [bavail * bsize, blocks * bsize];
      disks.set(dev, {
        path,
        free_bytes: freeBytes,
        total_bytes: totalBytes,
        is_low: freeBytes < lowBytes(totalBytes),
      });
    } catch {
      // not there yet, or gone: others say so
    }
  }
  return [...disks.values()];
}

/** `1.2 GB of 250 GB are free on the disk of FOLDER` */
export function roomText({ path, free_bytes, total_bytes }: DiskRoom): string {
  return `${byteSize(free_bytes, "en")} of ${byteSize(total_bytes, "en")} are free on the disk of ${path}`;
}

export const roomHint = () =>
  `make room there: once it is full, the gate can't write down what is decided; months of the trail take less as an archive: ${ownCommand("audit archive --before MONTH")}`;

export class DiskWatch {
  readonly #folders: readonly string[];
  readonly #alarms: Alarms;
  readonly #low = new Set<string>();

  constructor(paths: GatePaths, alarms: Alarms) {
    this.#folders = foldersOf(paths);
    this.#alarms = alarms;
  }

  /** Called again and again: raises an alarm for each disk that is almost full, until it has enough room. Never throws. */
  look(): void {
    for (const room of roomOf(this.#folders)) {
      const { path, free_bytes, total_bytes, is_low } = room;
      if (is_low && !this.#low.has(path)) {
        this.#low.add(path);
        this.#alarms.raise({ code: "disk_low", subject: path, message: roomText(room), hint: roomHint() });
      }
      if (free_bytes >= ENOUGH_TIMES * lowBytes(total_bytes) && this.#low.delete(path))
        this.#alarms.clear("disk_low", path);
    }
  }
}

function lowBytes(totalBytes: number): number {
  return Math.min(LOW_BYTES, LOW_PART * totalBytes);
}
