import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { coverOf } from "../../../main/box/arguments/masks.ts";
import { Places } from "../../../main/box/project/places.ts";
import { TimeSlice } from "../../../main/box/project/time-slice.ts";
import { BOX_USERS, HAS_BUBBLEWRAP, hasProgram, testBox } from "../../support/boxes.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const COMMIT = "git -c user.name=A -c user.email=a@example.com commit -qm x";

/** A repository with `.env` committed in it, and in `deep/`, and what `then` does afterwards. */
function repository(then: string, folder: string = tempFolder()): string {
  const project = join(folder, "project");
  mkdirSync(join(project, "deep"), { recursive: true });
  for (const name of [".env", "deep/.env", "a.env"]) writeFileSync(join(project, name), `IS=${name}\n`);
  execFileSync("/bin/sh", ["-ec", `git init -q; git add .; ${COMMIT}; ${then}`], { cwd: project });
  return project;
}

describe.runIf(hasProgram("git"))("a file that often holds secrets", () => {
  it.each([
    ["is shown as git holds it anyway", ":", ".env", "none"],
    ["is shown in a folder, too", ":", "deep/.env", "none"],
    ["can't be read where it was changed", "echo KEY=1 >> .env", ".env", "unreadable"],
    [
      "can't be read where git overlooks its changes",
      "git update-index --skip-worktree .env; echo KEY=1 >> .env",
      ".env",
      "unreadable",
    ],
    ["is empty where git doesn't hold it", "git rm -q --cached .env", ".env", "empty"],
    ["is empty where git has never seen it", "echo KEY=1 > .env.local", ".env.local", "empty"],
    ["is empty where only a longer name is held", "echo KEY=1 > env", "env", "empty"],
    [
      "can't be read where the index is of a kind that isn't read",
      "git update-index --index-version 4",
      "deep/.env",
      "unreadable",
    ],
    ["can't be read where the index is split", "git update-index --split-index", "deep/.env", "unreadable"],
    ["is shown in a worktree as git holds it", "git worktree add -q wt", "wt/.env", "none"],
    [
      "can't be read in a worktree where it was changed",
      "git worktree add -q wt; echo KEY=1 >> wt/.env",
      "wt/.env",
      "unreadable",
    ],
    ["is empty in a repository within that doesn't hold it", "git init -q deep", "deep/.env", "empty"],
  ] as const)("%s", (_, then, name, expected) => {
    const project = repository(then);
    expect(coverOf(join(project, name), project)).toBe(expected);
  });

  it("is empty where there is no repository", () => {
    const project = tempFolder();
    writeFileSync(join(project, ".env"), "KEY=1\n");
    expect(coverOf(join(project, ".env"), project)).toBe("empty");
  });
});

describe.runIf(HAS_BUBBLEWRAP).each(BOX_USERS)("secrets inside a box, as $name", (user) => {
  it.runIf(hasProgram("git"))("are empty or unreadable, never written, and no commit takes them", async () => {
    const folder = tempFolder();
    const project = repository("echo KEY=hidden >> .env; echo KEY=hidden > .env.local", folder);
    const secrets = [".env", ".env.local", "deep/.env"].map((name) => join(project, name));
    const box = testBox({ user, folder, declaration: { project }, found: { secrets } });
    const ran = await box.run(`cat .env.local .env deep/.env; grep -r hidden . && echo found
      (echo x > .env.local) 2>/dev/null && echo written; mv .env.local other && echo moved
      git add -A || echo refused`);
    expect(ran.stdout).toBe("IS=deep/.env\nrefused\n");
    expect(ran.stderr).toContain("cat: .env: Permission denied");
  });

  it("are hidden by the guard's own list, keys and stores of passwords among them, in folders that stay as they are, too", async () => {
    const folder = tempFolder();
    const project = join(folder, "project");
    const key = "-----BEGIN RSA PRIVATE KEY-----\nhidden\n";
    const secrets: Record<string, string> = {
      ".npmrc": "//registry.example.org/:_authToken=npm_hidden0123456789\n",
      ".pypirc": "hidden",
      "keys/id_rsa": key,
      "keys/id_rsa.bak": key,
      "keys/server.pem": key,
      "config/master.key": "hidden",
      ".netrc": "hidden",
      ".git-credentials": "hidden",
      ".aws/credentials": "hidden",
      ".ssh/config": "hidden",
      ".ssh/token.json": "hidden",
      ".env~": "hidden",
      "prod.env": "hidden",
      ".env/values": "hidden",
      ".claude/.credentials.json": "hidden",
      ".cursor/mcp.json": '{"env":{"API_TOKEN":"hidden0123456789"}}',
      "terraform.tfstate": "hidden",
      "service-account.json": "hidden",
    };
    const shown: Record<string, string> = {
      "a/.npmrc": "save-exact=true\nshown\n",
      "ca.pem": "-----BEGIN CERTIFICATE-----\nshown\n",
      ".env.example": "shown",
      ".claude/settings.json": '{"shown":1}',
      "a/.mcp.json": '{"env":{"API_TOKEN":"$SHOWN","X":"shown"}}',
    };
    for (const [name, content] of Object.entries({ ...secrets, ...shown })) {
      mkdirSync(dirname(join(project, name)), { recursive: true });
      writeFileSync(join(project, name), content);
    }
    const declaration = { project, cwd: project, reads: [], writes: [], network: false };
    const { found } = await new Places().before(declaration, new TimeSlice());
    const box = testBox({ user, folder, declaration, found });
    const ran = await box.run("grep -rl hidden . ; grep -rl shown . | sort");
    expect(ran.stdout.trim().split("\n")).toEqual(
      Object.keys(shown)
        .map((name) => `./${name}`)
        .sort(),
    );
    const allowed = testBox({
      user,
      folder,
      declaration: { ...declaration, reads: [join(project, "prod.env")] },
      found,
    });
    expect((await allowed.run("grep -rl hidden .")).stdout).toBe("./prod.env\n");
  });

  it.runIf(hasProgram("git"))("in git's settings are cut out, and git works with what is left", async () => {
    const folder = tempFolder();
    const project = repository(
      `git config remote.origin.url https://me:hidden@example.com/a/b.git
       git config remote.other.url https://ghp_hidden0123456789@example.com/c.git
       git config remote.plain.url ssh://git@example.com/d.git
       git config http.https://example.com/.extraheader 'AUTHORIZATION: basic hidden'
       git config core.abbrev 9
       mkdir inner; git init -q inner; git -C inner config remote.origin.url https://me:hidden@example.com/i`,
      folder,
    );
    const declaration = { project, cwd: project, reads: [], writes: [], network: false };
    const { found } = await new Places().before(declaration, new TimeSlice());
    const box = testBox({ user, folder, declaration, found });
    const ran = await box.run(`grep -r hidden . && echo found
      git remote -v | grep -c '(push)'; git remote get-url origin; git config core.abbrev; git remote get-url plain
      echo x > new && git add new && ${COMMIT} && git log --oneline | wc -l
      (echo x >> .git/config) 2>/dev/null && echo written`);
    expect(ran.stdout).toBe("3\nhttps://example.com/a/b.git\n9\nssh://git@example.com/d.git\n2\n");
    expect(readFileSync(join(project, ".git/config"), "utf8")).toContain("me:hidden@");
  });
});
