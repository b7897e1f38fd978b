import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { needsOfLine } from "../../../packages/shell-reading/clear/line-needs.ts";
import { withScanLimit } from "../../../packages/shell-reading/targets/tree-scan.ts";
import { tempFolderForFile } from "../../support/temp-folder.ts";

/** Which repository git would work on, and that its settings are those that were looked at. Each folder is one that a clone can bring. */

const HOME = tempFolderForFile();
const PROJECT = join(HOME, "project");

const git = (folder: string, ...args: string[]) =>
  execFileSync("git", ["-C", folder, ...args], {
    env: { PATH: process.env.PATH, HOME, GIT_CONFIG_NOSYSTEM: "1" },
    stdio: "pipe",
  });

function repository(folder: string): string {
  write(join(folder, "a.txt"), "x\n");
  git(folder, "init", "-q");
  git(folder, "add", "a.txt");
  git(folder, "-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-qm", "first");
  return folder;
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** A repository below the project, and `.git` in it as `change` leaves it. */
function changed(name: string, change: (git: string) => void): void {
  change(join(repository(join(PROJECT, name)), ".git"));
}

repository(PROJECT);
mkdirSync(join(PROJECT, "src/deep"), { recursive: true });

// A repository without a work tree, whose objects lie elsewhere.
const BARE = { HEAD: "ref: refs/heads/main\n", commondir: "../store\n" };
for (const folder of ["evil", "node_modules/p"])
  for (const [name, text] of Object.entries(BARE)) write(join(PROJECT, folder, name), text);
mkdirSync(join(PROJECT, "evil/inner/deep"), { recursive: true });
for (const name of ["objects", "refs"]) mkdirSync(join(PROJECT, "store", name), { recursive: true });
write(join(PROJECT, "store/config"), '[diff "x"]\n\ttextconv = touch pwned #\n');
mkdirSync(join(PROJECT, "by-link"));
symlinkSync("refs/heads/main", join(PROJECT, "by-link/HEAD"));
write(join(PROJECT, "by-link/commondir"), "../store\n");

// A .git that git passes over: it continues in the folder above.
mkdirSync(join(PROJECT, "empty/.git"), { recursive: true });
mkdirSync(join(PROJECT, "empty/src"), { recursive: true });
for (const part of ["HEAD", "objects", "refs"])
  changed(`without-${part}`, (folder) => rmSync(join(folder, part), { recursive: true }));
changed("odd-head", (folder) => writeFileSync(join(folder, "HEAD"), "main\n"));
changed("empty-head", (folder) => writeFileSync(join(folder, "HEAD"), ""));
changed("linked-head", (folder) => {
  rmSync(join(folder, "HEAD"));
  symlinkSync("refs/heads/main", join(folder, "HEAD"));
});
changed("file-for-objects", (folder) => {
  rmSync(join(folder, "objects"), { recursive: true });
  writeFileSync(join(folder, "objects"), "");
});
changed("linked-objects", (folder) => {
  renameSync(join(folder, "objects"), join(folder, "../store"));
  symlinkSync("../store", join(folder, "objects"));
});
changed("detached", (folder) =>
  writeFileSync(join(folder, "HEAD"), execFileSync("git", ["-C", folder, "rev-parse", "HEAD"])),
);
changed("closed", (folder) => chmodSync(join(folder, "refs"), 0o600));
repository(join(PROJECT, "nested"));

// Objects and references of another repository.
const PRIVATE = join(repository(join(HOME, "private")), ".git");
changed("linked-pack", (folder) => {
  rmSync(join(folder, "objects/pack"), { recursive: true });
  symlinkSync(join(PRIVATE, "objects/pack"), join(folder, "objects/pack"));
});
changed("linked-pack-file", (folder) => symlinkSync(join(PRIVATE, "HEAD"), join(folder, "objects/pack/pack-1.pack")));
// git adds a line to a log that is there, with the commit's message in it, wherever it lies.
changed("linked-log", (folder) => {
  rmSync(join(folder, "logs/HEAD"));
  symlinkSync(join(HOME, ".bashrc"), join(folder, "logs/HEAD"));
});
changed("linked-branch-log", (folder) => symlinkSync(join(HOME, ".bashrc"), join(folder, "logs/refs/heads/topic")));
changed("linked-logs", (folder) => {
  rmSync(join(folder, "logs/refs"), { recursive: true });
  symlinkSync(PRIVATE, join(folder, "logs/refs"));
});
changed("without-logs", (folder) => rmSync(join(folder, "logs"), { recursive: true }));
changed("without-packs", (folder) => rmSync(join(folder, "objects/pack"), { recursive: true }));
changed("linked-branch", (folder) => symlinkSync(join(PRIVATE, "HEAD"), join(folder, "refs/heads/theirs")));
changed("linked-tags", (folder) => {
  rmSync(join(folder, "refs/tags"), { recursive: true });
  symlinkSync(join(PRIVATE, "refs/heads"), join(folder, "refs/tags"));
});
changed("linked-names", (folder) => symlinkSync(join(PRIVATE, "packed-refs"), join(folder, "packed-refs")));
changed("many-names", (folder) => {
  for (let count = 0; count < 5001; count++) writeFileSync(join(folder, `refs/tags/${count}`), "");
});
changed("linked-hooks", (folder) => {
  rmSync(join(folder, "hooks"), { recursive: true, force: true });
  symlinkSync("../githooks", join(folder, "hooks"));
});

// What builds fill: a repository there, and a folder there that belongs to the project's.
repository(join(PROJECT, "node_modules/whole"));
mkdirSync(join(PROJECT, "node_modules/plain/src"), { recursive: true });
mkdirSync(join(PROJECT, "web/.VENV/x"), { recursive: true });

const LINES = [
  "git status",
  "git log -p",
  "git show",
  "git diff HEAD~1 HEAD",
  "git blame HEAD -- a.txt",
  "git commit -m x --allow-empty",
];

const IS_ROOT = process.getuid?.() === 0;

const RULES: Readonly<Record<string, { unclear: readonly string[]; clear: readonly string[] }>> = {
  "a HEAD on the way up may be a repository itself, wherever its objects and settings lie": {
    unclear: ["evil", "evil/inner", "evil/inner/deep", "by-link"],
    clear: [".", "src", "src/deep", "store"],
  },
  "a .git that git passes over is no repository: those further up decide": {
    unclear: [
      ...["empty", "empty/src", "empty/.git", "without-HEAD", "without-objects", "without-refs"],
      ...["odd-head", "empty-head", "linked-head", "file-for-objects", "linked-objects"],
      // Whoever may do all enters it, too.
      ...(IS_ROOT ? [] : ["closed"]),
    ],
    clear: ["nested", "detached"],
  },
  "a repository's objects, references and logs are its own": {
    unclear: [
      ...["linked-pack", "linked-pack-file", "linked-branch", "linked-tags", "linked-names", "many-names"],
      ...["linked-log", "linked-branch-log", "linked-logs"],
    ],
    clear: ["linked-hooks", "without-logs", "without-packs"],
  },
  "what builds fill is looked through by nobody": {
    unclear: ["node_modules", "node_modules/p", "node_modules/whole", "node_modules/plain/src", "web/.VENV/x"],
    clear: ["web"],
  },
};

describe.each(Object.entries(RULES))("%s", (_rule, { unclear, clear }) => {
  it.each(unclear)("unclear: %s", (folder) => {
    for (const line of LINES) {
      expect([line, needsOfLine(line, HOME, join(PROJECT, folder)).unclear]).not.toEqual([line, null]);
      const byOption = line.replace("git", `git -C ${folder}`);
      expect([byOption, needsOfLine(byOption, HOME, PROJECT).unclear]).not.toEqual([byOption, null]);
      const byCd = `cd ${folder} && ${line}`;
      expect([byCd, needsOfLine(byCd, HOME, PROJECT).unclear]).not.toEqual([byCd, null]);
    }
  });

  it.each(clear)("clear: %s", (folder) => {
    for (const line of LINES)
      expect([line, needsOfLine(line, HOME, join(PROJECT, folder)).unclear]).toEqual([line, null]);
  });
});

it("git isn't clear where it would run in a folder that only a commit has as a repository, by the settings that lie there", () => {
  const root = repository(join(HOME, "once"));
  const inner = repository(join(root, "inner"));
  const commit = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "advice.addEmbeddedRepo=false"];
  git(root, ...commit, "add", "inner");
  git(root, ...commit, "commit", "-qm", "with it");
  git(root, "rm", "-q", "--cached", "inner");
  git(root, ...commit, "commit", "-qm", "without it");
  git(inner, "config", "diff.external", `touch ${join(HOME, "ran")}; :`);
  writeFileSync(join(inner, "a.txt"), "y\n");
  const isClear = (line: string) => needsOfLine(line, HOME, root).unclear === null;
  const shown = ["git log -p", "git diff HEAD~1 HEAD", "git show HEAD~1", "git status", "git diff HEAD~1"];
  for (const line of shown) expect([line, isClear(line)]).toEqual([line, true]);
  for (const line of shown.slice(0, 3)) expect([line, isClear(`${line} --submodule=diff`)]).toEqual([line, false]);
  for (const line of shown) git(root, ...line.split(" ").slice(1));
  expect(existsSync(join(HOME, "ran"))).toBe(false);
  git(root, "log", "-p", "--submodule=diff");
  expect(existsSync(join(HOME, "ran"))).toBe(true);
});

it("git isn't clear where settings have it sort by signatures, which another program checks (git >= 2.42)", () => {
  const root = repository(join(HOME, "sorted"));
  for (const [key, command] of [
    ["branch.sort", "git branch"],
    ["tag.sort", "git tag"],
  ] as const) {
    for (const [value, isClear] of [
      ["-committerdate", true],
      ["-Signature:key", false],
    ] as const) {
      git(root, "config", key, value);
      expect([value, needsOfLine(command, HOME, root).unclear === null]).toEqual([value, isClear]);
    }
    git(root, "config", "--unset", key);
  }
});

it("git isn't clear where it asks the repository above about itself", () => {
  const above = repository(join(HOME, "above"));
  const inner = repository(join(above, "inner"));
  git(above, "config", "core.fsmonitor", `touch ${join(HOME, "asked")}; :`);
  const line = "git rev-parse --show-superproject-working-tree";
  expect(needsOfLine("git rev-parse --show-toplevel", HOME, inner).unclear).toBeNull();
  expect(needsOfLine(line, HOME, inner).unclear).not.toBeNull();
  git(inner, ...line.split(" ").slice(1));
  expect(existsSync(join(HOME, "asked"))).toBe(true);
});

it("git isn't clear a hundred times in one line: each of them is a look at a repository", () => {
  const root = repository(join(HOME, "often"));
  const line = (times: number) => Array.from({ length: times }, () => "git log").join("; ");
  const isClear = (text: string) => withScanLimit(() => needsOfLine(text, HOME, root).unclear === null);
  expect([50, 150].map((times) => isClear(line(times)))).toEqual([true, false]);
});
