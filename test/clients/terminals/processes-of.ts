import { readdirSync } from "node:fs";
import { environmentOf } from "../../../main/hooks/client-program.ts";

/** The processes that were started with this home, this one apart. On Linux. */
export function processesOf(home: string): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid && hasHome(pid, home));
}

function hasHome(pid: number, home: string): boolean {
  try {
    return environmentOf(pid).HOME === home;
  } catch {
    return false; // it has ended, or is another user's
  }
}
