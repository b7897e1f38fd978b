import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as passed } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { type NotedFolder, namesOutside, readIndex } from "../../../packages/shell-reading/programs/git-index.ts";
import { gitProblem } from "../../../packages/shell-reading/programs/git-repository.ts";
import { entrySize, indexOf } from "../../support/git-index.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const LONG_AGO = new Date("2024-01-01");

/** Times of a content older than what may still change unseen. */
const STEADY_MS = 120;

function namesIn(file: string): string[] | undefined {
  const { index } = readIndex(file);
  return index === null ? undefined : [...index.names()];
}

it("an index that has changed is read anew, also with the size and times that it had", async () => {
  const file = join(tempFolder(), "index");
  const content = (name: string) => {
    writeFileSync(file, indexOf([name]));
    utimesSync(file, LONG_AGO, LONG_AGO);
  };
  content("one");
  await passed(STEADY_MS);
  expect(namesIn(file)).toEqual(["one"]);
  expect(readIndex(file)).toBe(readIndex(file));
  content("two");
  expect(namesIn(file)).toEqual(["two"]);
});

it("what was read of an index that had just changed isn't believed later", async () => {
  const file = join(tempFolder(), "index");
  writeFileSync(file, indexOf(["one"]));
  const read = readIndex(file);
  await passed(STEADY_MS);
  expect(readIndex(file)).not.toBe(read);
});

it("an index is looked through again where other secrets, or other repositories, are in it", async () => {
  const root = tempFolder();
  for (const folder of ["objects", "refs"]) mkdirSync(join(root, ".git", folder), { recursive: true });
  writeFileSync(join(root, ".git/HEAD"), "ref: refs/heads/main\n");
  const problemWith = async (bytes: Buffer) => {
    writeFileSync(join(root, ".git/index"), bytes);
    await passed(STEADY_MS);
    return gitProblem(root, "/nobody", "show", true);
  };
  expect(await problemWith(indexOf(["a.txt"]))).toEqual({ root });
  expect(await problemWith(indexOf([".env.x"]))).toEqual({ problem: "a secret that it tracks" });
  expect(await problemWith(indexOf(["a.txt"], 0o160000))).toEqual({ problem: "its submodules" });
});

const MANY = `o=$(git hash-object a.txt); seq 20100 | sed "s/.*/100644 $o\\tf&/" | git update-index --index-info; grep -q IEOT .git/index`;

it.each([
  ["", "true"],
  ["with a file that is to be added", "echo x > new; git add -N new"],
  ["of version 4", "git update-index --index-version 4"],
  [
    "of version 4 with hashes of SHA-256",
    "rm -rf .git; git init -q --object-format=sha256; git config index.version 4; git add .",
  ],
  ["that is split", "git update-index --split-index; echo x > new; git add new"],
  ["of several threads", `git config index.threads 4; ${MANY}`],
  ["of version 4 and several threads", `git config index.threads 4; git config index.version 4; ${MANY}`],
  [
    "with a conflict",
    "git commit -qm x; git checkout -qb y; echo y > a.txt; git commit -qam y; git checkout -q -; echo z > a.txt; git commit -qam z; git merge -q y || true",
  ],
  [
    "with long names",
    `n=$(printf 'n%.0s' $(seq 200)); p=$n; for i in $(seq 17); do p=$p/$n; done; mkdir -p $p; touch $p/x ..b a..; git config index.version 4; git add . ..b`,
  ],
])("an index of git's own names no file outside: one %s", (what, make) => {
  const root = tempFolder();
  const user = ["-c", "user.name=A", "-c", "user.email=a@example.com"];
  const script = `git() { command git ${user.join(" ")} "$@"; }; git init -q; mkdir -p ..d/e; echo a > a.txt; echo b > ..d/e/b.txt; git add .; ${make}`;
  execFileSync("/bin/bash", ["-ec", script], { cwd: root, stdio: "ignore" });
  const files = readdirSync(join(root, ".git")).filter((name) => /^(?:shared)?index/.test(name));
  const outsideBy = (isSha256: boolean) =>
    files.map((name) => namesOutside(readFileSync(join(root, ".git", name)), isSha256));
  const isSha256 = what.includes("SHA-256");
  expect(outsideBy(isSha256)).toEqual(files.map(() => false));
  // What git reads of it by other hashes isn't known.
  expect(outsideBy(!isSha256)).toEqual(files.map(() => true));
});

it.each([2, 4])(
  "an index of version %s that names files outside is known, and looked through in no time",
  (version) => {
    const named = (names: readonly string[]) => {
      const root = tempFolder();
      const lines = names.map((name) => `100644 ${"1".repeat(40)}\t${name}\n`).join("");
      execFileSync("git", ["init", "-q", root]);
      const words = ["-C", root, "-c", `index.version=${version}`, "update-index", "--index-info"];
      execFileSync("git", words, { input: lines });
      return readFileSync(join(root, ".git/index"));
    };
    // Git refuses such names: others of their lengths are changed.
    for (const [name, outside] of [
      ["XX/out/x", "../out/x"],
      ["Xtc/x", "/etc/x"],
      ["b/XX/XX/x", "b/../../x"],
      ["Xgit/config", ".git/config"],
      ["b/Xgit/hooks/pre-commit", "b/.git/hooks/pre-commit"],
      ["b/Xgit", "b/.git"],
      ["XX", ".."],
      ["b/XX", "b/.."],
    ] as const) {
      const index = named([name, "a.txt", "b/x", "c"]);
      expect(namesOutside(index, false)).toBe(false);
      const at = index.indexOf(version === 4 && name.startsWith("b/") ? name.slice(2) : name);
      index.write(version === 4 && name.startsWith("b/") ? outside.slice(2) : outside, at);
      expect(namesOutside(index, false), name).toBe(true);
    }
    const large = named(Array.from({ length: 50_000 }, (_, at) => `packages/x${at + 100_000}/src/component.ts`));
    const began = process.threadCpuUsage().user;
    expect(namesOutside(large, false)).toBe(false);
    expect(process.threadCpuUsage().user - began).toBeLessThan(50_000);
  },
);

it("an index with a name by which git would read elsewhere isn't harmless, whatever git does", () => {
  const root = tempFolder();
  for (const folder of ["objects", "refs"]) mkdirSync(join(root, ".git", folder), { recursive: true });
  writeFileSync(join(root, ".git/HEAD"), "ref: refs/heads/main\n");
  const problemWith = (name: string) => {
    writeFileSync(join(root, ".git/index"), indexOf(["a.txt", name]));
    return gitProblem(root, "/nobody", "add", false);
  };
  const problem = "an index that names files elsewhere";
  const names = ".. b/.. ../x /etc/x b/../../x .git .git/hooks/pre-commit b/.git b/.git/config".split(" ");
  for (const name of names) expect(problemWith(name), name).toEqual({ problem });
  for (const name of ["..x/b", "b../c", "b/..c", "...", ".gitignore", "b/.gitx", "b.git/x"])
    expect(problemWith(name), name).toEqual({ root });
});

it("an index with a name that no path has isn't read", () => {
  const file = join(tempFolder(), "index");
  writeFileSync(file, indexOf(["x".repeat(5000)]));
  expect(readIndex(file).index).toBeNull();
});

const extension = (name: string, content: Buffer) => {
  const head = Buffer.from(`${name}0000`, "latin1");
  head.writeUInt32BE(content.length, 4);
  return Buffer.concat([head, content]);
};
const numbers = (...all: number[]) => {
  const bytes = Buffer.alloc(4 * all.length);
  for (const [at, number] of all.entries()) bytes.writeUInt32BE(number, 4 * at);
  return bytes;
};

describe("a name outside is known in an index of version 4:", () => {
  /** Each entry: how many bytes of the last name it doesn't have, and what it has behind them. */
  const index = (...entries: [cut: number, rest: string][]) => {
    let length = 0;
    const all = entries.map(([cut, rest]) => {
      length += rest.length - cut;
      const head = Buffer.alloc(62);
      head.writeUInt16BE(length, 60);
      return Buffer.concat([head, Buffer.of(cut), Buffer.from(`${rest}\0`)]);
    });
    return Buffer.concat([Buffer.from("DIRC"), numbers(4, entries.length), ...all]);
  };
  const isOutside = (...parts: Buffer[]) => namesOutside(Buffer.concat([...parts, Buffer.alloc(20)]), false);

  it("one that is the beginning of the name before it", () => {
    expect(isOutside(index([0, ".gitx"], [0, "y"]))).toBe(false);
    expect(isOutside(index([0, ".gitx"], [1, ""]))).toBe(true);
    expect(isOutside(index([0, "..x"], [1, ""]))).toBe(true);
  });

  it("one that begins a block, where git takes nothing of the name before it", () => {
    const blocks = extension("IEOT", numbers(1, 12, 1, 12 + 65, 1));
    expect(isOutside(index([0, "a"], [1, "b/x"]), blocks)).toBe(false);
    expect(isOutside(index([0, "a"], [0, "/x"]))).toBe(false);
    expect(isOutside(index([0, "a"], [0, "/x"]), blocks)).toBe(true);
  });
});

describe.each(["sha1", "sha256"])("what git knows of untracked files (%s) is looked through again:", (format) => {
  const made = () => {
    const root = join(tempFolder(), "project");
    mkdirSync(root);
    const git = (...args: string[]) => execFileSync("git", args, { cwd: root, encoding: "utf8" });
    git("init", "-q", `--object-format=${format}`);
    for (const name of ["tttttt/a", "tttttt/b/.gitx/c", "new/deep/f", "...", "tttttt/sub/.git/x"]) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), "");
    }
    git("add", "tttttt/a");
    // Folders that have just changed are read anew, whatever is known of them.
    for (const folder of [".", "tttttt"]) utimesSync(join(root, folder), LONG_AGO, LONG_AGO);
    git("update-index", "--untracked-cache");
    git("status");
    // With other times it is written anew, and what was looked through with it.
    utimesSync(join(root, "tttttt/a"), LONG_AGO, LONG_AGO);
    expect(git("status", "--short")).toContain("?? new/");
    return { root, git, file: join(root, ".git/index") };
  };
  const isOutside = (index: Buffer) => namesOutside(index, format === "sha256");

  it("as git writes it, it is of the work tree", () => {
    const { file } = made();
    const index = readFileSync(file);
    expect([index.includes("UNTR"), index.includes("deep\0"), isOutside(index)]).toEqual([true, true, false]);
    if (format === "sha1") expect(namesIn(file)).toEqual(["tttttt/a"]);
  });

  it("of folders that git won't list anew, what it notes as folders in them is known, and when they were changed", () => {
    const { git, file } = made();
    const noted = () => {
      const found: NotedFolder[] = [];
      expect(namesOutside(readFileSync(file), format === "sha256", found)).toBe(false);
      return found;
    };
    const at = LONG_AGO.getTime() / 1000;
    const byPath = Object.fromEntries(noted().map(({ path, changed_at, folders }) => [path, { changed_at, folders }]));
    expect(byPath[""]).toEqual({ changed_at: at, folders: ["new", "tttttt"] });
    expect(byPath.tttttt).toMatchObject({ changed_at: at });
    // As git begins with it.
    git("update-index", "--no-untracked-cache");
    git("update-index", "--force-untracked-cache");
    expect([readFileSync(file).includes("UNTR"), noted()]).toEqual([true, []]);
  });

  it.each(["../out", "/aaaaa", "a/../b", ".git/x"])("one by the name %s isn't", (name) => {
    const { root, git, file } = made();
    if (name === "../out") {
      mkdirSync(join(root, "../out"), { recursive: true });
      writeFileSync(join(root, "../out/private"), "");
    }
    const index = readFileSync(file);
    index.write(name, index.lastIndexOf("tttttt\0"), "latin1");
    const end = index.length - (format === "sha1" ? 20 : 32);
    createHash(format).update(index.subarray(0, end)).digest().copy(index, end);
    writeFileSync(file, index);
    if (name === "../out") expect(git("status", "--short")).toContain("?? ../out/private");
    expect(isOutside(index)).toBe(true);
    if (format === "sha1") expect(namesIn(file)).toBeUndefined();
  });

  it.each(["./", "a", "..a", ".gita"])("%j millions of times keeps nobody waiting", (name) => {
    const names = Buffer.alloc(8 * 1024 * 1024, `${name}\0`);
    const head = Buffer.alloc(12 + 8 + 2 + 76 + (format === "sha1" ? 40 : 64) + 1);
    head.write("DIRC\0\0\0\x02");
    head.write("UNTR", 12);
    head.writeUInt32BE(head.length - 20 + 6 + names.length, 16);
    head.write("\x01x", 20);
    // One folder, with so many files in it that the number has four bytes, and none below it.
    const index = Buffer.concat([head, Buffer.from([1, 0x81, 0x80, 0x80, 0, 0, 0]), names, Buffer.alloc(32)]);
    const began = performance.now();
    expect(isOutside(index)).toBe(true);
    // In time that grows faster than their number it would be minutes.
    expect(performance.now() - began).toBeLessThan(1500);
  });

  /** An index with no entries and these folders in which nothing is untracked, the next one in each; `bits` says of which git knows what is in it. */
  const withFolders = (folders: readonly string[], bits: Buffer) => {
    const empty = bitmap(Buffer.alloc(8));
    const ignored = [Buffer.of(1, 0x78), Buffer.alloc(76 + (format === "sha1" ? 40 : 64)), Buffer.from(".gitignore\0")];
    const held = folders.flatMap((name, at) => [
      Buffer.of(0, at + 1 < folders.length ? 1 : 0),
      Buffer.from(`${name}\0`),
    ]);
    const number = folders.length < 0x80 ? [folders.length] : [(folders.length >> 7) + 0x7f, folders.length & 0x7f];
    const content = Buffer.concat([...ignored, Buffer.from(number), ...held, bits, empty, empty, Buffer.alloc(64)]);
    const head = Buffer.from("DIRC\0\0\0\x02\0\0\0\0UNTR\0\0\0\0", "latin1");
    head.writeUInt32BE(content.length, 16);
    return Buffer.concat([head, content, Buffer.alloc(format === "sha1" ? 20 : 32)]);
  };
  const bitmap = (words: Buffer) => {
    const head = Buffer.alloc(8);
    head.writeUInt32BE(words.length / 8, 4);
    return Buffer.concat([head, words, Buffer.alloc(4)]);
  };
  const hasOthers = (index: Buffer) => namesOutside(index, format === "sha256", []);

  it("millions of bits for one folder keep nobody waiting", () => {
    expect(hasOthers(withFolders([""], bitmap(Buffer.alloc(8))))).toBe(false);
    const words = Buffer.alloc(8 * 250_000);
    words.writeBigUInt64BE(249_999n << 33n);
    const index = withFolders([""], bitmap(words));
    const began = performance.now();
    expect(hasOthers(index)).toBe(true);
    expect(performance.now() - began).toBeLessThan(400);
  });

  it("one in another, deeper than any path, isn't the work tree's", () => {
    const one = (folders: number) =>
      withFolders(["", ...Array<string>(folders - 1).fill("d/")], bitmap(Buffer.alloc(8)));
    expect([hasOthers(one(2000)), hasOthers(one(2100))]).toEqual([false, true]);
  });

  it("a second list of them isn't git's", () => {
    const index = withFolders([""], bitmap(Buffer.alloc(8)));
    const end = index.length - (format === "sha1" ? 20 : 32);
    expect(hasOthers(Buffer.concat([index.subarray(0, end), index.subarray(12, end), index.subarray(end)]))).toBe(true);
  });
});

describe("an index isn't read for less than git finds in it:", () => {
  const NAMES = ["a", "b"];
  const plain = indexOf(NAMES);
  const end = plain.length - 20;
  const read = (...extensions: Buffer[]) => {
    const file = join(tempFolder(), "index");
    writeFileSync(file, Buffer.concat([plain.subarray(0, end), ...extensions, Buffer.alloc(20)]));
    return namesIn(file);
  };
  const LINK = extension("link", Buffer.alloc(20));
  const endAt = (at: number) => extension("EOIE", Buffer.concat([numbers(at), Buffer.alloc(20)]));

  it.each<[string, Buffer[], string[] | undefined]>([
    ["as it is", [], NAMES],
    ["an extension that git passes over", [extension("TREE", Buffer.alloc(7))], NAMES],
    ["another file has more", [LINK], undefined],
    [
      "another file has more, behind an extension that nobody knows",
      [extension("A\0\0\x01", numbers(1)), LINK],
      undefined,
    ],
    ["the entries' end is where it is", [endAt(end)], NAMES],
    ["the entries' end is elsewhere", [extension("AAAA", LINK), endAt(end + 8)], undefined],
    ["a table of the entries", [extension("IEOT", numbers(1, 12, 1, 12 + entrySize("a"), 1)), endAt(end)], NAMES],
    ["a table of other entries", [extension("IEOT", numbers(1, 12, 1, 12, 1)), endAt(end)], undefined],
    ["a table of fewer entries", [extension("IEOT", numbers(1, 12, 1)), endAt(end)], undefined],
  ])("%s", (_name, extensions, names) => {
    expect(read(...extensions)).toEqual(names);
  });

  it("the end of its entries by what lies in a name of theirs", () => {
    const file = join(tempFolder(), "index");
    const ends = (at: number) => Buffer.concat([Buffer.from("aaaa"), endAt(at)]).toString("latin1");
    const write = (at: number) => {
      const bytes = indexOf([ends(at)]);
      // The padding of the last name is what its hash may be.
      writeFileSync(file, bytes.subarray(0, 12 + 62 + ends(at).length + 20));
    };
    write(12);
    expect(namesIn(file)).toBeUndefined();
    expect(namesOutside(readFileSync(file), false)).toBe(true);
  });

  it("a repository in it, whatever other bits its mode has", () => {
    const file = join(tempFolder(), "index");
    for (const mode of [0o160644, 0o1160000]) {
      writeFileSync(file, indexOf(["a"], mode));
      expect(readIndex(file).index?.hasSubmodules).toBe(true);
    }
  });
});
