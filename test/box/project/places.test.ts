import { execFileSync } from "node:child_process";
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  type Stats,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { setImmediate, setTimeout } from "node:timers/promises";
import { hasOwnTimes } from "@metnos-gate/shell-reading/files";
import { describe, expect, it, onTestFinished } from "vitest";
import { isHarmless } from "../../../main/box/project/harmless-git-files.ts";
import { type Known, Places, TooLarge } from "../../../main/box/project/places.ts";
import { ProjectTree, TREE_LIMITS } from "../../../main/box/project/project-tree.ts";
import { TimeSlice } from "../../../main/box/project/time-slice.ts";
import { hasProgram } from "../../support/boxes.ts";
import { diskOfWholeSeconds } from "../../support/small-disk.ts";
import { tempFolder } from "../../support/temp-folder.ts";

function made(files: readonly string[]): { project: string; add(name: string | Buffer): void } {
  const project = tempFolder();
  const add = (name: string | Buffer) => {
    const path = Buffer.concat([Buffer.from(`${project}/`), Buffer.from(name)]);
    mkdirSync(Buffer.from(dirname(path.toString("latin1")), "latin1"), { recursive: true });
    writeFileSync(path, "");
  };
  for (const file of files) add(file);
  return { project, add };
}

const declared = (project: string, writes: readonly string[] = []) => ({
  project,
  cwd: project,
  reads: [],
  writes,
  network: false,
});

/** What was found, below the project. */
async function look(places: Places, project: string) {
  const { found, known, unnamed } = await places.before(declared(project), new TimeSlice());
  const below = (paths: readonly string[]) => paths.map((path) => path.slice(project.length + 1)).sort();
  return { run_later: below(found.run_later), secrets: below(found.secrets), unnamed: below(unnamed), known };
}

async function appeared(places: Places, known: readonly Known[], project: string): Promise<string[]> {
  const prefix = Buffer.from(project).toString("latin1").length + 1;
  const looks = await Promise.all(known.map((each) => places.appeared(each, new TimeSlice())));
  return looks.flatMap(({ found }) => found.map(({ path }) => path.slice(prefix))).sort();
}

/** Of 240 bytes each: with all below them paths are nearly as long as a path can be. */
const LONG = Array(15).fill("\x01".repeat(240)).join("/");

it("a project whose disk takes a name in other letters for the same gets no box", async () => {
  const project = tempFolder();
  for (const name of [".git", ".GIT"]) mkdirSync(join(project, name));
  const places = new Places();
  await expect(look(places, project)).resolves.toBeDefined();
  try {
    execFileSync("mount", ["--bind", join(project, ".git"), join(project, ".GIT")], { stdio: "pipe" });
  } catch (error) {
    if (process.env.CI === "true") throw error;
    console.warn("skipped: two names for one folder need root, to mount it");
    return;
  }
  onTestFinished(() => void execFileSync("umount", ["--lazy", join(project, ".GIT")]));
  await expect(look(places, project)).rejects.toThrow(TooLarge);
  await expect(
    places.before({ ...declared(project), reads: [project], kind: "looking" }, new TimeSlice()),
  ).rejects.toThrow(TooLarge);
});

it.each([
  ['{"name":"metnos-gate","bin":"a.js"}', false],
  ['{"name":"@a/metnos-gate","bin":"a.js"}', false],
  ['\uFEFF{"name":"a","bin":{"metnos\\u002dgate":"a.js"}}', false],
  ['{"name":"a","directories":{"bin":"tools"}}', false],
  ['{"name":"a","bin":{"a":"a.js"},"devDependencies":{"metnos-gate":"1"},"scripts":{"b":"metnos-gate"}}', true],
  ['{"name":"a","directories":{"lib":"tools"}}', true],
  ["no JSON, metnos-gate", true],
])("a package.json at the top may not give the project a program by the gate's name: %s", async (text, stays) => {
  const { project, add } = made(["tools/metnos-gate"]);
  const places = new Places();
  const { known } = await look(places, project);
  add("package.json");
  writeFileSync(join(project, "package.json"), text);
  const found = await appeared(places, known, project);
  expect(found.filter((path) => !isHarmless(join(project, path), project))).toEqual(stays ? [] : ["package.json"]);
});

describe("of what has long paths, no more is kept for a run than can be written down at once:", () => {
  it.each([
    ["repositories", (folder: string) => mkdirSync(join(folder, ".git/objects"), { recursive: true })],
    [
      "links to programs",
      (folder: string) => {
        mkdirSync(folder, { recursive: true });
        symlinkSync(`${"../".repeat(16)}bin`, join(folder, "bin"));
      },
    ],
  ])("%s", async (_what, make) => {
    const project = tempFolder();
    mkdirSync(join(project, "bin"));
    const known = async () => (await new Places().before(declared(project), new TimeSlice())).known;
    make(join(project, LONG, "a"));
    expect(JSON.stringify(await known()).length).toBeLessThan(64 * 1024);
    for (let each = 0; each < 150; each++) make(join(project, LONG, String(each)));
    await expect(known()).rejects.toThrow(TooLarge);
  });

  it("what a run has left of them is said not to have been looked through", async () => {
    const project = tempFolder();
    const places = new Places();
    const [known] = (await places.before(declared(project), new TimeSlice())).known;
    for (let each = 0; each < 150; each++) mkdirSync(join(project, LONG, `${each}/.git/objects`), { recursive: true });
    expect(await places.appeared(known as Known, new TimeSlice())).toMatchObject({ isWhole: false });
  });
});

const DEEP = `
import os, sys
os.chdir(sys.argv[1])
for name in sys.argv[2].split("/"):
    os.mkdir(name)
    os.chdir(name)
open(".envrc", "w").close()
`;

/** TimeSlice that continue as the test says. */
class Paused extends TimeSlice {
  #waiting: (() => void) | undefined;

  override shared(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  /** So many steps, if there are so many. */
  async passes(steps: number): Promise<void> {
    for (let step = 1; step < steps; step++) {
      await setImmediate();
      this.#waiting?.();
    }
    await setImmediate();
  }
}

/** Where something was that is now under another name. */
function exchanged(project: string, name: string): string {
  renameSync(join(project, name), join(project, `${name}.before`));
  return join(project, name);
}

describe("the places in a project whose content is run later", () => {
  it("are found wherever they lie, in whatever case, and what lies below them isn't named again", async () => {
    const { project } = made([
      "a/b/.envrc",
      ".Husky/pre-commit",
      ".vscode/tasks.json",
      ".vscode/words.txt",
      "pkg/.npmrc",
      ".zshrc.zwc",
      "src/index.ts",
      ".claude/settings.json",
    ]);
    expect((await look(new Places(), project)).run_later).toEqual([
      ".Husky",
      ".claude",
      ".vscode/tasks.json",
      ".zshrc.zwc",
      "a/b/.envrc",
      "pkg/.npmrc",
    ]);
  });

  it("are names of cleared programs, and of those that people type and git calls, and no others, in the folders of programs that builds make", async () => {
    const { project, add } = made(["node_modules/.bin/vitest", ".venv/bin/python", ".tox/py311/bin/pip", "bin/start"]);
    const places = new Places();
    const { run_later, known } = await look(places, project);
    expect(run_later).toEqual([]);
    const planted = [".tox/py311/bin/ls", ".venv/bin/cat", "bin/git", "env/bin/head", "node_modules/.bin/grep"];
    planted.push(".venv/bin/sudo", "node_modules/.bin/SSH", "node_modules/.bin/git-lfs");
    planted.push("node_modules/.bin/metnos-gate", ".venv/bin/metnos-gate");
    planted.push(".venv/bin/git-credential-x", "node_modules/.bin/Git-Remote-X", ".venv/bin/docker-credential-x");
    planted.push("node_modules/.bin/ssh-askpass", ".venv/bin/delta", ".venv/bin/gpg2", ".tox/py311/bin/kubectl");
    planted.push("bin/bash", "bin/sh", "bin/zsh", "tools/bin/pwsh", ".venv/bin/bash");
    for (const name of [
      ...planted,
      "bin/other",
      "bin/docker",
      "node_modules/.bin/node",
      ".venv/bin/python3",
      ".venv/bin/gitlint",
      "node_modules/a/cat",
    ])
      add(name);
    expect(await appeared(places, known, project)).toEqual([...planted].sort());
  });

  it("are of a repository only what names programs or other settings", async () => {
    const { project } = made([
      ".git/HEAD",
      ".git/config",
      ".git/index",
      ".git/hooks/pre-commit",
      ".git/info/attributes",
      ".git/info/exclude",
      ".git/objects/ab/cd",
      ".git/refs/heads/main",
      ".git/worktrees/w/commondir",
      ".git/worktrees/w/HEAD",
      ".git/modules/a/b/HEAD",
      ".git/modules/a/b/config",
      ".git/remotes/origin",
      ".git/branches/origin",
      ".git/lazygit.yml",
      ".git/safe/x",
      "sub/.git",
      "bare/HEAD",
      "bare/objects/x",
      "bare/refs/x",
      "bare/hooks/update",
      "notbare/hooks/update",
      "notbare/config",
    ]);
    expect((await look(new Places(), project)).run_later).toEqual([
      ".git/branches",
      ".git/config",
      ".git/hooks",
      ".git/index",
      ".git/info/attributes",
      ".git/lazygit.yml",
      ".git/modules/a/b/config",
      ".git/remotes",
      ".git/safe",
      ".git/worktrees/w/commondir",
      "bare/hooks",
      "sub/.git",
    ]);
  });

  it("are settings that a repository includes from its own folder, also in a worktree's run", async () => {
    const folder = tempFolder();
    const [main, tree] = [join(folder, "main"), join(folder, "tree")];
    const git = (...words: string[]) =>
      execFileSync("git", ["-C", main, "-c", "user.name=A", "-c", "user.email=a@b.c", ...words]);
    execFileSync("git", ["init", "-q", main]);
    git("commit", "-q", "--allow-empty", "-m", "first");
    git("worktree", "add", "-q", tree);
    git("config", "include.path", "own/config");
    mkdirSync(join(main, ".git/own"));
    writeFileSync(join(main, ".git/own/config"), "[core]\n\tabbrev = 9\n");
    expect((await look(new Places(), main)).run_later).toContain(".git/own/config");
    const { found, known } = await new Places().before(declared(tree, [join(main, ".git")]), new TimeSlice());
    expect(found.run_later).toContain(join(main, ".git/own/config"));
    renameSync(join(main, ".git/own"), join(main, ".git/before"));
    mkdirSync(join(main, ".git/own"));
    writeFileSync(join(main, ".git/own/config"), "[core]\n\tfsmonitor = ./x\n");
    const looks = await Promise.all(known.map((each) => new Places().appeared(each, new TimeSlice())));
    const left = looks.flatMap(({ found }) => found.map(({ path }) => path));
    expect(left.filter((path) => !isHarmless(path, main))).toEqual([join(main, ".git/own/config")]);
  });

  it("are what the settings of a repository in the project name as well, and of a submodule", async () => {
    const { project } = made([
      "inner/checks/hooks/pre-commit",
      "inner/tools/fsm.sh",
      "sub/checks/x",
      "checks/hooks/other",
    ]);
    const hooks = "[core]\n\thooksPath = checks/hooks\n\tfsmonitor = tools/fsm.sh\n";
    for (const root of [project, join(project, "inner")]) execFileSync("git", ["init", "-q", root]);
    writeFileSync(join(project, "inner/.git/config"), hooks);
    mkdirSync(join(project, ".git/modules"));
    execFileSync("git", ["init", "-q", "--separate-git-dir", join(project, ".git/modules/sub"), join(project, "sub")]);
    writeFileSync(join(project, ".git/modules/sub/config"), "[core]\n\thooksPath = checks\n");
    const places = new Places();
    const { run_later, known } = await look(places, project);
    expect(run_later.filter((path) => !/(?:^|\/)\.git(?:\/|$)/.test(path))).toEqual([
      ...["inner/checks/hooks", "inner/tools/fsm.sh", "sub/checks"],
    ]);
    exchanged(project, "inner/checks");
    mkdirSync(join(project, "inner/checks/hooks"), { recursive: true });
    expect(await appeared(places, known, project)).toEqual(["inner/checks/hooks"]);
  });

  it("are of a repository links as well, where git writes by itself, and none that it replaces or the gate has left", async () => {
    const { project } = made([
      ".git/HEAD",
      ".git/config",
      ".git/objects/pack/x",
      ".git/objects/info/x",
      ".git/other/x",
    ]);
    const places = new Places();
    const before = await places.before({ project, writes: [], reads: [] }, new TimeSlice());
    const { known } = before;
    const links = [
      ...["COMMIT_EDITMSG", "index", "logs/HEAD", "logs/refs/heads/x/y", "refs/heads/x/y", "objects/ab"],
      ...[
        "objects/pack/y",
        "objects/info/y",
        "info",
        "rr-cache/x/thisimage",
        "worktrees/w",
        "worktrees/v/logs/HEAD",
        "lfs/objects/ab/cd/x",
        "lost-found/other/x",
        "objects/info/commit-graphs/commit-graph-chain",
      ],
    ].map((name) => `.git/${name}`);
    // Git writes only by names that a reference can have.
    links.push(".git/logs/refs/heads/x.set-aside-0123abcd");
    const others = [".git/other/y", ".git/logs/refs/heads/x.set-aside~0123abcd"];
    rmSync(join(project, ".git/HEAD"));
    for (const name of [...links, ...others, ".git/HEAD"]) {
      mkdirSync(dirname(join(project, name)), { recursive: true });
      symlinkSync("/nowhere", join(project, name));
    }
    expect(await appeared(places, known, project)).toEqual(links.sort());
  });

  it.each([true, false])(
    "are read each time but where the file system keeps its own times (%j): a look by these takes none of the names",
    async (isTimed) => {
      const { project } = made(["sub/a.txt", "sub/b.txt"]);
      const limits = { ...TREE_LIMITS, isTimed: () => isTimed };
      const tree = new ProjectTree(project, "plain", limits);
      await setTimeout(80);
      expect((await tree.lookInTurns(new TimeSlice())).isWhole).toBe(true);
      limits.names = 0;
      expect((await tree.lookInTurns(new TimeSlice())).isWhole).toBe(isTimed);
      expect(hasOwnTimes("/proc")).toBe(process.platform !== "linux");
    },
  );

  it.skipIf(!hasProgram("hg"))(
    "aren't what hg itself writes: its locks, its tests of links, what it would take back",
    async () => {
      const { project } = made(["a.txt", "dir name/b.txt"]);
      const hg = (script: string) =>
        execFileSync("/bin/sh", ["-ec", script], { cwd: project, env: { ...process.env, HGUSER: "a", HGRCPATH: "" } });
      hg("hg init; hg add -q; hg commit -m 1");
      const places = new Places();
      const { known, run_later } = await look(places, project);
      expect(run_later).toEqual([]);
      hg(
        "hg bookmark x; echo more >> a.txt; hg commit -m 2; hg mv a.txt c.txt; hg commit --amend -m 3; hg branch -q y; hg commit -m 4; hg phase -p .",
      );
      symlinkSync("host/4026531836:123", join(project, ".hg/wlock"));
      const [seen] = await Promise.all(known.map((each) => places.appeared(each, new TimeSlice())));
      expect(seen?.found.filter(({ path }) => !isHarmless(path, project)).map(({ path }) => path)).toEqual([]);
    },
  );

  it("are seen also where another look at their folder, which began before, ends at the same time", async () => {
    const { project } = made(Array.from({ length: 600 }, (_, at) => `sub/${at}.txt`));
    const tree = new ProjectTree(project);
    const [earlier, later] = [new Paused(), new Paused()];
    const before = tree.lookInTurns(earlier);
    await earlier.passes(2);
    writeFileSync(join(project, "sub/.envrc"), "evil");
    const after = tree.lookInTurns(later);
    await later.passes(3);
    await earlier.passes(9);
    expect((await before).places).toEqual([]);
    await later.passes(9);
    expect((await after).places.map(({ path }) => path)).toEqual([join(project, "sub/.envrc")]);
  });

  it("are seen also where their folder was given a time by which it would seem the same", async () => {
    const { project } = made(["sub/a.txt"]);
    const places = new Places();
    const folder = join(project, "sub");
    const before = lstatSync(folder);
    await setTimeout(80);
    const { known } = await look(places, project);
    writeFileSync(join(folder, ".envrc"), "evil");
    // A command can't give a folder the time of its last change, but any other time: their sum, say.
    const sum = ({ ctimeMs, mtimeMs }: Stats) => ctimeMs + mtimeMs / 2 ** 20;
    for (let tries = 0; tries < 100_000 && sum(lstatSync(folder)) !== sum(before); tries++) {
      const later = lstatSync(folder).ctimeMs - before.ctimeMs + (tries % 64) / 4096;
      utimesSync(folder, 0, (before.mtimeMs - later * 2 ** 20) / 1000);
    }
    expect(sum(lstatSync(folder))).toBe(sum(before));
    expect(await appeared(places, known, project)).toEqual(["sub/.envrc"]);
  });

  it("are seen also on a disk whose times are whole seconds, within the second in which it was looked at", async () => {
    const disk = diskOfWholeSeconds();
    if (disk === undefined) return;
    const folder = join(disk, "project/sub");
    mkdirSync(folder, { recursive: true });
    const places = new Places();
    while (Date.now() % 1000 > 100) await setTimeout(10);
    writeFileSync(join(folder, "a.txt"), "");
    await setTimeout(150);
    const { known } = await look(places, join(disk, "project"));
    writeFileSync(join(folder, ".envrc"), "evil");
    expect(await appeared(places, known, join(disk, "project"))).toEqual(["sub/.envrc"]);
  });

  it("aren't what builds make and only builds run", async () => {
    const { project } = made(["node_modules/.bin/tsc", "node_modules/x/.npmrc", ".venv/bin/python", "target/.envrc"]);
    expect((await look(new Places(), project)).run_later).toEqual([]);
  });

  it("are bound where a link among them leads in the project", async () => {
    const { project } = made(["conf/env"]);
    symlinkSync("conf/env", join(project, ".envrc"));
    symlinkSync("/etc/hostname", join(project, ".npmrc"));
    symlinkSync("nowhere", join(project, ".zshrc"));
    expect((await look(new Places(), project)).run_later).toEqual(["conf/env"]);
  });

  it("are found below names that aren't UTF-8", async () => {
    const { project, add } = made([]);
    add(Buffer.from([0xff, 0x2f, ...Buffer.from(".envrc")]));
    const found = await look(new Places(), project);
    expect([found.run_later, found.unnamed]).toEqual([[], ["\u00ff/.envrc"]]);
  });

  it("and files with secrets are found, but not the examples of them", async () => {
    const { project } = made([".env", "a/.env.local", ".env.example", "a/.env.sample", ".envrc", "environment.ts"]);
    expect((await look(new Places(), project)).secrets).toEqual([".env", ".envrc", "a/.env.local"]);
  });
});

describe("files with secrets in folders whose content runs later", () => {
  it("are found, at any depth, but in what builds make", async () => {
    const { project } = made([
      ...[".devcontainer/.env", ".qwen/.env", ".claude/worktrees/x/app/.env", ".github/hooks/.env", ".husky/_/.npmrc"],
      ...[".claude/worktrees/x/node_modules/a/.env", ".direnv/python/.env", ".vscode/settings.json"],
    ]);
    expect((await look(new Places(), project)).secrets).toEqual([
      ...[".claude/worktrees/x/app/.env", ".devcontainer/.env", ".github/hooks/.env", ".husky/_/.npmrc", ".qwen/.env"],
    ]);
  });
});

describe("a project that holds too much to be looked through", () => {
  const LIMITS = { folders: 20, names: 200, large: 0 };
  const folders = (count: number) => Array.from({ length: count }, (_, index) => `f${index}/g/x`);

  it.each([
    ["folders", folders(10)],
    ["names", ["a/x", ...Array.from({ length: 200 }, (_, index) => `b/${index}`)]],
  ])("(%s) can't be confined", async (_what, files) => {
    const { project } = made(files);
    await expect(look(new Places(LIMITS), project)).rejects.toThrow(TooLarge);
    expect((await look(new Places({ ...LIMITS, folders: 21, names: 300 }), project)).run_later).toEqual([]);
  });

  it("is looked through from the outside to the inside once a run has made it so, and the rest is not passed over in silence", async () => {
    const { project, add } = made(["a/b/x"]);
    const places = new Places(LIMITS);
    const { known } = await look(places, project);
    for (const each of [
      ...folders(30),
      ".envrc",
      "a/.envrc",
      "a/b/.envrc",
      ".vscode/tasks.json",
      ".git/hooks/pre-commit",
      ...Array.from({ length: 200 }, (_, at) => `b/${at}`),
    ])
      add(each);
    const [found] = await Promise.all(known.map((each) => places.appeared(each, new TimeSlice())));
    expect(found?.isWhole).toBe(false);
    // What was there before, and has a name that counts, whatever number of other folders is beside it.
    const paths = [".envrc", "a/.envrc", "a/b/.envrc", ".vscode/tasks.json"].map((path) => join(project, path));
    expect(found?.found.map(({ path }) => path)).toEqual(expect.arrayContaining(paths));
  });
});

describe("a deep project", () => {
  const deep = `${"d/".repeat(600)}e`;

  it("is looked through to the bottom, and no file stays open", async () => {
    const { project, add } = made([]);
    // Made level by level: no program makes such a path at once.
    execFileSync("python3", ["-c", DEEP, project, deep]);
    const open = () => readdirSync("/proc/self/fd").length;
    const before = open();
    const places = new Places();
    expect((await look(places, project)).run_later).toEqual([`${deep}/.envrc`]);
    add("a/.envrc");
    expect((await look(places, project)).run_later).toEqual(["a/.envrc", `${deep}/.envrc`]);
    expect(open()).toBe(before);
  });

  it("is one whose folders are the same, however they are reached", async () => {
    const { project } = made([]);
    execFileSync("python3", ["-c", DEEP, project, deep]);
    const places = new Places();
    const { known } = await look(places, project);
    expect(await appeared(places, known, project)).toEqual([]);
    const [place] = known.flatMap((each) => each.places);
    const { dev, ino } = lstatSync(join(project, deep));
    expect(place?.parent).toBe(`${dev}:${ino}`);
  });
});

describe("what appeared", () => {
  it("is what is new, also in what was known to be empty, and just before", async () => {
    const { project, add } = made(["a/b/c/x", ".envrc"]);
    const places = new Places();
    const { known } = await look(places, project);
    expect(await appeared(places, known, project)).toEqual([]);
    add("a/b/c/.envrc");
    expect(await appeared(places, known, project)).toEqual(["a/b/c/.envrc"]);
    add("a/b/new/deep/.git/hooks/post-checkout");
    add(".vscode/settings.json");
    expect(await appeared(places, known, project)).toEqual([
      ".vscode/settings.json",
      "a/b/c/.envrc",
      "a/b/new/deep/.git",
      "a/b/new/deep/.git/hooks",
    ]);
    rmSync(join(project, "a"), { recursive: true });
    expect(await appeared(places, known, project)).toEqual([".vscode/settings.json"]);
  });

  it("isn't what git notes of many branches that it fetched, nor a submodule whose name looks like references", async () => {
    const { project } = made(["a.txt"]);
    const git = (...words: string[]) => execFileSync("git", ["-C", project, ...words], { encoding: "utf8" });
    git("init", "-q");
    const places = new Places();
    const { known } = await look(places, project);
    writeFileSync(
      join(project, ".git/FETCH_HEAD"),
      `${"a".repeat(40)}\tnot-for-merge\tbranch 'x' of h:x\n`.repeat(500),
    );
    mkdirSync(join(project, ".git/modules/lib/refs"), { recursive: true });
    execFileSync("git", ["init", "-q", `--separate-git-dir=${project}/.git/modules/lib/refs/b`, join(project, "sub")]);
    execFileSync("git", ["-C", join(project, "sub"), "symbolic-ref", "refs/remotes/origin/HEAD", "refs/heads/main"]);
    writeFileSync(join(project, ".git/refs/long"), `ref:${" ".repeat(8000)}refs/${"a/".repeat(200)}../../../x`);
    const own = ["branches", "config", "hooks"].map((name) => `.git/modules/lib/refs/b/${name}`);
    expect(await appeared(places, known, project)).toEqual([...own, ".git/refs/long", "sub/.git"]);
  });

  it("is a .git that git passes over, wherever it is, until it is a repository; one that was there stays", async () => {
    const { project, add } = made(["a/x", "old/.git/x", "repository/.git/objects/x"]);
    const places = new Places();
    const { known } = await look(places, project);
    mkdirSync(join(project, "a/.git"));
    mkdirSync(join(project, "a/.GIT/refs"), { recursive: true });
    mkdirSync(join(project, "whole"));
    rmSync(join(project, "repository/.git/objects/x"));
    expect(await appeared(places, known, project)).toEqual(["a/.GIT", "a/.git"]);
    execFileSync("git", ["init", "-q", join(project, "whole")]);
    add("a/.git/objects/x");
    rmSync(join(project, "a/.GIT"), { recursive: true });
    expect((await appeared(places, known, project)).filter((path) => !path.startsWith("whole/.git/"))).toEqual([]);
  });

  it("is what is in the place of a folder that was exchanged, and not what moved with its folder", async () => {
    const { project, add } = made(["a/.envrc", "b/.envrc"]);
    const places = new Places();
    const { known } = await look(places, project);
    renameSync(join(project, "a"), join(project, "c"));
    add("a/.envrc");
    expect(await appeared(places, known, project)).toEqual(["a/.envrc"]);
  });

  it("isn't what an editor saved by another file in the same folder", async () => {
    const { project, add } = made(["a/.envrc"]);
    const places = new Places();
    const { known } = await look(places, project);
    add("a/.envrc.new");
    renameSync(join(project, "a/.envrc.new"), join(project, "a/.envrc"));
    expect(await appeared(places, known, project)).toEqual([]);
  });

  it.each([
    ["the link itself", (project: string) => writeFileSync(exchanged(project, ".envrc"), "evil")],
    [
      "the folder that it leads into",
      (project: string) => {
        mkdirSync(exchanged(project, "conf"));
        writeFileSync(join(project, "conf/env"), "evil");
      },
    ],
    [
      "another link on its way",
      (project: string) => {
        writeFileSync(join(project, "evil"), "evil");
        symlinkSync("../evil", exchanged(project, "conf/env"));
      },
    ],
  ])("is a link where %s was exchanged: no box can cover links", async (_what, exchange) => {
    const { project } = made(["real/env", "src/a"]);
    mkdirSync(join(project, "conf"));
    symlinkSync("../real/env", join(project, "conf/env"));
    symlinkSync("conf/env", join(project, ".envrc"));
    symlinkSync("src", join(project, ".vscode"));
    const places = new Places();
    const { known } = await look(places, project);
    expect(await appeared(places, known, project)).toEqual([]);
    exchange(project);
    expect(await appeared(places, known, project)).toEqual([".envrc"]);
  });

  it("are links in the place of a folder that holds one, or that lead to a repository", async () => {
    const { project } = made(["src/config.toml", ".jj/working_copy/checkout", ".hg/requires"]);
    const places = new Places();
    const { known } = await look(places, project);
    const links = ["mise", "_darcs", ".jj/repo"];
    for (const name of links) symlinkSync(join(project, "src"), join(project, name));
    expect(await appeared(places, known, project)).toEqual(links.sort());
  });

  it("are files alone where nothing reads a folder by that name", async () => {
    const { project, add } = made([".jj/working_copy/checkout"]);
    const places = new Places();
    const { known } = await look(places, project);
    add(".jj/repo/store/type");
    expect(await appeared(places, known, project)).toEqual([]);
    add("sub/.jj/repo");
    expect(await appeared(places, known, project)).toEqual(["sub/.jj/repo"]);
  });

  it("is a link that led nowhere, once it leads somewhere", async () => {
    const { project, add } = made([]);
    symlinkSync("conf/env", join(project, ".envrc"));
    const places = new Places();
    const { known } = await look(places, project);
    expect(await appeared(places, known, project)).toEqual([]);
    add("conf/env");
    expect(await appeared(places, known, project)).toEqual([".envrc"]);
  });

  it("is never behind a link", async () => {
    const { project } = made([]);
    const elsewhere = made([".envrc", "deep/.envrc"]).project;
    const places = new Places();
    const { known } = await look(places, project);
    symlinkSync(elsewhere, join(project, "link"));
    expect(await appeared(places, known, project)).toEqual([]);
  });

  it("is a folder that can't be looked into, as a whole", async () => {
    const { project } = made([]);
    const places = new Places();
    const { known } = await look(places, project);
    // Deeper than a path may be long: the same as a folder that is closed, also for root.
    const name = "x".repeat(200);
    const deep = `for i in $(seq 25); do mkdir ${name} && cd ${name} || exit 1; done; touch .envrc`;
    try {
      execFileSync("/bin/bash", ["-c", deep], { cwd: project });
      const [only = "", ...others] = await appeared(places, known, project);
      expect(others).toEqual([]);
      expect(only.split("/").every((each) => each === name)).toBe(true);
    } finally {
      execFileSync("/bin/rm", ["-rf", join(project, name)]);
    }
  });
});

describe("a link by which git works in a repository that isn't looked at", () => {
  const carried = async (before: string, command: string) => {
    const project = tempFolder();
    const sh = (script: string) => execFileSync("/bin/sh", ["-ec", script], { cwd: project });
    sh(`git init -q; printf 'node_modules\\n.venv\\n' > .git/info/exclude; ${before}`);
    const places = new Places();
    await setTimeout(60);
    const { known } = await look(places, project);
    sh(command);
    const found = await appeared(places, known, project);
    return found.filter((path) => !isHarmless(`${project}/${path}`, project));
  };

  it.each([
    ["packages", "mkdir -p node_modules/r/src; ln -s node_modules/r web; ln -s ../node_modules/r/src node_modules/s"],
    [
      "a program",
      "mkdir -p node_modules/.bin; touch node_modules/x; ln -s ../x node_modules/.bin/x; ln -s node_modules/x x",
    ],
    [
      "a virtual environment",
      "mkdir -p .venv/lib; ln -s lib .venv/lib64; git init -q .venv/lib/p; ln -s .venv/lib/q py",
    ],
    ["workspaces", "mkdir -p packages/a node_modules/@s; ln -s ../../packages/a node_modules/@s/a; ln -s a packages/b"],
    [
      "the project itself",
      "mkdir a; ln -s .. a/up; ln -s . here; ln -s .git/hooks h; ln -s .git g; ln -s /usr/share u",
    ],
    [
      "what leads around",
      "mkdir -p node_modules/r; ln -s r node_modules/s; ln -s ../s node_modules/r/s; ln -s node_modules/s x; ln -s y y",
    ],
    ["nothing outside", "ln -s ../other o; ln -s /nowhere/at/all n; ln -s ../../../.. up"],
  ])("isn't one to %s", async (_name, command) => {
    expect(await carried("true", command)).toEqual([]);
  });

  it.each([
    ["git's", "git init -q node_modules/r"],
    ["Mercurial's", "mkdir -p node_modules/r/.hg"],
    ["Jujutsu's", "mkdir -p node_modules/r/.jj"],
    ["Sapling's", "mkdir -p node_modules/r/.sl"],
    ["one without a work tree", "git init -q --bare node_modules/r"],
    ["one whose files lie elsewhere", "mkdir -p node_modules/r; touch node_modules/r/HEAD node_modules/r/commondir"],
    ["one in capitals, far below", "mkdir -p node_modules/r/a/b/c/.GIT"],
    [
      "more folders than are looked through",
      "mkdir -p node_modules/r; cd node_modules/r; mkdir $(seq 1 2100); cd ../..",
    ],
  ])("is one to %s", async (_name, command) => {
    expect(await carried("true", `${command}; ln -s node_modules/r web`)).toEqual(["web"]);
  });

  it.each([
    ["in it", "echo x > node_modules/r/.tool-versions; ln -s node_modules/r web"],
    [
      "below it",
      "mkdir -p node_modules/r/a/.vscode; echo x > node_modules/r/a/.vscode/tasks.json; ln -s node_modules/r web",
    ],
    ["around it", "echo path > node_modules/r/rust-toolchain; ln -s node_modules/r/s web"],
    [
      "behind another link",
      "echo x > node_modules/r/.envrc; ln -s ../node_modules/r node_modules/t; ln -s node_modules/t web",
    ],
  ])("is one to a folder with what runs later %s", async (_name, command) => {
    expect(await carried("mkdir -p node_modules/r/s", command)).toEqual(["web"]);
  });

  it("that was there is one once something runs later behind it, and stays where a package is installed anew", async () => {
    const users = "mkdir -p node_modules/r; ln -s node_modules/r web";
    expect(await carried(users, "echo x > node_modules/r/.tool-versions")).toEqual(["web"]);
    const many = `${users}; mkdir -p node_modules/r/.vscode $(seq -f 'node_modules/r/%g/.git' 9); echo x > node_modules/r/.npmrc`;
    expect(await carried(many, "cd node_modules/r; rm .npmrc; echo x > .npmrc; echo 20 > .nvmrc")).toEqual([]);
    expect(await carried(many, "echo x > node_modules/r/9/.tool-versions")).toEqual(["web"]);
  });

  it("stays as it was there, with a repository of the user's or with many folders, and is one once there is another", async () => {
    const users = "git init -q node_modules/r; ln -s node_modules/r web";
    expect(await carried(users, "touch node_modules/r/a; git -C node_modules/r config a.b c")).toEqual([]);
    const many = "mkdir -p node_modules/r; ln -s node_modules/r web; git add -f web";
    expect(await carried(many, "cd node_modules/r; mkdir $(seq 1 2100)")).toEqual([]);
    expect(await carried(users, "git init -q node_modules/r/sub")).toEqual(["web"]);
  });

  it("is one to another project's packages, or caches of boxes, whatever is there yet", async () => {
    const links = "ln -s ../other/node_modules/r a; ln -s ../x/box/projects/y/caches/r b; ln -s ../other/packages c";
    expect(await carried("true", links)).toEqual(["a", "b"]);
  });

  it("is, as a remote by its name, a file that names another folder, at a repository's top alone", async () => {
    const files =
      "for f in origin up.git docs/origin README.md; do mkdir -p docs; echo 'gitdir: x' > $f; done; echo 'gitdir' > no";
    expect(await carried("true", files)).toEqual(["origin", "up.git"]);
  });

  it.each([
    ["", ""],
    ["/target", "src/"],
    [" target", ""],
    ["target\\n!/target/", ""],
    ["target\\n!t*et", ""],
    ["target/*\\n!r", ""],
    ["target/*", "", "printf '!r' > target/.gitignore"],
    ["target", "src/", "printf '!target' > src/.gitignore"],
    ["", "src/", "mkdir -p src/.git/objects src/.git/info; echo target > src/.git/info/exclude"],
    ["", "src/", "git init -q src; echo target > src/.git/info/exclude; echo nothing > src/.git/HEAD"],
    [`${"#\\n".repeat(40_000)}!target`, "", "echo target > .git/info/exclude"],
  ])(
    "is none where git doesn't ignore what builds make (%j): the repository itself is, also in what they make in it",
    async (lines, at, more = "true") => {
      const made = `${at}target`;
      const command = `printf '${lines}' > .gitignore; mkdir -p ./${at}; git init -q ${made}/r; git init -q ${made}/node_modules/r; ${more}`;
      const paths = await carried("true", `${command}; if git check-ignore -q ${made}/r; then exit 1; fi`);
      const repositories = [`${made}/node_modules/r/.git`, `${made}/r/.git`];
      expect(paths.filter((path) => path.endsWith("/.git"))).toEqual(repositories);
    },
  );

  it.each([
    ["target", ""],
    ["target/\\n!*.ts\\n!.env.example", ""],
    ["/target", ""],
    ["/src/target/\\r", "src/"],
    ["**/target/*", "src/"],
    ["x", "", "echo '*' > target/.gitignore"],
    ["x", "", "echo target >> .git/info/exclude"],
  ])("isn't one to what builds make and git ignores (%j)", async (lines, at, more = "true") => {
    const command = `printf '${lines}\\n' > .gitignore; mkdir -p ./${at}; git init -q ${at}target/r; ${more}`;
    expect(await carried("true", `${command}; git check-ignore -q ${at}target/r`)).toEqual([]);
  });

  it("is a repository at the top of what builds make, but one of the project's own work trees", async () => {
    const own = "git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x";
    const made =
      "git init -q .next; mkdir .tox; git init -q .tox/py; git worktree add -q target; git init -q node_modules/a/b";
    expect(await carried(own, made)).toEqual([".next/.git", ".tox/py/.git"]);
  });
});
