import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { BOX_USERS, type BoxRun, HAS_BUBBLEWRAP, hasProgram, testBox } from "../support/boxes.ts";
import { remove } from "../support/removed-folders.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { ofDay } from "../support/whole-run.ts";

/** What an ordinary coding session does works in a box as it does outside. */

const GIT = "git -c user.name=A -c user.email=a@example.com";

/** Fails with what the command said. */
function expectDone({ code, stdout, stderr }: BoxRun): void {
  expect({ code, said: code === 0 ? "" : stdout + stderr }).toEqual({ code: 0, said: "" });
}

function projectIn(folder: string, name = "project"): string {
  const project = join(folder, name);
  mkdirSync(project, { recursive: true });
  return project;
}

function repositoryIn(folder: string, name?: string): string {
  const project = projectIn(folder, name);
  writeFileSync(join(project, "one.txt"), "one\n");
  execFileSync("/bin/sh", ["-ec", `git init -q -b main; git add .; ${GIT} commit -qm first`], { cwd: project });
  return project;
}

describe.runIf(HAS_BUBBLEWRAP).each(ofDay(BOX_USERS, BOX_USERS.length))("inside a box, as $name", (user) => {
  it.runIf(hasProgram("git"))("git commits, branches, merges, stashes and adds a worktree", async () => {
    const folder = tempFolder();
    const project = repositoryIn(folder);
    writeFileSync(join(projectIn(folder, "home"), ".gitconfig"), "[user]\n\tname = Ada\n\temail = ada@example.com\n");
    const box = testBox({ user, folder, declaration: { project } });
    const ran = await box.run(`set -e
      echo two > two.txt; git add two.txt; git commit -qm second
      git checkout -q -b topic; echo three > three.txt; git add three.txt; git commit -qm third
      git checkout -q main; git merge -q --no-ff --no-edit topic
      echo more >> one.txt; git stash -q; git stash pop -q
      git worktree add -q .worktrees/other -b other; git -C .worktrees/other status --short
      git status --short; git log --format='%an <%ae>' -1`);
    expectDone(ran);
    expect(ran.stdout.split("\n")).toEqual([" M one.txt", "?? .worktrees/", "Ada <ada@example.com>", ""]);
  });

  it.runIf(hasProgram("git"))("what git runs or reads later stays as it is", async () => {
    const folder = tempFolder();
    const project = repositoryIn(folder);
    const box = testBox({ user, folder, declaration: { project } });
    const ran = await box.run(`
      echo x >> .git/config && echo config; echo x > .git/hooks/pre-commit && echo hook
      mv .git/hooks .git/old && echo moved; rm -rf .git/hooks && echo removed; mv .git other && echo all moved
      git config core.fsmonitor x && echo set; true`);
    expect(ran.stdout).toBe("");
    expect(readFileSync(join(project, ".git/config"), "utf8")).not.toContain("fsmonitor");
  });

  it.runIf(hasProgram("git"))("a worktree's commits reach its repository, whose settings stay", async () => {
    const folder = tempFolder();
    const repository = repositoryIn(folder, "repository");
    const project = join(folder, "tree");
    execFileSync("git", ["worktree", "add", "-q", project, "-b", "tree"], { cwd: repository });
    const declaration = { project, writes: [join(repository, ".git")] };
    const box = testBox({ user, folder, declaration });
    const ran = await box.run(`set -e
      echo two > two.txt; git add two.txt; ${GIT} commit -qm second
      (echo x >> ${repository}/.git/config) 2>/dev/null && echo config
      (echo x > .git) 2>/dev/null && echo link; ls -A ${repository}`);
    expectDone(ran);
    expect(ran.stdout).toBe(".git\n");
    const log = execFileSync("git", ["-c", "safe.directory=*", "log", "--format=%s", "-1", "tree"], {
      cwd: repository,
      encoding: "utf8",
    });
    expect(log).toBe("second\n");
  });

  it("Unicode and spaces in paths, a project that is a link", async () => {
    const folder = tempFolder();
    const project = projectIn(folder, "più di uno/il mio progetto 🗂");
    const link = join(folder, "link to it");
    symlinkSync(project, link);
    mkdirSync(join(project, "sub folder"));
    const declaration = { project, cwd: join(link, "sub folder") };
    const box = testBox({ user, folder, declaration });
    const ran = await box.run(`pwd; pwd -P; echo "ciao" > "fatto ✓.txt"; ls ..`);
    expectDone(ran);
    expect(ran.stdout).toBe(`${link}/sub folder\n${project}/sub folder\nsub folder\n`);
    expect(readFileSync(join(project, "sub folder", "fatto ✓.txt"), "utf8")).toBe("ciao\n");
  });

  it.runIf(existsSync("/dev/shm"))("a project on another file system", async () => {
    const other = mkdtempSync("/dev/shm/metnos-test-");
    onTestFinished(() => remove(other));
    const project = projectIn(other);
    const box = testBox({ user, folder: other, declaration: { project } });
    expectDone(await box.run("echo x > made"));
    expect(readFileSync(join(project, "made"), "utf8")).toBe("x\n");
  });

  it("Node runs its tests, and a server on loopback answers for as long as the command runs", async () => {
    const folder = tempFolder();
    const project = projectIn(folder);
    writeFileSync(
      join(project, "server.test.mjs"),
      `import { test } from "node:test"; import assert from "node:assert"; import { createServer } from "node:http";
      test("answers", async () => {
        const server = createServer((_, answer) => answer.end("here")).listen(0, "127.0.0.1");
        await new Promise((resolve) => server.once("listening", resolve));
        const said = await (await fetch("http://127.0.0.1:" + server.address().port)).text();
        server.close(); server.closeAllConnections();
        assert.equal(said, "here");
      });`,
    );
    const box = testBox({ user, folder, declaration: { project } });
    expectDone(await box.run("node --test server.test.mjs"));
  });

  it.runIf(hasProgram("make") && hasProgram("gcc"))("make and gcc build a C program that runs", async () => {
    const folder = tempFolder();
    const project = projectIn(folder);
    writeFileSync(join(project, "main.c"), '#include <stdio.h>\nint main(void) { puts("built"); return 0; }\n');
    writeFileSync(join(project, "Makefile"), "main: main.c\n\tgcc -O1 -o $@ $<\n");
    const ran = await testBox({ user, folder, declaration: { project } }).run("make -s && ./main");
    expectDone(ran);
    expect(ran.stdout).toBe("built\n");
  });

  it("what is written beside the project fails, so that nothing seems done and is gone with the box", async () => {
    const folder = tempFolder();
    const below = mkdtempSync("/var/tmp/metnos-test-");
    chmodSync(below, 0o755);
    onTestFinished(() => rmSync(below, { recursive: true, force: true }));
    for (const project of [projectIn(folder), projectIn(folder, "home/work/here/project"), projectIn(below)]) {
      const box = testBox({ user, folder, declaration: { project } });
      const ran = await box.run(`
        for path in .. / /srv ~ ~/.. /home /var /mnt ../../.. ~/.local ~/go ~/work; do
          [ -d "$path" ] || continue
          echo x > "$path/report.txt" && echo "written to $path"; mkdir "$path/out" && echo "made in $path"
        done 2>said
        grep -vE 'Read-only file system|Permission denied' said
        for path in . /tmp ~/.cache ~/.npm ~/.config ~/.local/share ~/.cargo "$XDG_RUNTIME_DIR" /dev/shm; do
          mkdir -p "$path/own/deep" && echo x > "$path/own/deep/x" || echo "can't write to $path"
        done`);
      expect({ project, said: ran.stdout + ran.stderr }).toEqual({ project, said: "" });
    }
  });

  it.runIf(hasProgram("git"))("git adds no worktree beside the project that would be gone with the box", async () => {
    const folder = tempFolder();
    const project = repositoryIn(folder, "home/repository");
    const box = testBox({ user, folder, declaration: { project } });
    const ran = await box.run(
      "git worktree add ../beside -b topic 2>&1; git worktree prune; git branch --list topic; ls ..",
    );
    expect(ran.stdout).toContain("could not create");
    expect(ran.stdout).not.toMatch(/HEAD is now|^beside$/m);
  });

  it.runIf(hasProgram("cargo") && hasProgram("go") && hasProgram("npm"))(
    "npm, cargo and go write what they keep in the home",
    async () => {
      const folder = tempFolder();
      const project = projectIn(folder, "home/project");
      const ran = await testBox({ user, folder, declaration: { project } }).run(`set -e
        npm init -y >/dev/null; npm cache verify >/dev/null; npm pack >/dev/null 2>&1; ls ~/.npm | grep -c _
        mkdir g; cd g; go mod init example.com/g 2>/dev/null; echo 'package main
          func main() { println("go ran") }' >main.go; go run . 2>&1; go vet; go env -w GOFLAGS=-mod=mod; cd ..
        command -v cargo >/dev/null || exit 0
        mkdir c; cd c; cargo init --vcs none --name c 2>/dev/null; cargo run -q --offline`);
      expectDone(ran);
      expect(ran.stdout).toContain("go ran");
    },
  );

  it.runIf(hasProgram("gcc") && hasProgram("gdb") && hasProgram("strace"))(
    "gdb stops a program at a breakpoint and changes its memory, strace follows one with its children",
    async () => {
      const folder = tempFolder();
      const project = projectIn(folder);
      writeFileSync(
        join(project, "main.c"),
        '#include <stdio.h>\nint n = 1;\nint main(void) { printf("n is %d\\n", n); return 0; }\n',
      );
      const ran = await testBox({ user, folder, declaration: { project } }).run(`set -e
        gcc -g -o main main.c
        gdb -q -batch -nx -ex 'break main' -ex run -ex 'set var n = 7' -ex continue ./main | grep '^n is'
        strace -f -o calls sh -c './main > printed; true'; grep -q 'execve("./main"' calls && echo followed`);
      expectDone(ran);
      expect(ran.stdout).toBe("n is 7\nfollowed\n");
    },
  );

  it.runIf(hasProgram("sqlite3"))("sqlite3 writes a database in the project", async () => {
    const folder = tempFolder();
    const project = projectIn(folder);
    const box = testBox({ user, folder, declaration: { project } });
    const ran = await box.run(
      "sqlite3 a.db 'pragma journal_mode=wal; create table t(a); insert into t values(7); select a from t'",
    );
    expectDone(ran);
    expect(ran.stdout).toBe("wal\n7\n");
  });
});
