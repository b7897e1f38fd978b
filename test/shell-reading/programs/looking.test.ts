import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { needsOfLine } from "../../../packages/shell-reading/clear/line-needs.ts";
import { tempFolderForFile } from "../../support/temp-folder.ts";

/** Programs that are clear in the forms that only look, and in no other. */

const HOME = tempFolderForFile();
const PROJECT = join(HOME, "project");
mkdirSync(join(PROJECT, "src"), { recursive: true });
for (const file of ["a.tgz", "a.zip", "a.txt", "host:a.tgz", "[a].zip"]) writeFileSync(join(PROJECT, file), "x");

const unclear = (line: string) => needsOfLine(line, HOME, PROJECT).unclear;

const CASES: Readonly<Record<string, { clear: readonly string[]; unclear: readonly string[] }>> = {
  "processes and ports are shown, never an environment": {
    clear: [
      ...[
        "ps",
        "ps aux",
        "ps -ef",
        "ps -eo pid,args --sort=-pcpu",
        "ps axf",
        "ps -p 12",
        "ps -fp 12 -o pid",
        "pgrep -fl 'a b'",
      ],
      ...["lsof -i :3000", "lsof -ti:3000", "lsof -nP -iTCP:3000", "lsof -i tcp:3000-3010 -n", "ss -ltnp"],
      ...["lsof -i -P -n", "lsof -nP -iTCP -sTCP:LISTEN", "netstat -tlnp", "netstat -an"],
    ],
    unclear: [
      ...[
        "ps auxe",
        "ps e",
        "ps -auxe",
        "ps -eo environ",
        "ps -o pid,environ -e",
        "ps axo environ",
        "ps --format environ",
      ],
      // Without the value ps reads `e` as if it had no dash.
      ...["ps -u -xe", "ps -u -axeww", "ps -eu", "ps -aeu", "ps -e -u", "ps -u root -u -xe", "ps -C", "ps -p -e"],
      // Two that don't go together: likewise.
      ...["ps -efo args", "ps -ef -o args", "ps -eHT", "ps -eT --forest", "ps --forest -T -e"],
      ...[
        "lsof",
        "lsof -i",
        "lsof a.txt",
        "lsof -i @a.example:80",
        "lsof -p 1",
        "lsof -i -P",
        "lsof -n",
        "lsof -n a.txt",
        "netstat",
        "netstat -a",
        "netstat -nc",
        "ss -K",
        "ss -D a.txt",
        "pgrep -F a.txt",
      ],
    ],
  },
  "what gh only looks at, on GitHub": {
    clear: [
      "gh pr view 1 -R ada/project",
      "gh run list -R ada/project --limit 3",
      "gh issue list --repo ada/project -s all",
      ...[
        "gh pr view 1 -c -R ada/project",
        "gh pr list -a ada -R ada/project",
        "gh pr list -R ada/project --json state -q .x",
      ],
    ],
    unclear: [
      ...[
        "gh pr view 1",
        "gh pr create -R ada/project",
        "gh api x -R ada/project",
        "gh pr view 1 -R a.example/ada/project",
      ],
      ...["gh pr view https://a.example/x/y/pull/1 -R ada/project", "gh pr list -R ada/project --jq env"],
      // The last of several counts for gh.
      ...["gh pr view 1 -R ada/project -R a.example/ada/project", "gh pr view 1 -R ada/project --repo=a.example/a/b"],
      "gh pr view 1 -R ada/project --json state -q .x --jq=env",
      // One letter that takes a value in one command and none in another.
      ...["gh workflow list -R ada/project -aRa.example/a/b", "gh run list -R ada/project --json status -aqenv"],
      "gh run list -c -R ada/project",
      ...["gh pr view 1 -w -R ada/project", "gh run view 1 --log -R ada/project", "gh", "gh alias list -R ada/project"],
    ],
  },
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
  expect(unclear("wget x")).toBe("wget isn't among the programs that can be cleared");
  expect(unclear("info x")).toBe("info isn't among the programs that can be cleared");
});
