import { execFileSync } from "node:child_process";
import { availableParallelism } from "node:os";

/**
 * Puts this process on one processor and `servers` on another. Left alone, the scheduler sometimes lets a client and a server take
 * turns on one processor and sometimes not, and the faster of the two is taken for the faster server. Needs Linux's `taskset` and
 * two processors; returns whether it worked, and the function that releases this process again.
 */
export function keepApart(servers: readonly (number | undefined)[]): { isApart: boolean; release(): void } {
  const last = availableParallelism() - 1;
  try {
    if (last < 1) throw new Error("one processor");
    for (const pid of servers) if (pid !== undefined) place(pid, `${last}`);
    place(process.pid, "0");
    return { isApart: true, release: () => place(process.pid, `0-${last}`) };
  } catch {
    return { isApart: false, release: () => undefined };
  }
}

function place(pid: number, processors: string): void {
  execFileSync("taskset", ["--cpu-list", "--pid", processors, `${pid}`], { stdio: "ignore" });
}
