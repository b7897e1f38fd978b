// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what looks like a placeholder is shell
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { UnconfinedReason } from "../../../ipc/contract/box.ts";
import { UNCONFINED_REASONS } from "../../../ipc/contract/box.ts";
import { type ConfinedWorld, confinedWorld, confinementIn, shellCall } from "../../support/confined-calls.ts";
import { NOT_SHARED } from "../../support/not-shared.ts";
import { slowPath } from "../../support/slow-paths.ts";
import { tempFolderForFile } from "../../support/temp-folder.ts";

const home = tempFolderForFile();
let world: ConfinedWorld;
beforeAll(() => {
  world = confinedWorld(home);
  mkdirSync(join(world.project, "build"));
  writeFileSync(join(world.project, "build/out.js"), "");
  writeFileSync(join(world.project, "notes.txt"), "not tracked");
  mkdirSync(join(world.home, "data"));
  writeFileSync(join(world.home, "data/a.csv"), "1");
  symlinkSync(join(world.home, "notes.txt"), join(world.project, "linked.txt"));
  symlinkSync(world.home, join(world.project, "out"));
});

const becomes = (command: string) => {
  const found = confinementIn(world, shellCall(command.replaceAll("~P", world.project), world.project));
  return found.reason === null ? "confined" : `${found.reason}: ${found.about.replaceAll(world.home, "~")}`;
};

describe("a line that needs no more than its project is confined", () => {
  it.each([
    "npm test",
    "npm test 2>&1 | tail -40",
    "npx vitest run test/config.test.ts",
    "node src/cli.ts --help",
    "python3 - <<'EOF'\nprint(1)\nEOF",
    "make",
    "./build.sh",
    "sqlite3 data/app.db 'select 1'",
    "git stash",
    "git checkout -b feature",
    "git checkout main",
    "git rm -r src",
    "git -c user.name=x commit -m alias.x -e",
    "git rebase main",
    "git worktree add wt -b feature",
    "git worktree add --detach -q build/wt main",
    "git -C src log --exec; node x.js",
    "timeout 60 npm run build",
    "FOO=1 env BAR=2 node x.js",
    "export A=1; node x.js",
    "set -e; node x.js",
    "bash -c 'node x.js && npm test'",
    "cd packages/app && npm test",
    "rsync -a src dist",
    "node x.js > out.txt",
    "node x.js > out-$(date +%s).txt",
    "node x.js 2>/dev/null",
    "cat /etc/hosts | node x.js",
    "node server.js & sleep 1; kill %1",
    "node server.js & P=$!; sleep 1; node probe.js; kill $P",
    "rm -f nothing-there.txt; npm test",
    "rm -r src && npm test",
    "rm -rf nothing-there && npm test",
  ])("%s", (command) => {
    expect(becomes(command)).toBe("confined");
  });
});

describe("a line that changes its repository, which none of its words names, doesn't count as one that only looks", () => {
  it.each([
    `git commit -m "$(cat <<'EOF'\nSay it\nEOF\n)"`,
    'git add -A && git commit -m "$x"',
    'git add -u; git log -1 --format="$f"',
    'git tag "v$(date +%s)"',
    'git branch "$x"',
  ])("%s", (command) => {
    const found = confinementIn(world, shellCall(command, world.project));
    expect(found).toMatchObject({ reason: null, declaration: { reads: [] } });
    expect(found).not.toHaveProperty("declaration.kind");
  });
});

describe("a line that its client itself keeps in the background is confined as any other: its box lives as long as its launcher", () => {
  it.each([
    ["npm run dev", undefined],
    ["npm test", undefined],
    ["tail -f notes.txt", "needs"],
    ["for f in *; do wc -l $f; done", "looking"],
    ["docker --version", "looking"],
    ["printenv HOME PATH", "looking"],
  ])("%s", (command, kind) => {
    const found = confinementIn(world, shellCall(command, world.project, { run_in_background: true }));
    expect(found.reason).toBeNull();
    expect((found as { declaration: { kind?: string } }).declaration.kind).toBe(kind);
  });
});

it("what git's line writes outside of its project is asked about each time: no box could write it", () => {
  const found = confinementIn(world, shellCall("git diff > /tmp/x.patch", world.project));
  expect(found).toMatchObject({ reason: "clear", about: "/tmp" });
  const written =
    found.reason === null ? [] : (found.needs ?? []).filter(({ capability }) => capability === "fs:write");
  expect(written.map(({ ask_each_time }) => ask_each_time)).toEqual(["what git's line writes outside of its project"]);
});

it("what a line that no box holds reaches by a project's link, which another command could exchange, is asked about each time", () => {
  const outside = join(home, "outside");
  mkdirSync(outside);
  writeFileSync(join(outside, "a.txt"), "");
  symlinkSync(outside, join(world.project, "led"));
  try {
    const found = confinementIn(world, shellCall("cp led/a.txt ../copy.txt", world.project));
    const read = found.reason === null ? [] : (found.needs ?? []).filter(({ capability }) => capability === "fs:read");
    expect(read.map(({ ask_each_time }) => ask_each_time)).toEqual([
      "what a confined command may exchange before it is used",
    ]);
  } finally {
    rmSync(join(world.project, "led"));
  }
});

it("what takes too long to be followed has no box: what else the line shows wouldn't be known", () => {
  const { project } = world;
  const shown = (path: string) => confinementIn(world, shellCall(`cat "$x" ${`${path} `.repeat(20)}`, project)).reason;
  expect([shown("none/none"), shown(slowPath(join(project, "slow")))]).toEqual([null, "leaves-the-box"]);
});

describe("a program of a line that runs as it is", () => {
  const asked = (command: string, path: string) => {
    const call = shellCall(command, world.project);
    const found = confinementIn(world, {
      ...call,
      context: { cwd: world.project, path: path.replaceAll("~P", world.project) },
    });
    const needs = found.reason === null ? [] : (found.needs ?? []);
    return needs.some(({ capability, ask_each_time }) => capability === "code:exec" && ask_each_time !== undefined);
  };
  const lines = ["id", "df -h", "ps aux | head -1", "timeout 5 id", "find . -writable", "cd src && id", "ls ~"];

  it.each(["~P/.venv/bin:/usr/bin:/bin", ".venv/bin:/usr/bin", ":/usr/bin:/bin"])(
    "is asked about while a command runs that may put another on its PATH, %s",
    (path) => {
      for (const line of lines) expect([line, asked(line, path)]).toEqual([line, false]);
      world.box.beingChanged = world.project;
      try {
        for (const line of lines) expect([line, asked(line, path)]).toEqual([line, true]);
      } finally {
        world.box.beingChanged = undefined;
      }
    },
  );

  it("is the usual one where it is found before anything that a command may change", () => {
    world.box.beingChanged = world.project;
    try {
      for (const line of [...lines, "pwd", "cat package.json; id"])
        expect([line, asked(line, "/usr/bin:/bin:~P/.venv/bin")]).toEqual([line, false]);
      expect(asked("pwd", "~P/.venv/bin:/usr/bin")).toBe(false);
      expect(asked("cat package.json; id", "~P/.venv/bin:/usr/bin")).toBe(false);
    } finally {
      world.box.beingChanged = undefined;
    }
  });
});

it.skipIf(NOT_SHARED === undefined).each([".asdf/shims", ".local/share/mise/shims", ".volta/bin"])(
  "a line that runs as it is is asked about where %s has one of its programs: a project's files may say what that runs",
  (folder) => {
    const own = mkdtempSync(join(NOT_SHARED ?? "", "metnos-test-"));
    onTestFinished(() => rmSync(own, { recursive: true }));
    const bin = join(own, folder);
    mkdirSync(bin, { recursive: true });
    for (const name of ["node", "jq"]) writeFileSync(join(bin, name), "#!/bin/sh\n");
    const ofCode = (command: string) => {
      const call = shellCall(command, world.project);
      const found = confinementIn(world, { ...call, context: { cwd: world.project, path: `${bin}:/usr/bin:/bin` } });
      const needs = found.reason === null ? [] : (found.needs ?? []);
      return [found.reason, needs.some(({ capability }) => capability === "code:exec")];
    };
    for (const line of ["id; node --version", "df -h; npm --version", "jq . /proc/version", "id | jq ."])
      expect([line, ...ofCode(line)]).toEqual([line, "clear", true]);
    expect(ofCode("node --version")).toEqual([null, false]);
    expect(ofCode("id; python3 --version; which node")).toEqual(["clear", false]);
  },
);

describe("what no box has takes nothing else out of a clear line's box", () => {
  it.each([
    "git commit --allow-empty -m x; id",
    "git log -1; df -h",
    "git status; curl -s https://example.com/a",
    "cat package.json; id",
    "cat package.json; head -1 /proc/cpuinfo",
    "cp package.json docs/copy.json; uptime",
    "rg -n config src; ls ~",
  ])("%s", (command) => {
    expect(confinementIn(world, shellCall(command, world.project))).toMatchObject({
      reason: null,
      declaration: { kind: "needs", network: false },
    });
  });
});

describe("a line that can't be confined says why, and about what", () => {
  it.each<[reason: UnconfinedReason, about: string, command: string]>([
    // What no box holds to its needs: the shell alone, what says something of the machine, names that no box may show, hosts.
    ["clear", "", "cd src && pwd && echo done"],
    ["clear", "df", "df -h"],
    ["clear", "df", "df -h | tail -1"],
    ["clear", "/tmp", "cat package.json > /tmp/copy.json"],
    ["clear", "~/work", "cp package.json ../copy.json"],
    ["clear", "example.com", "curl -s https://example.com/a | jq .x"],
    ["clear", "send:example.com", "curl -s -d @package.json https://example.com/a"],
    ["clear", "find", "find . -writable"],
    ["clear", "[", "[ -w a.txt ] && ls"],
    ["clear", "which", "which node | head -1"],
    ["clear", "~", "ls ~"],
    ["clear", "registry.example.org", "curl -s https://registry.example.org/lru-cache"],
    ["clear", "/proc/cpuinfo", "head -1 /proc/cpuinfo"],
    ["clear", "/tmp", "rm -f /tmp/dev.log"],
    ["asked-for", "", "metnos-gate outside -- npm test"],
    ["asked-for", "", "npm test; metnos-gate outside --reason 'the key' -- ssh host"],
    // What no box has.
    ["outside-by-nature", "ssh", "ssh host ls"],
    ["outside-by-nature", "ssh", "node x.js; timeout 5 ssh host ls"],
    ["outside-by-nature", "ssh", "bash -c 'node x.js; ssh host ls'"],
    ["outside-by-nature", "scp", "scp a.txt host:"],
    ["outside-by-nature", "rsync", "rsync -a src host:src"],
    ["outside-by-nature", "docker", "docker compose up -d"],
    ["outside-by-nature", "systemctl", "npm run build && systemctl restart app"],
    ["outside-by-nature", "lsof", "lsof -i"],
    ["outside-by-nature", "pkill", "pkill -f tsx"],
    ["outside-by-nature", "kill", "kill 4711"],
    ["outside-by-nature", "ps", "ps auxe | grep node"],
    ["outside-by-nature", "env", "env | node x.js"],
    ["outside-by-nature", "printenv", "printenv -x"],
    ["outside-by-nature", "export", "node x.js; export -p"],
    ["outside-by-nature", "set", "node x.js; set"],
    ["outside-by-nature", "sudo", "sudo npm test"],
    ["outside-by-nature", "apt-get", "apt-get install jq"],
    ["outside-by-nature", "gh", "gh pr create"],
    ["outside-by-nature", "npm", "npm install -g x"],
    ["outside-by-nature", "npm", "npm publish"],
    ["outside-by-nature", "git push", "git push"],
    ["outside-by-nature", "git fetch", "git fetch git@example.com:a/b"],
    ["outside-by-nature", "git fetch", "git fetch /srv/other.git"],
    ["outside-by-nature", "terraform", "npx terraform apply"],
    // What has to stay.
    ["background", "npm &", "npm run dev > log.txt 2>&1 &"],
    ["background", "node &", "node server.js & echo started"],
    ["background", "nohup", "nohup node server.js"],
    ["background", "setsid", "setsid -f node server.js"],
    ["background", "disown", "node server.js & disown"],
    // What it is known to touch elsewhere.
    ["leaves-the-box", "/tmp/o.txt", "node x.js > /tmp/o.txt"],
    ["leaves-the-box", "~/o.txt", "node x.js > ~/o.txt"],
    ["leaves-the-box", "~/work/o.txt", "node x.js > ../o.txt"],
    ["leaves-the-box", "~/o.txt", "node x.js > out/o.txt"],
    ["leaves-the-box", "~/notes.txt", "node x.js > linked.txt"],
    ["leaves-the-box", "$OUT", "node x.js > $OUT"],
    ["leaves-the-box", "/proc/self/cwd/x", "node x.js > /proc/self/cwd/x"],
    ["leaves-the-box", "/proc/self/cwd", "cd /proc/self/cwd; node x.js"],
    ["leaves-the-box", "/tmp", "cd /tmp && node x.js"],
    ["leaves-the-box", "~/data", "git -C ~/data commit -m x"],
    ["leaves-the-box", "~/data", "npm --prefix ~/data test"],
    ["leaves-the-box", "~/data", "ls ~/data; node x.js"],
    ["leaves-the-box", "~", "grep -r key ~ | node x.js"],
    ["leaves-the-box", "/proc/1/environ", "cat /proc/1/environ | node x.js"],
    // Places whose content runs later.
    ["leaves-the-box", "~/work/project/.git/hooks/pre-commit", "echo x > .git/hooks/pre-commit"],
    ["leaves-the-box", "~/work/project/.vscode/settings.json", "node x.js; echo x > .vscode/settings.json"],
    ["leaves-the-box", "~/work/project/.husky/pre-commit", "if true; then node x.js; echo x > .husky/pre-commit; fi"],
    ["clear", "git config", "git config user.name x"],
    ["leaves-the-box", "~/work/x", "git worktree add ../x"],
    ["leaves-the-box", "~/work/x", "git worktree add -b feature --lock ../x main; npm test"],
    ["leaves-the-box", "/tmp/x", "git worktree add /tmp/x"],
    ["leaves-the-box", "~/work/y", "git worktree move wt ../y"],
    ["leaves-the-box", "~/work/x", "git worktree remove --force ../x"],
    ["leaves-the-box", "~/work/x", "git -C src worktree add ../../x"],
    // A box can't remove or rename what says where a work tree is.
    ["leaves-the-box", "git worktree", "git worktree remove wt"],
    ["leaves-the-box", "git worktree", "npm test; git worktree move wt wt2"],
    ["leaves-the-box", "git config", "git config core.pager x"],
    ["leaves-the-box", "git config", "npm test && git config user.name x"],
    ["leaves-the-box", "git remote", "git remote add other https://example.com/x"],
    ["leaves-the-box", "git clone", "git clone https://example.com/a/b"],
    ["leaves-the-box", "git init", "git init --bare sub"],
    ["leaves-the-box", "git init", "npm test && git init sub"],
    // A secret that the box hides.
    ["leaves-the-box", "~/work/project/.env.local", "echo x > .env.local; node x.js"],
    // Work that nothing else holds.
    ["destroys-work", "git reset --hard", "git reset --hard && npm test"],
    ["destroys-work", "git clean -fd", "git clean -fd"],
    ["destroys-work", "git checkout -- src/cli.ts", "git checkout -- src/cli.ts"],
    ["destroys-work", "git restore src/cli.ts", "git restore src/cli.ts"],
    ["destroys-work", "git stash drop", "git stash drop"],
    ["destroys-work", "git stash clear", "npm test; git stash clear"],
    ["destroys-work", "git branch -D old", "git branch -D old"],
    ...[
      "git checkout src",
      "git -C src checkout store",
      "git checkout -p main",
      "git branch -df old",
      "git branch --delete --force old",
      "git -c clean.requireForce=false clean -d",
      "git rm -rf src",
      "git read-tree -u --reset HEAD",
      "git checkout-index --force --all",
      "git update-ref --stdin",
      "git reflog drop",
      "git prune",
      "git gc --prune=now",
    ].map((line): [UnconfinedReason, string, string] => ["destroys-work", line, line]),
    ["leaves-the-box", "git x", "git -c alias.x='reset --hard' x"],
    ["destroys-work", "build", "rm -rf build && npm run build"],
    ["destroys-work", "notes.txt", "rm notes.txt; npm test"],
    ["destroys-work", "*.log", "rm -f *.log; npm test"],
    ["destroys-work", "build", "f() { rm -rf build; }; f; node x.js"],
    ["destroys-work", "sqlite3 a.db 'drop table users'", "sqlite3 a.db 'drop table users'"],
  ])("%s (%s): %s", (reason, about, command) => {
    const found = confinementIn(world, shellCall(command, world.project));
    if (found.reason === null) throw new Error("it is confined");
    expect([found.reason, found.about.replaceAll(world.home, "~")]).toEqual([reason, about]);
  });

  it.each([
    ["longer than can be passed on", `node x.js ${"a".repeat(101 * 1024)}`],
    ["a NUL byte", "node x.js \0"],
    ["half a character", "node x.js '\ud800'"],
    ["nothing", " "],
  ])("unusable: %s", (_what, command) => {
    expect(confinementIn(world, shellCall(command, world.project)).reason).toBe("unusable-line");
  });

  it("a line that can't be read whole", () => {
    expect(becomes(`${"( ".repeat(500)}node x.js${" )".repeat(500)}`)).toMatch(/^unusable-line: /);
  });

  it("calls a git command by a name that the repository's settings give it", () => {
    const named = confinedWorld();
    appendFileSync(join(named.project, ".git/config"), "[alias]\n\tundo = reset --hard\n");
    const found = confinementIn(named, shellCall("git undo", named.project));
    expect(found).toEqual({ reason: "leaves-the-box", about: "git undo" });
  });

  it("deletes what lies where the kernel goes up behind a link, and not where its words say", () => {
    const linked = confinedWorld();
    mkdirSync(join(linked.project, "kept/deep"), { recursive: true });
    mkdirSync(join(linked.project, "kept/work"));
    writeFileSync(join(linked.project, "kept/work/notes.txt"), "not tracked");
    symlinkSync("kept/deep", join(linked.project, "link"));
    for (const about of ["link/../work", `${linked.project}/link/../work/notes.txt`])
      expect(confinementIn(linked, shellCall(`rm -r ${about}; npm test`, linked.project))).toEqual({
        reason: "destroys-work",
        about,
      });
  });

  it("deletes more tracked files than one would notice", () => {
    const many = confinedWorld();
    for (let at = 0; at < 21; at++) writeFileSync(join(many.project, `src/store/f${at}.ts`), `${at}\n`);
    const found = confinementIn(many, shellCall("rm -r src && npm test", many.project));
    expect(found).toEqual({ reason: "destroys-work", about: "src" });
  });
});

describe("a call says why it isn't confined, whatever its line", () => {
  const call = () => shellCall("npm test", world.project);

  it.each<[reason: UnconfinedReason, what: () => unknown]>([
    [
      "unavailable",
      () => confinementIn({ ...world, settings: { ...world.settings, box: undefined } as never }, call()),
    ],
    ["agent-cannot", () => confinementIn(world, call(), { can_confine: false })],
    ["agent-cannot", () => confinementIn(world, call(), { can_confine: undefined })],
    ["level", () => confinementIn(world, call(), { level: "ReadOnly" })],
    ["no-command", () => confinementIn(world, { ...call(), executor: "mcp__x__run" })],
    ["no-command", () => confinementIn(world, { ...call(), args: {} })],
    ["no-command", () => confinementIn(world, shellCall("npm test", world.project, { cmd: "npm test" }))],
    ["no-project", () => confinementIn(world, shellCall("npm test", undefined))],
    ["no-project", () => confinementIn(world, shellCall("npm test", "/"))],
    [
      "project-too-large",
      () => {
        const box = Object.assign(Object.create(world.box), {
          isTooLarge: (project: string) => project === world.project,
        });
        return confinementIn({ ...world, settings: { ...world.settings, box } }, call());
      },
    ],
    [
      "background",
      () => confinementIn(world, shellCall("npm run dev > log.txt 2>&1 &", world.project, { run_in_background: true })),
    ],
  ])("%s", (reason, what) => {
    expect(what()).toMatchObject({ reason });
  });

  it("a project that holds too much still has boxes for clear lines that write in folders of it", () => {
    const tooLarge = [world.project];
    const box = Object.assign(Object.create(world.box), { isTooLarge: (folder: string) => tooLarge.includes(folder) });
    const found = (command: string) =>
      confinementIn({ ...world, settings: { ...world.settings, box } }, shellCall(command, world.project));
    const src = join(world.project, "src");
    expect(found("echo x > src/new.ts")).toMatchObject({
      declaration: { kind: "needs", writes: [src], is_project_too_large: true },
    });
    expect(found("echo x > README.md")).toMatchObject({ declaration: { writes: [join(world.project, "README.md")] } });
    expect(found("cat README.md")).not.toHaveProperty("declaration.is_project_too_large");
    expect(found("echo x > new.md")).toMatchObject({ reason: "clear", about: world.project });
    tooLarge.push(src);
    expect(found("echo x > src/new.ts")).toMatchObject({ reason: "clear", about: src });
  });

  it("and no reason is left without a call that has it", () => {
    // `disabled` is the operator's word for a box that is off: see test/surfaces/operator/box.test.ts.
    const without = new Set<string>(["disabled"]);
    const said = new Set(SAID);
    expect(UNCONFINED_REASONS.filter((reason) => !said.has(reason) && !without.has(reason))).toEqual([]);
  });
});

/** Those that a test above expects. */
const SAID: readonly UnconfinedReason[] = [
  "clear",
  "asked-for",
  "outside-by-nature",
  "background",
  "leaves-the-box",
  "destroys-work",
  "unusable-line",
  "unavailable",
  "agent-cannot",
  "level",
  "no-command",
  "no-project",
  "project-too-large",
];

describe("git submodule add", () => {
  const found = (command: string, path = "/usr/bin:/bin") =>
    confinementIn(world, { ...shellCall(command, world.project), context: { cwd: world.project, path } });

  it("has none where the shell may find another git", () => {
    const planted = `${world.project}/node_modules/.bin`;
    mkdirSync(planted, { recursive: true });
    writeFileSync(join(planted, "git"), "");
    for (const path of [`${planted}:/usr/bin`, `.:${planted}`])
      expect(found("git submodule add https://example.com/b", path)).not.toHaveProperty("declaration");
    rmSync(join(planted, "git"));
  });

  it.each(["git config user.name x", "git init", "git config user.name x && git config core.abbrev 9"])(
    "%s has a box of what it needs, in which git may change the settings",
    (command) => {
      const changesSettings = [join(world.project, ".git/config")];
      expect(found(command)).toMatchObject({
        declaration: { kind: "needs", writes: [world.project], network: false, changes_settings: changesSettings },
      });
    },
  );

  it.each([
    "git submodule add https://example.com/b vendor/b",
    "git submodule add -q -b main --depth 1 https://example.com/b",
  ])("%s is confined, with hosts one by one", (command) => {
    expect(found(command)).toMatchObject({
      declaration: {
        changes_settings: [".git/config", ".gitmodules"].map((name) => join(world.project, name)),
        network: true,
      },
    });
  });

  it.each([
    "git submodule add https://u:p@example.com/b",
    "git submodule add git@example.com:b",
    "git submodule add /srv/b",
    "git submodule add https://example.com/b ../b",
    "git submodule add -f https://example.com/b",
    "git submodule add --reference /srv/b https://example.com/b",
    "git submodule add https://example.com/b && node x.js",
    "node x.js && git submodule add https://example.com/b",
    "git submodule add https://example.com/b > .git/x",
    "git submodule add https://example.com/$X",
    "git -c core.fsmonitor=./x submodule add https://example.com/b",
    "git -C src submodule add https://example.com/b",
    "GIT_DIR=x git submodule add https://example.com/b",
    "./git submodule add https://example.com/b",
    "git submodule update --init",
  ])("%s has no box that may change settings", (command) => {
    expect(found(command)).not.toHaveProperty("declaration.changes_settings");
  });
});

describe("what a confined line gets", () => {
  const confined = (command: string, call = shellCall(command, world.project)) => {
    const found = confinementIn(world, call);
    if (found.reason !== null) throw new Error(`${found.reason}: ${found.about}`);
    return found;
  };

  it("its project alone, and needs that name it", () => {
    const { declaration, needs, line } = confined("npm test");
    expect(declaration).toEqual({ project: world.project, cwd: world.project, reads: [], writes: [], network: false });
    expect(line).toBe("npm test");
    expect(needs).toEqual(
      (["fs:read", "fs:write"] as const).map((capability) => ({
        capability,
        target: { kind: "path", lexical: world.project, real: world.project, is_tree: true },
      })),
    );
  });

  it("the working directory as the agent names it", () => {
    const link = join(world.home, "shortcut");
    symlinkSync(world.project, link);
    const { declaration } = confined("", shellCall("npm test", join(link, "src")));
    expect(declaration).toMatchObject({ project: world.project, cwd: join(link, "src") });
  });

  it("the files and folders elsewhere that it is known to read, if they are there, each with a need", () => {
    const { declaration, needs } = confined("cat ~/notes.txt linked.txt ~/missing.txt; wc -l ~/data/a.csv; node x.js");
    const there = [join(world.home, "data/a.csv"), join(world.home, "notes.txt")];
    expect(declaration.reads).toEqual(there);
    const read = needs.filter(({ capability }) => capability === "fs:read").map(({ target }) => target);
    for (const path of there) expect(read).toContainEqual(expect.objectContaining({ real: path }));
    expect(needs.length).toBe(5);
  });

  it("also where only the commands' records say so, marked if it is a secret", () => {
    writeFileSync(join(world.home, "data/.env"), "TOKEN=x");
    const { declaration, needs } = confined("if true; then cat ~/data/a.csv ~/data/.env | node x.js; fi");
    expect(declaration.reads).toEqual([join(world.home, "data/.env"), join(world.home, "data/a.csv")]);
    expect(needs.filter(({ ask_each_time }) => ask_each_time !== undefined)).toHaveLength(1);
  });

  it("the script that it runs from elsewhere; a program of the user's own is the box's to find", () => {
    mkdirSync(join(world.home, ".local/bin"), { recursive: true });
    for (const file of ["data/x.py", "data/x.sh", ".local/bin/tool"]) writeFileSync(join(world.home, file), "");
    for (const command of ["python3 -u ~/data/x.py", "node x.js; ~/data/x.sh", "bash ~/data/x.sh --all"])
      expect(confined(command).declaration.reads).toEqual([join(world.home, /data\/x\.\w+/.exec(command)?.[0] ?? "")]);
    expect(confined("~/.local/bin/tool x").declaration.reads).toEqual([]);
  });

  it("a secret of the project that it names, asked about each time", () => {
    const { declaration, needs } = confined("cat .env | node x.js");
    expect(declaration.reads).toEqual([join(world.project, ".env")]);
    expect(needs.at(-1)).toMatchObject({ capability: "fs:read", ask_each_time: expect.any(String) });
  });

  it("no key that a link in the project leads to, whatever names it", () => {
    const made = confinedWorld();
    mkdirSync(join(made.home, ".ssh"));
    writeFileSync(join(made.home, ".ssh/id_rsa"), "key");
    symlinkSync(join(made.home, ".ssh/id_rsa"), join(made.project, "k"));
    symlinkSync(join(made.home, ".ssh"), join(made.project, "folder"));
    for (const line of ["python3 k", "if true; then cat k | node x.js; fi", "f() { tar c folder; }; f | node x.js"]) {
      const found = confinementIn(made, shellCall(line, made.project));
      expect([line, found]).toEqual([line, { reason: "leaves-the-box", about: expect.stringContaining(".ssh") }]);
    }
  });

  it("what the agent itself says that it needs stays a need", () => {
    const call = shellCall("npm test", world.project);
    const { needs } = confined("", { ...call, context: { ...call.context, capability: "mail:send" } });
    expect(needs.map(({ capability }) => capability)).toEqual(["fs:read", "fs:write", "mail:send"]);
  });

  it.each([
    ["npm install lru-cache", true],
    ["npm ci && npm test", true],
    ["npm run build", false],
    ["npx some-package-that-is-not-there", true],
    ["npx vitest", false],
    ["yarn", true],
    ["pip install x", true],
    ["python3 -m pip install x", true],
    ["python3 -m pytest", false],
    ["git fetch origin", true],
    ["git pull", true],
    ["git ls-remote https://example.com/a/b", true],
    ["git merge x", false],
    ["curl -sL https://example.com/x -o x.json", true],
    ["cargo test", true],
    ["cargo fmt", false],
    ["go build ./...", true],
  ])("a network where a program of it fetches, and where the box has one: %s", (command, network) => {
    expect(confined(command).declaration.network).toBe(network);
    const offline = { ...world.settings, box: Object.assign(Object.create(world.box), { has_network: false }) };
    const found = confinementIn({ ...world, settings: offline }, shellCall(command, world.project));
    expect(found.reason).toBe(network ? "outside-by-nature" : null);
  });

  it("a host is asked about when it is reached, not before; a server on this machine isn't in the box", () => {
    const { needs } = confined("curl -s https://api.example.com/x | node x.js");
    expect(needs.map(({ capability }) => capability)).toEqual(["fs:read", "fs:write"]);
    expect(becomes("curl -s http://localhost:3000/x | node x.js")).toBe("leaves-the-box: localhost");
    expect(becomes("node s.js & sleep 1; curl -s http://localhost:3000/x; kill %1")).toBe("confined");
  });

  it("a list of words as one line that a shell takes apart again", () => {
    expect(confined("", shellCall(["node", "x y.js", "$(id)", "it's"], world.project)).line).toBe(
      `node 'x y.js' '$(id)' 'it'\\''s'`,
    );
    expect(confined("", shellCall(["npm test | tail"], world.project)).line).toBe("npm test | tail");
  });
});
