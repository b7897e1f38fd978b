import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { gitHistories } from "../../../packages/shell-reading/programs/git-history.ts";
import { objectNamed, objectsIn } from "../../../packages/shell-reading/programs/git-objects.ts";
import { literal, unknownPiece, wordOf } from "../../../packages/shell-reading/word.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const SPAN = { start: 0, end: 0 };
const root = (): string => {
  const folder = tempFolder();
  execFileSync("git", ["init", "-q", folder]);
  return folder;
};
const text = (word: string) => wordOf([{ text: word, kind: "text" }], SPAN);
const unread = (word: string) => wordOf([unknownPiece(word)], SPAN);

describe("a word of git's", () => {
  it("is looked up where it may be a hash, wherever it is in a line", () => {
    expect(
      objectsIn("git show abc1234 v1.0-3-gdeadbeef ^FEED01..beef99~2 ORIG_HEAD HEAD~1234 --since=2024-01-01"),
    ).toEqual(["abc1234", "deadbeef", "FEED01", "beef99", "ORIG_HEAD"]);
  });

  it("says where git keeps it, unless it was looked up as a commit, or names a file of one", () => {
    const folder = root();
    const objects = join(folder, ".git/objects");
    gitHistories.note(folder, { ever: [], atHead: [], oddReferences: ["refs/tags/file"] });
    gitHistories.noteCommits(folder, ["abc1234", "feed01"], ["abc1234"], []);
    const named = (word: string) => objectNamed(text(word), folder)?.slice(objects.length);
    for (const word of [
      "HEAD",
      "main~2",
      "v1.0",
      "abc1234",
      "v1-2-gabc1234^{tree}",
      "feed01:a.txt",
      "abc1234..HEAD",
      "@{1}",
    ])
      expect([word, named(word)]).toEqual([word, undefined]);
    for (const word of [
      "feed01",
      "^FEED01",
      "HEAD...feed01~1",
      "feed01^{blob}",
      "feed01:",
      "feed01^{/a{1}:x}",
      "v1-2-gfeed01",
    ])
      expect([word, named(word)?.toLowerCase()]).toEqual([word, "/fe/ed01"]);
    for (const word of ["file", "tags/file", "refs/tags/file^{}", "FETCH_HEAD", "AUTO_MERGE"])
      expect([word, named(word)]).toEqual([word, ""]);
  });

  it("is a commit where git itself lists it", () => {
    const folder = root();
    const isOne = (word: string) => objectNamed(unread(word), folder) === undefined;
    for (const word of [
      ...["$(git rev-list HEAD -3)", "$(git tag | sort -V | tail -1)", "`git merge-base HEAD main`"],
      ...["$(git log -1 --format=%H -- src/a.txt)", "$(git log --pretty=format:'%h' -n 3 | tail -1)"],
      ...["$(git rev-parse --abbrev-ref HEAD)", "$(git rev-parse @{upstream}~2)", "$(git describe --tags --abbrev=0)"],
      ...[
        "$(git rev-list --max-count=1 --since='2 days ago' origin/main)",
        "$(git tag --sort=-creatordate | head -n 1)",
        "$(git describe --tags --abbrev=0 2>/dev/null)",
        "$(git rev-list -n 1000 --before='2024-01-01' HEAD)",
        "$(git branch -r)",
      ],
    ])
      expect([word, isOne(word)]).toEqual([word, true]);
    for (const word of [
      "$x",
      "$(ls .git/objects)",
      "$(git tag; ls)",
      "$(git tag | head -1 a.txt)",
      "$(git rev-parse $(cat x))",
      "$(git rev-parse abc1234)",
      // What somebody wrote, or the line itself does, in the place of a commit.
      ...["$(git log -1)", "$(git log -1 --format=%s)", "$(git log -1 --format=%x61%x62%x63%x64)", "$(git reflog -1)"],
      ...[
        "$(git log -1 --format=%H --format=abc)",
        "$(git log -1 --format=%Habc)",
        "$(git tag -n3)",
        "$(git branch -v)",
      ],
      ...["$(git log --oneline -1)", "$(git rev-list --format=abc HEAD)", "$(git branch --format=abc)"],
      // A hash that the shell puts together, or another's part.
      ...[
        "$(git rev-parse ab'1'2cd)",
        '$(git rev-parse ab"12"cd)',
        "$(git rev-parse ab1\\2cd)",
        "$(git rev-parse ab{1,}2cd)",
      ],
      ...["$(git rev-parse a*)", "$(git rev-parse HEAD | head -c 5)", "$(git rev-parse HEAD | tail -c3)"],
      ...["$(git rev-parse 123456)", "$(git rev-parse HEAD..1234)", "$(git rev-parse -q '1234')"],
      // Names that a shell makes other ones of, that nothing is called by, or that another repository has.
      ...["$(git branch)", "$(git branch -r -a)", "$(git rev-parse 'a*')", "$(git rev-parse '[a]b')"],
      ...["$(git symbolic-ref --short refs/x)", "$(git symbolic-ref --short HEAD)", "$(git -C sub tag)"],
      // A file that is in the index alone.
      ...["$(git rev-parse :.env)", "$(git rev-parse ':0:.env')"],
    ])
      expect([word, isOne(word)]).toEqual([word, false]);
    writeFileSync(join(folder, ".git/HEAD"), "ref: refs/heads/abc1234\n");
    expect(isOne("$(git branch --show-current)")).toBe(false);
    writeFileSync(join(folder, ".git/HEAD"), "ref: refs/heads/main\n");
    const ofPieces = (...pieces: string[]) =>
      objectNamed(
        wordOf(
          pieces.map((text) => (text.startsWith("$") ? unknownPiece(text) : literal(text))),
          SPAN,
        ),
        folder,
      );
    const short = "$(git rev-parse HEAD)";
    for (const pieces of [
      [short, short],
      [short, "2cd"],
      ["ab1", short],
      ["v1-g", short],
      ["main..", short, "2c"],
    ])
      expect([pieces, ofPieces(...pieces)]).toEqual([pieces, join(folder, ".git/objects")]);
    for (const pieces of [
      ["origin/", "$(git branch --show-current)"],
      ["main...", short],
      [short, "~2..HEAD"],
      [short, ":src/a_b.txt"],
      ["feature_x"],
    ])
      expect([pieces, ofPieces(...pieces)]).toEqual([pieces, undefined]);
  });

  it.each(["a-", "g-g", "-gabcd", "a_", "$(git log ", " -1", "| head ", "^{", "..", "abcd "])(
    "keeps nobody waiting, however often it holds %j",
    (part) => {
      const folder = root();
      const long = part.repeat(64_000 / part.length);
      const began = process.threadCpuUsage();
      for (const word of [long, `$(git log ${long}`, `$(git log | ${long}`]) {
        objectsIn(word);
        objectNamed(text(word), folder);
        objectNamed(unread(word), folder);
      }
      expect(process.threadCpuUsage(began).user / 1000).toBeLessThan(1000);
    },
  );
});
