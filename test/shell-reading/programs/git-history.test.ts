import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { needsOfLine } from "../../../packages/shell-reading/clear/line-needs.ts";
import { recordedAccesses } from "../../../packages/shell-reading/commands/effects.ts";
import { onlyLooks } from "../../../packages/shell-reading/commands/looking.ts";
import { gitHistories } from "../../../packages/shell-reading/programs/git-history.ts";
import { readCommand } from "../../../packages/shell-reading/shell/read-command.ts";
import { tempFolderForFile } from "../../support/temp-folder.ts";

/** What git shows of files' contents is named as it is: a secret that was tracked once is asked about by its name. */

const HOME = tempFolderForFile();
const PROJECT = join(HOME, "project");
const git = (...args: string[]) =>
  execFileSync("git", ["-C", PROJECT, "-c", "user.name=Ada", "-c", "user.email=ada@example.org", ...args], {
    env: { PATH: process.env.PATH, HOME, GIT_CONFIG_NOSYSTEM: "1" },
    stdio: "pipe",
    encoding: "utf8",
  });

mkdirSync(join(PROJECT, "app/[id]"), { recursive: true });
for (const name of ["a.txt", ".env", "app/[id]/page.ts"]) writeFileSync(join(PROJECT, name), "KEY=1\n");
git("init", "-q");
git("add", ".");
git("commit", "-qm", "first");
git("rm", "-q", "--cached", ".env");
git("commit", "-qm", "second");

git("init", "-q", "--bare", "bare.git");

const clear = (line: string) => needsOfLine(line, HOME, PROJECT).unclear === null;
const looks = (text: string) => onlyLooks(readCommand(text, { cwd: PROJECT, home: HOME }));
const read = (line: string) =>
  needsOfLine(line, HOME, PROJECT).needs.flatMap(({ capability, access, target }) =>
    capability === "fs:read" && access !== "list" && target.kind === "path"
      ? [target.lexical.slice(PROJECT.length + 1)]
      : [],
  );

/** Each is a line's words behind a subcommand that shows contents. */
const MAGIC = ["':(glob).en*'", "':(icase).ENV'", "':(top).env'", "':!a.txt'", "':^a.txt'", "':/.env'", "':/'", "':'"];
const PATTERNS = ["'.en?'", "'.e*'", "'[.]env'", "'\\.env'", "'*'", "'a*/.env'", "'*/.env'", "'app/[id]/'"];

describe("a pattern that git itself expands", () => {
  it.each([...MAGIC, ...PATTERNS])("shows contents only when it is asked about: %s", (word) => {
    const odd = [
      `git log -p -- ${word}`,
      `git show HEAD~1 -- ${word}`,
      `git diff HEAD~1 HEAD -- ${word}`,
      `git diff --cached -- ${word}`,
      `git grep KEY HEAD~1 -- ${word}`,
      `git grep -e KEY HEAD~1 -- ${word}`,
      `git log -U3 ${word}`,
      `git -C app log -p -- ${word}`,
    ].filter(clear);
    expect(odd).toEqual([]);
  });

  it("has really shown what isn't named", () => {
    for (const word of [":(glob).en*", ":(icase).ENV", ".en?", "\\.env"])
      expect(git("show", "HEAD~1", "--", word)).toContain("KEY=1");
  });

  it.each([
    "git log --oneline -- '*.ts'",
    "git log --stat -- ':!a.txt'",
    "git diff --stat -- '*.ts'",
    "git grep KEY -- '*.ts'",
    "git grep -e KEY -- ':!app'",
    "git diff -- '*.ts' ':!app'",
    "git log -p -S 'KEY*' -- a.txt",
    "git log -p --grep '[a-z]*' a.txt",
    "git grep 'K[A-Z]*=' -- a.txt",
    "git grep -e 'K.*' HEAD -- a.txt",
    "git show 'app/[id]/page.ts'",
    "git diff -- 'app/[id]/page.ts'",
    "git show HEAD:a.txt",
    "git show :a.txt",
    "git log -p",
  ])("isn't meant where only names are shown, or where it is searched for: %s", (line) => {
    expect(clear(line)).toBe(true);
  });
});

describe("a file that git shows", () => {
  it.each([
    "git show HEAD~1:.env",
    "git show :.env",
    "git show :0:.env",
    "git show HEAD~1:./.env",
    "git cat-file -p HEAD~1:.env",
    "git log -p -- .env",
    "git log -p -- :.env",
    "git log -L1,1:.env",
    "git log -L1,1:.env --",
    "git log -L 1,1:.env --",
    "git log -L:KEY:.env -- a.txt",
    "git blame HEAD~1 -- .env",
    "git diff HEAD~1 HEAD -- .env",
  ])("is read by its name: %s", (line) => {
    expect(read(line)).toContain(".env");
  });
});

describe("a secret that the history alone holds", () => {
  gitHistories.note(PROJECT, { ever: [".env", "app/.env"], atHead: [] });
  const putAway = (line: string) =>
    readCommand(line, { cwd: PROJECT, home: HOME }).commands.flatMap((command) =>
      recordedAccesses(command).accesses.flatMap(({ word, is_put_away }) =>
        is_put_away && word !== "here" ? [word.text.slice(PROJECT.length + 1)] : [],
      ),
    );

  it.each([
    ["git show HEAD~1 -- '.en?' | node x", [".env", "app/.env"]],
    ["git log -p -- ':(glob).en*'", [".env", "app/.env"]],
    ['git log -p -- "$X"', [".env", "app/.env"]],
    ["git show HEAD~1:.env | node x", [".env"]],
    ["git -C app show @{1}~2:./.env", ["app/.env"]],
    ["git show $X:.env", [".env", "app/.env"]],
    ["git show HEAD~1:a.txt | node x", []],
    ["git log -p -- a.txt", []],
    ["git log -p -- app", ["app/.env"]],
    ["git log -p --follow -- a.txt", [".env", "app/.env"]],
    ["git log -L1,2:a.txt", [".env", "app/.env"]],
  ])("is named: %s", (line, names) => {
    expect(putAway(line)).toEqual(names);
  });
});

describe("what was put away", () => {
  it.each([
    "git stash show -p",
    "git stash show -u",
    "git stash show -p -u",
    "git stash list -p",
    "git show stash",
    "git show 'stash@{0}^3'",
    "git show stash@{1}:a.txt",
    "git diff stash HEAD",
    "git log -p refs/stash",
  ])("is shown only when it is asked about: %s", (line) => {
    expect(clear(line)).toBe(false);
  });

  it.each(["git stash list", "git stash show", "git stash show --stat", "git log -1 stash", "git diff --stat stash"])(
    "is listed: %s",
    (line) => {
      expect(clear(line)).toBe(true);
    },
  );
});

describe("a folder that isn't known", () => {
  it.each([
    "cd $X && git log -p",
    "cd a*/ && git show HEAD",
    "for d in $X; do git -C $d log -p; done",
    "ls | xargs -I{} git -C {} diff HEAD~1",
    "cd $X; git diff --cached",
    "cd $X; git grep KEY HEAD",
    "cd bare.git; git log -p $X",
    "git -C bare.git/refs show $X",
  ])("is one whose repository's history shows only what is asked about: %s", (line) => {
    expect(looks(line)).toBe(false);
  });

  it.each([
    ...["cd $X && git log --oneline", "cd $X && git diff", "cd $X && git grep KEY", "git -C $X status"],
    ...["cd $X && git blame a.txt", "cd app && git show $X:a.txt"],
  ])("is one where others look: %s", (line) => {
    expect(looks(line)).toBe(true);
  });
});
