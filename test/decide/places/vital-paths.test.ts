import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { guard } from "../../../main/decide/guard/guard.ts";
import { prepared } from "../../support/proposed-calls.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const HOME = "/home/ada";

/** Why the guard denies a tool's call on a path: without the gate's own files, which are in every home. */
function blocked(tool: "fs_delete" | "fs_write" | "fs_read", path: string, { home = HOME, cwd = "" } = {}) {
  const args = tool === "fs_write" ? { path, content: "" } : { path };
  const { call, executor, needs } = prepared(home, tool, args, cwd === "" ? {} : { context: { cwd } });
  return guard(call, executor, needs, { home })?.reason;
}

describe("a folder whose loss leaves no way back isn't deleted as a whole", () => {
  it.each([
    ["/", "the whole disk"],
    ["/srv", "a system folder"],
    ["/usr/local", "a system folder"],
    [HOME, "a home folder"],
    ["/home/somebody", "a home folder"],
    ["/Users/somebody", "a home folder"],
  ])("%s: %s", (path, what) => {
    expect(blocked("fs_delete", path)).toBe(`guard: irrecoverable: a delete of ${what}`);
  });

  it("what holds the working directory", () => {
    const above = "guard: irrecoverable: a delete of a folder above the working directory";
    for (const path of ["/srv/work", "/srv/work/a"])
      expect([path, blocked("fs_delete", path, { cwd: "/srv/work/a/b" })]).toEqual([path, above]);
    for (const path of ["/srv/work/a/b", "/srv/work/a/b/c", "/srv/work/other"])
      expect([path, blocked("fs_delete", path, { cwd: "/srv/work/a/b" })]).toEqual([path, undefined]);
    expect(blocked("fs_delete", "/srv/work/a")).toBeUndefined();
  });

  it("by the name that it has, and by where its links lead", () => {
    const root = tempFolder();
    const home = join(root, "ada");
    mkdirSync(join(root, "disk/ada/project/src"), { recursive: true });
    symlinkSync("disk/ada", home);
    symlinkSync("disk/ada/project", join(root, "project"));
    const reason = (what: string) => `guard: irrecoverable: a delete of ${what}`;
    for (const path of [home, join(root, "disk/ada")])
      expect([path, blocked("fs_delete", path, { home })]).toEqual([path, reason("a home folder")]);
    expect(blocked("fs_delete", join(root, "disk/ada/project"), { home, cwd: join(root, "project/src") })).toBe(
      reason("a folder above the working directory"),
    );
    expect(blocked("fs_delete", join(home, "project"), { home })).toBeUndefined();
  });

  it("one may be read, and written to as one name", () => {
    expect(blocked("fs_read", "/srv")).toBeUndefined();
    expect(blocked("fs_write", "/srv/a.txt")).toBeUndefined();
  });
});

describe("a file without which the machine doesn't start is written by no tool", () => {
  it.each([
    ["/etc/fstab", "the table of file systems"],
    ["/etc/crypttab", "the table of encrypted disks"],
    ["/etc/group", "the system's accounts"],
    ["/etc/ld.so.preload", "what every program loads first"],
    ["/etc/default/grub", "a boot file"],
    ["/etc/inittab", "a boot file"],
  ])("%s: %s", (path, what) => {
    expect(blocked("fs_write", path)).toBe(`guard: irrecoverable: a change of ${what}`);
    expect(blocked("fs_read", path)).toBeUndefined();
  });

  it("its like in a project may be", () => {
    for (const path of ["/srv/project/etc/crypttab", "/srv/boot/vmlinuz", "/etc/fstab.d/a"])
      expect([path, blocked("fs_write", path)]).toEqual([path, undefined]);
  });
});
