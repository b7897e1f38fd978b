import { lstatSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { realForm } from "../../../packages/shell-reading/targets/path.ts";
import {
  decidingCall,
  following,
  isFollowingOver,
  withScanLimit,
} from "../../../packages/shell-reading/targets/tree-scan.ts";
import { leastWork } from "../../support/least-work.ts";
import { slowPath, work } from "../../support/slow-paths.ts";
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
    expect(unknown).toBe(0);
  });

  it("is followed however long the system takes for it: by its names that was the machine", () => {
    const folder = tempFolder();
    mkdirSync(join(folder, "real"));
    symlinkSync("real", join(folder, "link"));
    for (const path of ["/usr/share/x", join(folder, "link/../link/new"), "/", folder])
      decidingCall(() =>
        withScanLimit(() => {
          for (let at = 0; at < 10; at++) expect(following(path, () => work(1))).not.toBeNull();
          expect(isFollowingOver()).toBe(false);
        }),
      );
  });
});

describe("a way of many names", () => {
  const isOverAfter = (path: string, looks: number) =>
    decidingCall(() =>
      withScanLimit(() => {
        for (let at = 0; at < looks; at++) following(path, () => work(1));
        return isFollowingOver();
      }),
    );

  it("is counted by the work that it takes: written out, through links, or by many paths", () => {
    const paths = ["/none".repeat(2100), slowPath(join(tempFolder(), "slow"))];
    for (const path of paths) expect([path.slice(-40), isOverAfter(path, 4)]).toEqual([path.slice(-40), true]);
    expect(isOverAfter("/none".repeat(100), 16)).toBe(false);
    expect(isOverAfter("/none".repeat(100), 25)).toBe(true);
  });

  it("round in circles has few names, as the kernel ends there after 40 links, but for many of them", () => {
    const folder = tempFolder();
    symlinkSync("circle", join(folder, "circle"));
    expect(isOverAfter(join(folder, "circle/x"), 20)).toBe(false);
    expect(isOverAfter(join(folder, "circle/x"), 80)).toBe(true);
  });
});

describe("a way of many folders in one another", () => {
  it("is looked at for its names only as far as ordinary ways go: each look goes there from the root on", () => {
    const path = join(tempFolder(), "d/".repeat(1900));
    mkdirSync(path, { recursive: true });
    const look = leastWork(() => lstatSync(path));
    const looks = leastWork(() => decidingCall(() => withScanLimit(() => following(path, () => spin(0.5)))), 3);
    expect(looks - 1).toBeLessThan(150 * look);
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

/** As time passes, not by the kernel's count of work, which grows in steps of up to 4 ms. */
function spin(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until; );
}

function msOf(act: () => unknown): number {
  const began = performance.now();
  act();
  return performance.now() - began;
}
