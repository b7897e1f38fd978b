import { execFileSync } from "node:child_process";
import { hash, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { uptime } from "node:os";
import type { BootTime, Clock } from "./clock.ts";

/** Reading the time since boot costs a system call, so it is cached for this long, in milliseconds. */
const FRESH_MS = 200;

/** This machine's clocks. Without a boot id this process counts as a boot: after a restart only the wall clock counts. */
export const systemClock: Clock = bootedClock(bootName());

function bootedClock(name: string | undefined): Clock {
  const id = hash("sha256", name ?? randomBytes(16).toString("hex"), "hex").slice(0, 12);
  if (name === undefined) return { now: Date.now, boot: () => ({ id, ms: performance.now() }) };
  let readAt = Number.NEGATIVE_INFINITY;
  let read: BootTime = { id, ms: 0 };
  const boot = () => {
    const at = performance.now();
    if (at - readAt >= FRESH_MS) {
      read = { id, ms: uptime() * 1000 };
      readAt = at;
    }
    return read;
  };
  return { now: Date.now, boot };
}

/** The system's id of this boot. */
function bootName(): string | undefined {
  try {
    switch (process.platform) {
      case "linux":
        return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim() || undefined;
      case "darwin":
        return (
          execFileSync("/usr/sbin/sysctl", ["-n", "kern.bootsessionuuid"], { encoding: "utf8" }).trim() || undefined
        );
      default:
        return undefined;
    }
  } catch {
    return undefined; // a sandbox without /proc: the process counts as the boot
  }
}
