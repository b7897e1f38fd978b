import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { reachOf } from "../../../packages/shell-reading/commands/line-reach.ts";
import { readCommand } from "../../../packages/shell-reading/shell/read-command.ts";
import { tempFolderForFile } from "../../support/temp-folder.ts";

/** What a program beside git may read of git's objects, as a line names it. */

const HOME = tempFolderForFile();

/** @param links by their names, where they lead */
function repository(name: string, links: Readonly<Record<string, string>> = {}): string {
  const cwd = join(HOME, name);
  for (const folder of ["src", "deep", "z .git"]) mkdirSync(join(cwd, folder), { recursive: true });
  for (const file of ["a.txt", "src/b.txt", "z .git/c"]) writeFileSync(join(cwd, file), "x");
  execFileSync("git", ["init", "-q"], { cwd });
  execFileSync("git", ["init", "-q", "--bare", "bare"], { cwd });
  mkdirSync(join(cwd, "bare/lost-found/other"), { recursive: true });
  for (const [link, to] of Object.entries(links)) symlinkSync(to, join(cwd, link));
  return cwd;
}
const PROJECT = repository("project");
const LINKED = repository("linked", {
  g: ".git/objects/pack",
  k: ".git/objects/pack/tmp_x",
  k1: ".git/objects/pack/tmp_x",
  "deep/g": "../.git/objects",
});
/** In its index is a name that a shell cuts. */
const CUT = repository("cut");
execFileSync("git", ["add", "z .git/c"], { cwd: CUT });

const shown = (line: string, cwd = PROJECT) => {
  const reach = reachOf(readCommand(line, { cwd, home: HOME }), HOME);
  return [line, reach.onlyLooks, reach.objects];
};

const OBJECT = ".git/objects/pack/tmp_x";

describe("git's objects beside git", () => {
  it.each([
    // What it prints by its own words, beside names.
    ...[`cat $(git log -1 --name-only --format=${OBJECT})`, "cat $(git log -1 --name-only)"],
    ...["cat $(git show --name-only HEAD)", `git log -1 --name-only --format=${OBJECT} | xargs cat`],
    `git tag -l --format=${OBJECT} | xargs cat`,
    `git branch -l --format=${OBJECT} | while read -r f; do cat $f; done`,
    ...[`git log -1 --format=${OBJECT} --grep=-l | xargs cat`, "cat $(git diff -p --name-only HEAD)"],
    ...["cat $(git diff -U1 --name-only HEAD)", "git diff --name-only --patch HEAD | xargs cat"],
    ...[`git log -1; cat $(git check-ignore -v -n ${OBJECT})`, `git log -1; git check-ignore ${OBJECT} | xargs cat`],
    `cat $(git diff --name-only a.txt ${OBJECT})`,
    "cat $(git diff --name-only a.txt .g{i..i}t/objects/pack/tmp_x)",
    "cat $(git diff --name-only a.txt .gi*/objects/pack/tmp_x)",
    "cat $(git diff --name-only a.txt .gi't'/objects/pack/tmp_x)",
    // A part of a name, and names in a part.
    "git log -1; cat $(git ls-files x.git | tail -c 24)",
    "git log -1; cat $(git ls-files x.git | head -c4)/objects/pack/tmp_x",
    ...["git diff --name-only | tail -c 24 | xargs cat", "git diff --name-only | grep -o '[.]git.*' | xargs cat"],
    "git log -1; cat .git/objects/pack/$(git ls-files tmp_x)",
    "git log -1; cat .git/objects/pack/$(git ls-files nothing)*",
    "git diff --name-only | while read -r f; do cat .git/objects/pack/$f; done",
    "git diff --name-only | while read -r f g; do cat $f$g; done",
    ...["git diff --name-only | while read -r -d x f; do cat $f; done", "git diff --name-only | xargs -I% cat .git/%"],
    // A folder of git's own, in which names of the work tree are others.
    "cd .git/objects/pack; cat $(git diff --name-only HEAD~1 HEAD)",
    "cd .git/objects/pack && git diff --name-only HEAD~1 HEAD | xargs cat",
    ...["cd .git && git log -1 && cat $(git -C .. ls-files)", "git log -1; cd bare; cat objects/*/*"],
    "git log -1; cd bare/lost-found; cat other/*",
    // What a shell has in a variable by itself.
    `git diff --name-only | grep -v ${OBJECT}; cat $BASH_EXECUTION_STRING`,
    ...[`git diff --name-only; true ${OBJECT}; cat $_`, `git diff --name-only; read -r f <<< ${OBJECT}$NONE; cat $f`],
    ...["git diff --name-only | xargs -a names cat", "git diff --name-only | xargs --arg-file=names cat"],
    ...["git diff --name-only; sed -n 1p names | xargs cat", "for IFS in x; do cat $(git diff --name-only HEAD); done"],
    ...["git diff --name-only | xargs -d x cat", "git diff --name-only | xargs -n1 xargs -a names cat"],
    // Names that are put together where nothing is between them, and what is in no index.
    ...["git log -1; cat $(git ls-files -z)", "cat $(git diff -z --name-only HEAD)"],
    ...["git diff -z --name-only | while read -r f; do cat $f; done", "git log -1; cat $(git ls-files -o)"],
    "git log -1; cat $(git ls-files --others)",
    // Cut elsewhere, or taken for patterns of other names.
    ...['declare I""FS=x; cat $(git diff --name-only HEAD)', "export IFS=x; cat $(git diff --name-only HEAD)"],
    ...["shopt -s dotglob; cat $(git diff --name-only HEAD)", "printf -v IFS x; cat $(git diff --name-only HEAD)"],
    // What git lists in one repository is another thing in another one.
    ...["cd src; t=$(git tag); cd ..; git show $t", "git -C src show $(git tag)"],
    // What hasn't a NUL byte is text to a search.
    ...["git log -1; rg -uu x", "git log -1; rg --hidden x", "git log -1; grep -r x .", "git log -1; grep -rn x"],
  ])("are asked about: %s", (line) => {
    expect(shown(line)).toEqual([line, true, "asked"]);
  });

  it.each([
    ...["git log -1; cat g/*", "git log -1; head -1 */g/pack/*", "git log -1; cat */x*"],
    ...["git log -1; for f in g/*; do cat $f; done", "git log -1; x=k; cat $x", "git log -1; cat k?"],
    ...["git diff --name-only | xargs cat", "cat $(git diff --name-only HEAD)", "git log -1; cat $(git ls-files)"],
    ...["cd deep && cat $(git diff --name-only HEAD~1 HEAD)", "cd deep/g && cat $(git diff --name-only HEAD~1 HEAD)"],
    ...["cd g && git diff --name-only HEAD~1 HEAD | xargs cat"],
    ...["cd src; f=$(git diff --name-only); cd ../deep; cat $f"],
  ])("are asked about where a link leads to them: %s", (line) => {
    expect(shown(line, LINKED)).toEqual([line, true, "asked"]);
  });

  it.each([
    ...["git diff --name-only | xargs cat", "git log -1; cat $(git ls-files)", "cat $(git diff --cached --name-only)"],
    "git -C ../project log -1; grep -rn x ..",
    "cd ..; git -C project log -1; grep -rn x",
  ])("are asked about where a name that isn't in a commit yet leads to them, as a shell cuts it: %s", (line) => {
    expect(shown(line, CUT)).toEqual([line, true, "asked"]);
  });

  it.each([
    ...["git log -1 --format=%h; cat a.txt", "head -1 $(git diff --name-only HEAD)"],
    "head -1 $(git diff --name-only --diff-filter=AM HEAD~3 -- src | grep -v test | head -5)",
    "head -1 $(git diff --cached --name-only)",
    "git log -1; head -1 $(git ls-files '*.txt' | sort -u | tail -n 3)",
    ...["git log -1; cat $(git grep -l 'x|y' -- src)", "git grep -l x | xargs head -3"],
    "git diff --name-only | while read f; do head -3 $f; done",
    "git diff --name-only main...HEAD | grep -v test | head -5 | xargs -I{} head -3 {}",
    'git diff --name-only | while IFS= read -r f; do head -3 "$f"; done',
    ...["git diff --name-only | xargs -d '\\n' head -3", "for f in $(git diff --name-only HEAD); do head -3 $f; done"],
    ...["git status --short; grep -rn x src", "git status --short; grep -rn x a.txt src/*.txt", "git log -1; rg x"],
    ...["git log -1; grep -rn --include='*.ts' x .", "git log -1; grep -rn --exclude-dir=.git x ."],
    ...["git diff --name-only 2>/dev/null | xargs head -3", "git log -1; cat .git/HEAD", "git log -1; cat src/*.txt"],
    ...["cd src && git diff $(git merge-base HEAD main)", "set -e; cat $(git diff --name-only)"],
    ...[
      "cd src; git log $(git describe --tags --abbrev=0 2>/dev/null)..HEAD | head",
      'printf "%s" a; git log -1; cat a.txt',
    ],
  ])("aren't asked about: %s", (line) => {
    expect(shown(line)).toEqual([line, true, "shown"]);
  });
});
