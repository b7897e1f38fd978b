import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { diskOfWholeSeconds, smallDisk } from "../support/small-disk.ts";
import { nodeImporting, OwnStore } from "./own-store.ts";

const ENV = { PATH: process.env.PATH, GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" };

/** Git, on the store or in the project, with nobody's settings. */
function git(cwd: string, env: object, ...words: string[]): string {
  return execFileSync("git", words, {
    cwd,
    env: { ...ENV, HOME: cwd, ...env },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
}

const USER = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"];

/** All paths of a tree of the store, as Git lists them. */
const listed = (store: OwnStore, tree: string): string[] =>
  git(store.folder, { GIT_DIR: store.folder }, "ls-tree", "-r", "-t", "-z", "--name-only", tree)
    .split("\0")
    .filter(Boolean);

async function pathsOf(store: OwnStore): Promise<string[]> {
  await store.begun();
  return listed(store, store.calls.at(-1)?.before ?? "");
}

describe("a snapshot", () => {
  it("is a tree that Git reads, in a repository that is the user's alone", async () => {
    const store = new OwnStore();
    mkdirSync(store.path("src"));
    mkdirSync(store.path("empty"));
    for (let i = 0; i < 300; i++) writeFileSync(store.path(`src/${i}`), `content ${i} `.repeat(i));
    expect(await pathsOf(store)).toHaveLength(302);
    const tree = store.calls[0]?.before ?? "";
    expect(git(store.folder, { GIT_DIR: store.folder }, "cat-file", "blob", `${tree}:src/7`)).toBe(
      "content 7 ".repeat(7),
    );
    expect(() => git(store.folder, { GIT_DIR: store.folder }, "fsck", "--full", "--no-dangling")).not.toThrow();
    const modes = execFileSync("find", [store.folder, "-perm", "/077"], { encoding: "utf8" });
    expect(modes).toBe("");
  });

  it("sees each change, also one that leaves a file's size and times as they were", async () => {
    const store = new OwnStore();
    const file = store.path("a");
    writeFileSync(file, "aaaa");
    utimesSync(file, 1, 1);
    const trees = new Set<string>();
    for (const text of ["aaaa", "bbbb", "cccc", "dddd"]) {
      writeFileSync(file, text);
      utimesSync(file, 1, 1);
      await store.begun();
      trees.add(store.calls.at(-1)?.before ?? "");
    }
    expect(trees.size).toBe(4);
  });

  it("reads nothing again that looks as it did, also in the next process", async () => {
    const store = new OwnStore();
    for (let i = 0; i < 50; i++) writeFileSync(store.path(`${i}`), `${i}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await store.begun();
    const packs = () => readdirSync(join(store.folder, "objects/pack")).length;
    const before = packs();
    await store.begun();
    store.process.end();
    await expect.poll(() => store.process.hasEnded).toBe(true);
    store.restart();
    await store.begun();
    expect(packs()).toBe(before);
    // Killed while it stored that, the next one reads them all.
    writeFileSync(join(store.folder, "seen.json"), '{"boot":"');
    store.restart();
    expect((await store.begun()).missing).toBeNull();
    expect(new Set(store.calls.map((call) => call.before)).size).toBe(1);
  });

  it("leaves out what its repository ignores and can be made anew, and keeps what else it ignores", async () => {
    const store = new OwnStore();
    writeFileSync(store.path(".gitignore"), "# made\nnode_modules/\n/dist\n.env\n*.log\n!kept.log\n");
    for (const name of ["node_modules/a", "dist", "packages/dist", "packages/node_modules"])
      mkdirSync(store.path(name), { recursive: true });
    for (const name of [
      ".env",
      "node_modules/a/x",
      "dist/x",
      "packages/dist/x",
      "packages/node_modules/x",
      "small.log",
    ])
      writeFileSync(store.path(name), "x");
    for (const name of ["large.log", "kept.log"]) {
      writeFileSync(store.path(name), "x");
      truncateSync(store.path(name), 2 * 1024 * 1024);
    }
    expect(await pathsOf(store)).toEqual(
      [
        ".env",
        ".gitignore",
        "dist",
        "kept.log",
        "large.log",
        "node_modules",
        "packages",
        "packages/dist",
        "packages/dist/x",
        "packages/node_modules",
        "small.log",
      ].sort(),
    );
    const tree = store.calls[0]?.before ?? "";
    // They are there, and their content isn't.
    for (const path of ["large.log", "dist", "packages/node_modules"])
      expect(git(store.folder, { GIT_DIR: store.folder }, "ls-tree", tree, path)).toMatch(/^160000 commit/);
    expect(git(store.folder, { GIT_DIR: store.folder }, "ls-tree", tree, "kept.log")).toMatch(/^100644 blob/);
  });

  it("is bounded: too many files are said, and so is a store that is full", async () => {
    const store = new OwnStore({ max_files: 10, max_bytes: 20_000 });
    for (let i = 0; i < 11; i++) writeFileSync(store.path(`${i}`), `${i}`);
    expect((await store.begun()).missing).toBe("too-many-files");
    for (let i = 0; i < 11; i++) rmSync(store.path(`${i}`));
    for (let i = 0; i < 11; i++) mkdirSync(store.path(`${i}`));
    expect((await store.begun()).missing).toBe("too-many-files");
    for (let i = 1; i < 11; i++) rmdirSync(store.path(`${i}`));
    expect((await store.begun()).missing).toBeNull();
    writeFileSync(store.path("2"), execFileSync("head", ["-c", "30000", "/dev/urandom"]));
    await store.begun();
    expect((await store.begun()).missing).toBe("store-full");
    await store.process.ask({ do: "tidy", now: Date.now() });
    writeFileSync(store.path("2"), "small");
    await store.process.ask({ do: "tidy", now: Date.now() + 8 * 86_400_000 });
    expect(store.calls).toEqual([]);
  });

  it("of many small files takes memory for what is in them, not for their number", async () => {
    const store = new OwnStore();
    for (let i = 0; i < 15_000; i++) writeFileSync(store.path(`${i}`), `${i}`);
    expect((await store.begun()).missing).toBeNull();
    const [, peak] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${store.process.pid}/status`, "utf8")) ?? [];
    expect(Number(peak) / 1024).toBeLessThan(260);
  });

  it("that comes too late counts as none", async () => {
    const store = new OwnStore();
    const call = { id: "late", agent: "agent", session: "s", executor: "shell_exec", at: Date.now() };
    const asked = { do: "before", call, paths: null, until: Date.now() - 1 } as const;
    expect(await store.process.ask(asked)).toBe("late");
    expect(store.calls).toMatchObject([{ id: "late", before: null, missing: "late" }]);
  });
});

describe("a disk", () => {
  it("that is full keeps nothing, and what was kept can be taken back once there is room", async () => {
    const disk = smallDisk(8);
    if (disk === undefined) return;
    const store = new OwnStore({}, { store: disk.folder });
    writeFileSync(store.path("a"), "before");
    const id = await store.call(() => writeFileSync(store.path("a"), "agent"));
    disk.fill();
    writeFileSync(store.path("b"), execFileSync("head", ["-c", "30000", "/dev/urandom"]));
    expect((await store.begun()).missing).toBe("disk");
    expect((await store.begun(["b"])).missing).toBe("disk");
    await expect(store.takeBack([id])).rejects.toThrow();
    expect(readFileSync(store.path("a"), "utf8")).toBe("agent");
    disk.empty();
    expect((await store.begun()).missing).toBeNull();
    await store.takeBack([id]);
    expect(readFileSync(store.path("a"), "utf8")).toBe("before");
  });

  it("whose times are whole seconds hides no change", async () => {
    const project = diskOfWholeSeconds();
    if (project === undefined) return;
    const store = new OwnStore({}, { project });
    const trees = new Set<string>();
    for (const text of ["aaaa", "bbbb", "cccc"]) {
      writeFileSync(store.path("a"), text);
      await store.begun();
      trees.add(store.calls.at(-1)?.before ?? "");
    }
    expect(trees.size).toBe(3);
  });
});

describe("of a hostile project", () => {
  it("a pipe, a device's node and a huge file keep nobody waiting", async () => {
    const store = new OwnStore();
    execFileSync("mkfifo", [store.path("pipe")]);
    writeFileSync(store.path("huge"), "");
    truncateSync(store.path("huge"), 10 * 1024 ** 3);
    symlinkSync("/dev/zero", store.path("zero"));
    symlinkSync("/proc/self/environ", store.path("environ"));
    mkdirSync(store.path("closed"));
    writeFileSync(store.path("closed/x"), "x");
    chmodSync(store.path("closed"), 0);
    const began = performance.now();
    expect((await store.begun()).missing).toBeNull();
    expect(performance.now() - began).toBeLessThan(3000);
    expect(statSync(join(store.folder, "objects/pack")).size).toBeLessThan(1024 * 1024);
    // A file tool that would write into a pipe.
    expect((await store.begun(["pipe", "huge", "closed/x"])).missing).toBeNull();
    chmodSync(store.path("closed"), 0o700);
  });

  it("links lead nowhere, and are kept as links", async () => {
    const store = new OwnStore();
    writeFileSync(`${store.root}-outside`, "not the project's");
    symlinkSync(`${store.root}-outside`, store.path("link"));
    symlinkSync("..", store.path("up"));
    expect(await pathsOf(store)).toEqual(["link", "up"]);
    const [link] = await store.process.ask({ do: "contents", ids: [], path: "link", max: 100 });
    expect(link).toBeNull();
  });

  it("its Git settings, variables, hooks, filters and alternates run and change nothing", async () => {
    const store = new OwnStore();
    git(store.root, {}, ...USER, "init", "-q");
    const ran = `${store.root}-ran`;
    const hook = `#!/bin/sh\ntouch ${ran}\n`;
    writeFileSync(store.path("hook.sh"), hook, { mode: 0o755 });
    appendFileSync(
      store.path(".git/config"),
      `[core]\n\tworktree = /\n\tfsmonitor = ${store.path("hook.sh")}\n\thooksPath = ${store.root}\n[filter "x"]\n\tclean = ${store.path("hook.sh")}\n`,
    );
    writeFileSync(store.path(".gitattributes"), "* filter=x\n");
    mkdirSync(store.path(".git/objects/info"), { recursive: true });
    writeFileSync(store.path(".git/objects/info/alternates"), "/etc\n");
    mkdirSync(store.path("sub"));
    writeFileSync(store.path("sub/.git"), "gitdir: /etc\n");
    writeFileSync(store.path("a"), "before\r\n");
    const id = await store.call(() => writeFileSync(store.path("a"), "agent"));
    await store.takeBack([id]);
    expect(readFileSync(store.path("a"), "utf8")).toBe("before\r\n");
    expect(readdirSync(join(store.root, "..")).includes("project-ran")).toBe(false);
    expect(readFileSync(store.path("sub/.git"), "utf8")).toBe("gitdir: /etc\n");
  });

  it("what a killed process left keeps no snapshot from being made", async () => {
    const store = new OwnStore();
    writeFileSync(store.path("a"), "a");
    await store.begun();
    const packs = join(store.folder, "objects/pack");
    writeFileSync(join(packs, "gate-1"), "half");
    for (const name of ["tmp_pack_x", `pack-${"0".repeat(40)}.pack`]) {
      writeFileSync(join(packs, name), "no index");
      utimesSync(join(packs, name), 1, 1);
    }
    // By a Git that outlived its process, and hasn't written its index yet.
    const unfinished = `pack-${"1".repeat(40)}.pack`;
    writeFileSync(join(packs, unfinished), "no index");
    for (const name of [
      "packed-refs.lock",
      "gc.pid",
      "HEAD.lock",
      "packed-refs.new",
      "seen.json.new",
      "calls.jsonl.new",
    ])
      writeFileSync(join(store.folder, name), "stale");
    appendFileSync(join(store.folder, "calls.jsonl"), '{"line":"before","id":"half');
    store.restart();
    writeFileSync(store.path("a"), "b");
    expect((await store.begun()).missing).toBeNull();
    expect(store.calls).toHaveLength(2);
    expect(readdirSync(packs).some((name) => /^(?:gate-|tmp_)|0{40}/.test(name))).toBe(false);
    expect(readdirSync(packs)).toContain(unfinished);
    await store.process.ask({ do: "tidy", now: Date.now() + 8 * 86_400_000 });
    expect(store.calls).toEqual([]);
  });
});

describe("a repository's own folder", () => {
  it("a branch and a stash that were removed come back, whatever is in the objects", async () => {
    const store = new OwnStore();
    const inProject = (...words: string[]) => git(store.root, {}, ...USER, ...words);
    inProject("init", "-q");
    writeFileSync(store.path("a"), "one");
    inProject("add", "a");
    inProject("commit", "-qm", "one");
    inProject("branch", "feature");
    writeFileSync(store.path("a"), "stashed");
    inProject("stash", "-q");
    const before = inProject("for-each-ref") + inProject("stash", "list");
    const id = await store.call(() => {
      inProject("branch", "-D", "feature");
      inProject("stash", "drop", "-q");
    });
    expect(inProject("for-each-ref") + inProject("stash", "list")).not.toBe(before);
    await store.takeBack([id]);
    expect(inProject("for-each-ref") + inProject("stash", "list")).toBe(before);
    expect(listed(store, store.calls[0]?.before ?? "").some((path) => path.startsWith(".git/objects"))).toBe(false);
  });
});

it("many snapshots are packed as one, and what is kept can still be taken back", async () => {
  const store = new OwnStore();
  writeFileSync(store.path("a"), "0");
  const ids: string[] = [];
  for (let i = 1; i <= 62; i++) ids.push(await store.call(() => writeFileSync(store.path("a"), `${i} `.repeat(2000))));
  await store.process.ask({ do: "tidy", now: Date.now() });
  const packs = readdirSync(join(store.folder, "objects/pack")).filter((name) => name.endsWith(".pack"));
  expect(packs.length).toBeLessThan(5);
  await store.takeBack(ids.slice(20));
  expect(readFileSync(store.path("a"), "utf8")).toBe("20 ".repeat(2000));
});

it("a name that comes in a folder, or goes from it, is seen however soon that is after the folder was looked at", async () => {
  const disk = diskOfWholeSeconds();
  if (disk === undefined) return;
  const store = new OwnStore({}, { project: disk });
  mkdirSync(store.path("d"));
  writeFileSync(store.path("d/first"), "");
  for (let round = 0; round < 5; round++) {
    const id = await store.call(() => writeFileSync(store.path(`d/${round}`), ""));
    expect(Object.keys(await store.states(id))).toContain(`d/${round}`);
    const gone = await store.call(() => rmSync(store.path(`d/${round}`)));
    expect(await store.states(gone)).toMatchObject({ [`d/${round}`]: "ready" });
  }
});

it("on a disk whose folders don't tell by their times, each name is seen that comes or goes", async () => {
  const store = new OwnStore({}, { node: nodeImporting("folders-without-times.ts") });
  mkdirSync(store.path("d"));
  for (const name of ["d/mine", "d/old"]) writeFileSync(store.path(name), "before");
  await store.begun();
  const id = await store.call(() => {
    writeFileSync(store.path("d/made"), "agent");
    rmSync(store.path("d/old"));
  });
  expect(await store.states(id)).toEqual({ "d/made": "ready", "d/old": "ready" });
});

it("a clock that was set back hides no change, where a file has the same times once more", async () => {
  const project = diskOfWholeSeconds();
  if (project === undefined) return;
  const store = new OwnStore({}, { project });
  let isOneSecond = false;
  while (!isOneSecond) {
    store.restart(nodeImporting("clock-ahead.ts"));
    await store.process.ask({ do: "prepare" });
    writeFileSync(store.path("a"), "aaaa");
    const { ctimeMs } = statSync(store.path("a"));
    await store.process.ask({ do: "prepare" });
    writeFileSync(store.path("a"), "bbbb");
    isOneSecond = statSync(store.path("a")).ctimeMs === ctimeMs;
    await store.process.stop();
    store.restart(process.execPath);
    await store.begun();
  }
  const tree = store.calls.at(-1)?.before ?? "";
  expect(git(store.folder, { GIT_DIR: store.folder }, "cat-file", "blob", `${tree}:a`)).toBe("bbbb");
});

it("folders that come in each other's place are seen, whatever times and names they have", async () => {
  const store = new OwnStore();
  const filled = (name: string, text: string) => {
    mkdirSync(store.path(name));
    writeFileSync(store.path(`${name}/a`), text);
    utimesSync(store.path(name), 1, 1);
    utimesSync(store.path(`${name}/a`), 1, 1);
  };
  filled("d", "one");
  filled("e", "two");
  await new Promise((resolve) => setTimeout(resolve, 50));
  await store.begun();
  for (let round = 0; round < 20; round++) {
    const id = await store.call(() => {
      renameSync(store.path("d"), store.path("x"));
      renameSync(store.path("e"), store.path("d"));
      renameSync(store.path("x"), store.path("e"));
    });
    expect(await store.states(id)).toEqual({ "d/a": "ready", "e/a": "ready" });
  }
});

it("a name that comes while a folder is looked at, or right after, is seen by the next look", async () => {
  const store = new OwnStore();
  for (let i = 0; i < 30; i++) mkdirSync(store.path(`${i}`));
  await new Promise((resolve) => setTimeout(resolve, 50));
  for (let round = 0; round < 60; round++) {
    // Not waited for.
    const looking = store.begun();
    for (let i = 0; i < 30; i++) writeFileSync(store.path(`${i}/${round}`), "");
    await looking;
    await store.begun();
    expect(listed(store, store.calls.at(-1)?.before ?? "")).toHaveLength(30 + 30 * (round + 1));
  }
});
