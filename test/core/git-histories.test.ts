import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gitHistories } from "@metnos-gate/shell-reading/git";
import { describe, expect, it } from "vitest";
import { GitHistories, lookThrough } from "../../main/core/git-histories.ts";
import { tempFolder } from "../support/temp-folder.ts";

/** Made by a shell, in a home of its own. */
function repository(script: string): string {
  const folder = tempFolder();
  run(`git init -q -b main r; cd r; ${script}`, folder);
  return join(folder, "r");
}

function run(script: string, cwd: string): void {
  const commit = "git add -A && git -c user.name=A -c user.email=a@example.com commit -qm";
  const env = { PATH: process.env.PATH, HOME: dirname(cwd), C: commit };
  execFileSync("/bin/sh", ["-ec", `c() { ${commit} x; }; ${script}`], { cwd, env });
}

const WHO = {
  GIT_AUTHOR_NAME: "A",
  GIT_AUTHOR_EMAIL: "a@example.com",
  GIT_COMMITTER_NAME: "A",
  GIT_COMMITTER_EMAIL: "a@example.com",
};

const ENDED = "echo KEY > .env; mkdir -p a/.kube; echo x > a/.kube/config; c; git rm -rq .env a; echo b > b; c";

describe("the secrets' names in a history", () => {
  it.each([
    ["of commits that are over", ENDED, { ever: [".env", "a/.kube/config"], atHead: [] }],
    [
      "of another branch",
      `echo b > b; c; git checkout -qb x; echo KEY > .env; c; git checkout -q main`,
      { ever: [".env"], atHead: [] },
    ],
    [
      "of a commit that only the log of references has",
      `echo b > b; c; echo KEY > .env; c; git reset -q --hard HEAD~1`,
      { ever: [".env"], atHead: [] },
    ],
    [
      "of what was put away, untracked files among it",
      `echo b > b; c; echo KEY > .env; git -c user.name=A -c user.email=a@example.com stash -qu`,
      { ever: [".env"], atHead: [] },
    ],
    [
      "that only a merge brought",
      `echo b > b; c; git checkout -qb x; echo x > x; c; git checkout -q main; echo y > y; c; git -c user.name=A -c user.email=a@example.com merge -q --no-commit x >/dev/null 2>&1; echo KEY > .env; c; git rm -q .env; c`,
      { ever: [".env"], atHead: [] },
    ],
    [
      "that HEAD still has",
      "echo KEY > .env.local; echo e > .env.example; c",
      { ever: [".env.local"], atHead: [".env.local"] },
    ],
    [
      "of many folders",
      "for n in $(seq 10 49); do mkdir d$n; echo KEY > d$n/.env; done; c; git rm -rq .; echo b > b; c",
      { ever: Array.from({ length: 40 }, (_, at) => `d${at + 10}/.env`), atHead: [] },
    ],
    [
      "whatever order its settings want, and where they show no first commit",
      "echo KEY > .env; c; git config diff.orderFile order; git config log.showRoot false; git checkout -q --orphan x; git rm -rqf .; echo b > b; c",
      { ever: [".env"], atHead: [] },
    ],
    ["there are none", "echo e > .env.example; echo b > b; c", { ever: [], atHead: [] }],
    [
      "with references to no commit",
      "echo b > b; c; git tag one; git tag file HEAD:b; git tag tree HEAD^{tree}; git -c user.name=A -c user.email=a@b tag -am x two; git -c user.name=A -c user.email=a@b tag -am x of HEAD:b",
      { ever: [], atHead: [], oddReferences: ["refs/tags/file", "refs/tags/of", "refs/tags/tree"] },
    ],
  ])("%s", async (_name, script, expected) => {
    expect(await lookThrough(join(repository(script), ".git"))).toEqual(expected);
  });

  it("are found beside names and references that are longer than any path, of which none is kept", async () => {
    const root = repository("echo KEY > .env; c; git rm -q .env; echo b > b; c");
    const git = join(root, ".git");
    const own = (words: string[], input: string) =>
      execFileSync("git", ["-C", root, ...words], {
        encoding: "utf8",
        input,
        env: { ...WHO, PATH: process.env.PATH },
      }).trim();
    const blob = own(["rev-parse", "HEAD:b"], "");
    const tree = own(["mktree"], `100644 blob ${blob}\t.env.${"x".repeat(70_000)}\n`);
    own(["update-ref", "refs/heads/main", own(["commit-tree", "-p", "HEAD", "-m", "x", tree], "")], "");
    const tags = Array.from({ length: 900 }, (_, at) => `${blob} refs/tags/${at + 100}${"t".repeat(4000)}\n`);
    const long = `${blob} refs/tags/1${"l".repeat(2_000_000)}\n`;
    writeFileSync(join(git, "packed-refs"), [`# pack-refs with: sorted \n`, ...[...tags, long].sort()].join(""));
    const found = await lookThrough(git);
    expect(found?.ever).toEqual([".env"]);
    const odd = found?.oddReferences ?? [];
    expect(odd.every((name) => name.length < 5000)).toBe(true);
    expect(odd.join("").length).toBeLessThan(80_000);
    expect(odd.length).toBeGreaterThan(10);
  });

  it("aren't known where objects are missing, and no setting has git fetch them or run anything", async () => {
    const root = repository(
      `mkdir d; echo KEY > d/.env; c; t=$(git rev-parse 'HEAD^{tree}' | sed 's|..|&/|'); rm -f .git/objects/$t
      git config core.repositoryformatversion 1; git config extensions.partialclone o; git config remote.o.promisor true
      git config protocol.allow always; git config remote.o.url "ext::touch $HOME/ran"; git config core.sshCommand "touch $HOME/ran"
      for k in core.fsmonitor core.pager diff.external gpg.program core.alternateRefsCommand; do git config $k "touch $HOME/ran"; done
      git config log.showSignature true`,
    );
    expect(await lookThrough(join(root, ".git"))).toBeNull();
    expect(existsSync(join(root, "../ran"))).toBe(false);
  });
});

describe("git, looking through a hostile repository", () => {
  /** Processes whose folder of a repository is this one's. */
  const running = (root: string) =>
    readdirSync("/proc").filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, "utf8").includes(`GIT_DIR=${root}/.git`);
      } catch {
        return false; // no process, or none of the user's
      }
    });

  it("doesn't fill the memory from a device", async () => {
    const root = repository(`${ENDED}; ln -s /dev/zero .git/refs/heads/x`);
    const look = lookThrough(join(root, ".git"));
    let most = 0;
    const watch = setInterval(() => {
      for (const pid of running(root)) {
        most = Math.max(most, residentMiB(pid));
        if (most > 1500) process.kill(Number(pid), "SIGKILL");
      }
    }, 100);
    await look;
    clearInterval(watch);
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThan(1100);
    await expect.poll(() => running(root), { timeout: 5000 }).toEqual([]);
  }, 90_000);

  it("ends with a gate that is killed, and leaves nothing when it is closed", async () => {
    const root = repository(`${ENDED}; mkfifo .git/shallow`);
    const look = `
      import { lookThrough } from ${JSON.stringify(join(import.meta.dirname, "../../main/core/git-histories.ts"))};
      void lookThrough(${JSON.stringify(join(root, ".git"))});
      setInterval(() => undefined, 1000);`;
    const gate = spawn(process.execPath, ["--input-type=module", "-e", look], { stdio: "inherit" });
    await expect.poll(() => running(root).length, { timeout: 10_000 }).toBeGreaterThan(0);
    gate.kill("SIGKILL");
    await expect.poll(() => running(root), { timeout: 5000 }).toEqual([]);

    const histories = new GitHistories(tempFolder());
    void histories.before({ intent: "", executor: "shell_exec", args: { command: "git log" }, context: { cwd: root } });
    await expect.poll(() => running(root).length, { timeout: 10_000 }).toBeGreaterThan(0);
    histories.close();
    await expect.poll(() => running(root), { timeout: 5000 }).toEqual([]);
  });

  it("runs once at a time for an agent, and of what comes later anything may be shown until then", async () => {
    const root = repository(
      `${ENDED}; mkdir n; for n in 1 2 3 4 5 6; do git clone -q . n/$n; mkfifo n/$n/.git/shallow; done`,
    );
    const histories = new GitHistories(tempFolder());
    const lines = [1, 2, 3, 4, 5, 6].map((n) => `git -C n/${n} log -p`);
    const call = { intent: "", executor: "shell_exec", args: { command: lines.join("; ") }, context: { cwd: root } };
    await histories.before(call, "hostile");
    expect(readdirSync(join(root, "n")).filter((name) => running(join(root, "n", name)).length > 0)).toHaveLength(1);
    expect(gitHistories.at(join(root, "n/6"))?.ever).toEqual([".git/objects"]);
    const other = repository(ENDED);
    await histories.before({ ...call, args: { command: "git log" }, context: { cwd: other } }, "other");
    expect(gitHistories.at(other)?.ever).toContain(".env");
    // Not for another agent's line, either.
    await histories.before({ ...call, args: { command: "git log" }, context: { cwd: root } }, "other");
    expect(gitHistories.at(root)?.ever).toContain(".env");
    histories.close();
    await expect.poll(() => running(join(root, "n/1")), { timeout: 5000 }).toEqual([]);
  });

  it("may show anything of a repository whose first look takes longer than a call waits", async () => {
    const root = repository(`${ENDED}; mkfifo .git/shallow`);
    const histories = new GitHistories(tempFolder());
    await histories.before({
      intent: "",
      executor: "shell_exec",
      args: { command: "git log" },
      context: { cwd: root },
    });
    expect(gitHistories.at(root)?.ever).toEqual([".git/objects"]);
    histories.close();
    await expect.poll(() => gitHistories.at(root), { timeout: 5000 }).toBeUndefined();
  });

  it("has looked for each repository that a line names, however many there are", async () => {
    const root = repository(
      `echo b > b; c; mkdir n; for n in $(seq 1 25); do git init -q n/$n; done; cd n/25; ${ENDED}`,
    );
    const lines = Array.from({ length: 25 }, (_, at) => `git -C n/${at + 1} log -p`);
    const call = { intent: "", executor: "shell_exec", args: { command: lines.join("; ") }, context: { cwd: root } };
    await new GitHistories(tempFolder()).before(call);
    expect([[".git/objects"], [".env", "a/.kube/config"]]).toContainEqual(gitHistories.at(join(root, "n/25"))?.ever);
  });

  it("doesn't end a gate that can open no more files", () => {
    const root = repository(ENDED);
    const look = `
      import { closeSync, openSync } from "node:fs";
      import { lookThrough } from ${JSON.stringify(join(import.meta.dirname, "../../main/core/git-histories.ts"))};
      const open = [];
      try { for (;;) open.push(openSync("/dev/null")); } catch {}
      for (const fd of open.slice(-2)) closeSync(fd);
      console.log(JSON.stringify(await lookThrough(${JSON.stringify(join(root, ".git"))})));`;
    const words = ["-c", 'ulimit -n 100; exec "$@"', "sh", process.execPath, "--input-type=module", "-e", look];
    expect(execFileSync("/bin/sh", words, { encoding: "utf8" })).toBe("null\n");
  });
});

const residentMiB = (pid: string): number => {
  try {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
  } catch {
    return 0; // it has ended
  }
};

describe("a call with git in it", () => {
  const call = (command: string, cwd: string) => ({
    intent: "",
    executor: "shell_exec",
    args: { command },
    context: { cwd },
  });

  it("waits for the first look at its repository, and for none after that", async () => {
    const root = repository(ENDED);
    const histories = new GitHistories(tempFolder());
    expect(histories.before(call("ls", root))).toBeUndefined();
    const first = histories.before(call("git log", join(root)));
    expect(first).toBeDefined();
    // It may be decided on before that has ended.
    expect(gitHistories.at(root)?.ever).toEqual([".git/objects"]);
    await first;
    expect(gitHistories.at(root)).toEqual({ root, ever: [".env", "a/.kube/config"], atHead: [] });
    expect(histories.before(call("git log", root))).toBeUndefined();
    execFileSync("git", ["branch", "other"], { cwd: root });
    expect(histories.before(call("git log", root))).toBeUndefined();
  });

  it.each([
    ["cd", (root: string) => `cd ${root} && git log -p`],
    ["-C", (root: string) => `git -C "${root}" log -p`],
    ["cd twice", (root: string) => `cd ${dirname(root)}; cd r; git log -p`],
    ["cd with an option", (root: string) => `cd -P -- ${root}; git log -p`],
    ["pushd", (root: string) => `pushd ${root} && git log -p`],
    ["a variable", (root: string) => `d=${root}; g=gi; "$g"t -C $d log -p`],
    ["a loop", (root: string) => `for d in /nowhere ${root}; do git -C $d log -p; done`],
    ["quotes", (root: string) => `cd ${dirname(root)}/"r"; gi"t" log -p`],
    ["a subshell", (root: string) => `(cd ${dirname(root)} && g\\it -C r log -p)`],
  ])("waits for the repository that it names, too: %s", async (_name, line) => {
    const root = repository(ENDED);
    await new GitHistories(tempFolder()).before(call(line(root), tempFolder()));
    expect(gitHistories.at(root)?.ever).toContain(".env");
  });

  it("is looked at within milliseconds, whatever the folders of references in the repositories that it names", () => {
    const names = Array.from({ length: 6 }, (_, at) => `node_modules/r${at}`);
    const root = repository(names.map((name) => `git init -q ${name}`).join("; "));
    for (let at = 0; at < 4900; at++) mkdirSync(join(root, `.git/refs/heads/${at}`));
    for (const name of names) run("rm -r refs; ln -s ../../../.git/refs refs", join(root, name, ".git"));
    const line = names.map((name) => `git -C ${name} log -p`).join("; ");
    const histories = new GitHistories(tempFolder());
    const [began, before] = [performance.now(), process.cpuUsage()];
    void histories.before(call(line, root));
    const { user, system } = process.cpuUsage(before);
    const took = Math.min(performance.now() - began, (user + system) / 1000);
    histories.close();
    expect(took).toBeLessThan(250);
  });

  it("is decided on also where a command has left links in the repository that lead to themselves", async () => {
    const root = repository(
      `${ENDED}; mkdir -p .git/refs/tags; rmdir .git/refs/tags; ln -s tags .git/refs/tags; ln -s stash .git/refs/stash`,
    );
    const histories = new GitHistories(tempFolder());
    await histories.before(call("git log -p", root));
    expect(histories.before(call("git log -p", root))).toBeUndefined();
  });

  it.each([
    ["another repository is at its path", `cd ..; rm -rf r; git init -q -b main r; cd r; ${ENDED}`],
    [
      "a reference in a folder of references has changed",
      `git branch x/y; ${ENDED}; git update-ref refs/heads/x/y HEAD; git reset -q --hard HEAD~2; rm -r .git/logs`,
    ],
    ["another work tree of it has committed", `git worktree add -q --detach ../w; cd ../w; ${ENDED}; cd ../r`],
  ])("looks again where %s", async (_name, script) => {
    const root = repository("echo b > b; c");
    const histories = new GitHistories(tempFolder());
    await histories.before(call("git log", root));
    expect(gitHistories.at(root)).toBeUndefined();
    run(script, root);
    await expect
      .poll(() => Promise.resolve(histories.before(call("git log", root))).then(() => gitHistories.at(root)?.ever), {
        timeout: 20_000,
      })
      .toContain(".env");
  });

  it("looks at once where another repository is at its path, however long the last look took", async () => {
    const root = repository("for n in 1 2 3; do echo $n > b; c; done");
    const histories = new GitHistories(tempFolder());
    await histories.before(call("git log", root));
    run(`cd ..; rm -rf r; git init -q -b main r; cd r; ${ENDED}`, root);
    await histories.before(call("git log", root));
    expect(gitHistories.at(root)?.ever).toContain(".env");
  });

  it("is decided on by its repository's names, also in a folder that was a repository once", async () => {
    const root = repository(`${ENDED}; git init -q a`);
    const histories = new GitHistories(tempFolder());
    await histories.before(call("git -C a log", root));
    await histories.before(call("git log", root));
    run("rm -rf a/.git", root);
    expect(gitHistories.at(join(root, "a"))?.ever).toContain(".env");
  });

  it("names what only a hash in it leads to", async () => {
    const root = repository(
      `echo b > b; c; echo KEY > .env; c; git rm -q .env; echo c > c; c; git rev-parse HEAD > ../hash; git reset -q --hard HEAD~2; git reflog expire --expire=now --all; rm -f .git/ORIG_HEAD`,
    );
    const histories = new GitHistories(tempFolder());
    await histories.before(call("git log", root));
    expect(gitHistories.at(root)).toBeUndefined();
    const hash = readFileSync(join(root, "../hash"), "utf8").trim();
    await histories.before(call(`git show ${hash.slice(0, 9)}`, root));
    expect(gitHistories.at(root)?.ever).toEqual([".env"]);
    expect(gitHistories.isCommit(root, hash.slice(0, 9))).toBe(true);
  });

  it.each([
    ["its settings", "true"],
    ["submodules", "printf '[submodule \"x\"]\\n\\tpath = x\\n' > .gitmodules; mkdir .git/modules"],
    ["alternates", "git clone -q . ../y; echo ../../../y/.git/objects > .git/objects/info/alternates"],
  ])("runs nothing that a repository names, and finds its names all the same: %s", async (_what, script) => {
    const root = repository(
      `${ENDED}; ${script}; printf '#!/bin/sh\ntouch "$HOME/ran"\n' > ../x; chmod +x ../x; mkdir ../hooks
      for h in post-index-change reference-transaction post-checkout; do cp ../x .git/hooks/$h; cp ../x ../hooks/$h; done
      echo '* filter=f diff=f' > .gitattributes; git rev-parse HEAD~1 > ../hash
      for k in core.fsmonitor core.pager pager.log diff.external diff.f.textconv diff.f.command filter.f.clean filter.f.smudge gpg.program core.alternateRefsCommand core.editor core.askPass; do git config $k "$HOME/x"; done
      git config core.hooksPath "$HOME/hooks"; git config log.showSignature true; git config alias.log '!$HOME/x'; rm -f ../ran`,
    );
    const hash = readFileSync(join(root, "../hash"), "utf8").trim();
    await new GitHistories(tempFolder()).before(call(`git show ${hash}`, root));
    expect(gitHistories.at(root)?.ever).toContain(".env");
    expect(gitHistories.isCommit(root, hash)).toBe(true);
    expect(existsSync(join(root, "../ran"))).toBe(false);
  });
});
