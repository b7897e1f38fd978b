import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { realForm } from "../../../packages/shell-reading/targets/path.ts";
import { decidingCall, withScanLimit } from "../../../packages/shell-reading/targets/tree-scan.ts";
import { slowPath } from "../../support/slow-paths.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const DECISIONS = 1500;

describe("an ordinary path", () => {
  // A tick of the kernel's clock, or another process's turn, falls into one of them now and then.
  it("is followed in each of many decisions, however busy the machine is", () => {
    let unknown = 0;
    for (let decision = 0; decision < DECISIONS; decision++) {
      const followed = decidingCall(() =>
        withScanLimit(() => Array.from({ length: 40 }, (_, at) => realForm(`/usr/share/${at}`))),
      );
      if (followed.includes(null)) unknown++;
    }
    expect(unknown).toBeLessThanOrEqual(DECISIONS / 1000);
  });
});

describe("a path to nothing, far below a long way", () => {
  it("costs a few times what the way itself does, however many of its names aren't there", async () => {
    const way = join(tempFolder(), "slow");
    const path = slowPath(way);
    const shortest = (follow: () => unknown) => Math.min(...Array.from({ length: 7 }, () => msOf(follow)));
    // Where something is mounted meanwhile, the kernel begins anew and counts the links of both ways: it finds more than anybody follows.
    await expect.poll(() => realForm(path)).toMatch(/\/way\/end\/none\/none/);
    expect(shortest(() => realForm(path))).toBeLessThan(40 * shortest(() => realForm(way)));
  });
});

function msOf(act: () => unknown): number {
  const began = performance.now();
  act();
  return performance.now() - began;
}
