import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { pathTarget } from "@metnos-gate/shell-reading";
import { describe, expect, it } from "vitest";
import { freshGrants, ROBERTO } from "../../support/gate-stores.ts";
import { tempFolder } from "../../support/temp-folder.ts";

describe("a link that leads to what was granted", () => {
  it("a grant covers what a link from elsewhere leads to, and nothing else that such a link may lead to", () => {
    const { grants, home } = freshGrants();
    for (const name of ["proj", "other", "private"]) mkdirSync(join(home, name));
    const lead = (to: string) => {
      rmSync(join(home, "proj/link"), { force: true });
      symlinkSync(join(home, to), join(home, "proj/link"));
    };
    const find = (path: string, isTree = false) =>
      grants.find(ROBERTO, "fs:write", pathTarget(path, home, undefined, isTree));
    const file = grants.recordGrant({ ...ROBERTO, capability: "fs:write", target: "~/other/a" }).id;
    lead("other/a");
    expect(find("~/proj/link")).toBe(file);
    lead("private/a");
    expect(find("~/proj/link")).toBeUndefined();
    lead("other");
    expect([find("~/proj/link/a"), find("~/proj/link/b"), find("~/proj/link", true)]).toEqual([
      file,
      undefined,
      undefined,
    ]);
    const tree = grants.recordGrant({ ...ROBERTO, capability: "fs:write", target: "~/other/**" }).id;
    expect([find("~/proj/link/b"), find("~/proj/link", true)]).toEqual([tree, tree]);
    // The place itself became a link after the grant: what it leads to now was never granted.
    rmSync(join(home, "other"), { recursive: true });
    symlinkSync("private", join(home, "other"));
    expect([find("~/proj/link/a"), find("~/proj/link/b"), find("~/other/b")]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("in a home folder that is itself reached by a link a grant holds under both of its names", () => {
    const { grants } = freshGrants();
    const folder = tempFolder();
    mkdirSync(join(folder, "var/me/proj"), { recursive: true });
    symlinkSync("var/me", join(folder, "home"));
    symlinkSync("proj", join(folder, "var/me/link"));
    const home = join(folder, "home");
    const { id } = grants.recordGrant({ ...ROBERTO, capability: "fs:write", target: `${home}/proj/**` });
    const find = (path: string) => grants.find(ROBERTO, "fs:write", pathTarget(path, home, undefined, false));
    expect([find("~/proj/a"), find("~/link/a"), find("~/other/a")]).toEqual([id, id, undefined]);
  });
});
