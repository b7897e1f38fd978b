import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { needsOfLine } from "../../../main/gate/clear/line-needs.ts";
import { tempFolderForFile } from "../../support/temp-folder.ts";

/** Programs that are clear in the forms that only look, and in no other. */

const HOME = tempFolderForFile();
const PROJECT = join(HOME, "project");
mkdirSync(join(PROJECT, "src"), { recursive: true });
for (const file of ["a.tgz", "a.zip", "a.txt", "host:a.tgz", "[a].zip"]) writeFileSync(join(PROJECT, file), "x");

const unclear = (line: string) => needsOfLine(line, HOME, PROJECT).unclear;

const CASES: Readonly<Record<string, { clear: readonly string[]; unclear: readonly string[] }>> = {
  "an archive that is there is listed": {
    clear: [
      "tar tzf a.tgz",
      "tar -tvf a.tgz",
      "tar -t -z -f a.tgz",
      "tar --list --file=a.tgz",
      "tar tf a.tgz src/a.ts",
      "unzip -l a.zip",
      "unzip -l ./a.zip x",
    ],
    unclear: [
      ...["tar xzf a.tgz", "tar czf a.tgz src", "tar tzf none.tgz", "tar tzf host:a.tgz", "tar tzf src", "tar tf -"],
      ...[
        "tar tf a.tgz --to-command=./x",
        "tar -t -I ./x -f a.tgz",
        "tar tzf *.tgz",
        "tar tFf ./x a.tgz",
        "tar zf a.tgz",
        "tar tf a.tgz -f src",
      ],
      ...[
        "unzip a.zip",
        "unzip -l a",
        "unzip -l '[a].zip'",
        "unzip -lo a.zip",
        "unzip -l *.zip",
        "unzip -l a.zip -d x",
      ],
    ],
  },
  "python says its version": {
    clear: ["python3 --version", "python -V"],
    unclear: ["python3 -v", "python3 --version x.py", "python3 -V -c 1", "python3 x.py", "python3", "python3 -VV"],
  },
  "find compares times with a date, or with a file": {
    clear: ["find . -newermt 2026-01-01", "find src -newerct '2 days ago' -name x", "find . -newermm a.txt"],
    unclear: ["find . -newermt", "find . -newerxt 1", "find . -newert a.txt"],
  },
  "jq's strings hold filters": {
    clear: [
      String.raw`jq -r '"\(.name) is \(.age)"' a.txt`,
      String.raw`jq '.[] | "\(.a | map("<\(.)>") | join(", "))"' a.txt`,
      String.raw`jq '{"\(.k)": 1, b: "x"}' a.txt`,
    ],
    unclear: [
      String.raw`jq '"\(env)"' a.txt`,
      String.raw`jq '"\("\($ENV.X)")"' a.txt`,
      String.raw`jq '"\(.a # ) " | env | " \n)"' a.txt`,
      String.raw`jq '"\(.a" a.txt`,
      String.raw`jq '"\(.a)' a.txt`,
      String.raw`jq '"\(")")" | env' a.txt`,
      String.raw`jq '"\(input_filename)"' a.txt`,
      `jq '${'"\\('.repeat(20)}1${')"'.repeat(20)}' a.txt`,
    ],
  },
};

describe.each(Object.entries(CASES))("%s", (_rule, { clear, unclear: others }) => {
  it.each(clear.map((line) => [line]))("clear: %s", (line) => expect(unclear(line)).toBeNull());
  it.each(others.map((line) => [line]))("unclear: %s", (line) => expect(unclear(line)).not.toBeNull());
});

it("a reason names the program that was called", () => {
  expect(unclear("ps aux")).toBe("ps isn't among the programs that can be cleared");
  expect(unclear("pgrep x")).toBe("pgrep isn't among the programs that can be cleared");
});
