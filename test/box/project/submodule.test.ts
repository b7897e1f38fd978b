import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { confinedCommand } from "../../../ipc/base/confined-command.ts";
import { changesOnlyHarmless } from "../../../main/box/project/kept-settings.ts";
import { namesOnlySubmodules } from "../../../main/box/project/submodule-settings.ts";
import { boxUnderTest, shellRuns, withoutBox } from "../box-under-test.ts";

/** `git submodule add` in its box: what it says of a submodule stays in the project's settings, and nothing else does. */

const reason = withoutBox();
if (reason !== undefined) console.log(`skipped: submodules in a box: ${reason}`);

const git = (folder: string, ...words: string[]) =>
  execFileSync("git", ["-C", folder, ...words], {
    encoding: "utf8",
    env: {
      ...process.env,
      GIT_CONFIG_GLOBAL: "/dev/null",
      ...{ GIT_AUTHOR_NAME: "A", GIT_AUTHOR_EMAIL: "a@example.com" },
      ...{ GIT_COMMITTER_NAME: "A", GIT_COMMITTER_EMAIL: "a@example.com" },
    },
  });

/** A project under git, with another one below it that it can have as a submodule. */
async function world() {
  const { run, project, alarms, failures } = await boxUnderTest();
  git(project, "init", "-q", "-b", "main");
  writeFileSync(join(project, "a.txt"), "a\n");
  writeFileSync(join(project, ".gitignore"), "up\n");
  git(project, "add", ".");
  git(project, "commit", "-qm", "first");
  const up = join(project, "up");
  mkdirSync(up);
  git(up, "init", "-q", "-b", "main");
  writeFileSync(join(up, "lib.txt"), "lib\n");
  git(up, "add", ".");
  git(up, "commit", "-qm", "lib");
  const declaration = { project, cwd: project, reads: [], writes: [], network: false };
  const url = "https://h.example/up";
  const add = (path: string) =>
    `git -c protocol.file.allow=always -c url.${up}.insteadOf=${url} submodule add -q ${url} ${path}`;
  const changesSettings = [".git/config", ".gitmodules"].map((name) => join(project, name));
  const ran = (line: string, addsSubmodule: boolean) =>
    run(line, {
      change: { declaration: addsSubmodule ? { ...declaration, changes_settings: changesSettings } : declaration },
    });
  return { project, alarms, failures, add, ran, settings: () => readFileSync(join(project, ".git/config"), "utf8") };
}

describe.skipIf(reason !== undefined)("git submodule add", () => {
  it("works in its box, once and again, and all that it makes stays", async () => {
    const { project, alarms, failures, add, ran, settings } = await world();
    const before = settings();
    expect(await ran(add("vendor/ui"), true)).toMatchObject({ code: 0, stderr: "" });
    expect(await ran(add("vendor/other"), true)).toMatchObject({ code: 0, stderr: "" });
    expect(settings().startsWith(before)).toBe(true);
    expect(git(project, "submodule", "status")).toMatch(/^ \w+ vendor\/other .*\n \w+ vendor\/ui .*\n$/);
    expect(git(project, "status", "--short")).toBe("A  .gitmodules\nA  vendor/other\nA  vendor/ui\n");
    expect(readFileSync(join(project, "vendor/ui/lib.txt"), "utf8")).toBe("lib\n");
    expect([alarms, failures]).toEqual([[], []]);
  });

  it("isn't what any other box has: there the settings can't be written", async () => {
    const { add, ran, settings } = await world();
    const before = settings();
    expect((await ran(add("vendor/ui"), false)).stderr).toContain(".git/config");
    expect(settings()).toBe(before);
  });

  it.each([
    ["another key", "git config core.fsmonitor ./x.sh"],
    ["another key of a submodule", "git config submodule.vendor/ui.update '!./x.sh'"],
    ["settings of elsewhere", "printf '[include]\\n\\tpath = ../x\\n' >> .git/config"],
    ["what was there, replaced", "printf '[core]\\n' > .git/config"],
    ["no settings at all", "rm .git/config"],
  ])("leaves nothing else in the settings: %s", async (_what, more) => {
    const { project, alarms, add, ran, settings } = await world();
    const before = settings();
    await ran(`${add("vendor/ui")}; ${more}`, true);
    await expect.poll(settings, { timeout: 5000 }).toBe(before);
    expect(alarms).toMatchObject([{ code: "box_set_aside" }]);
    expect(existsSync(join(project, ".git/config.lock"))).toBe(false);
  });

  it("a submodule's own settings that name code, and hooks, are set aside", async () => {
    const { project, alarms, add, ran } = await world();
    const own = join(project, ".git/modules/vendor/ui");
    const more = `git -C vendor/ui config core.fsmonitor ./x.sh; echo x > .git/modules/vendor/ui/hooks/post-checkout`;
    await ran(`${add("vendor/ui")}; ${more}`, true);
    const left = () => ["config", "hooks/post-checkout"].filter((name) => existsSync(join(own, name)));
    await expect.poll(left, { timeout: 5000 }).toEqual([]);
    await expect.poll(() => alarms).toMatchObject([{ code: "box_set_aside" }]);
  });
});

/** Appends to the settings as soon as it can, which the mount of a box keeps it from. */
// What is written while git replaces the file is lost with the old one: until it is there.
const EVIL =
  "touch ready; until grep -q fsmonitor .git/config; do printf '[core]\\n\\tfsmonitor = ./x.sh\\n' >> .git/config; sleep 0.02; done 2>/dev/null";

describe.skipIf(reason !== undefined)("a repository among the files of a submodule's own", () => {
  /** A repository at this path that runs a program, and the folder `sub` that leads git there. */
  const evil = (project: string, at: string) => [
    `mkdir -p ${at}/objects ${at}/refs sub`,
    `cp -r .git/HEAD .git/index .git/objects .git/refs ${at}/`,
    `printf '[core]\\n\\tfsmonitor = touch ${project}/ran; false\\n' > ${at}/config`,
    `echo 'gitdir: ../${at}' > sub/.git`,
    "git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),sub",
  ];

  it.each(["a/evil", "a/objects/evil", "a/objects/info/evil", "a/logs/evil", "a/refs/evil", "a/modules/b/evil"])(
    "isn't entered by git, once a command has had a folder lead to .git/modules/%s",
    async (place) => {
      const { project, alarms, ran } = await world();
      const own = place.startsWith("a/modules") ? "a/modules/b" : "a";
      const made = [`mkdir -p .git/modules/${own}`, `cp .git/HEAD .git/modules/${own}/`];
      const line = [...made, ...evil(project, `.git/modules/${place}`)].join(" && ");
      expect(await ran(line, false)).toMatchObject({ code: 0 });
      await expect.poll(() => alarms, { timeout: 5000 }).toMatchObject([{ code: "box_set_aside" }]);
      git(project, "status");
      expect([existsSync(join(project, "ran")), existsSync(join(project, "sub/.git"))]).toEqual([false, false]);
    },
  );

  it("is found, too, where the one around it is made of a folder that had others in it", async () => {
    const { project, alarms, failures, add, ran } = await world();
    expect(await ran(add("vendor/ui"), true)).toMatchObject({ code: 0 });
    git(project, "commit", "-qm", "ui");
    expect([alarms, failures]).toEqual([[], []]);
    const own = ".git/modules/vendor";
    const hook = `printf '#!/bin/sh\\ntouch ${project}/ran\\n' > ${own}/ui/hooks/post-commit && chmod +x ${own}/ui/hooks/post-commit`;
    const hidden = `rm -rf ${own}/ui/hooks && mkdir ${own}/ui/hooks && ${hook}; ln -s ../../../../a.txt ${own}/ui/logs/refs/x`;
    await ran(`cp .git/HEAD ${own}/; ${hidden}`, false);
    await expect.poll(() => alarms, { timeout: 5000 }).toMatchObject([{ code: "box_set_aside" }]);
    expect([`${own}/HEAD`, `${own}/ui/logs/refs/x`].map((name) => existsSync(join(project, name)))).toEqual([
      false,
      false,
    ]);
    expect(existsSync(join(project, `${own}/ui/HEAD`))).toBe(true);
    git(join(project, "vendor/ui"), "commit", "-q", "--allow-empty", "-m", "x");
    expect(existsSync(join(project, "ran"))).toBe(false);
  });
});

describe.skipIf(reason !== undefined)("settings that git replaces while other commands run", () => {
  it("aren't changed by a command beside another, which no mount would keep from them any more", async () => {
    const { project, add, ran, settings } = await world();
    const before = settings();
    const other = ran(`${EVIL} & sleep 5`, false);
    await expect.poll(() => existsSync(join(project, "ready"))).toBe(true);
    expect(await ran(add("vendor/ui"), true)).toMatchObject({
      code: 126,
      stderr: expect.stringContaining("other commands run in its project"),
    });
    expect(settings()).toBe(before);
    await other;
    expect(settings()).toBe(before);
  });

  it("keep other commands waiting until they are done", async () => {
    const { ran, add, settings, alarms } = await world();
    const adds = ran(`${add("vendor/ui")}; sleep 1`, true);
    await new Promise((resolve) => setTimeout(resolve, 300));
    const [, { stdout }] = await Promise.all([
      adds,
      ran("git config --get submodule.vendor/ui.active; cat .git/config", false),
    ]);
    expect(stdout).toBe(`true\n${settings()}`);
    expect(alarms).toEqual([]);
  });

  it.each([
    ["is put back", "git config user.name B", EVIL, true],
    ["stays where it is git's own", "git config branch.main.merge refs/heads/main", "touch ready; sleep 1", false],
  ])("outside, beside a command: what they hold then %s", async (_what, outside, inside, isPutBack) => {
    const { project, ran, settings, alarms } = await world();
    const before = settings();
    const other = ran(inside, false);
    await expect.poll(() => existsSync(join(project, "ready"))).toBe(true);
    const [, ...words] = outside.split(" ");
    git(project, ...words);
    const changed = settings();
    expect((await other).code).toBe(0);
    await expect.poll(() => [settings(), alarms.length]).toEqual(isPutBack ? [before, 1] : [changed, 0]);
  });

  it("are put back by the next gate", async () => {
    const { box, project, state_dir, prepare } = await boxUnderTest();
    git(project, "init", "-q", "-b", "main");
    const before = readFileSync(join(project, ".git/config"), "utf8");
    const declaration = {
      ...{ project, cwd: project, reads: [], writes: [], network: false },
      changes_settings: [join(project, ".git/config")],
    };
    const argv = prepare(`${EVIL}; sleep 1`, { declaration });
    const run = shellRuns(confinedCommand(argv), project);
    await expect.poll(() => existsSync(join(project, "ready"))).toBe(true);
    box.close();
    await run;
    expect(readFileSync(join(project, ".git/config"), "utf8")).toContain("fsmonitor");
    const next = await boxUnderTest({ state_dir, project });
    await next.box.settled;
    expect(readFileSync(join(project, ".git/config"), "utf8")).toBe(before);
    expect(next.alarms).toMatchObject([{ code: "box_set_aside" }]);
  });
});

const OWN =
  '[core]\n\tbare = false\n[remote "origin"]\n\turl = https://example.com/a\n[branch "main"]\n\tremote = origin\n';

describe("what git itself keeps in settings", () => {
  it.each([
    ['[branch "x"]\n\tremote = origin\n\tmerge = refs/heads/x\n', true],
    ['[submodule "a"]\n\turl = https://example.com/b\n\tactive = true\n[user]\n\tname = B\n', true],
    ['[remote "fork"]\n\turl = https://example.com/c\n\tfetch = +refs/heads/*:refs/remotes/fork/*\n', true],
    ['[remote "origin"]\n\tpushurl = https://example.com/c\n', false],
    ['[remote "origin"]\n\turl = https://example.com/c\n', false],
    ['[remote "orig\\in"]\n\turl = https://example.com/c\n', false],
    ["[Remote.Origin]\n\turl = https://example.com/c\n", false],
    ['[remote "fork"]\n\turl = ext::sh -c x\n', false],
    ['[remote "fork"]\n\tuploadpack = x\n', false],
    ['[branch "main"]\n\tremote = https://example.com/c\n', false],
    ['[branch "main"]\n\tpushRemote = fork\n', false],
    ['[submodule "a"]\n\tupdate = !x\n', false],
    ['[submodule "../a"]\n\turl = https://example.com/b\n', false],
    ['[submodule "a"]\n\turl = ext::x\n', false],
    ["[Include]\n\tpath = x\n", false],
    ['[includeIf "gitdir:/"]\n\tpath = x\n', false],
    ["[core] fsmonitor = x\n", false],
    ["[CORE]\n\tFSMonitor = x\n", false],
    ["[user]\n\tname = a\\\n[core]\n\tfsmonitor = x\n", false],
    ['[user]\n\tname = "a\n\tfsmonitor = x\n', false],
    ["[core]\r\n\tfsmonitor = x\r\n", false],
    ['[url "ext::x"]\n\tinsteadOf = https://\n', false],
    ["[alias]\n\tst = !x\n", false],
    ["[user]\n\tname\n", true],
    // One character for each byte.
    [Buffer.from("[user]\n\tname = Éva Größ 🐈\n").toString("latin1"), true],
    ['[remote "origin"]\n\tgh-resolved = base\n', true],
    ['[remote "origin"]\n\tgh-resolved = ext::x\n', false],
    ["]", false],
  ])("%j", (more, isHarmless) => expect(changesOnlyHarmless(OWN, OWN + more)).toBe(isHarmless));

  it("is all of what was there", () => {
    expect(changesOnlyHarmless(OWN, OWN.replace("\tbare = false\n", ""))).toBe(false);
    expect(changesOnlyHarmless(`${OWN}[x]\n\ty = z\n`, `[x]\n\ty = z\n${OWN}`)).toBe(false);
  });
});

describe("what is said of submodules", () => {
  it.each([
    ['[submodule "a/b"]\n\tpath = a/b\n\turl = https://example.com/b.git\n\tbranch = main\n', true],
    ["", true],
    ['[submodule "a"]\n\tupdate = !x\n', false],
    ['[submodule "a"]\n\tpath = ../a\n', false],
    ['[submodule "a"]\n\tpath = a/../../b\n', false],
    ['[submodule "a"]\n\turl = ext::sh -c x\n', false],
    ["\turl = https://example.com/b\n", false],
    ["[core]\n\tfsmonitor = x\n", false],
  ])("%j", (text, isPlain) => expect(namesOnlySubmodules(text)).toBe(isPlain));
});
