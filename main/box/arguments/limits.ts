import { release } from "node:os";
import type { Config } from "../../config/index.ts";

/** Limits of what runs in a box, set by its own shell before the command. */

type Limits = Pick<Config["box"], "processes" | "memory_mb" | "file_mb" | "open_files" | "cpu_seconds">;

/** The first kernel that counts a user's processes in each user namespace by itself, not on the whole machine. */
const COUNTS_BY_NAMESPACE = [5, 14] as const;

/**
 * Lines of bash that set the limits for it and all that it starts; one that is stricter already stays. Memory is what a process
 * writes to (RLIMIT_DATA): V8 and Go reserve far more addresses than they use. What AddressSanitizer and ThreadSanitizer reserve counts,
 * though: without a limit of memory they run. The kernel enforces no limit of processes for root.
 */
export function limitCommands(limits: Limits, kernel: string = release()): string {
  const { processes, memory_mb, file_mb, open_files, cpu_seconds } = limits;
  const words = [
    "-c 0",
    ...(memory_mb === 0 ? [] : [`-d ${memory_mb * 1024}`]),
    `-f ${file_mb * 1024}`,
    `-n ${open_files}`,
    `-t ${cpu_seconds}`,
    ...(countsByNamespace(kernel) ? [`-u ${processes}`] : []),
  ];
  return `{ ${words.map((word) => `ulimit ${word}; `).join("")}} 2>/dev/null`;
}

function countsByNamespace(kernel: string): boolean {
  const [major = 0, minor = 0] = kernel.split(".").map((part) => Number.parseInt(part, 10));
  const [leastMajor, leastMinor] = COUNTS_BY_NAMESPACE;
  return major > leastMajor || (major === leastMajor && minor >= leastMinor);
}
