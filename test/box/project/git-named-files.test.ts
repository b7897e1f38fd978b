import { mkdirSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { looksThroughLinks } from "../../../main/box/project/git-named-files.ts";
import { TimeSlice } from "../../../main/box/project/time-slice.ts";
import { tempFolder } from "../../support/temp-folder.ts";

/** What a command has made of an index. */

it("hundreds of thousands of folders that an index notes in one are looked at in pieces: nobody waits for them", async () => {
  const root = tempFolder();
  mkdirSync(join(root, ".git"));
  symlinkSync("/", join(root, "f199999"));
  const folders = Array.from({ length: 200_000 }, (_, at) => `f${at}`);
  const noted = [{ path: "", changed_at: Math.floor(statSync(root).mtimeMs / 1000), folders }];
  const cpuTime = () => process.threadCpuUsage().user / 1000;
  let [longest, since] = [0, cpuTime()];
  let isOver = false;
  const turn = () => {
    longest = Math.max(longest, cpuTime() - since);
    since = cpuTime();
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  expect(await looksThroughLinks(join(root, ".git/index"), noted, new TimeSlice())).toBe(true);
  isOver = true;
  turn();
  expect(longest).toBeLessThan(60);
});
