import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as passed } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { isHarmless } from "../../../main/box/project/harmless-git-files.ts";
import { Places } from "../../../main/box/project/places.ts";
import { listSetAside, setAside } from "../../../main/box/project/set-aside.ts";
import { TimeSlice } from "../../../main/box/project/time-slice.ts";
import { RUN_LATER_PLACES } from "../../../main/decide/places/run-later-places.ts";
import { indexOf } from "../../support/git-index.ts";
import { tempFolder } from "../../support/temp-folder.ts";
import { type BoxUnderTest, boxUnderTest, withoutBox } from "../box-under-test.ts";

const NOW = Date.UTC(2026, 0, 2);

async function found(project: string, plant: () => void | Promise<void>) {
  const places = new Places();
  const { known } = await places.before({ project, writes: [], reads: [] }, new TimeSlice());
  await plant();
  const looks = await Promise.all(known.map((each) => places.appeared(each, new TimeSlice())));
  return looks.flatMap((look) => look.found.filter(({ path }) => !isHarmless(path, project)));
}

describe("what is set aside", () => {
  it("is each place that runs later, wherever it appears, but what builds write", async () => {
    const project = tempFolder();
    const places = RUN_LATER_PLACES.map(({ names, is_folder, is_built }, at) => {
      const path = join(project, `n${at}`, ...names.map((name) => name.replace("*", "a")));
      const isInBuild = /^(?:\.?venv|node_modules)$/.test(names[0] ?? "");
      return { path, is_folder, is_built: is_built || isInBuild };
    });
    const moved = await found(project, () => {
      for (const { path, is_folder } of places) {
        mkdirSync(is_folder ? path : dirname(path), { recursive: true });
        writeFileSync(is_folder ? join(path, "a") : path, "../x");
      }
    });
    const covers = (at: string) => moved.some(({ path }) => path === at || at.startsWith(`${path}/`));
    const wrong = places.filter(({ path, is_built }) => covers(path) === is_built).map(({ path }) => path);
    expect(wrong.map((path) => path.slice(project.length))).toEqual([]);
  });

  it("is a repository below what builds make, once the project's index has git enter it", async () => {
    const project = tempFolder();
    const git = (folder: string, ...args: string[]) =>
      execFileSync("git", ["-C", folder, "-c", "user.name=a", "-c", "user.email=a@b", ...args]);
    git(project, "init", "-q");
    const inner = join(project, "src/__pycache__");
    const moved = await found(project, () => {
      mkdirSync(inner, { recursive: true });
      git(inner, "init", "-q");
      git(inner, "commit", "-q", "--allow-empty", "-m", "x");
      git(project, "-c", "advice.addEmbeddedRepo=false", "add", "-f", "src/__pycache__");
    });
    expect(moved.map(({ path }) => path)).toContain(join(inner, ".git"));
  });

  it.each([
    ["a link by the name of what was set aside", "worktrees/w.set-aside~0123abcd", ""],
    ["a folder of submodules that has a HEAD itself", "modules/e", "modules/HEAD"],
  ])("is a .git file that leads to a repository which nobody looks at, by %s", async (_name, at, more) => {
    const project = tempFolder();
    execFileSync("git", ["-C", project, "init", "-q"]);
    const moved = await found(project, () => {
      const to = join(project, ".git", at);
      mkdirSync(join(project, "src"));
      mkdirSync(dirname(to));
      execFileSync("git", ["init", "-q", "--bare", join(project, "node_modules/e")]);
      if (more === "") symlinkSync("../../node_modules/e", to);
      else renameSync(join(project, "node_modules/e"), to);
      if (more !== "") writeFileSync(join(project, ".git", more), "");
      writeFileSync(join(project, "src/.git"), `gitdir: ${to}\n`);
    });
    expect(moved.map(({ path }) => path)).toContain(join(project, "src/.git"));
  });

  it("is what leads a submodule to its settings, or these to its files, up from a name that may be a link", () => {
    const project = tempFolder();
    const [file, settings] = [join(project, "sub/.git"), join(project, ".git/modules/e/config")];
    for (const folder of ["sub", "link", ".git/modules/e"]) mkdirSync(join(project, folder), { recursive: true });
    const areHarmless = (to: string, back: string) => {
      writeFileSync(file, `gitdir: ${to}\n`);
      writeFileSync(settings, `[core]\n\tbare = false\n\tworktree = ${back}\n`);
      return [file, settings].map((path) => isHarmless(path, project));
    };
    expect(areHarmless("../.git/modules/e", "../../../sub")).toEqual([true, true]);
    expect(areHarmless(join(project, ".git/modules/e"), "../../../sub")).toEqual([true, true]);
    expect(areHarmless("../.git/modules/e", "../../../link/../sub")).toEqual([true, false]);
    expect(areHarmless("../link/../.git/modules/e", "../../../sub")).toEqual([false, false]);
    expect(areHarmless(`${project}/.git/modules/../../link/../.git/modules/e`, "../../../sub")[0]).toBe(false);
    symlinkSync("sub", join(project, "s"));
    expect(areHarmless("../.git/modules/e", "../../../s")).toEqual([true, false]);
  });

  it.each([
    ["a folder with other files in it", "tools"],
    ["another submodule's folder", ".git/modules/e"],
  ])("is a submodule's repository that was moved to %s, from where it has its files outside", async (_name, to) => {
    const project = tempFolder();
    const git = (...args: string[]) => execFileSync("git", ["-C", project, ...args]);
    git("init", "-q");
    mkdirSync(join(project, ".git/modules/a/b"), { recursive: true });
    git("init", "-q", "--separate-git-dir", join(project, ".git/modules/a/b/c"), "sub");
    git("config", "-f", ".git/modules/a/b/c/config", "core.worktree", "../../../../../sub");
    const moved = await found(project, () => {
      renameSync(join(project, ".git/modules/a"), join(project, ".git/modules/other"));
      renameSync(join(project, ".git/modules/other/b/c"), join(project, to));
    });
    expect(moved.map(({ path }) => path)).toContain(join(project, to, "config"));
  });

  it("isn't what a repository in the project has that is moved as it is", async () => {
    const project = tempFolder();
    execFileSync("git", ["init", "-q", join(project, "a/n")]);
    writeFileSync(join(project, "a/n/.git/config"), "[core]\n\tpager = less\n");
    const moved = await found(project, () => renameSync(join(project, "a"), join(project, "b")));
    expect(moved).toEqual([]);
  });

  it.each([
    ["a whole path", "\t/etc/hostname"],
    ["a path that leads up, behind blanks that git passes over", ".\t1\t../x"],
    ["a path by a folder that isn't there yet", "\tsrc/../../x"],
    ["git's own settings", "\t.git/config"],
    ["a secret of the project", "\t.env"],
    ["a key", "\t.ssh/id_rsa"],
  ])("is a list of conflicts to learn from, which git would copy into its folder, with %s", (_name, entry) => {
    const project = tempFolder();
    const file = join(project, ".git/MERGE_RR");
    mkdirSync(dirname(file));
    const holds = (text: string) => {
      writeFileSync(file, `${text}\0`);
      return isHarmless(file, project);
    };
    const hash = "0123456789".repeat(4);
    expect([`${hash}\ta.txt`, `${hash}.1\tb/a.txt\0${hash}${"0".repeat(24)}\t..b`].map(holds)).toEqual([true, true]);
    expect(holds(`${hash}\ta.txt\0${hash}${entry}`)).toBe(false);
  });

  it("is an index whose hashes aren't its repository's", () => {
    const harmless = ["sha1", "sha256"].map((format) => {
      const project = tempFolder();
      execFileSync("git", ["init", "-q", `--object-format=${format}`, project]);
      const git = (...args: string[]) =>
        execFileSync("git", ["-C", project, "-c", "user.name=a", "-c", "user.email=a@b", ...args]);
      writeFileSync(join(project, "a.txt"), "");
      git("add", ".");
      git("commit", "-qm", "x");
      git("worktree", "add", "-q", join(project, "w"));
      const files = [".git/index", ".git/worktrees/w/index"].map((name) => join(project, name));
      const own = files.map((file) => isHarmless(file, project));
      writeFileSync(join(project, ".git/config"), "");
      return [...own, ...files.map((file) => isHarmless(file, project))];
    });
    expect(harmless).toEqual([
      [true, true, true, true],
      [true, true, false, false],
    ]);
  });

  it("is an index that a run has in its memory, and changes there once it was looked at for another run", async () => {
    const project = tempFolder();
    const file = join(project, ".git/index");
    execFileSync("git", ["-C", project, "init", "-q"]);
    writeFileSync(file, indexOf(["aaaaaaa"], 0o100644));
    const script = `
import mmap, sys
with open(sys.argv[1], "r+b") as file:
    memory = mmap.mmap(file.fileno(), 0)
at = memory.find(b"aaaaaaa")
memory[at] = 97
print("ready", flush=True)
sys.stdin.readline()
memory[at:at + 7] = b"../aaaa"
`;
    const child = spawn("python3", ["-c", script, file], { stdio: ["pipe", "pipe", "inherit"] });
    const [ready] = await Promise.all([once(child.stdout, "data"), passed(2200)]);
    expect(String(ready)).toContain("ready");
    const moved = await found(project, async () => {
      child.stdin.end("\n");
      await once(child, "close");
    });
    expect(moved.map(({ path }) => path)).toEqual([file]);
  });

  it.each([
    ["with other bits in its entry's mode", ["target/x"], 0o160644],
    ["behind many others", Array.from({ length: 40 }, (_, at) => `target/x${at + 10}`), 0o160000],
  ])("is one, too, %s", async (_name, names, mode) => {
    const project = tempFolder();
    execFileSync("git", ["-C", project, "init", "-q"]);
    const moved = await found(project, () => {
      for (const name of names) mkdirSync(join(project, name, ".git"), { recursive: true });
      writeFileSync(join(project, ".git/index"), indexOf(names, mode));
    });
    expect(moved.map(({ path }) => path)).toEqual(names.map((name) => join(project, name, ".git")));
  });

  it("is one, too, that the index of another one there names", async () => {
    const project = tempFolder();
    for (const folder of [project, join(project, "target/x")]) execFileSync("git", ["init", "-q", folder]);
    writeFileSync(join(project, ".git/index"), indexOf(["target/x"], 0o160000));
    const inner = join(project, "target/x/y/.git");
    const moved = await found(project, () => {
      mkdirSync(inner, { recursive: true });
      writeFileSync(join(project, "target/x/.git/index"), indexOf(["y"], 0o160000));
    });
    expect(moved.map(({ path }) => path)).toEqual([inner]);
  });

  it("isn't looked for in what an index names by the thousand", async () => {
    const project = tempFolder();
    execFileSync("git", ["-C", project, "init", "-q"]);
    const places = new Places();
    const look = { project, writes: [], reads: [] };
    const [known] = (await places.before(look, new TimeSlice())).known;
    if (known === undefined) throw new Error("nothing is known of the project");
    const names = Array.from({ length: 2000 }, (_, at) => `target/x${at + 1000}`);
    writeFileSync(join(project, ".git/index"), indexOf(names, 0o160000));
    expect((await places.appeared(known, new TimeSlice())).isWhole).toBe(false);
    await expect(places.before(look, new TimeSlice())).rejects.toThrow("too many files and folders");
  });

  it("is nothing of another folder to which a link in the project leads", async () => {
    const [project, elsewhere] = [tempFolder(), tempFolder()];
    execFileSync("git", ["-C", project, "init", "-q"]);
    mkdirSync(join(elsewhere, "x/.git"), { recursive: true });
    const moved = await found(project, () => {
      symlinkSync(elsewhere, join(project, "target"));
      writeFileSync(join(project, ".git/index"), indexOf(["target/x"], 0o160000));
    });
    expect(moved.map(({ path }) => path)).toEqual([]);
  });

  it("is a repository that was there under a name that isn't git's, once a rename gives it that", async () => {
    const project = tempFolder();
    const kept = join(project, "fixtures/kept");
    execFileSync("git", ["init", "-q", "--bare", kept]);
    execFileSync("git", ["--git-dir", kept, "config", "core.fsmonitor", "../x.sh"]);
    const moved = await found(project, () => {
      mkdirSync(join(project, "sub"));
      renameSync(kept, join(project, "sub/.git"));
    });
    expect(moved.map(({ path }) => path)).toContain(join(project, "sub/.git/config"));
  });

  it("is what says how git continues with patches or a rebase where it is no number, and no plain option", async () => {
    const project = tempFolder();
    execFileSync("git", ["init", "-q"], { cwd: project });
    const planted = {
      // bash's prompt by git's own git-prompt.sh expands these.
      "rebase-merge/msgnum": "$(touch x)\n",
      "rebase-merge/end": "2\n`touch x`",
      "rebase-apply/next": "$(touch x)",
      "rebase-apply/last": "1$(touch x)\n",
      // `git am --continue` writes there.
      "rebase-apply/apply-opt": " '-C1' '--build-fake-ancestor=../x'\n",
      "worktrees/a/rebase-apply/apply-opt": " '--build-fake-ancestor' '../x'\n",
    };
    const paths = Object.keys(planted).map((name) => join(project, ".git", name));
    const moved = await found(project, () => {
      for (const [name, text] of Object.entries(planted)) {
        mkdirSync(dirname(join(project, ".git", name)), { recursive: true });
        writeFileSync(join(project, ".git", name), text);
      }
    });
    expect(moved.map(({ path }) => path).sort()).toEqual(paths.sort());
  });

  it("is nothing of what git itself keeps of patches and of a rebase by them", async () => {
    const project = tempFolder();
    const settings = "export GIT_CONFIG_GLOBAL=/dev/null; git config user.name t; git config user.email t@example.com";
    const commit = (text: string) => `echo ${text} > f; git add f; git commit -qm ${text}`;
    const begin = `git init -q -b main; ${settings}; ${commit("one")}; git checkout -qb b; ${commit("two")}; git checkout -q main; ${commit("three")}; git checkout -q b`;
    const run = (line: string): void => void execFileSync("sh", ["-c", line], { cwd: project, stdio: "ignore" });
    run(begin);
    const files = () => readdirSync(join(project, ".git/rebase-apply"));
    const rebased = await found(project, () => run("! git rebase --apply -C1 --whitespace=fix main"));
    expect([rebased, files().includes("next")]).toEqual([[], true]);
    run("git rebase --abort; git format-patch -q -o patches main; git checkout -q main");
    const patched = await found(project, () =>
      run("! git am -C2 -p1 --reject --directory='a b' --exclude='*.x' --whitespace=fix patches/*"),
    );
    expect([patched, files().includes("apply-opt")]).toEqual([[], true]);
  });

  it("is what has git look for objects elsewhere, and links to elsewhere among notes that it merges", async () => {
    const [project, elsewhere] = [tempFolder(), tempFolder()];
    for (const args of [[project], [elsewhere], ["--bare", join(project, "other.git")]])
      execFileSync("git", ["init", "-q", ...args]);
    const objects = [".git", ".git/modules/a", "other.git"].map((git) => `${git}/objects/info/alternates`);
    const moved = await found(project, () => {
      mkdirSync(join(project, ".git/modules/a/objects/info"), { recursive: true });
      writeFileSync(join(project, ".git/modules/a/HEAD"), "ref: refs/heads/main\n");
      for (const name of objects) writeFileSync(join(project, name), join(elsewhere, ".git/objects\n"));
      mkdirSync(join(project, ".git/NOTES_MERGE_WORKTREE"));
      symlinkSync(join(elsewhere, "x"), join(project, ".git/NOTES_MERGE_WORKTREE/0123"));
    });
    const planted = [...objects, ".git/NOTES_MERGE_WORKTREE/0123"].map((name) => join(project, name));
    expect(moved.map(({ path }) => path).sort()).toEqual(planted.sort());
  });

  it("is what says of a linked work tree that it is where none is, and not where nothing is", async () => {
    const [project, elsewhere] = [tempFolder(), tempFolder()];
    execFileSync("git", ["init", "-q"], { cwd: project });
    const named = [elsewhere, join(project, "link"), join(project, "src"), join(elsewhere, "nothing")];
    const moved = await found(project, () => {
      mkdirSync(join(project, "src"));
      symlinkSync(elsewhere, join(project, "link"));
      for (const [at, folder] of named.entries()) {
        mkdirSync(join(project, `.git/worktrees/w${at}`), { recursive: true });
        writeFileSync(join(project, `.git/worktrees/w${at}/gitdir`), `${folder}/.git\n`);
      }
    });
    const planted = [0, 1, 2].map((at) => join(project, `.git/worktrees/w${at}/gitdir`));
    expect(moved.map(({ path }) => path).sort()).toEqual(planted);
  });

  it("is a list of packs that names others than those beside it", async () => {
    const project = tempFolder();
    const git = (...args: string[]): void => void execFileSync("git", args, { cwd: project, stdio: "ignore" });
    git("init", "-q");
    const list = join(project, ".git/objects/pack/multi-pack-index");
    const own = await found(project, () => {
      for (const name of ["a", "b"]) {
        writeFileSync(join(project, name), name);
        git("add", name);
        git("-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-qm", name);
        git("repack", "-q", "-d");
      }
      git("multi-pack-index", "write");
    });
    expect([own, existsSync(list)]).toEqual([[], true]);
    const moved = await found(project, () => {
      const bytes = readFileSync(list);
      bytes.write("../../../../x/", bytes.lastIndexOf("pack-"), "latin1");
      rmSync(list);
      writeFileSync(list, bytes);
    });
    expect(moved.map(({ path }) => path)).toEqual([list]);
    // Newer versions of git add to it by further lists in a folder.
    const more = join(project, `.git/objects/pack/multi-pack-index.d/multi-pack-index-${"0".repeat(40)}.midx`);
    const added = (text: string) =>
      found(project, () => {
        mkdirSync(dirname(more), { recursive: true });
        const bytes = readFileSync(list);
        bytes.write(text, bytes.lastIndexOf("pack-"), "latin1");
        writeFileSync(more, bytes);
      });
    rmSync(list);
    git("multi-pack-index", "write");
    expect(await added("pack-")).toEqual([]);
    expect((await added("../../../x/")).map(({ path }) => path)).toEqual([more]);
  });

  it("is a list of files of references that names others than those beside it, as git would delete them", async () => {
    const project = tempFolder();
    execFileSync("git", ["init", "-q", project]);
    const lists = [".git/reftable", ".git/worktrees/w/reftable"].map((name) => join(project, name, "tables.list"));
    const written = (text: string) =>
      found(project, () => {
        for (const list of lists) {
          mkdirSync(dirname(list), { recursive: true });
          writeFileSync(list, text);
        }
      });
    const own = "0x000000000001-0x000000000002-b54f3b59.ref\n";
    expect(await written(own)).toEqual([]);
    const moved = await written(`${own}../../../other/.git/reftable/${own}`);
    expect(moved.map(({ path }) => path).sort()).toEqual(lists);
  });

  it("is a link where git svn writes by names that it knows before", async () => {
    const project = tempFolder();
    execFileSync("git", ["init", "-q", project]);
    const log = join(project, ".git/svn/refs/remotes/git-svn/unhandled.log");
    const moved = await found(project, () => {
      mkdirSync(dirname(log), { recursive: true });
      symlinkSync("../../out", log);
    });
    expect(moved.map(({ path }) => path)).toEqual([log]);
  });

  it("is what Sapling reads in a repository of git's", async () => {
    const project = tempFolder();
    execFileSync("git", ["init", "-q"], { cwd: project });
    const moved = await found(project, () => {
      mkdirSync(join(project, ".git/sl/store"), { recursive: true });
      for (const name of ["config", "requires", "store/config"])
        writeFileSync(join(project, ".git/sl", name), "[hooks]\npre-status = ./x\n");
    });
    expect(moved.map(({ path }) => path)).toEqual([join(project, ".git/sl/config")]);
  });

  it("isn't what has git look for a copy's objects in the project's own repository", async () => {
    const project = tempFolder();
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.com", ...args], { cwd: project });
    git("init", "-q");
    git("commit", "-q", "--allow-empty", "-m", "x");
    const moved = await found(project, () => {
      git("clone", "-q", "--shared", ".", "copy");
      git("clone", "-q", "--depth=1", `file://${project}`, "shallow");
    });
    expect(moved).toEqual([]);
    expect(existsSync(join(project, "copy/.git/objects/info/alternates"))).toBe(true);
  });

  it("is moved out of the project, private, and listed until it is removed", async () => {
    const [project, into] = [tempFolder(), tempFolder()];
    const [planted] = await found(project, () => {
      mkdirSync(join(project, ".husky"));
      writeFileSync(join(project, ".husky/pre-commit"), "evil");
    });
    if (planted === undefined) throw new Error("nothing was found");
    const entry = setAside(planted, into, "tester", NOW);
    expect(entry).toMatchObject({ path: join(project, ".husky"), at: "2026-01-02T00:00:00Z", agent_name: "tester" });
    expect(existsSync(join(project, ".husky"))).toBe(false);
    expect(readFileSync(join(entry?.kept_at ?? "", "pre-commit"), "utf8")).toBe("evil");
    expect(listSetAside(into)).toEqual([entry]);
    renameSync(entry?.kept_at ?? "", join(project, "kept"));
    expect(listSetAside(into)).toEqual([]);
  });

  it("is a link itself, never what it leads to", async () => {
    const [project, into, elsewhere] = [tempFolder(), tempFolder(), tempFolder()];
    writeFileSync(join(elsewhere, "own"), "mine");
    const [planted] = await found(project, () => symlinkSync(join(elsewhere, "own"), join(project, ".envrc")));
    if (planted === undefined) throw new Error("nothing was found");
    const entry = setAside(planted, into, "tester", NOW);
    expect(lstatSync(entry?.kept_at ?? "").isSymbolicLink()).toBe(true);
    expect(readFileSync(join(elsewhere, "own"), "utf8")).toBe("mine");
  });

  it("is renamed where it is if the gate has no room for it", async () => {
    const [project, into] = [tempFolder(), tempFolder()];
    const [planted] = await found(project, () => writeFileSync(join(project, ".envrc"), "evil"));
    if (planted === undefined) throw new Error("nothing was found");
    writeFileSync(join(into, "file"), "");
    const entry = setAside(planted, join(into, "file"), "tester", NOW);
    expect(entry?.kept_at).toMatch(new RegExp(`^${project}/\\.envrc\\.set-aside~[0-9a-f]{8}$`));
    expect(readFileSync(entry?.kept_at ?? "", "utf8")).toBe("evil");
    expect(existsSync(join(project, ".envrc"))).toBe(false);
  });

  it("is listed with the newest first, also what an earlier version has set aside, and by the gate's own records alone", async () => {
    const [project, into] = [tempFolder(), tempFolder()];
    const { dev, ino } = lstatSync(project);
    const parent = `${dev}:${ino}`;
    const put = (now: number) => {
      writeFileSync(join(project, ".envrc"), "x");
      const path = join(project, ".envrc");
      return setAside({ path, parent, own: "", is_link: false, changed_at: 0 }, into, "tester", now)?.kept_at ?? "";
    };
    const earlier = put(NOW - 1000);
    renameSync(dirname(earlier), join(into, "20260101235959-0a0a0a0a"));
    const old = join(into, "20260101235959-0a0a0a0a");
    const record = JSON.parse(readFileSync(join(old, "from.json"), "utf8"));
    writeFileSync(join(old, "from.json"), JSON.stringify({ ...record, kept_at: join(old, "content") }));
    const later = put(NOW);
    const kept = () => listSetAside(into).map(({ kept_at }) => kept_at);
    expect(kept()).toEqual([later, join(old, "content")]);
    // What is in a folder that was set aside is no list of the gate's.
    mkdirSync(join(into, "20260103000000/0b0b0b0b/content/0c0c0c0c"), { recursive: true });
    writeFileSync(join(into, "20260103000000/0b0b0b0b/content/0c0c0c0c/from.json"), JSON.stringify(record));
    expect(kept()).toEqual([later, join(old, "content")]);
  });

  it("is moved out and listed, too, where the user has removed all that was set aside before, with its folder", () => {
    const [project, into] = [tempFolder(), join(tempFolder(), "set-aside")];
    expect(listSetAside(into)).toEqual([]);
    writeFileSync(join(project, ".envrc"), "x");
    const { dev, ino } = lstatSync(project);
    const place = { path: join(project, ".envrc"), parent: `${dev}:${ino}`, own: "", is_link: false, changed_at: 0 };
    const moved = setAside(place, into, "tester", NOW);
    expect(moved?.kept_at.startsWith(`${into}/`)).toBe(true);
    expect(lstatSync(into).mode & 0o777).toBe(0o700);
    expect(listSetAside(into)).toEqual([moved]);
  });

  it("is nothing where its folder was exchanged for a link, or for another folder, since it was found", async () => {
    const [project, into, elsewhere] = [tempFolder(), tempFolder(), tempFolder()];
    writeFileSync(join(elsewhere, ".envrc"), "mine");
    const [planted] = await found(project, () => {
      mkdirSync(join(project, "sub"));
      writeFileSync(join(project, "sub/.envrc"), "evil");
    });
    if (planted === undefined) throw new Error("nothing was found");
    renameSync(join(project, "sub"), join(project, "moved"));
    symlinkSync(elsewhere, join(project, "sub"));
    expect(setAside(planted, into, "tester", NOW)).toBeUndefined();
    renameSync(join(project, "sub"), join(project, "link"));
    mkdirSync(join(project, "sub"));
    writeFileSync(join(project, "sub/.envrc"), "mine");
    expect(setAside(planted, into, "tester", NOW)).toBeUndefined();
    expect(readFileSync(join(elsewhere, ".envrc"), "utf8")).toBe("mine");
    expect(readFileSync(join(project, "sub/.envrc"), "utf8")).toBe("mine");
    expect(listSetAside(into)).toEqual([]);
  });
});

/** Each link, and what it leads to. */
const LINKS: readonly (readonly [link: string, to: string, isHarmless: boolean])[] = [
  ["node_modules", "/OTHER/node_modules", true],
  ["packages/a/node_modules", "../../node_modules", true],
  ["bin", "node_modules/.bin", true],
  [".venv", "tools/venv", true],
  [".venv/bin", "../src", false],
  [".venv/bin", "../node_modules/x/bin", false],
  ["node_modules/.bin", "../gone", false],
  ["node_modules", "src", false],
  ["node_modules", "/OTHER/lib", false],
  ["bin", "src", false],
  [".tox/py", "../src", false],
  ["venv", "node_modules/x/venv", false],
];

it.each(LINKS)(
  "a link %s to %s is left in its project only where what it leads to is looked at: %s",
  (link, to, harmless) => {
    const [project, other] = [tempFolder(), tempFolder()];
    for (const name of ["node_modules", "lib"]) mkdirSync(join(other, name));
    for (const name of ["src", "tools/venv/bin", "node_modules/.bin", "node_modules/x/bin", "node_modules/x/venv"])
      mkdirSync(join(project, name), { recursive: true });
    const path = join(project, link);
    rmSync(path, { recursive: true, force: true });
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(to.replace("/OTHER", other), path);
    expect(isHarmless(path, project)).toBe(harmless);
  },
);

const reason = withoutBox();
if (reason !== undefined) console.warn(`what runs leave is not tested: ${reason}`);

const ended = ({ box }: BoxUnderTest) =>
  vi.waitFor(() => expect(box.status().running).toBe(0), { timeout: 20_000, interval: 5 });

/** A repository `.bare` with a worktree `main` in it. @returns git, as somebody who commits */
function bareWithWorktree(project: string): string {
  const git = "git -c user.name=t -c user.email=t@example.com";
  const start = `git init -q one && ${git} -C one commit -q --allow-empty -m one && git clone -q --bare one .bare && rm -r one`;
  execFileSync("sh", ["-c", `${start} && git -C .bare worktree add -q ../main -b own`], { cwd: project });
  return git;
}

describe.skipIf(reason !== undefined)("after a confined command", () => {
  it("what it left at places whose content is run later is set aside, and there is one alarm", async () => {
    const underTest = await boxUnderTest();
    const { project, box, alarms, trail } = underTest;
    const plant =
      "mkdir -p sub/.vscode src; echo x > sub/.vscode/tasks.json; echo x > .envrc; echo x > src/a.ts; ln -s /etc .husky";
    await underTest.run(`${plant}; mkdir $'\\xff'; echo x > $'\\xff/.envrc'`);
    await ended(underTest);
    await expect.poll(() => alarms).toHaveLength(1);
    expect(
      box
        .status()
        .set_aside.map(({ path }) => path)
        .sort(),
    ).toEqual(
      [".envrc", ".husky", "sub/.vscode/tasks.json", "\ufffd/.envrc"].map((name) => join(project, name)).sort(),
    );
    expect(existsSync(join(project, "src/a.ts"))).toBe(true);
    expect(alarms).toMatchObject([{ code: "box_set_aside", subject: project }]);
    expect(trail).toMatchObject([{ event: "box.set_aside", agent: "tester", files: 4 }]);
    expect(underTest.failures).toEqual([]);
  });

  it("what was there stays, and can't be changed by it", async () => {
    const underTest = await boxUnderTest();
    const { project, alarms } = underTest;
    mkdirSync(join(project, ".husky"));
    writeFileSync(join(project, ".husky/pre-commit"), "mine");
    await underTest.run("echo evil > .husky/pre-commit; rm -rf .husky; mv .husky old; mkdir a; echo 1 > a/b");
    await ended(underTest);
    expect(readFileSync(join(project, ".husky/pre-commit"), "utf8")).toBe("mine");
    expect(alarms).toEqual([]);
  });

  it("git works as before: commits, branches, worktrees and new repositories stay, hooks of theirs don't", async () => {
    const underTest = await boxUnderTest();
    const { project, box, alarms } = underTest;
    execFileSync("git", ["init", "-q", "-b", "main"], { cwd: project });
    const git = "git -c user.name=t -c user.email=t@example.com";
    const line = `echo 1 > f && git add f && ${git} commit -qm one && git worktree add -q wt -b other && git init -q -b main sub`;
    expect(await underTest.run(line)).toMatchObject({ code: 0, stderr: "" });
    await ended(underTest);
    expect([alarms, underTest.failures]).toEqual([[], []]);
    expect(execFileSync("git", ["log", "--oneline", "other"], { cwd: join(project, "wt"), encoding: "utf8" })).toMatch(
      /one/,
    );
    await underTest.run(
      "echo evil > sub/.git/hooks/pre-commit; printf '[core]\\n\\tfsmonitor = evil\\n' >> wt/.git; true",
    );
    await underTest.run(
      "mkdir -p n/.git/hooks; echo evil > n/.git/hooks/x; printf '[core]\\n\\tfsmonitor = evil\\n' > n/.git/config",
    );
    await ended(underTest);
    await expect.poll(() => alarms.length).toBeGreaterThan(0);
    const paths = box.status().set_aside.map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining([join(project, "n/.git/hooks"), join(project, "n/.git/config")]));
    expect(existsSync(join(project, "sub/.git/hooks/pre-commit"))).toBe(false);
  });

  it("what git would go through or continue with is set aside in a repository that isn't called .git, too; git's own work stays", async () => {
    const underTest = await boxUnderTest();
    const { project, box, alarms } = underTest;
    const git = bareWithWorktree(project);
    const line = `cd main && echo 1 > f && git add f && ${git} commit -qm two && git checkout -q -b other && git stash list`;
    const stopped = `${git} -c sequence.editor='sed -i 1ibreak' rebase -q -i HEAD~1 && ${git} rebase --continue`;
    expect(await underTest.run(`${line} && ${stopped}`)).toMatchObject({ code: 0 });
    await underTest.run(`cd main && ${git} -c sequence.editor='sed -i 1ibreak' rebase -q -i HEAD~1`);
    await ended(underTest);
    expect([alarms, underTest.failures]).toEqual([[], []]);
    const own = join(project, ".bare/worktrees/main");
    const links = ["rr-cache", "gc.log", "refs/heads/q", "worktrees/main/logs/q", "info/attributes"];
    const plant = links.map((name) => `mkdir -p $(dirname ${name}); ln -s ../../out ${name}`).join("; ");
    await underTest.run(`cd .bare; ${plant}; echo 'exec x' >> worktrees/main/rebase-merge/git-rebase-todo`);
    await ended(underTest);
    expect(
      box
        .status()
        .set_aside.map(({ path }) => path)
        .sort(),
    ).toEqual([...links.map((name) => join(project, ".bare", name)), join(own, "rebase-merge/git-rebase-todo")].sort());
  });

  it("an index that can't be read is set aside, also of a worktree whose repository isn't called .git; git's own stay", async () => {
    const underTest = await boxUnderTest();
    const { project, box, alarms } = underTest;
    const git = bareWithWorktree(project);
    const line = `cd main && echo 1 > f && git add f && ${git} commit -qm two && git status --porcelain`;
    expect(await underTest.run(line)).toMatchObject({ code: 0, stdout: "", stderr: "" });
    await ended(underTest);
    expect([alarms, underTest.failures]).toEqual([[], []]);
    const index = join(project, ".bare/worktrees/main/index");
    await underTest.run(`echo x > ${index}`);
    await ended(underTest);
    expect(box.status().set_aside.map(({ path }) => path)).toEqual([index]);
  });

  it("a rebase continues in later commands, and no step of it that runs a command stays", async () => {
    const underTest = await boxUnderTest();
    const { project, box, alarms } = underTest;
    const git = "git -c user.name=t -c user.email=t@example.com";
    const commit = (text: string) => `echo ${text} > f && git add f && ${git} commit -qm ${text}`;
    const made = `git init -q -b main . && ${commit("one")} && git checkout -qb b && ${commit("two")} && echo g > g && git add g && ${git} commit -qm g && git checkout -q main && ${commit("three")} && git checkout -q b`;
    execFileSync("sh", ["-c", made], { cwd: project });
    const todo = join(project, ".git/rebase-merge/git-rebase-todo");
    expect(await underTest.run(`${git} rebase main`)).toMatchObject({ code: 1 });
    await ended(underTest);
    expect(readFileSync(todo, "utf8")).toMatch(/^pick [0-9a-f]+ (?:# )?g$/m);
    const continued = `echo four > f; git add f; GIT_EDITOR=true ${git} rebase --continue`;
    expect(await underTest.run(continued)).toMatchObject({ code: 0 });
    await ended(underTest);
    expect(execFileSync("git", ["log", "--format=%s", "main..b"], { cwd: project, encoding: "utf8" })).toBe("g\ntwo\n");
    expect([alarms, underTest.failures]).toEqual([[], []]);

    // The same in a rebase of the user's own: a command adds a step to it.
    execFileSync("sh", ["-c", `git checkout -qb c main~1 && ${commit("five")}; ! ${git} rebase -q main`], {
      cwd: project,
      stdio: "ignore",
    });
    expect(existsSync(todo)).toBe(true);
    await underTest.run("echo 'exec touch evil' >> .git/rebase-merge/git-rebase-todo");
    await ended(underTest);
    expect(box.status().set_aside.map(({ path }) => path)).toEqual([todo]);

    // One that the user has begun with commands in it stays as it is.
    writeFileSync(todo, "exec make\n");
    const tried = await underTest.run("echo 'exec touch evil' >> .git/rebase-merge/git-rebase-todo");
    await ended(underTest);
    expect(tried.stderr).toContain("Read-only file system");
    expect(readFileSync(todo, "utf8")).toBe("exec make\n");
    expect(box.status().set_aside).toHaveLength(1);
  });

  it("a file that says which version of a program runs may name others, and no path", async () => {
    const underTest = await boxUnderTest();
    const { project, box, alarms } = underTest;
    writeFileSync(join(project, ".nvmrc"), "22\n");
    const toolchain = '# why\n[toolchain]\nchannel = "1.80.0"\ncomponents = [\n  "rustfmt",\n  "clippy" ]\n';
    const named = `echo lts/iron > .nvmrc; echo v24.1.0 > .node-version; printf '${toolchain}' > rust-toolchain.toml`;
    const sdk = `printf '{ // why\\n "sdk": { "version": "9.0.100", "rollForward": "latestMinor" } }' > global.json`;
    const more =
      "printf '3.12\\n3.11.4/envs/a\\n' > .python-version; mkdir -p .jj/repo/store; echo git > .jj/repo/store/git_target";
    expect(await underTest.run(`${named}; echo java=21.0.1-tem > .sdkmanrc; ${sdk}; ${more}`)).toMatchObject({
      code: 0,
    });
    await ended(underTest);
    expect([alarms, box.status().set_aside]).toEqual([[], []]);
    expect(readFileSync(join(project, ".nvmrc"), "utf8")).toBe("lts/iron\n");
    const paths =
      "pwd > .nvmrc; echo ../evil > .node-version; echo java=../../evil > .sdkmanrc; echo 'path = \"/evil\"'";
    const sdks = `printf '%s' '{"sdk":{"p\\u0061ths":["./evil"]}}' > global.json; mkdir -p i18n; echo '{"paths":"x"}' > i18n/global.json`;
    const others =
      "echo 3.12/../../../evil > .python-version; mkdir -p src/.jj/repo/store; pwd > src/.jj/repo/store/git_target";
    await underTest.run(`${paths} >> rust-toolchain.toml; ${sdks}; ${others}`);
    await ended(underTest);
    await expect.poll(() => alarms).toHaveLength(1);
    const moved = box.status().set_aside.map(({ path }) => path.slice(project.length + 1));
    const [versions, store] = [[".node-version", ".nvmrc", ".python-version", ".sdkmanrc"], "src/.jj/repo/store"];
    expect(moved.sort()).toEqual([...versions, "global.json", "rust-toolchain.toml", `${store}/git_target`]);
    // One that names a path already is the user's.
    writeFileSync(join(project, ".nvmrc"), "/opt/node\n");
    const tried = await underTest.run("echo 22 > .nvmrc");
    expect(tried.stderr).toContain("Read-only file system");
  });

  it("an empty .git, over which git works on the repository around it, is set aside", async () => {
    const underTest = await boxUnderTest();
    const { project, box, alarms } = underTest;
    execFileSync("git", ["init", "-q", "-b", "main"], { cwd: project });
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell's
    await underTest.run("d=gi; mkdir -p sub/.${d}t; git init -q whole");
    await ended(underTest);
    await expect.poll(() => alarms).toHaveLength(1);
    expect(box.status().set_aside.map(({ path }) => path)).toEqual([join(project, "sub/.git")]);
    expect(existsSync(join(project, "sub/.git"))).toBe(false);
    expect(existsSync(join(project, "whole/.git/HEAD"))).toBe(true);
  });

  it("a repository that was there stays though its objects are deleted, with its settings and hooks", async () => {
    const underTest = await boxUnderTest();
    const { project, alarms } = underTest;
    for (const folder of [project, join(project, "sub")]) {
      execFileSync("git", ["init", "-q", folder]);
      mkdirSync(join(folder, ".git/hooks"), { recursive: true });
      writeFileSync(join(folder, ".git/hooks/pre-commit"), "mine");
    }
    await underTest.run("rm -rf .git sub");
    await ended(underTest);
    expect(alarms).toEqual([]);
    for (const folder of [project, join(project, "sub")]) {
      expect(existsSync(join(folder, ".git/objects"))).toBe(false);
      expect(existsSync(join(folder, ".git/config"))).toBe(true);
      expect(readFileSync(join(folder, ".git/hooks/pre-commit"), "utf8")).toBe("mine");
    }
  });

  it("an empty .git in the place of a repository that nothing kept is set aside", async () => {
    const underTest = await boxUnderTest();
    const { project, box } = underTest;
    for (const name of ["objects", "refs"]) mkdirSync(join(project, "sub/.git", name), { recursive: true });
    writeFileSync(join(project, "sub/.git/HEAD"), "ref: refs/heads/main\n");
    await underTest.run("mv sub/.git old && mkdir sub/.git");
    await ended(underTest);
    const paths = () => box.status().set_aside.map(({ path }) => path);
    await expect.poll(paths).toEqual([join(project, "sub/.git")]);
    expect(existsSync(join(project, "old/HEAD"))).toBe(true);
  });

  it("a worktree whose files lead git to another repository is set aside", async () => {
    const underTest = await boxUnderTest();
    const { project, box } = underTest;
    execFileSync("git", ["init", "-q", "-b", "main"], { cwd: project });
    const plant =
      "mkdir -p evil .git/worktrees/a; echo ../../../evil > .git/worktrees/a/commondir; ln -s /etc/passwd .git/worktrees/a/gitdir";
    await underTest.run(`${plant}; mkdir n; echo "gitdir: $PWD/evil" > n/.git`);
    await ended(underTest);
    const planted = [".git/worktrees/a/commondir", ".git/worktrees/a/gitdir", "n/.git"];
    await expect
      .poll(() =>
        box
          .status()
          .set_aside.map(({ path }) => path)
          .sort(),
      )
      .toEqual(planted.map((name) => join(project, name)));
  });

  it("two at the same time: what one left isn't taken for what was there before the other", async () => {
    const underTest = await boxUnderTest();
    const { project, box } = underTest;
    const slow = underTest.run("echo x > .envrc; touch planted; until [ -e done ]; do sleep 0.01; done");
    await expect.poll(() => existsSync(join(project, "planted"))).toBe(true);
    await underTest.run("touch done");
    await slow;
    await ended(underTest);
    await expect.poll(() => box.status().set_aside.map(({ path }) => path)).toEqual([join(project, ".envrc")]);
    expect(existsSync(join(project, ".envrc"))).toBe(false);
  });
});
