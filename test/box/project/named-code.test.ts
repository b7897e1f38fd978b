import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { codeNamedBySettings } from "@metnos-gate/shell-reading/git";
import { describe, expect, it } from "vitest";
import { Places } from "../../../main/box/project/places.ts";
import { TimeSlice } from "../../../main/box/project/time-slice.ts";
import { BOX_USERS, HAS_BUBBLEWRAP, testBox } from "../../support/boxes.ts";
import { fateOf, onPath } from "../../support/guarded-calls.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const SETTINGS: readonly (readonly [key: string, value: string])[] = [
  ["core.hooksPath", "scripts/hooks"],
  ["core.fsmonitor", "tools/fsm.sh"],
  ["filter.x.clean", "./tools/clean.sh %f"],
  ["diff.x.textconv", "node textconv.mjs"],
  ["merge.x.driver", "sh -c 'tools/merge.sh %A %O'"],
  ["include.path", "../own.gitconfig"],
  ["alias.st", "!sh tools/st.sh"],
  ["hook.lint.command", "tools/lint.sh --quick"],
  ["gpg.ssh.defaultKeyCommand", "tools/key.sh"],
  ["submodule.s.update", "!tools/update.sh"],
  ["lfs.customtransfer.own.path", "tools/lfs.sh"],
  ["core.alternateRefsCommand", "tools/refs.sh"],
  ["remote.up.uploadpack", "tools/pack.sh"],
];
const NAMED = [
  ...["scripts/hooks/pre-commit", "tools/fsm.sh", "tools/clean.sh", "textconv.mjs", "tools/merge.sh", "own.gitconfig"],
  "tools/st.sh",
  ...["tools/lint.sh", "tools/key.sh", "tools/update.sh", "tools/lfs.sh", "tools/refs.sh", "tools/pack.sh"],
  ...["conf/more.gitconfig", "tools/included.sh"],
];
const FREE = ["src/a.ts", "scripts/build.sh", "tools/other.sh", "main.mjs", "node_modules/x/y.js"];

/** Settings that name others, and code. */
const INCLUDED: Readonly<Record<string, string>> = {
  "own.gitconfig": "[include]\n\tpath = conf/more.gitconfig\n",
  "conf/more.gitconfig": "[core]\n\tsshCommand = tools/included.sh\n",
};

function project(folder: string): string {
  const root = join(folder, "project");
  for (const name of [...NAMED, ...FREE]) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), INCLUDED[name] ?? "yours\n");
  }
  execFileSync("git", ["init", "-q", root]);
  for (const [key, value] of SETTINGS) execFileSync("git", ["-C", root, "config", key, value]);
  for (const [key, value] of [
    ["remote.origin.url", "src/a.ts"],
    ["filter.y.smudge", "node node_modules/x/y.js"],
    ["core.editor", "vim"],
  ])
    execFileSync("git", ["-C", root, "config", key ?? "", value ?? ""]);
  return root;
}

describe("code that a repository's own settings name", () => {
  it("is a place that runs later: whoever writes there is asked; what they don't name isn't", () => {
    const home = tempFolder();
    const root = project(home);
    const fate = (name: string) => fateOf([onPath("fs:write", join(root, name))], { home, cwd: root });
    for (const name of NAMED) expect([name, fate(name)]).toEqual([name, "asked"]);
    for (const name of FREE.slice(0, 4)) expect([name, fate(name)]).toEqual([name, "free"]);
    expect(fate("scripts/hooks/new")).toBe("asked");
  });

  it("is one, too, where the user's own settings name it for every project, however they are written", async () => {
    const home = tempFolder();
    const root = join(home, "project");
    execFileSync("git", ["init", "-q", root]);
    writeFileSync(
      join(home, ".gitconfig"),
      `# mine \\\n[core]\n\thooksPath = "own"/hooks # of each project\n[include]\n\tpath = ~/more.gitconfig ; and more\n`,
    );
    writeFileSync(
      join(home, "more.gitconfig"),
      `[core] fsmonitor = tools/fsm.sh\n[filter "x"]\n\tclean = ~/project/c.sh\n`,
    );
    const named = ["own/hooks/pre-commit", "tools/fsm.sh", "c.sh"];
    for (const name of named)
      expect([name, fateOf([onPath("fs:write", join(root, name))], { home, cwd: root })]).toEqual([name, "asked"]);
    const places = new Places(undefined, home);
    const [known] = (await places.before({ project: root, reads: [], writes: [] }, new TimeSlice())).known;
    if (known === undefined) throw new Error("nothing is known of the project");
    for (const name of named) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), "theirs\n");
    }
    const { found } = await places.appeared(known, new TimeSlice());
    expect(found.map(({ path }) => path).sort()).toEqual(
      ["c.sh", "own/hooks", "tools/fsm.sh"].map((name) => join(root, name)),
    );
  });

  it("is one, too, where a hook is a link, or the folder of all of them", async () => {
    const home = tempFolder();
    const root = join(home, "project");
    execFileSync("git", ["init", "-q", root]);
    for (const name of ["tools/check.sh", "tools/other.sh", "all/pre-push"]) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), "yours\n");
    }
    const fate = (name: string) => fateOf([onPath("fs:write", join(root, name))], { home, cwd: root });
    expect(["tools/check.sh", "all/pre-push"].map(fate)).toEqual(["free", "free"]);
    symlinkSync("../../tools/check.sh", join(root, ".git/hooks/pre-commit"));
    symlinkSync("../../later.sh", join(root, ".git/hooks/post-commit"));
    expect(["tools/check.sh", "later.sh", "tools/other.sh"].map(fate)).toEqual(["asked", "asked", "free"]);
    const places = new Places();
    const look = await places.before({ project: root, reads: [], writes: [] }, new TimeSlice());
    expect(look.found.run_later).toContain(join(root, "tools/check.sh"));
    const [known] = look.known;
    if (known === undefined) throw new Error("nothing is known of the project");
    writeFileSync(join(root, "later.sh"), "theirs\n");
    expect((await places.appeared(known, new TimeSlice())).found.map(({ path }) => path)).toEqual([
      join(root, "later.sh"),
    ]);
    rmSync(join(root, ".git/hooks"), { recursive: true });
    symlinkSync("../all", join(root, ".git/hooks"));
    expect(["tools/check.sh", "all/pre-push", "all/new"].map(fate)).toEqual(["free", "asked", "asked"]);
  });

  it("is one, too, where an .envrc loads it, which direnv doesn't look at again; a new .envrc says nothing", async () => {
    const home = tempFolder();
    const root = join(home, "project");
    execFileSync("git", ["init", "-q", root]);
    const put = (name: string, text: string) => {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), text);
    };
    put(".envrc", "source_env tools/env.sh\ndotenv_if_exists .vars\n");
    put("web/.envrc", "source own.sh\n");
    for (const name of ["tools/env.sh", "tools/other.sh", "web/own.sh", "a.sh"]) put(name, "yours\n");
    const fate = (name: string) => fateOf([onPath("fs:write", join(root, name))], { home, cwd: root });
    expect(["tools/env.sh", ".vars", "tools/other.sh"].map(fate)).toEqual(["asked", "asked", "free"]);
    const places = new Places(undefined, home);
    const look = await places.before({ project: root, reads: [], writes: [] }, new TimeSlice());
    expect(look.found.run_later.filter((path) => !path.includes("/.git/")).sort()).toEqual(
      [".envrc", "tools/env.sh", "web/.envrc", "web/own.sh"].map((name) => join(root, name)),
    );
    const [known] = look.known;
    if (known === undefined) throw new Error("nothing is known of the project");
    put(".vars", "theirs\n");
    put("new/.envrc", "source ../a.sh\n");
    expect((await places.appeared(known, new TimeSlice())).found.map(({ path }) => path).sort()).toEqual(
      [".vars", "new/.envrc"].map((name) => join(root, name)),
    );
  });

  it("is one, too, in the repository's own folder, but for what git itself writes there", async () => {
    const root = join(tempFolder(), "project");
    execFileSync("git", ["init", "-q", root]);
    const inside = (name: string) => join(root, ".git", name);
    mkdirSync(inside("more"));
    writeFileSync(inside("more/config"), "[core]\n\thooksPath = .git/more/hooks\n");
    for (const [key, value] of [
      ["include.path", "more/config"],
      ["include.path", "later/config"],
      ["alias.h", "!cat .git/HEAD .git/refs/heads/main; .git/tool"],
    ] as const)
      execFileSync("git", ["-C", root, "config", "--add", key, value]);
    const places = new Places();
    const look = await places.before({ project: root, reads: [], writes: [] }, new TimeSlice());
    expect(look.found.run_later).toContain(inside("more/config"));
    expect(look.found.run_later).not.toContain(inside("HEAD"));
    const [known] = look.known;
    if (known === undefined) throw new Error("nothing is known of the project");
    for (const folder of ["more/hooks", "later"]) mkdirSync(inside(folder));
    writeFileSync(inside("later/config"), "[core]\n\tfsmonitor = x\n");
    writeFileSync(inside("refs/heads/main"), "");
    writeFileSync(inside("tool"), "", { mode: 0o755 });
    const { found } = await places.appeared(known, new TimeSlice());
    expect(found.map(({ path }) => path).sort()).toEqual(["later/config", "more/hooks", "tool"].map(inside));
  });

  it("is one, too, of a repository below the project, and in the one that a linked work tree shares", async () => {
    const root = join(tempFolder(), "project");
    const inner = join(root, "packages/x");
    for (const folder of [root, inner]) execFileSync("git", ["init", "-q", folder]);
    execFileSync("git", ["-C", inner, "config", "core.hooksPath", "own/hooks"]);
    execFileSync("git", ["-C", root, "config", "include.path", "more/config"]);
    const commit = ["-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-q", "--allow-empty", "-m", "x"];
    execFileSync("git", ["-C", root, ...commit]);
    const linked = join(root, "../linked");
    execFileSync("git", ["-C", root, "worktree", "add", "-q", linked]);
    const places = new Places();
    const leave = async (project: string, writes: string[], path: string) => {
      const { known } = await places.before({ project, reads: [], writes }, new TimeSlice());
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, "");
      const looks = await Promise.all(known.map((each) => places.appeared(each, new TimeSlice())));
      return looks.flatMap(({ found }) => found.map(({ path }) => path).filter((path) => !path.endsWith("/index")));
    };
    expect(await leave(root, [], join(inner, "own/hooks/pre-commit"))).toEqual([join(inner, "own/hooks")]);
    const git = join(root, ".git");
    expect(await leave(linked, [git], join(git, "more/config"))).toEqual([join(git, "more/config")]);
  });

  it("is looked for without waiting where the settings are a pipe", () => {
    const root = join(tempFolder(), "project");
    execFileSync("git", ["init", "-q", root]);
    execFileSync("sh", ["-c", "rm config && mkfifo config"], { cwd: join(root, ".git") });
    expect(codeNamedBySettings(root)).toEqual([]);
  });

  it("that appears during a run is found after it", async () => {
    const root = join(tempFolder(), "project");
    execFileSync("git", ["init", "-q", root]);
    execFileSync("git", ["-C", root, "config", "core.hooksPath", "own/hooks"]);
    const places = new Places();
    const [known] = (await places.before({ project: root, reads: [], writes: [] }, new TimeSlice())).known;
    if (known === undefined) throw new Error("nothing is known of the project");
    mkdirSync(join(root, "own/hooks"), { recursive: true });
    const { found } = await places.appeared(known, new TimeSlice());
    expect(found.map(({ path }) => path)).toEqual([join(root, "own/hooks")]);
  });
});

describe.runIf(HAS_BUBBLEWRAP).each(BOX_USERS)("code that settings name, in a box, as $name", (user) => {
  it("can't be changed, and everything beside it can", async () => {
    const folder = tempFolder();
    const root = project(folder);
    const declaration = { project: root, cwd: root, reads: [], writes: [], network: false };
    const { found } = await new Places().before(declaration, new TimeSlice());
    const ran = await testBox({ user, folder, declaration, found }).run(
      `for f in ${[...NAMED, "scripts/hooks/new", ...FREE].join(" ")}; do (echo x >> $f) 2>/dev/null && echo $f; done`,
    );
    expect(ran.stdout.trim().split("\n")).toEqual(FREE);
  });
});
