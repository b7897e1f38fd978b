import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { AgentSettings } from "../../../main/decide/places/agent-settings.ts";
import { fateOf, onPath } from "../../support/guarded-calls.ts";
import { tempFolder } from "../../support/temp-folder.ts";

/** What is found on the disk, beyond a path's name. */

const write = (path: string, more: Parameters<typeof onPath>[2] = {}) => onPath("fs:write", path, more);

describe("an agent's settings", () => {
  it("are touched with a whole tree that they are in, written or deleted, wherever that is", () => {
    const world = { home: "/home/ada", env: { CLAUDE_CONFIG_DIR: "/srv/agents/claude/config" } };
    for (const more of [{}, { access: "delete" }] as const) {
      for (const path of ["/srv/agents", "/srv/agents/claude", "/srv/agents/claude/config"])
        expect([path, fateOf([write(path, { is_tree: true, ...more })], world)]).toEqual([path, "denied"]);
      expect(fateOf([write("/srv/agents/other", { is_tree: true, ...more })], world)).not.toBe("denied");
    }
  });

  it("are the files of a folder that the environment names, and no other file in it", () => {
    const settings = new AgentSettings({ home: "/home/ada", env: { CLAUDE_CONFIG_DIR: "/srv/claude/" } });
    for (const path of ["/srv/claude", "/srv/claude/settings.json", "/srv/claude/settings.local.json"])
      expect([path, settings.isAt(path)]).toEqual([path, true]);
    for (const path of ["/srv/claude/notes.md", "/srv", "/srv/claude-notes"])
      expect([path, settings.isAt(path)]).toEqual([path, false]);
    expect([settings.isBelow("/srv"), settings.isBelow("/srv/other")]).toEqual([true, false]);
  });

  it("are what a link leads to that is in the place of one, in the home and in a project", () => {
    const home = tempFolder();
    for (const folder of [".claude", "project/.claude"]) mkdirSync(join(home, folder), { recursive: true });
    for (const name of ["home.json", "project.json"]) writeFileSync(join(home, name), "{}");
    symlinkSync("../home.json", join(home, ".claude/settings.json"));
    symlinkSync("../../project.json", join(home, "project/.claude/settings.local.json"));
    const settings = new AgentSettings({ home, cwd: join(home, "project") });
    for (const name of ["home.json", "project.json"])
      expect([name, settings.isAt(join(home, name))]).toEqual([name, true]);
    expect(settings.isAt(join(home, "other.json"))).toBe(false);
  });
});

describe("a folder that is copied", () => {
  const copied = (make: (home: string) => void, ...more: ((home: string) => ReturnType<typeof write>)[]) => {
    const home = tempFolder();
    mkdirSync(join(home, "project/to"), { recursive: true });
    make(home);
    const copy = write(join(home, "project/to/x"), { is_tree: true, copied_from: join(home, "from") });
    return fateOf([copy, ...more.map((one) => one(home))], { home, cwd: join(home, "project") });
  };
  const plain = (home: string) => {
    mkdirSync(join(home, "from"));
    writeFileSync(join(home, "from/a.txt"), "");
  };

  it("is free where only plain files are in it", () => {
    expect(copied(plain)).toBe("free");
  });

  it("is code where a link is in it, which may be followed", () => {
    const make = (home: string) => {
      plain(home);
      symlinkSync("a.txt", join(home, "from/link"));
    };
    expect(copied(make)).toBe("asked");
  });

  it("is code where the same call changes it: it isn't the one that was looked through", () => {
    expect(copied(plain, (home) => write(join(home, "from/b.txt")))).toBe("asked");
    expect(copied(plain, (home) => write(join(home, "elsewhere.txt")))).toBe("free");
  });

  it("is code where it isn't there yet, or is a link: what will be in it can't be known", () => {
    expect(copied(() => undefined)).toBe("asked");
    expect(copied((home) => symlinkSync("project", join(home, "from")))).toBe("asked");
  });

  it("is code where what is written to holds a link in its place", () => {
    const make = (home: string) => {
      plain(home);
      mkdirSync(join(home, "project/to/x"));
      symlinkSync("/srv/other.txt", join(home, "project/to/x/a.txt"));
    };
    expect(copied(make)).toBe("asked");
  });
});
