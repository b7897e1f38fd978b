import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathTarget } from "@metnos-gate/shell-reading";
import { describe, expect, it } from "vitest";
import { choicesFor } from "../../../main/calls/approvals/choices.ts";
import type { ResolvedRequirement } from "../../../main/targets/target.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const need = (path: string, home: string, more: Partial<ResolvedRequirement> = {}): ResolvedRequirement => ({
  capability: "fs:write",
  target: pathTarget(path, home, undefined, false),
  ...more,
});

/** What each reach would store, where the call runs in `cwd`. */
function reaches(needs: ResolvedRequirement[], home: string, cwd?: string): Record<string, string> {
  const permanent = choicesFor(needs, { home, cwd }).filter(({ scope }) => scope === "permanent");
  return Object.fromEntries(
    permanent.map(({ reach, grants }) => [reach ?? "", grants.map(({ target }) => target).join(" ")]),
  );
}

/** A home with a project in it; `git` makes a folder a repository. */
function homeWithProject() {
  const home = tempFolder();
  const git = (folder: string) => {
    mkdirSync(join(folder, ".git"), { recursive: true });
    writeFileSync(join(folder, ".git/HEAD"), "ref: refs/heads/main\n");
  };
  const project = join(home, "p/website");
  mkdirSync(join(project, "src/pages"), { recursive: true });
  git(project);
  return { home, project, git };
}

describe("the reach 'project'", () => {
  it("is the repository that the path lies in, beside the narrower ones", () => {
    const { home, project } = homeWithProject();
    expect(reaches([need(`${project}/src/pages/a.tsx`, home)], home)).toEqual({
      file: `${project}/src/pages/a.tsx`,
      folder: `${project}/src/pages/*`,
      tree: `${project}/src/pages/**`,
      project: `${project}/**`,
    });
  });

  it("is the working directory's repository where the path lies in that, also in a repository inside it", () => {
    const { home, project, git } = homeWithProject();
    git(join(project, "vendor/lib"));
    const inner = need(`${project}/vendor/lib/src/a.ts`, home);
    expect(reaches([inner], home, join(project, "src")).project).toBe(`${project}/**`);
    expect(reaches([inner], home, join(home, "elsewhere")).project).toBe(`${project}/vendor/lib/**`);
    // A path outside is not covered by the working directory's project.
    expect(reaches([need(`${home}/p/notes.txt`, home)], home, project)).not.toHaveProperty("project");
  });

  it("knows worktrees and submodules by their file, and nothing that only is called .git", () => {
    const { home } = homeWithProject();
    const made = (name: string, git: (path: string) => void) => {
      mkdirSync(join(home, name, "src"), { recursive: true });
      git(join(home, name, ".git"));
      return reaches([need(`${home}/${name}/src/a`, home)], home).project;
    };
    expect(made("worktree", (path) => writeFileSync(path, "gitdir: /elsewhere/.git/worktrees/x\n"))).toBe(
      `${home}/worktree/**`,
    );
    expect(made("file", (path) => writeFileSync(path, "hello"))).toBeUndefined();
    expect(made("folder", (path) => mkdirSync(path))).toBeUndefined();
    expect(made("link", (path) => symlinkSync(join(home, "p/website/.git"), path))).toBeUndefined();
  });

  it("is never the home folder, one above it, or a folder that the path only seems to lie in", () => {
    const { home, project, git } = homeWithProject();
    git(home);
    expect(reaches([need(`${home}/notes/a`, home)], home)).not.toHaveProperty("project");
    const inside = join(home, "users/me");
    mkdirSync(inside, { recursive: true });
    git(join(home, "users"));
    expect(reaches([need(`${home}/users/other/a`, inside)], inside)).not.toHaveProperty("project");
    // A link in the project that leads out of it.
    mkdirSync(join(home, "private"));
    symlinkSync(join(home, "private"), join(project, "src/out"));
    const outside = reaches([need(`${project}/src/out/a`, home)], home, project);
    expect(Object.values(outside).filter((target) => target.startsWith(project))).toEqual([]);
  });

  it("is offered once where the folder is the project itself, and by that folder's name", () => {
    const { home, project } = homeWithProject();
    expect(reaches([need(`${project}/a.ts`, home)], home)).toEqual({
      file: `${project}/a.ts`,
      folder: `${project}/*`,
      tree: `${project}/**`,
    });
  });

  it("of several needs is one answer for all of them", () => {
    const { home, project } = homeWithProject();
    const needs = [need(`${project}/src/a`, home), need(`${project}/test/b`, home, { capability: "fs:read" })];
    expect(reaches(needs, home).project).toBe(`${project}/** ${project}/**`);
    expect(reaches([need(`${project}/src/a`, home), need(`${project}/test/b`, home)], home).project).toBe(
      `${project}/**`,
    );
  });

  it("is not offered for what is asked about each time", () => {
    const { home, project } = homeWithProject();
    expect(reaches([need(`${project}/.env`, home, { ask_each_time: "a secret" })], home, project)).toEqual({});
  });
});

describe("the reach 'subdomains'", () => {
  const host = (name: string): ResolvedRequirement => ({
    capability: "network:http",
    target: { kind: "host", host: name },
  });

  it.each([
    ["rates.example.net", "*.example.net"],
    ["a.b.example.co.uk", "*.example.co.uk"],
    ["docs.me.github.io", "*.me.github.io"],
    ["xn--bcher-kva.example.com", "*.example.com"],
  ])("of %s is %s", (name, domain) => {
    expect(reaches([host(name)], "/home/me")).toEqual({ host: name, subdomains: domain });
  });

  it.each([
    ["example.net", "the domain itself: what is below it isn't what was asked"],
    ["me.github.io", "a host below a suffix under which anybody may have one"],
    ["bucket.s3.amazonaws.com", "the same"],
    ["example.co.uk", "a country's suffix of two parts"],
    ["co.uk", "a suffix itself"],
    ["127.0.0.1", "an address"],
    ["[::1]", "an address"],
    ["localhost", "no domain"],
    ["a.printer.lan", "a suffix that isn't on the public list"],
  ])("isn't offered for %s: %s", (name) => {
    expect(reaches([host(name)], "/home/me")).toEqual({ host: name });
  });
});
