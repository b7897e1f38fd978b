import { mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { decidingCall, following, withScanLimit } from "@metnos-gate/shell-reading/files";

/** More names than any ordinary path has. */
const LONG_WAY = "/none".repeat(3000);

/** Makes a decision in which following paths has taken too long already. */
export function havingFollowedTooLong<T>(decide: () => T): T {
  return decidingCall(() => {
    withScanLimit(() => following(LONG_WAY, () => work(60)));
    return decide();
  });
}

/** Milliseconds of this thread's own. */
export function work(ms: number): void {
  const spent = () => process.threadCpuUsage().user + process.threadCpuUsage().system;
  for (const until = spent() + ms * 1000; spent() < until; );
}

/** A path to nothing, below a link to a folder by as long a way as the kernel goes. */
export function slowPath(link: string): string {
  const folder = join(dirname(link), "way");
  mkdirSync(join(folder, "end"), { recursive: true });
  let next = "end";
  for (let left = 38; left > 0; left--) {
    symlinkSync("end/../".repeat(Math.floor((4090 - next.length) / 7)) + next, join(folder, `l${left}`));
    next = `l${left}`;
  }
  symlinkSync(`way/${next}`, link);
  return link + "/none".repeat(200);
}
