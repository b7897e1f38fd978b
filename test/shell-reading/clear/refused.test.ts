// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what looks like a placeholder is shell
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { needsOfLine } from "../../../packages/shell-reading/clear/line-needs.ts";
import { tempFolderForFile } from "../../support/temp-folder.ts";

/** Lines that once were cleared, or nearly, and do more than they seem to: each is unclear, for a reason that belongs to its class. */

const HOME = tempFolderForFile();
const PROJECT = join(HOME, "proj");
const git = (...args: string[]) =>
  execFileSync("git", args, { env: { PATH: process.env.PATH, HOME, GIT_CONFIG_NOSYSTEM: "1" }, stdio: "pipe" });
for (const folder of ["a/b/c", "sub/x", "src", "T", "tmpl", "sub", ".vscode", "other"])
  mkdirSync(join(PROJECT, folder), { recursive: true });
mkdirSync(join(HOME, "orepo", "deep"), { recursive: true });
for (const name of ["a.txt", "b.txt", "mode", "src/a.ts", "tmpl/tasks.json", "T/a", "T/b"])
  writeFileSync(join(PROJECT, name), "x\n");
git("init", "-q", PROJECT);
writeFileSync(join(PROJECT, ".env"), "SECRET=1\n");
git("-C", PROJECT, "add", ".env");
git("init", "-q", join(PROJECT, "sub"));
git("init", "-q", join(HOME, "orepo"));
git("-C", join(HOME, "orepo"), "config", "core.fsmonitor", "touch pwned; false");
symlinkSync(join(HOME, "orepo", "deep"), join(PROJECT, "dlink"));

const PATCH = "*** Begin Patch\n*** Delete File: b.txt\n*** End Patch";

const REFUSED: Readonly<Record<string, readonly string[]>> = {
  "a here-document whose end another reading of the line may miss": [
    "for f in a b; do cat <<'X'; done\nfoo\nX\nsh x.sh\nX",
    "cat <<'A'; for f in a b\nbody\nA\ndo ls; done",
  ],
  "a set of characters with a delimiter in it": [
    "sed 's/[/x]/g;s/e;1e touch pwned #/b/' a.txt",
    "sed 's|[|x]|g;s|e;1e touch pwned #|b|' a.txt",
    "sed 's/[/x]/g;s/w out.txt/1/' a.txt",
    "awk '/[]/;];/;BEGIN{system(\"touch pwned\")}#/' a.txt",
    "awk '/[[:alpha:]/;];/;BEGIN{system(\"touch pwned\")}#/' a.txt",
    "awk '{ x = 1 / system(\"touch pwned\") / 2 }' a.txt",
  ],
  "words that a program takes for something else": [
    "jq -n --indent --arg env ../other/secret 1 .",
    "jq -R . -- --arg ../other/secret x",
    "git log -1 --pretty --output=.claude/settings.json --format=x",
    "git diff -U --output=F",
    "git shortlog -n --output=F HEAD",
    "git rev-list -L --output=F HEAD",
    "git log --glob -n --output=F",
    "rg --colors --pre=./x.sh --colors path:none foo a.txt",
    "rg -t --pre=./x.sh -tsh foo x.sh",
    "git branch --format --list newbranch",
    "git tag --format --list v9",
    "git stash -- show a.txt",
    "git stash --quiet -- show a.txt",
    "tree -Lo 1 out.txt src",
    "tree -Po x out.txt",
    "awk '{print}' a.txt -F ../other/secret",
    "xxd a.txt -b",
    "xxd -p a.txt -ps",
    "cut -f1 a.txt -d ../other/secret",
    "mkdir a -m ../other/x",
    "curl --url @list.txt",
  ],
  "what is found is more than one file, or no file at all, to the program": [
    "find src -type f -exec awk {} \\;",
    "find src -type f -exec sed {} a.txt \\;",
    "find src -type f -exec jq -n {} \\;",
    "find src -type f -exec uniq {} +",
    "find tmpl -type f -exec cp -t .vscode {} +",
    "find tmpl -type f -print0 | xargs -0 cp -t .vscode",
    "find . -name .env -type f -print0 | xargs -0 -I {} -n2 grep -e {} a.txt",
    "find src -type f -print0 | xargs -0 uniq",
  ],
  "a pattern where one file is meant, or none": [
    "uniq T/*",
    "awk b* a.txt",
    "touch -r T/*",
    "curl -T a* http://granted.example/",
    "xxd a*",
    "git add -f ./*.env",
    "grep x src/.e*",
    "cat src/*/.env",
    "echo a*",
  ],
  "the line's working folder, moved": [
    "cd src && mv ../src ../../src && cat ../notes.txt",
    "cd a/b/c && mv ../../b ../../../b2 && cat ../../../notes.txt",
    "cd a/b/c && cd ../../.. && mv a/b b2",
    "mv ../proj ../proj2",
    "cd sub/x && git mv ../x ../../x",
  ],
  "git that prints what is asked about by name": [
    "git show --oneline",
    "git show -s HEAD:.env",
    "git blame -s .env",
    "git log --binary",
    "git diff --stat --binary",
    "git log --check",
    "git grep x",
  ],
  "a word that only looks like a key or a mode": [
    "jq -n '{a: if true then 1, env, 2 else 3 end}'",
    "awk --field-separator 'BEGIN{system(\"touch pwned\")}' '{print}' a.txt",
  ],
  "rights beyond the usual": ["chmod 04755 a.txt", "chmod u+s a.txt", "mkdir -m 7777 zz"],
  "zsh's patterns of numbers": ["rm -rf x<0-> ~/", "cat <1->x", "cat a<1-5>b", "cat < 1-> x"],
  "another repository than the one that was looked at": [
    "git add sub && git status",
    "git add sub && /usr/bin/git status",
    "git add sub && nice git status",
    "time cd sub && git status",
    "cd dlink && git status",
    "git -C dlink log",
  ],
  "a patch that some reader takes for another one, or in another folder": [
    `cd sub && apply_patch <<'E'\n${PATCH}\nE`,
    `cat a.txt | apply_patch`,
    `apply_patch <<'E'\n${PATCH.replace("b.txt", "dlink/../b.txt")}\nE`,
    "apply_patch < a.txt",
    `apply_patch <<'E' < a.txt\n${PATCH}\nE`,
    `apply_patch < a.txt <<'E'\n${PATCH}\nE`,
    `apply_patch <<'E' <<'F'\n${PATCH}\nE\n${PATCH.replace("b.txt", "c.txt")}\nF`,
    `apply_patch <<'E'\n\n${PATCH}\nE`,
    `apply_patch <<E\n${PATCH.replace("b.txt", "$HOME/b.txt")}\nE`,
    `apply_patch x '${PATCH}'`,
    `apply_patch '${PATCH}' x`,
    `find src -exec apply_patch '${PATCH.replace("b.txt", "{}")}' ';'`,
  ],
};

describe.each(Object.entries(REFUSED))("%s", (_class, lines) => {
  it.each(lines)("is not clear: %j", (line) => {
    expect(needsOfLine(line, HOME, PROJECT).unclear).not.toBeNull();
  });
});

it("a patch is not clear in a folder that is a link, where it goes up: a client that applies it itself may take that for text", () => {
  const line = `apply_patch <<'E'\n${PATCH.replace("b.txt", "../b.txt")}\nE`;
  expect(needsOfLine(line, HOME, join(PROJECT, "dlink")).unclear).not.toBeNull();
  expect(needsOfLine(line, HOME, join(PROJECT, "src")).unclear).toBeNull();
});

describe("a search that may not read its input", () => {
  it.each([
    ["cd src && : | grep -rhe '' -f /dev/null", "src"],
    ["echo x | grep -re ''", ""],
    ["cd src && rg . < a.ts", "src"],
    ["echo . | xargs rg", ""],
    ["echo | rg --files", ""],
    ["grep -re '' < a.txt", ""],
  ])("needs the folder as a whole: %j", (line, folder) => {
    const { needs } = needsOfLine(line, HOME, PROJECT);
    const trees = needs.flatMap(({ capability, target }) =>
      capability === "fs:read" && target.kind === "path" && target.is_tree ? [target.lexical] : [],
    );
    expect(trees).toContain(join(PROJECT, folder));
  });
});

describe("a pattern", () => {
  it("is looked up whatever letters its names are made of", () => {
    for (const name of ["a-b", "a+b", "a.b", "a,b", "a@b", "a%b", "a=b", "a:b", "a_b"])
      expect(needsOfLine(`cat ${name}*`, HOME, PROJECT).unclear).toBeNull();
  });
});

describe("a tree that is deleted", () => {
  it("is below the working directory by where its links lead, too", () => {
    symlinkSync(join(PROJECT, "other"), join(PROJECT, "src", "inside"));
    symlinkSync(HOME, join(PROJECT, "src", "outside"));
    expect(needsOfLine("rm -rf src/inside/x", HOME, PROJECT).unclear).toBeNull();
    expect(needsOfLine("rm -rf src/outside/x", HOME, PROJECT).unclear).not.toBeNull();
  });
});

describe("what is placed elsewhere", () => {
  it("an option's value is no source: a folder that isn't one may be the target itself", () => {
    const { needs } = needsOfLine("cp --no-preserve mode a.txt b.txt", HOME, PROJECT);
    const written = needs.flatMap(({ capability, target }) =>
      capability === "fs:write" && target.kind === "path" ? [target.lexical] : [],
    );
    expect(written).toEqual([join(PROJECT, "b.txt")]);
  });
});
