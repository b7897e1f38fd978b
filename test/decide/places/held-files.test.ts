import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "@metnos-gate/shell-reading/files";
import { gitFoldersOf } from "@metnos-gate/shell-reading/git";
import { describe, expect, it } from "vitest";
import { holdsText } from "../../../ipc/base/regular-file.ts";
import { writeGitSettings } from "../../../main/box/arguments/git.ts";
import { coverOf } from "../../../main/box/arguments/masks.ts";
import { isHarmless } from "../../../main/box/project/harmless-git-files.ts";
import { readBounded } from "../../../main/decide/description/bounded-file.ts";
import { HeldByGit } from "../../../main/decide/places/held-by-git.ts";
import { gitProblem, settingsIn } from "../../../packages/shell-reading/programs/git-repository.ts";
import { hasProgram } from "../../support/boxes.ts";
import { holdLeases } from "../../support/file-leases.ts";
import { tempFolder } from "../../support/temp-folder.ts";

/** Of a project in which a hostile command may run: whatever it does to its files, nobody waits for them. */

/** A reader that waits for a lease waits until it is given back. */
const HELD_S = 8;
const MAX_MS = 1000;

interface Place {
  folder: string;
  project: string;
  settings: string;
}

function place(): Place {
  const folder = tempFolder();
  const project = join(folder, "project");
  mkdirSync(project);
  for (const name of ["a.txt", ".env", "package.json"]) writeFileSync(join(project, name), "{}\n");
  const commit = "git -c user.name=A -c user.email=a@example.com commit -qm x";
  execFileSync("/bin/sh", ["-ec", `git init -q; git add .; ${commit}; git worktree add -q ../other`], { cwd: project });
  return { folder, project, settings: writeGitSettings(folder, "[user]\n") };
}

const READERS: readonly [string, (at: Place) => unknown, unknown][] = [
  ["git's settings", ({ project }) => settingsIn(join(project, ".git/config")), null],
  [
    "whether git would run something",
    ({ project, folder }) => gitProblem(project, folder, "read", true),
    { problem: "settings that can't be read" },
  ],
  [
    "whether git holds a file",
    ({ project, folder }) => new HeldByGit(folder).heldAt(join(project, "a.txt")),
    "not_held",
  ],
  ["how a secret is covered", ({ project }) => coverOf(join(project, ".env"), project), "unreadable"],
  [
    "a file that a call names",
    ({ project, folder }) =>
      readBounded(join(project, "package.json"), 1000, {
        cwd: project,
        home: folder,
        project,
        env: undefined,
        isOutside: () => false,
      }).kind,
    "unreadable",
  ],
  ["which project a worktree is", ({ folder }) => projectRoot(join(folder, "other"), "/nobody"), null],
  ["where a worktree's repository lies", ({ folder }) => gitFoldersOf(join(folder, "other")), null],
  ["what a run left", ({ project }) => isHarmless(join(project, ".git/config"), project), false],
  ["the box's own settings for git", ({ settings }) => holdsText(settings, "[user]\n"), false],
];

describe.runIf(hasProgram("python3") && hasProgram("git"))("nobody waits for a file that another process holds", () => {
  it.each(READERS)("%s", async (_, read, expected) => {
    const at = place();
    const { project, folder, settings } = at;
    const held = [".git/config", ".git/index", ".env", "package.json"].map((name) => join(project, name));
    await holdLeases([...held, join(folder, "other/.git"), settings], HELD_S);
    const began = performance.now();
    expect(read(at)).toEqual(expected);
    expect(performance.now() - began).toBeLessThan(MAX_MS);
  });

  it("a project's settings for git are written anew", async () => {
    const { folder, settings } = place();
    await holdLeases([settings], HELD_S);
    const began = performance.now();
    writeGitSettings(folder, "[user]\n");
    expect(performance.now() - began).toBeLessThan(MAX_MS);
    expect(holdsText(settings, "[user]\n")).toBe(true);
  });
});
