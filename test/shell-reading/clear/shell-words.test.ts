// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what looks like a placeholder is shell
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { needsOfLine } from "../../../packages/shell-reading/clear/line-needs.ts";
import { tempFolderForFile } from "../../support/temp-folder.ts";

/** Variables, patterns, groups and branches: what each shell reads alike, and beside it what one of them reads otherwise. */

const HOME = tempFolderForFile();
const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  plain: ["a.txt", "b.txt", "c.json", ".hidden.txt", "src/x.ts", "src/y z.ts"],
  dashes: ["a.txt", "-rf.txt", "--include=x.ts"],
  values: ["FS=x.txt", "a.txt"],
  words: ["@list.txt", "a.txt"],
  many: Array.from({ length: 2001 }, (_, at) => `f${at}.txt`),
};
for (const [folder, files] of Object.entries(FOLDERS)) {
  mkdirSync(join(HOME, folder, "src"), { recursive: true });
  for (const file of files) writeFileSync(join(HOME, folder, file), "x\n");
}
mkdirSync(join(HOME, "linked/src"), { recursive: true });
symlinkSync("/etc", join(HOME, "linked/etc"));

const read = (line: string, folder = "plain") => needsOfLine(line, HOME, join(HOME, folder), true);
const needs = (line: string) =>
  read(line).needs.map(({ capability, access, target }) => {
    const path =
      target.kind === "path" ? `${target.lexical.replace(join(HOME, "plain"), ".")}${target.is_tree ? "/**" : ""}` : "";
    return `${access ?? capability} ${path}`;
  });

describe("clear in all shells", () => {
  it.each<[string, string[]]>([
    ['for f in a.txt b.txt; do echo "== $f"; cat "$f"; done', ["fs:read ./a.txt", "fs:read ./b.txt"]],
    ['for f in src/*.ts; do echo "-- $f"; head -5 "$f"; done', ["list ./src/**", "fs:read ./src/**"]],
    ['for f in src/*.ts; do [ -f "$f" ] && basename "$f" .ts; done', ["list ./src/**"]],
    ['for f in *.txt; do echo "$f"; done', ["list ./**"]],
    ["ls *.json", ["list ./**"]],
    ["cat *.txt", ["fs:read ./**"]],
    ["du -sh *", ["list ./**"]],
    ["grep -rn --include=*.ts x src", ["list .", "fs:read ./src/**"]],
    ['cat a.txt; echo "exit: $?"', ["fs:read ./a.txt"]],
    ["test -f a.txt; exit $?", ["list ./a.txt"]],
    ["echo $HOME", []],
    ['cat "$HOME/plain/a.txt"', ["fs:read ./a.txt"]],
    ["cat a.txt # all of it", ["fs:read ./a.txt"]],
    ["(cd src && ls); ls", ["list ./src", "list ."]],
    ["(cd src && ls) && cat a.txt", ["list ./src", "fs:read ./a.txt"]],
    ["if [ -f a.txt ]; then cat a.txt; else ls src; fi", ["list ./a.txt", "fs:read ./a.txt", "list ./src"]],
    ["if cd src; then ls; fi; cat a.txt", ["list .", "list ./src", "fs:read ./a.txt", "fs:read ./src/a.txt"]],
    ['printf "%-10s %5s\\n" a b', []],
  ])("%s", (line, wanted) => {
    expect(read(line).unclear).toBeNull();
    expect(new Set(needs(line))).toEqual(new Set(wanted));
  });
});

describe("a name that begins a word is looked at", () => {
  it.each([
    ["cat *.txt", "dashes", "a name that is an option"],
    ["ls *", "dashes", "a name that is an option"],
    ["grep -rn --include=*.ts x src", "dashes", "a name that the pattern of an option matches"],
    ["awk '{ print }' *.txt", "values", "a name that sets a variable"],
    ["strings *.txt", "words", "a name that names a file of words"],
    ["cat *.txt", "many", "more names than are looked at"],
    ["cat *", "linked", "a link"],
    ["du -sh */", "linked", "a link"],
    ["touch ./-rf.txt; cat *.txt", "plain", "the line itself makes one"],
    ["touch ./-rf.txt | cat *.txt", "plain", "the line itself makes one, at the same time"],
    ["cat *.txt | tee ./-rf.txt", "plain", "the line itself makes one, at the same time"],
    ['for f in *.txt; do cat "$f"; done', "dashes", "a name that is an option"],
    ["for f in *; do echo x; done", "dashes", "a name that is an option"],
  ])("%s in a folder of %s: %s", (line, folder) => {
    expect(read(line, folder).unclear).not.toBeNull();
  });

  it("not where its folder isn't known", () => {
    expect(needsOfLine("cat *.txt", HOME, "").unclear).not.toBeNull();
    expect(needsOfLine("cat */a.txt", HOME, join(HOME, "plain")).unclear).toBeNull();
  });
});

describe("a value that isn't known is only printed or compared", () => {
  it.each([
    "cat $?",
    'cat "f$?"',
    "head -n $? a.txt",
    "kill $?",
    "echo $? | xargs cat",
    "for f in src/*.ts; do cat $f; done",
    'for f in src/*.ts; do rm "$f"; done',
    'for f in src/*.ts; do awk "$f" a.txt; done',
    'for f in src/*.ts; do sed -n "$f" a.txt; done',
    'for f in src/*.ts; do printf "$f" x; done',
    'for f in src/*.ts; do jq "$f" c.json; done',
    'for f in src/*.ts; do find . -name "$f"; done',
    'for f in src/*.ts; do cat "$f/../../../x"; done',
    'for f in src/*.ts; do echo "$f" | xargs cat; done',
    'for f in src/*.ts; do (cd src && cat "$f"); done',
    'for f in src/*.ts; do [ "$f" -eq 1 ]; done',
    'for f in src/*.ts; do git log -- "$f"; done',
    'for f in src/*.ts; do cp "$f" b; done',
  ])("%s", (line) => {
    expect(read(line).unclear).not.toBeNull();
  });
});

describe("what a group or a branch does to the folder", () => {
  it("a group's is its own, and a branch may have been taken", () => {
    expect(needs("(cd src); cat x")).toEqual(["fs:read ./x"]);
    expect(new Set(needs("if true; then cd src; fi; cat x"))).toEqual(new Set(["fs:read ./x", "fs:read ./src/x"]));
    expect(new Set(needs("cd src; (cd ..; cat x); cat y"))).toEqual(
      new Set(
        ["fs:read ./src/x", "fs:read ./x", "fs:read ../x", "fs:read ./src/y", "fs:read ./y"].map((need) =>
          need.replace("../x", `${HOME}/x`),
        ),
      ),
    );
  });

  it("what is in it is read as strictly", () => {
    for (const line of ["(node x.js)", "if node x.js; then ls; fi", "if true; then node x.js; fi", "(ls; (node x.js))"])
      expect(read(line).unclear).not.toBeNull();
  });
});

it("an interactive shell runs what looks like a comment", () => {
  expect(needsOfLine("cat a.txt # $(node x.js)", HOME, join(HOME, "plain")).unclear).not.toBeNull();
});
