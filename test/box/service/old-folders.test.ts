import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  opendirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { LAST_USED, makeCaches, projectFolder } from "../../../main/box/arguments/caches.ts";
import { removeOldFolders } from "../../../main/box/service/old-folders.ts";
import { tempFolder } from "../../support/temp-folder.ts";
import { boxUnderTest, withoutBox } from "../box-under-test.ts";

/** What nobody uses any more of earlier gates. */

const DAY_S = 86_400;
const setBack = (path: string, seconds: number) => {
  const at = Date.now() / 1000 - seconds;
  utimesSync(path, at, at);
};

afterEach(() => vi.unstubAllEnvs());

/** Makes a folder one that can't be removed, where the tests may do that. */
function busy(folder: string): boolean {
  try {
    execFileSync("mount", ["--bind", folder, folder], { stdio: "ignore" });
  } catch {
    console.warn("skipped: a folder that can't be removed: nothing can be mounted here");
    return false;
  }
  onTestFinished(() => void execFileSync("umount", [folder]));
  return true;
}

describe("as a gate starts", () => {
  it("what runs of a project kept is removed once none has run there for ninety days, and no link in it is followed", async () => {
    const folder = tempFolder();
    const [box, beside] = [join(folder, "box"), join(folder, "beside")];
    mkdirSync(beside);
    writeFileSync(join(beside, "kept"), "");
    const [old, used, unknown] = ["old", "used", "unknown"].map((name) => projectFolder(box, `/${name}`));
    if (old === undefined || used === undefined || unknown === undefined) throw new Error("three folders");
    for (const each of [old, used, unknown]) {
      const caches = makeCaches(each);
      symlinkSync(beside, join(caches, "link"));
      mkdirSync(join(caches, "closed/inner"), { recursive: true });
      chmodSync(join(caches, "closed"), 0o500);
      setBack(join(each, LAST_USED), 91 * DAY_S);
    }
    makeCaches(used);
    setBack(used, 400 * DAY_S);
    vi.stubEnv("TMPDIR", tempFolder());
    // As an earlier version left it: nothing says when it was used.
    rmSync(join(unknown, LAST_USED));
    await removeOldFolders(box);
    expect([old, `${old}.old`, used, unknown, join(beside, "kept")].map((path) => existsSync(path))).toEqual([
      ...[false, false, true, true, true],
    ]);
    expect(existsSync(join(unknown, LAST_USED))).toBe(true);
  });

  it("a project's folder says when it was used, but not more than once a day", () => {
    const folder = tempFolder();
    makeCaches(folder);
    const used = join(folder, LAST_USED);
    setBack(used, 3600);
    const before = lstatSync(used).mtimeMs;
    makeCaches(folder);
    expect(lstatSync(used).mtimeMs).toBe(before);
    setBack(used, 2 * DAY_S);
    makeCaches(folder);
    expect(Date.now() - lstatSync(used).mtimeMs).toBeLessThan(60_000);
  });

  it("a clock that is behind takes nothing from when it was used: set right, the folder would be removed", () => {
    const folder = tempFolder();
    makeCaches(folder);
    const used = join(folder, LAST_USED);
    setBack(used, -100 * DAY_S);
    const before = lstatSync(used).mtimeMs;
    makeCaches(folder);
    expect(lstatSync(used).mtimeMs).toBe(before);
  });

  it("what can't be removed keeps nothing else, and is said", async () => {
    const box = tempFolder();
    vi.stubEnv("TMPDIR", tempFolder());
    const paths = ["a", "b", "c"].map((name) => join(box, "projects", `${name.repeat(32)}.old`));
    for (const path of paths) mkdirSync(join(path, "x"), { recursive: true });
    const projects = opendirSync(join(box, "projects"));
    const first = join(projects.path, projects.readSync()?.name ?? "");
    projects.closeSync();
    if (!busy(join(first, "x"))) return;
    await expect(removeOldFolders(box)).rejects.toThrow("EBUSY");
    expect(paths.filter((path) => existsSync(path))).toEqual([first]);
  });

  it("the folder of a probe that was killed is removed, and none that may be going, nor anything else", async () => {
    const temporary = tempFolder();
    vi.stubEnv("TMPDIR", temporary);
    const [old, going, other] = ["metnos-gate-probe-a", "metnos-gate-probe-b", "other-probe-c"].map((name) =>
      join(temporary, name),
    );
    for (const path of [old, going, other]) {
      mkdirSync(join(path ?? "", "project"), { recursive: true });
      if (path !== going) setBack(path ?? "", 2 * 3600);
    }
    const link = join(temporary, "metnos-gate-probe-link");
    symlinkSync(other ?? "", link);
    await removeOldFolders(tempFolder());
    expect([old, going, other, link].map((path) => existsSync(path ?? ""))).toEqual([false, true, true, true]);
  });

  it.skipIf(withoutBox() !== undefined)("it looks for them by itself", async () => {
    const stateDir = tempFolder();
    const project = projectFolder(join(stateDir, "box"), "/old");
    makeCaches(project);
    setBack(join(project, LAST_USED), 91 * DAY_S);
    await boxUnderTest({ state_dir: stateDir });
    await expect.poll(() => existsSync(project)).toBe(false);
  });
});
