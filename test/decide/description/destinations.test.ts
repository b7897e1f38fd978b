import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { Destination } from "../../../ipc/contract/description.ts";
import { callFacts, quietText } from "../../../ipc/words/card-facts.ts";
import { lineParts } from "../../../ipc/words/work-words.ts";
import { describe as describeCall } from "../../../main/decide/description/describe.ts";
import { examinationOf } from "../../support/examinations.ts";
import { tempFolderForFile } from "../../support/temp-folder.ts";

/** Where commands go, in the words of the card: by their own words, and by those of the scripts that they name. */

const FILES: Readonly<Record<string, string>> = {
  "package.json": JSON.stringify({
    name: "@acme/shop",
    scripts: {
      deploy: "rsync -a build/ deploy@www.example.org:/srv/shop",
      site: "vite build && scp -r dist web@static.example.net:/www",
      typo: "git push git@githud.com:acme/shop.git main",
    },
  }),
  ".npmrc": "@acme:registry=https://npm.example.net/acme\nregistry=https://npm.example.org/\n",
  Makefile: "release:\n\tssh root@shop.example.org systemctl restart shop\n",
  "scripts/up.sh": "#!/bin/sh\naws s3 cp build.tgz s3://acme-builds/shop/\n",
  "tools/send.py": 'import subprocess\nsubprocess.run(["scp", "a.txt", "me@files.example.net:/in"])\n',
};

describe("where a command goes", () => {
  let home = "";
  let project = "";
  beforeAll(() => {
    home = tempFolderForFile();
    project = join(home, "shop");
    for (const [name, text] of Object.entries(FILES)) {
      mkdirSync(dirname(join(project, name)), { recursive: true });
      writeFileSync(join(project, name), text);
    }
    const env = { PATH: process.env.PATH, HOME: home, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
    const git = (...args: string[]) => execFileSync("git", args, { cwd: project, env, stdio: "pipe" });
    git("init", "-q", "-b", "main");
    git("remote", "add", "origin", "https://github.com/acme/shop.git");
  });

  const described = (command: string, used: readonly string[] = []) =>
    describeCall(
      examinationOf({
        executor: "Bash",
        args: { command },
        context: { cwd: project },
        settings: {
          home,
          destinations: {
            isUsed: (_, { host }: Destination) => used.includes(host ?? ""),
            hosts: () => [...used],
            note: () => undefined,
          },
        },
      }),
    );
  const said = (command: string, used: readonly string[] = []) => {
    const { hazards, ...quiet } = callFacts(described(command, used), "en", home);
    return [...hazards, quietText(quiet)].join("\n");
  };

  it.each([
    ["ssh -p 22 root@shop.example.org 'ls -la'", "to shop.example.org · first time here"],
    ["ssh shop.example.org", "to shop.example.org · first time here"],
    ["ssh -J jump.example.net root@shop.example.org uptime", "to jump.example.net, shop.example.org"],
    ["scp notes.txt me@files.example.net:/in", "to files.example.net · first time here"],
    ["rsync -e ssh -a build/ root@shop.example.org:/", "to shop.example.org · first time here"],
    ["rsync -a rsync://mirror.example.net/pub/ pub/", "mirror.example.net"],
    ["sftp -P 22 me@files.example.net", "to files.example.net · first time here"],
    ["nc files.example.net 9000", "to files.example.net · first time here"],
    ["gh pr create --fill", "to origin = github.com/acme/shop · first time here"],
    ["gh pr create -R other/shop --fill", "to github.com/other/shop · first time here"],
    ["gh repo clone other/tool", "from github.com/other/tool · first time here"],
    ["gh gist create notes.txt", "to gist.github.com · first time here"],
    ["docker push registry.example.org/team/app:1", "to registry.example.org/team/app:1 · first time here"],
    ["docker pull registry.example.org/team/app:1", "from registry.example.org/team/app:1"],
    ["npm publish", "to npm.example.net/acme · first time here"],
    ["npm publish --registry https://other.example.net/", "to other.example.net · first time here"],
    ["npm install left-pad", "npm.example.org"],
    ["npm install left-pad --registry https://other.example.net/", "other.example.net"],
    ["pip install -i https://pypi.example.net/simple flask", "pypi.example.net"],
    ["twine upload dist/*", "to upload.pypi.org · first time here"],
    ["cargo publish", "to crates.io · first time here"],
    ["aws s3 cp build.tgz s3://acme-builds/shop/", "to s3://acme-builds · first time here"],
    ["aws s3 cp s3://acme-builds/a.tgz . --endpoint-url https://s3.example.net", "s3.example.net"],
    ["curl -s https://api.example.net/v1", "to api.example.net · first time here"],
    ["curl -s https://api.example.net/v1 https://other.example.org/", "to api.example.net, other.example.org"],
    ["curl -T build.tgz https://up.example.net/", "up.example.net"],
    ["curl -s $WHERE", "its address can't be read"],
    ["wget -q https://files.example.net/a.tgz", "to files.example.net · first time here"],
    ["mail -s hi ada@example.org < notes.txt", "ada@example.org"],
    ["git remote set-url origin https://github.com/acrne/shop.git && git push origin main", "acrne/shop"],
    ["git config remote.origin.url https://github.com/acrne/shop.git && git push", "its address can't be read"],
  ])("%s: %s", (command, words) => {
    expect(said(command)).toContain(words);
  });

  it.each([
    ["npm run deploy", "to www.example.org (in package.json) · first time here"],
    ["npm run site", "to static.example.net (in package.json) · first time here"],
    ["make release", "to shop.example.org (in Makefile) · first time here"],
    ["sh scripts/up.sh", "to s3://acme-builds (in scripts/up.sh) · first time here"],
    ["python3 tools/send.py", "to files.example.net (in tools/send.py) · first time here"],
    ["npm run typo", "Looks like github.com, but is githud.com (in package.json)"],
  ])("%s, by what its name stands for: %s", (command, words) => {
    expect(said(command).toLowerCase()).toContain(words.toLowerCase());
  });

  it("what was used before isn't new, by a name as by a line", () => {
    expect(said("npm run deploy", ["www.example.org"])).not.toContain("first time");
    expect(said("ssh shop.example.org ls", ["shop.example.org"])).not.toContain("first time");
  });

  it("the registered domain alone is bold, behind a name, too", () => {
    const { kind, work, to } = described("npm run deploy");
    const parts = lineParts({ kind, ...(work && { work }), ...(to && { to }) }, "en", true);
    expect(parts.filter(({ look }) => look === "strong")).toEqual([{ text: "example.org", look: "strong" }]);
  });

  it.each(["git status", "docker ps", "npm test", "rsync -a build/ backup/", "nc -l 9000", "gh completion -s bash"])(
    "%s goes nowhere",
    (command) => {
      expect(described(command).to ?? []).toEqual([]);
    },
  );
});
