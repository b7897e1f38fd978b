import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { coverOf } from "../../../main/box/arguments/masks.ts";
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
});
