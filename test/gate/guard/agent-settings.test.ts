import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ResolvedRequirement } from "../../../main/gate/targets/target.ts";
import { decided, fateOf, onPath } from "../../support/guarded-calls.ts";
import { tempFolder } from "../../support/temp-folder.ts";

type Fate = "denied" | "asked" | "free";

interface Ground {
  home: string;
  /** Where `.claude` is: the home, or a project below it. */
  place: string;
  /** A settings file's name. */
  file: string;
  /** A folder of the agent's, outside of `place`, with files that it may write. */
  own: string;
}

const write = (path: string, more: Parameters<typeof onPath>[2] = {}) => onPath("fs:write", path, more);
const put = (path: string) => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "{}");
};

/** What each way of writing needs, as the interpreter of command lines or a tool's manifest gives it. */
const WRITERS: Record<string, (ground: Ground) => ResolvedRequirement[]> = {
  "a tool writes the file": ({ place, file }) => [write(`${place}/.claude/${file}`)],
  "a redirection": ({ place, file }) => [write(`${place}/.claude/${file}`)],
  "in other letters": ({ place, file }) => [write(`${place}/.Claude/${file.toUpperCase()}`)],
  "by dots and slashes": ({ place, file }) => [write(`${place}/x/..//.claude/./${file}`)],
  "sed -i with a suffix": ({ place, file }) => [write(`${place}/.claude/settings`), write(`${place}/.claude/${file}`)],
  rm: ({ place, file }) => [write(`${place}/.claude/${file}`, { access: "delete" })],
  "rm -r of the file": ({ place, file }) => [write(`${place}/.claude/${file}`, { access: "delete", is_tree: true })],
  "rm -rf .claude": ({ place }) => [write(`${place}/.claude`, { access: "delete", is_tree: true })],
  "rmdir .claude": ({ place }) => [write(`${place}/.claude`, { access: "delete" })],
  "chmod 000 .claude": ({ place }) => [write(`${place}/.claude`)],
  "chmod -R of .claude": ({ place }) => [write(`${place}/.claude`, { is_tree: true })],
  "mv x .claude, where x is a folder": ({ place, own, file }) => {
    put(`${own}/x/${file}`);
    return [write(`${own}/x`), write(`${place}/.claude`, { is_tree: true, copied_from: `${own}/x` })];
  },
  "mv of an empty folder to .claude": ({ place, own }) => {
    mkdirSync(`${own}/x`);
    return [write(`${place}/.claude`, { is_tree: true, copied_from: `${own}/x` })];
  },
  "mv of a folder that isn't there yet to .claude": ({ place, own }) => [
    write(`${place}/.claude`, { is_tree: true, copied_from: `${own}/later` }),
  ],
  "cp -r y/.claude into the folder above": ({ place, own, file }) => {
    put(`${own}/y/.claude/${file}`);
    return [write(`${place}/.claude`, { is_tree: true, copied_from: `${own}/y/.claude` })];
  },
  "cp of a file to it": ({ place, own, file }) => {
    put(`${own}/${file}`);
    return [write(`${place}/.claude/${file}`, { copied_from: `${own}/${file}` })];
  },
  "cp of a link to it": ({ place, own, file }) => {
    symlinkSync("elsewhere", `${own}/l`);
    return [write(`${place}/.claude/${file}`, { copied_from: `${own}/l` })];
  },
  "mv .claude away": ({ place, own }) => [
    write(`${place}/.claude`),
    write(`${own}/z`, { is_tree: true, copied_from: `${place}/.claude` }),
  ],
  "mv of the file away": ({ place, own, file }) => [
    write(`${place}/.claude/${file}`),
    write(`${own}/z`, { copied_from: `${place}/.claude/${file}` }),
  ],
  "ln -s x .claude": ({ place }) => [write(`${place}/.claude`)],
  "a tree below the file's name": ({ place, file }) => [write(`${place}/.claude/${file}`, { is_tree: true })],
  "through a link to the file": ({ place, file, own }) => {
    symlinkSync(`${place}/.claude/${file}`, `${own}/notes.json`);
    return [write(`${own}/notes.json`)];
  },
  "through a link to the folder": ({ place, file, own }) => {
    symlinkSync(`${place}/.claude`, `${own}/notes`);
    return [write(`${own}/notes/${file}`)];
  },
  "through a link to the place": ({ place, file, own }) => {
    symlinkSync(place, `${own}/p`);
    return [write(`${own}/p/.claude/${file}`)];
  },
  "a managed file": () => [write("/etc/claude-code/managed-settings.json")],
  "a managed folder": () => [write("/etc/claude-code/managed-settings.d/10.json")],
  "a managed file of macOS": () => [write("/Library/Application Support/ClaudeCode/managed-settings.json")],
};

/** The same for a place that is a folder as a whole; a home folder as a whole is denied by itself. */
const WHOLE_PLACES: Record<string, (ground: Ground) => ResolvedRequirement[]> = {
  "cp -r y/. .": ({ place, own, file }) => {
    put(`${own}/y/.claude/${file}`);
    return [write(place, { is_tree: true, copied_from: `${own}/y` })];
  },
  "cp -r y/. . with the file far below": ({ place, own, file }) => {
    put(`${own}/y/a/b/c/.claude/${file}`);
    return [write(place, { is_tree: true, copied_from: `${own}/y` })];
  },
  "cp -r y/. . with a link named .claude": ({ place, own }) => {
    mkdirSync(`${own}/y`);
    symlinkSync("/elsewhere", `${own}/y/.claude`);
    return [write(place, { is_tree: true, copied_from: `${own}/y` })];
  },
  "rm -rf of everything": ({ place, file }) => {
    put(`${place}/.claude/${file}`);
    return [write(place, { access: "delete", is_tree: true })];
  },
  "rm -rf of a folder with a project in it": ({ place, file }) => {
    put(`${place}/.claude/${file}`);
    return [write(dirname(place), { access: "delete", is_tree: true })];
  },
};

/** What can put it there, and need not: never allowed without being asked each time. */
const CAN: Record<string, (ground: Ground) => ResolvedRequirement[]> = {
  "git checkout -- .": ({ place }) => [write(place, { is_tree: true })],
  "an unpacked archive below the place": ({ place }) => [write(`${place}/src`, { is_tree: true })],
  "mv of the place, as one name": ({ place, file }) => {
    put(`${place}/.claude/${file}`);
    return [write(place)];
  },
  "a copy of a folder with a link in it": ({ place, own }) => {
    mkdirSync(`${own}/y`);
    symlinkSync("/elsewhere", `${own}/y/a`);
    return [write(`${place}/src`, { is_tree: true, copied_from: `${own}/y` })];
  },
  "a copy of a folder that the same call changes": ({ place, own }) => {
    mkdirSync(`${own}/y`);
    return [write(`${own}/y/b`), write(`${place}/src`, { is_tree: true, copied_from: `${own}/y` })];
  },
  "a copy over a link": ({ place, own }) => {
    put(`${own}/y/a`);
    mkdirSync(`${place}/src`, { recursive: true });
    symlinkSync("../.claude/settings.json", `${place}/src/a`);
    return [write(`${place}/src`, { is_tree: true, copied_from: `${own}/y` })];
  },
  "a copy of more than is looked through": ({ place, own }) => {
    mkdirSync(`${own}/y`);
    for (let index = 0; index < 5001; index++) writeFileSync(`${own}/y/${index}`, "");
    return [write(`${place}/src`, { is_tree: true, copied_from: `${own}/y` })];
  },
  "a copy of folders deeper than is looked through": ({ place, own }) => {
    mkdirSync(`${own}/y/${"d/".repeat(20)}`, { recursive: true });
    return [write(`${place}/src`, { is_tree: true, copied_from: `${own}/y` })];
  },
};

const FREE: Record<string, (ground: Ground) => ResolvedRequirement[]> = {
  "a file of the project": ({ place }) => [write(`${place}/src/a.ts`)],
  "settings of something else": ({ place }) => [write(`${place}/settings.json`)],
  "a new folder": ({ place }) => [write(`${place}/src`)],
  "a copy of a plain folder": ({ place, own }) => {
    put(`${own}/y/a/settings.json`);
    return [write(`${place}/src`, { is_tree: true, copied_from: `${own}/y` })];
  },
  "a delete of a plain folder": ({ place }) => {
    put(`${place}/dist/a/settings.json`);
    return [write(`${place}/dist`, { access: "delete", is_tree: true })];
  },
  "a delete of packages that bring settings": ({ place, file }) => {
    put(`${place}/dist/node_modules/x/.claude/${file}`);
    return [write(`${place}/dist`, { access: "delete", is_tree: true })];
  },
};

function fate(
  where: "home" | "project",
  file: string,
  makes: (ground: Ground) => ResolvedRequirement[],
  is_there: boolean,
): Fate {
  const home = tempFolder();
  const place = where === "home" ? home : join(home, "work/project");
  const own = join(home, "own");
  for (const folder of [place, own]) mkdirSync(folder, { recursive: true });
  if (is_there) put(`${place}/.claude/${file}`);
  return fateOf(makes({ home, place, file, own }), { home, cwd: own });
}

const FILES = ["settings.json", "settings.local.json"];
const rows = (table: Record<string, unknown>, paths: readonly ("home" | "project")[]) =>
  Object.keys(table).flatMap((name) =>
    paths.flatMap((where) =>
      FILES.flatMap((file) => [true, false].map((is_there) => [name, where, file, is_there] as const)),
    ),
  );

describe("settings that hold the hook", () => {
  it.each(rows(WRITERS, ["home", "project"]))(
    "are denied to every writer: %s (%s, %s, there: %s)",
    (name, where, file, is_there) => {
      const makes = WRITERS[name];
      expect(makes && fate(where, file, makes, is_there)).toBe("denied");
    },
  );

  it.each(rows(WHOLE_PLACES, ["home", "project"]))(
    "are denied with the folder they are in: %s (%s, %s, there: %s)",
    (name, where, file, is_there) => {
      const makes = WHOLE_PLACES[name];
      expect(makes && fate(where, file, makes, is_there)).toBe("denied");
    },
  );

  it.each(rows(CAN, ["project"]))(
    "are never written unasked where they can be: %s (%s, %s, there: %s)",
    (name, where, file, is_there) => {
      const makes = CAN[name];
      expect(makes && fate(where, file, makes, is_there)).toBe("asked");
    },
  );

  it.each(rows(FREE, ["project"]))("are not everything: %s (%s, %s, there: %s)", (name, where, file, is_there) => {
    const makes = FREE[name];
    expect(makes && fate(where, file, makes, is_there)).toBe("free");
  });

  it("may be read", () => {
    expect(fateOf([onPath("fs:read", "/home/ada/.claude/settings.json")], { home: "/home/ada" })).toBe("free");
    expect(decided({ home: "/home/ada" }, "Read", { file_path: "/home/ada/.claude/settings.json" }).outcome).toBe(
      "allowed",
    );
  });

  it("are where the environment says, too", () => {
    const world = { home: "/home/ada", env: { CLAUDE_CONFIG_DIR: "/srv/claude/" } };
    for (const path of ["/srv/claude/settings.json", "/srv/claude/settings.local.json", "/srv/claude"])
      expect([path, fateOf([write(path)], world)]).toEqual([path, "denied"]);
    expect(fateOf([write("/srv/claude/notes.md")], world)).toBe("free");
    const delete_above = write("/srv", { is_tree: true, access: "delete" });
    expect(fateOf([delete_above], world)).toBe("denied");
  });

  it("are the same in letters that a file system takes for others", () => {
    const world = { home: "/home/ada" };
    for (const path of ["/srv/p/.claude/\u017fettings.json", "/srv/p/.cl\u200caude/settings.json", "/srv/p/.CLAUDE"])
      expect([path, fateOf([write(path)], world)]).toEqual([path, "denied"]);
    expect(fateOf([write("/home/ada/.con\ufb01g/metnos/gate.toml")], world)).toBe("denied");
    expect(fateOf([write("/srv/p/.g\u200cit/config")], world)).toBe("asked");
    expect(decided(world, "Read", { file_path: "/srv/p/.e\u200cnv" }).outcome).toBe("approval_required");
    expect(decided(world, "Read", { file_path: "/srv/.\u212aube/config" }).outcome).toBe("denied");
  });

  it("are denied from whatever working directory the agent gives", () => {
    const file_path = "/srv/p/.claude/settings.json";
    for (const cwd of ["", "relative", "/no\0where", "/srv/../srv/p", `/${"x".repeat(9000)}`, "/proc/1/root", "~"])
      expect(decided({ home: "/home/ada", cwd }, "Write", { file_path, content: "" }).outcome).toBe("denied");
  });

  it("are the files that a link leads to, whatever those are named", () => {
    const home = tempFolder();
    mkdirSync(`${home}/dotfiles`);
    put(`${home}/dotfiles/claude/settings.json`);
    symlinkSync("dotfiles/claude", `${home}/.claude`);
    put(`${home}/shared.json`);
    mkdirSync(`${home}/project/.claude`, { recursive: true });
    symlinkSync("../../shared.json", `${home}/project/.claude/settings.local.json`);
    const world = { home, cwd: `${home}/project` };
    expect(fateOf([write(`${home}/dotfiles/claude/settings.json`)], world)).toBe("denied");
    expect(fateOf([write(`${home}/dotfiles/claude/settings.local.json`)], world)).toBe("denied");
    expect(fateOf([write(`${home}/shared.json`)], world)).toBe("denied");
    expect(fateOf([write(`${home}/dotfiles`, { is_tree: true, access: "delete" })], world)).toBe("denied");
    expect(fateOf([write(`${home}/dotfiles/vim`)], world)).toBe("free");
  });
});
