import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ResolvedRequirement } from "../../../main/targets/target.ts";
import { decided, fateOf, onPath } from "../../support/guarded-calls.ts";
import { tempFolder } from "../../support/temp-folder.ts";

type Fate = "denied" | "asked" | "free";

interface Ground {
  home: string;
  /** Where the folder of settings is: the home, or a project below it. */
  place: string;
  /** That folder's name: `.claude`. */
  dir: string;
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
  "a tool writes the file": ({ dir, place, file }) => [write(`${place}/${dir}/${file}`)],
  "a redirection": ({ dir, place, file }) => [write(`${place}/${dir}/${file}`)],
  "in other letters": ({ dir, place, file }) => [write(`${place}/${dir.toUpperCase()}/${file.toUpperCase()}`)],
  "by dots and slashes": ({ dir, place, file }) => [write(`${place}/x/..//${dir}/./${file}`)],
  "sed -i with a suffix": ({ dir, place, file }) => [
    write(`${place}/${dir}/settings`),
    write(`${place}/${dir}/${file}`),
  ],
  rm: ({ dir, place, file }) => [write(`${place}/${dir}/${file}`, { access: "delete" })],
  "rm -r of the file": ({ dir, place, file }) => [
    write(`${place}/${dir}/${file}`, { access: "delete", is_tree: true }),
  ],
  "rm -rf .claude": ({ dir, place }) => [write(`${place}/${dir}`, { access: "delete", is_tree: true })],
  "rmdir .claude": ({ dir, place }) => [write(`${place}/${dir}`, { access: "delete" })],
  "chmod 000 .claude": ({ dir, place }) => [write(`${place}/${dir}`)],
  "chmod -R of .claude": ({ dir, place }) => [write(`${place}/${dir}`, { is_tree: true })],
  "mv x .claude, where x is a folder": ({ dir, place, own, file }) => {
    put(`${own}/x/${file}`);
    return [write(`${own}/x`), write(`${place}/${dir}`, { is_tree: true, copied_from: `${own}/x` })];
  },
  "mv of an empty folder to .claude": ({ dir, place, own }) => {
    mkdirSync(`${own}/x`);
    return [write(`${place}/${dir}`, { is_tree: true, copied_from: `${own}/x` })];
  },
  "mv of a folder that isn't there yet to .claude": ({ dir, place, own }) => [
    write(`${place}/${dir}`, { is_tree: true, copied_from: `${own}/later` }),
  ],
  "cp -r y/.claude into the folder above": ({ dir, place, own, file }) => {
    put(`${own}/y/${dir}/${file}`);
    return [write(`${place}/${dir}`, { is_tree: true, copied_from: `${own}/y/${dir}` })];
  },
  "cp of a file to it": ({ dir, place, own, file }) => {
    put(`${own}/${file}`);
    return [write(`${place}/${dir}/${file}`, { copied_from: `${own}/${file}` })];
  },
  "cp of a link to it": ({ dir, place, own, file }) => {
    symlinkSync("elsewhere", `${own}/l`);
    return [write(`${place}/${dir}/${file}`, { copied_from: `${own}/l` })];
  },
  "mv .claude away": ({ dir, place, own }) => [
    write(`${place}/${dir}`),
    write(`${own}/z`, { is_tree: true, copied_from: `${place}/${dir}` }),
  ],
  "mv of the file away": ({ dir, place, own, file }) => [
    write(`${place}/${dir}/${file}`),
    write(`${own}/z`, { copied_from: `${place}/${dir}/${file}` }),
  ],
  "ln -s x .claude": ({ dir, place }) => [write(`${place}/${dir}`)],
  "a tree below the file's name": ({ dir, place, file }) => [write(`${place}/${dir}/${file}`, { is_tree: true })],
  "through a link to the file": ({ dir, place, file, own }) => {
    symlinkSync(`${place}/${dir}/${file}`, `${own}/notes.json`);
    return [write(`${own}/notes.json`)];
  },
  "through a link to the folder": ({ dir, place, file, own }) => {
    symlinkSync(`${place}/${dir}`, `${own}/notes`);
    return [write(`${own}/notes/${file}`)];
  },
  "through a link to the place": ({ dir, place, file, own }) => {
    symlinkSync(place, `${own}/p`);
    return [write(`${own}/p/${dir}/${file}`)];
  },
  "a managed file": () => [write("/etc/claude-code/managed-settings.json")],
  "a managed folder": () => [write("/etc/claude-code/managed-settings.d/10.json")],
  "a managed file of macOS": () => [write("/Library/Application Support/ClaudeCode/managed-settings.json")],
};

/** The same for a place that is a folder as a whole; a home folder as a whole is denied by itself. */
const WHOLE_PLACES: Record<string, (ground: Ground) => ResolvedRequirement[]> = {
  "cp -r y/. .": ({ dir, place, own, file }) => {
    put(`${own}/y/${dir}/${file}`);
    return [write(place, { is_tree: true, copied_from: `${own}/y` })];
  },
  "cp -r y/. . with the file far below": ({ dir, place, own, file }) => {
    put(`${own}/y/a/b/c/${dir}/${file}`);
    return [write(place, { is_tree: true, copied_from: `${own}/y` })];
  },
  "cp -r y/. . with a link named .claude": ({ dir, place, own }) => {
    mkdirSync(`${own}/y`);
    symlinkSync("/elsewhere", `${own}/y/${dir}`);
    return [write(place, { is_tree: true, copied_from: `${own}/y` })];
  },
  "rm -rf of everything": ({ dir, place, file }) => {
    put(`${place}/${dir}/${file}`);
    return [write(place, { access: "delete", is_tree: true })];
  },
  "rm -rf of a folder with a project in it": ({ dir, place, file }) => {
    put(`${place}/${dir}/${file}`);
    return [write(dirname(place), { access: "delete", is_tree: true })];
  },
};

/** What can put it there, and need not: never allowed without being asked each time. */
const CAN: Record<string, (ground: Ground) => ResolvedRequirement[]> = {
  "git checkout -- .": ({ place }) => [write(place, { is_tree: true })],
  "an unpacked archive below the place": ({ place }) => [write(`${place}/src`, { is_tree: true })],
  "mv of the place, as one name": ({ dir, place, file }) => {
    put(`${place}/${dir}/${file}`);
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
  "a copy over a link": ({ dir, place, own, file }) => {
    put(`${own}/y/a`);
    mkdirSync(`${place}/src`, { recursive: true });
    symlinkSync(`../${dir}/${file}`, `${place}/src/a`);
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
  "a delete of packages that bring settings": ({ dir, place, file }) => {
    put(`${place}/dist/node_modules/x/${dir}/${file}`);
    return [write(`${place}/dist`, { access: "delete", is_tree: true })];
  },
};

function fate(
  where: "home" | "project",
  settings: string,
  makes: (ground: Ground) => ResolvedRequirement[],
  isThere: boolean,
): Fate {
  const home = tempFolder();
  const place = where === "home" ? home : join(home, "work/project");
  const own = join(home, "own");
  for (const folder of [place, own]) mkdirSync(folder, { recursive: true });
  const [dir = "", file = ""] = settings.split("/");
  if (isThere) put(`${place}/${settings}`);
  return fateOf(makes({ home, place, dir, file, own }), { home, cwd: own });
}

const FILES = [".claude/settings.json", ".claude/settings.local.json"];
/** Of the other clients. */
const OTHERS = [
  ".codex/config.toml",
  ".codex/hooks.json",
  ".gemini/settings.json",
  ".gemini/.env",
  ".opencode/opencode.json",
  ".jetbrains/acp.json",
];
const rows = (table: Record<string, unknown>, paths: readonly ("home" | "project")[]) =>
  Object.keys(table).flatMap((name) =>
    paths.flatMap((where) =>
      FILES.flatMap((file) => [true, false].map((isThere) => [name, where, file, isThere] as const)),
    ),
  );

describe("settings that hold the hook", () => {
  it.each(rows(WRITERS, ["home", "project"]))(
    "are denied to every writer: %s (%s, %s, there: %s)",
    (name, where, file, isThere) => {
      const makes = WRITERS[name];
      expect(makes && fate(where, file, makes, isThere)).toBe("denied");
    },
  );

  it.each(rows(WHOLE_PLACES, ["home", "project"]))(
    "are denied with the folder they are in: %s (%s, %s, there: %s)",
    (name, where, file, isThere) => {
      const makes = WHOLE_PLACES[name];
      expect(makes && fate(where, file, makes, isThere)).toBe("denied");
    },
  );

  it.each(rows(CAN, ["project"]))(
    "are never written unasked where they can be: %s (%s, %s, there: %s)",
    (name, where, file, isThere) => {
      const makes = CAN[name];
      expect(makes && fate(where, file, makes, isThere)).toBe("asked");
    },
  );

  it.each(rows(FREE, ["project"]))("are not everything: %s (%s, %s, there: %s)", (name, where, file, isThere) => {
    const makes = FREE[name];
    expect(makes && fate(where, file, makes, isThere)).toBe("free");
  });

  it.each(OTHERS)("are as much those of other clients: %s", (settings) => {
    const fates = (["home", "project"] as const).flatMap((where) =>
      Object.entries({ ...WRITERS, ...WHOLE_PLACES }).map(([name, makes]) => [
        name,
        where,
        fate(where, settings, makes, true),
      ]),
    );
    expect(fates.filter(([, , got]) => got !== "denied")).toEqual([]);
    const can = Object.entries(CAN).filter(([name]) => !/more than|deeper/.test(name));
    expect(can.filter(([, makes]) => fate("project", settings, makes, true) !== "asked")).toEqual([]);
    expect(Object.entries(FREE).filter(([, makes]) => fate("project", settings, makes, false) !== "free")).toEqual([]);
  });

  it("are all of some folders, the files that a client reads in a project, and the machine's own", () => {
    const world = { home: "/home/ada", cwd: "/srv/p" };
    for (const path of [
      "/srv/p/.codex/rules/a.rules",
      "/srv/p/sub/.codex/skills/a/SKILL.md",
      "/home/ada/.codex/auth.json",
      "/srv/p/.opencode/plugin/a.ts",
      "/srv/p/.OpenCode/AGENT/a.md",
      "/srv/p/opencode.json",
      "/srv/p/sub/OPENCODE.jsonc",
      "/home/ada/.config/opencode/plugins/metnos-gate.js",
      "/home/ada/.gemini/trustedFolders.json",
      "/home/ada/.gemini/extensions/a/hooks/hooks.json",
      "/srv/p/.gemini/policies/a.toml",
      "/srv/p/.gemini/extensions/a/gemini-extension.json",
      "/home/ada/.config/zed/settings.json",
      "/home/ada/.jetbrains/ACP.json",
      "/etc/codex/requirements.toml",
      "/private/etc/gemini-cli/settings.json",
      "/etc/opencode/opencode.json",
      "/Library/Application Support/GeminiCli/settings.json",
    ])
      expect([path, fateOf([write(path)], world), fateOf([write(path, { access: "delete" })], world)]).toEqual([
        path,
        "denied",
        "denied",
      ]);
    // Their commands and memories are code, and the user's to allow.
    for (const path of ["/srv/p/.gemini/commands/a.toml", "/srv/p/.gemini/GEMINI.md"])
      expect([path, fateOf([write(path)], world)]).toEqual([path, "asked"]);
    for (const path of ["/srv/p/codex/config.toml", "/srv/p/my-opencode.json", "/srv/p/docs/gemini/settings.json"])
      expect([path, fateOf([write(path)], world)]).toEqual([path, "free"]);
  });

  it("of other clients are where the environment says, whatever they are named there", () => {
    const env = {
      CODEX_HOME: "/srv/codex/",
      XDG_CONFIG_HOME: "/srv/xdg",
      OPENCODE_CONFIG: "/srv/own/oc.json",
      OPENCODE_CONFIG_DIR: "/srv/ocdir",
      OPENCODE_TUI_CONFIG: "/srv/own/tui.json",
      GEMINI_CLI_TRUSTED_FOLDERS_PATH: "/srv/own/trusted.json",
      GEMINI_CLI_HOME: "/srv/gem",
      GEMINI_CLI_SYSTEM_SETTINGS_PATH: "/srv/own/gemini.json",
    };
    const world = { home: "/home/ada", env };
    for (const path of [
      "/srv/codex",
      "/srv/Codex/config.toml",
      "/srv/codex/skills/a/SKILL.md",
      "/srv/xdg/opencode/opencode.json",
      "/srv/xdg/opencode/plugin/a.js",
      "/srv/own/oc.json",
      "/srv/ocdir/agent/a.md",
      "/srv/gem/.gemini/oauth_creds.json",
      "/srv/own/gemini.json",
      "/srv/own/tui.json",
      "/srv/own/trusted.json",
      "/srv/xdg/zed/settings.json",
    ])
      expect([path, fateOf([write(path)], world)]).toEqual([path, "denied"]);
    expect(fateOf([write("/srv", { is_tree: true, access: "delete" })], world)).toBe("denied");
    for (const path of ["/srv/own/other.json", "/srv/xdg/app/settings.json", "/srv/codex2/a"])
      expect([path, fateOf([write(path)], world)]).toEqual([path, "free"]);
    for (const root of ["/", "//", "relative", ""])
      expect(fateOf([write("/srv/p/a.txt")], { ...world, env: { CODEX_HOME: root, OPENCODE_CONFIG: root } })).toBe(
        "free",
      );
  });

  it("of other clients are what their links lead to, and the links themselves", () => {
    const home = tempFolder();
    put(`${home}/dotfiles/codex/config.toml`);
    symlinkSync("dotfiles/codex", `${home}/.codex`);
    put(`${home}/dotfiles/oc/opencode.json`);
    mkdirSync(`${home}/.config`);
    symlinkSync("../dotfiles/oc", `${home}/.config/opencode`);
    put(`${home}/dotfiles/shared.json`);
    mkdirSync(`${home}/work`);
    symlinkSync("../dotfiles/shared.json", `${home}/work/opencode.json`);
    const world = { home, cwd: `${home}/work` };
    for (const path of ["codex/config.toml", "codex/rules/a", "codex", "oc/plugin/a.js", "shared.json"])
      expect([path, fateOf([write(`${home}/dotfiles/${path}`)], world)]).toEqual([path, "denied"]);
    expect(fateOf([write(`${home}/.codex`, { access: "delete" })], world)).toBe("denied");
    expect(fateOf([write(`${home}/dotfiles/vim`)], world)).toBe("free");
  });

  it("may be read", () => {
    expect(fateOf([onPath("fs:read", "/home/ada/.claude/settings.json")], { home: "/home/ada" })).toBe("free");
    for (const file of [
      ".claude/settings.json",
      ".codex/config.toml",
      ".gemini/settings.json",
      ".opencode/plugin/a.ts",
    ])
      expect(decided({ home: "/home/ada" }, "Read", { file_path: `/home/ada/${file}` }).outcome).toBe("allowed");
  });

  it("are where the environment says, too", () => {
    const world = { home: "/home/ada", env: { CLAUDE_CONFIG_DIR: "/srv/claude/" } };
    for (const path of ["/srv/claude/settings.json", "/srv/claude/settings.local.json", "/srv/claude"])
      expect([path, fateOf([write(path)], world)]).toEqual([path, "denied"]);
    expect(fateOf([write("/srv/claude/notes.md")], world)).toBe("asked");
    const deleteAbove = write("/srv", { is_tree: true, access: "delete" });
    expect(fateOf([deleteAbove], world)).toBe("denied");
  });

  it("are the same in letters that a file system takes for others", () => {
    const world = { home: "/home/ada" };
    for (const path of ["/srv/p/.claude/\u017fettings.json", "/srv/p/.cl\u200caude/settings.json", "/srv/p/.CLAUDE"])
      expect([path, fateOf([write(path)], world)]).toEqual([path, "denied"]);
    expect(fateOf([write("/home/ada/.con\ufb01g/metnos/gate.toml")], world)).toBe("denied");
    expect(fateOf([write("/srv/p/.g\u200cit/config")], world)).toBe("asked");
    expect(fateOf([write("/srv/p/.g\u00adit/config")], world)).toBe("asked");
    expect(fateOf([write("/home/ada/.clau\u2064de/settings.json")], world)).toBe("denied");
    expect(decided(world, "Read", { file_path: "/srv/p/.e\u200cnv" }).outcome).toBe("approval_required");
    expect(decided(world, "Read", { file_path: "/srv/.\u212aube/config" }).outcome).toBe("denied");
  });

  it("are denied from whatever working directory the agent gives", () => {
    const filePath = "/srv/p/.claude/settings.json";
    for (const cwd of ["", "relative", "/no\0where", "/srv/../srv/p", `/${"x".repeat(9000)}`, "/proc/1/root", "~"])
      expect(decided({ home: "/home/ada", cwd }, "Write", { file_path: filePath, content: "" }).outcome).toBe("denied");
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
