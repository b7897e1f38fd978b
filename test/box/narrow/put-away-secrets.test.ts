import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { gitHistories } from "@metnos-gate/shell-reading/git";
import { describe, expect, it } from "vitest";
import { startGate } from "../../support/running-gate.ts";
import { withoutBox } from "../box-under-test.ts";

/** A `.env` that Git's history holds and the work tree doesn't: what shows contents of commits asks about it by its name, box or not. */

const IN_HISTORY = "-c user.name=A -c user.email=a@example.com";

function repository(home: string, tracks = false): string {
  const project = join(home, "site");
  mkdirSync(project);
  const steps = [
    ...["git init -q -b main", "mkdir app src", "echo KEY=s3cr3t > app/.env", "echo a > src/a.ts; echo b > b.ts"],
    ...["git add .", `git ${IN_HISTORY} commit -qm one`],
    ...(tracks ? [] : ["git rm -q app/.env"]),
    ...["echo c >> src/a.ts", `git ${IN_HISTORY} commit -qam two`],
  ];
  execFileSync("/bin/sh", ["-ec", steps.join("\n")], { cwd: project });
  return project;
}

const reason = withoutBox();
if (reason !== undefined) console.log(`skipped in part: secrets in Git's history, with a box: ${reason}`);

async function asking(withBox: boolean, make: (home: string) => string) {
  const gate = await startGate({ config: `[box]\nenabled = ${withBox}\n` });
  await gate.gate.core.box.ready;
  const project = make(gate.home.home);
  for (const capability of ["fs:read", "fs:write"] as const)
    await gate.operator.call("grants.add", { capability, target: `${project}/**` });
  const agent = await gate.agent("tester", "Supervised", { supports: ["confine"] });
  const ask = async (command: string, cwd = project) => {
    const { decision } = await agent.ask({ executor: "shell_exec", args: { command }, context: { cwd } });
    if (decision.pending !== undefined)
      await gate.operator.call("approvals.resolve", { token: decision.pending.token, decision: "rejected" });
    return { outcome: decision.outcome, named: decision.capabilities.map(({ target }) => target).join(" ") };
  };
  // A busy machine may take longer for that than a call waits.
  await ask("git log -1");
  await expect.poll(() => gitHistories.at(project)?.ever).not.toEqual([".git/objects"]);
  return { ask, project };
}

const SHOWS = [
  ...[
    "git log -p",
    "git show HEAD~1",
    "git show",
    "git diff HEAD~1 HEAD",
    "git diff HEAD~1 -- app",
    "git log -p -- .",
    "git grep KEY HEAD~1",
  ],
  ...[
    "git show $(git rev-parse HEAD~1)",
    "git log -p -- '.en?' app",
    "git -C src log -p",
    "git whatchanged -p",
    "cd src && git log -p",
    "git stash show -p -u",
    "git stash show",
    "git diff-tree -p HEAD",
  ],
  // What follows the colon is no file.
  ...[
    "git show 'HEAD@{00:00:01}'",
    "git log -p 'main@{2020-01-01 10:00}'",
    "git diff 'HEAD@{0:0:1}'",
    "git grep KEY 'HEAD@{00:00:01}'",
    "git show 'HEAD^{/o: |one}'",
    "git show 'HEAD^{/one|a}:x}'",
    "git show ':/^one'",
    "git diff HEAD~1..HEAD:src",
  ],
  ...[
    "git blame HEAD~1 app/.env",
    "git blame HEAD~1 -- app/.env",
    "cd src && git blame HEAD~1 -- ../app/.env",
    "git log -p -- b.ts :/",
    "git log -p --full-diff -- b.ts",
  ],
];
const SHOWS_OTHERS = [
  ...[
    "git status",
    "git log --oneline -3",
    "git log --stat",
    "git stash show --stat",
    "git diff",
    "git diff HEAD",
    "git diff --cached",
    "git grep KEY",
  ],
  ...[
    "git show HEAD~1:src/a.ts",
    "git log -p -- src",
    "git diff HEAD~1 -- src b.ts",
    "git blame src/a.ts",
    "git blame HEAD~1 -- src/a.ts",
    "git show 'HEAD@{00:00:01}:src/a.ts'",
    "git ls-files",
  ],
];

describe.each([true, false])("a secret that only Git's history holds, with a box: %s", (withBox) => {
  const isLeftOut = withBox && reason !== undefined;

  it.skipIf(isLeftOut)(
    "is asked about by its name where contents of commits are shown, from the first call on",
    async () => {
      const { ask } = await asking(withBox, repository);
      for (const line of SHOWS)
        expect([line, await ask(line)]).toEqual([
          line,
          { outcome: "approval_required", named: expect.stringMatching(/app\/\.env|git /) },
        ]);
      if (withBox)
        for (const line of SHOWS)
          expect([line, (await ask(line)).named]).toEqual([line, expect.stringContaining("app/.env")]);
    },
  );

  it.skipIf(isLeftOut)("isn't where other files are named, or none are shown", async () => {
    const { ask } = await asking(withBox, repository);
    for (const line of SHOWS_OTHERS) expect([line, (await ask(line)).outcome]).toEqual([line, "allowed"]);
  });

  it.skipIf(isLeftOut)("counts as soon as it is no longer tracked, and not while it is", async () => {
    const { ask, project } = await asking(withBox, (home) => repository(home, true));
    expect((await ask("git status")).outcome).toBe("allowed");
    const before = await ask("git diff --cached");
    expect(before.named).not.toContain("app/.env");
    execFileSync("git", ["rm", "-q", "--cached", "app/.env"], { cwd: project });
    expect(await ask("git diff --cached")).toMatchObject({
      outcome: "approval_required",
      named: expect.stringContaining("app/.env"),
    });
    expect((await ask("git log -p")).named).toContain("app/.env");
  });
});

/** A `.env` that was added, and taken back before any commit had it. */
const added =
  (...more: string[]) =>
  (home: string): string => {
    const project = repository(home, true);
    const steps = [
      ...[
        "rm -rf .git app; git init -q -b main; git add .",
        `git ${IN_HISTORY} commit -qm one; git tag v1`,
        "mkdir app",
      ],
      ...["echo KEY=s3cr3t > app/.env; git add app; git reset -q; rm -rf app"],
      ...["echo c >> src/a.ts", `git ${IN_HISTORY} commit -qam two; git gc -q`, ...more],
    ];
    execFileSync("/bin/sh", ["-ec", steps.join("\n")], { cwd: project });
    return project;
  };
const SECRET_HASH = execFileSync("git", ["hash-object", "--stdin"], { input: "KEY=s3cr3t\n", encoding: "utf8" }).trim();
const SHORT = SECRET_HASH.slice(0, 8);

describe.each([true, false])("what Git holds under no name, with a box: %s", (withBox) => {
  const isLeftOut = withBox && reason !== undefined;

  it.skipIf(isLeftOut)("is asked about where a line names it by its hash, or by what isn't read", async () => {
    const { ask, project } = await asking(withBox, added("git tag readme HEAD:b.ts"));
    const tree = execFileSync("git", ["rev-parse", "HEAD^{tree}"], { cwd: project, encoding: "utf8" }).trim();
    for (const line of [
      `git cat-file -p ${SECRET_HASH}`,
      `git cat-file blob ${SHORT}`,
      `git show ${SHORT.toUpperCase()}`,
      `git show --stat v1-2-g${SHORT}`,
      `git show ${SHORT.slice(0, 4)}"${SHORT.slice(4)}"`,
      `git diff ${SHORT} HEAD:b.ts`,
      `git diff HEAD:b.ts..${SHORT}`,
      `git grep KEY ${tree}`,
      `git log -p ${SHORT}`,
      "git show readme",
      "git cat-file -p tags/readme",
      "git cat-file --batch-all-objects --batch",
    ])
      expect([line, await ask(line)]).toEqual([
        line,
        { outcome: "approval_required", named: expect.stringContaining(".git/objects") },
      ]);
    for (const line of [
      `git show $(echo ${SHORT})`,
      "for o in $(ls .git/objects); do git cat-file -p $o; done",
      "ls .git/objects/4b | xargs git show",
      `git cat-file -p $(git rev-parse ${SHORT})`,
      `cat .git/objects/${SHORT.slice(0, 2)}/${SECRET_HASH.slice(2)}`,
    ])
      expect([line, await ask(line)]).toMatchObject([line, { outcome: "approval_required" }]);
  });

  it.skipIf(isLeftOut)("isn't where a line names commits, or files of them", async () => {
    const { ask, project } = await asking(withBox, added());
    const hash = execFileSync("git", ["rev-parse", "HEAD~1"], { cwd: project, encoding: "utf8" }).trim();
    for (const line of [
      "git show HEAD",
      "git show v1",
      "git show HEAD:src/a.ts",
      `git show ${hash}`,
      `git show ${hash.slice(0, 7)}`,
      `git show ${hash.slice(0, 7)}:src/a.ts`,
      `git diff ${hash.slice(0, 7)}..HEAD`,
      `git log -p ${hash.slice(0, 7)}~0`,
      `git grep a ${hash.slice(0, 7)}`,
      `git show v1-0-g${hash.slice(0, 7)}`,
      "git show ORIG_HEAD",
      `git cat-file -t ${SHORT}`,
      "git cat-file -p HEAD",
      "git show 1111111",
      "git log --since=2024-01-01 -p",
      "git log -S KEY",
    ])
      expect([line, (await ask(line)).outcome]).toEqual([line, "allowed"]);
    if (withBox)
      for (const line of [
        "git diff $(git merge-base HEAD v1)",
        "git log -p $(git tag | head -1)..HEAD",
        "for c in $(git rev-list HEAD -2); do git show $c:b.ts; done",
      ])
        expect([line, (await ask(line)).outcome]).toEqual([line, "allowed"]);
  });
});

describe("a secret that only the history of an unusual repository holds", () => {
  it.skipIf(reason !== undefined).each([
    ["with submodules", "touch .gitmodules; mkdir .git/modules"],
    ["with settings of its own", "git config core.hooksPath .hooks; git config filter.lfs.clean x"],
    ["with objects elsewhere", "git clone -q . ../y; echo ../../../y/.git/objects > .git/objects/info/alternates"],
  ])("is asked about, too: %s", async (_what, script) => {
    const { ask } = await asking(true, (home) => {
      const project = repository(home);
      execFileSync("/bin/sh", ["-ec", script], { cwd: project });
      return project;
    });
    for (const line of ["git log -p", "git show HEAD~1", "git show $(git rev-parse HEAD~1)"])
      expect([line, await ask(line)]).toEqual([
        line,
        { outcome: "approval_required", named: expect.stringContaining("app/.env") },
      ]);
    expect((await ask("git log -p -- src")).outcome).toBe("allowed");
  });
});

describe("what a history that holds a secret says of it", () => {
  it.skipIf(reason !== undefined)("isn't found by searching its contents, unless it is asked about", async () => {
    const { ask } = await asking(true, repository);
    for (const line of ["git log -S s3c", "git log --oneline -G '^KEY=s'", "git log --format=%h -S s3 --all"])
      expect([line, (await ask(line)).named]).toEqual([line, expect.stringContaining("app/.env")]);
    expect((await ask("git log -S b -- src")).outcome).toBe("allowed");
  });
});

it("a call that is cancelled before its repository's history was looked through isn't allowed to show it", async () => {
  const gate = await startGate();
  const project = repository(gate.home.home);
  for (const capability of ["fs:read", "fs:write"] as const)
    await gate.operator.call("grants.add", { capability, target: `${project}/**` });
  const agent = await gate.agent("tester", "Supervised", { supports: ["confine"] });
  const args = { command: "git log -p" };
  agent.send("tool.call", { id: "shows", intent: "", executor: "shell_exec", args, context: { cwd: project } });
  agent.send("tool.cancel", { id: "cancel", call: "shows", reason: "not needed" });
  const { data } = await agent.next((message) => message.data.id === "shows");
  expect(data).toMatchObject({ outcome: "denied", status: "cancelled" });
});
