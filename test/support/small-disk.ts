import { execFileSync } from "node:child_process";
import { closeSync, existsSync, openSync, rmSync, statSync, truncateSync, writeSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { tempFolder } from "./temp-folder.ts";

/** A separate disk that can be filled up: a tmpfs, which only root can mount. */
export interface SmallDisk {
  folder: string;
  /** Takes all the room that is left. */
  fill(): void;
  empty(): void;
  /** As the system does where the disk fails: it can only be read from now on. */
  closeForWriting(): void;
}

/** Undefined where this user may not mount one; with CI=true that fails. */
export function smallDisk(megabytes: number): SmallDisk | undefined {
  const folder = tempFolder();
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=0700`, "tmpfs", folder], { stdio: "pipe" });
  } catch (error) {
    if (process.env.CI === "true") throw error;
    console.warn("skipped: a full disk needs a tmpfs of its own, which only root can mount");
    return undefined;
  }
  onTestFinished(() => {
    execFileSync("umount", ["--lazy", folder]);
  });
  const filler = join(folder, "filler");
  return {
    folder,
    fill() {
      const descriptor = openSync(filler, "a");
      try {
        for (let size = 1024 * 1024; size >= 512; size /= 2) fillWith(descriptor, Buffer.alloc(size, 1));
      } finally {
        closeSync(descriptor);
      }
    },
    empty: () => rmSync(filler, { force: true }),
    closeForWriting: () => void execFileSync("mount", ["-o", "remount,ro", folder], { stdio: "pipe" }),
  };
}

/** Whether the gate keeps room within its files here. */
export const HAS_ROOM_AHEAD = process.platform === "linux" && existsSync("/usr/bin/fallocate");

/** What a file takes on its disk beyond what is in it, in bytes. */
export function roomOf(file: string): number {
  const { blocks, size } = statSync(file);
  return blocks * 512 - size;
}

/** Takes the room that the gate keeps within a file, once it is there, so that a full disk is full for this file, too. */
export async function takeRoom(file: string): Promise<void> {
  if (HAS_ROOM_AHEAD) await expect.poll(() => roomOf(file), { timeout: 15_000 }).toBeGreaterThan(200_000);
  truncateSync(file, statSync(file).size);
}

/** The folder of a disk whose files' times are whole seconds; undefined where this user may not make one. */
export function diskOfWholeSeconds(): string | undefined {
  const [image, folder] = [join(tempFolder(), "image"), tempFolder()];
  try {
    execFileSync("truncate", ["-s", "4M", image], { stdio: "pipe" });
    execFileSync("mkfs.ext4", ["-q", "-I", "128", image], { stdio: "pipe" });
    execFileSync("mount", ["-o", "loop", image, folder], { stdio: "pipe" });
  } catch {
    console.warn("skipped: a disk with coarse times needs mkfs.ext4, and root to mount it");
    return undefined;
  }
  onTestFinished(() => {
    execFileSync("umount", ["--lazy", folder]);
  });
  return folder;
}

function fillWith(descriptor: number, bytes: Buffer): void {
  for (;;) {
    try {
      if (writeSync(descriptor, bytes) < bytes.length) return;
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOSPC") return;
      throw error;
    }
  }
}
