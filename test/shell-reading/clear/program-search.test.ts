import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { MAX_SHELL_PATH, shellPathOf } from "../../../ipc/contract/shell-path.ts";
import { contextSchema } from "../../../ipc/contract/wire.ts";
import { programSearchOf } from "../../../packages/shell-reading/clear/program-search.ts";
import { decided as decidedBy } from "../../support/examinations.ts";
import { freshGrants, ROBERTO } from "../../support/gate-stores.ts";
import { NOT_SHARED } from "../../support/not-shared.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const USUAL = "/usr/local/bin:/usr/bin:/bin";

/** A project in a repository below a home of its own; both outside of the folders that all programs share. */
function world() {
  // Folders of tests lie in /tmp, which counts as everybody's: the shell's own folders here are the system's.
  const home = tempFolder();
  const project = join(home, "project");
  mkdirSync(join(project, ".git"), { recursive: true });
  writeFileSync(join(project, ".git/HEAD"), "ref: refs/heads/main\n");
  writeFileSync(join(project, "a.txt"), "x\n");
  const { grants } = freshGrants();
  for (const capability of ["fs:read", "fs:write"] as const)
    grants.recordGrant({ ...ROBERTO, capability, target: `${project}/**` });
  const plant = (path: string) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, "#!/bin/sh\ntouch pwned\n");
    chmodSync(path, 0o755);
    return dirname(path);
  };
  const decided = (command: string, path: string | undefined, cwd = project) =>
    decidedBy({
      executor: "shell_exec",
      args: { command },
      context: { cwd, ...(path === undefined ? {} : { path }) },
      settings: { home, grants },
    });
  const needsCode = (command: string, path: string | undefined, cwd?: string) =>
    decided(command, path, cwd).capabilities.some(({ capability }) => capability === "code:exec");
  return { home, project, grants, plant, needsCode, decided };
}

describe("a program of a clear line", () => {
  it.each([".venv/bin", "env/bin", "bin", "node_modules/.bin", "tools/deep"])(
    "isn't the usual one where %s of the project is before it on the shell's PATH and holds its name",
    (folder) => {
      const { project, plant, needsCode } = world();
      const bin = join(project, folder);
      expect(needsCode("cat a.txt | head -n 1", `${bin}:${USUAL}`)).toBe(false);
      plant(join(bin, "cat"));
      expect(needsCode("cat a.txt | head -n 1", `${bin}:${USUAL}`)).toBe(true);
      expect(needsCode("head -n 1 a.txt", `${bin}:${USUAL}`)).toBe(false);
      expect(needsCode("cat a.txt", `${USUAL}:${bin}`)).toBe(false);
      expect(needsCode("/bin/cat a.txt", `${bin}:${USUAL}`)).toBe(false);
    },
  );

  it("isn't known where PATH begins with a folder that is another one for each process", () => {
    const { needsCode } = world();
    for (const folder of ["/proc/self/cwd/bin", "/proc/thread-self/cwd"]) {
      expect(needsCode("cat a.txt", `${folder}:${USUAL}`)).toBe(true);
      expect(needsCode("cat a.txt", `${USUAL}:${folder}`)).toBe(false);
    }
  });

  it.each(["gone", "./gone/bin", "~/gone", "~nobody/bin", ".", ""])(
    "is decided on where the shell's PATH begins with %o, and nothing is there",
    (folder) => {
      const { needsCode } = world();
      expect(needsCode("cat a.txt", `${folder}:${USUAL}`)).toBe(false);
    },
  );

  it("is looked up behind wrappers, in find and in xargs as well", () => {
    const { project, plant, needsCode } = world();
    const path = `${plant(join(project, "bin/grep"))}:${USUAL}`;
    for (const line of [
      "timeout 5 grep x a.txt",
      "find . -type f -exec grep -l x {} +",
      "find . -type f -print0 | xargs -0 grep x",
      // A script that starts the other.
      "egrep x a.txt",
    ]) {
      expect([line, needsCode(line, USUAL)]).toEqual([line, false]);
      expect([line, needsCode(line, path)]).toEqual([line, true]);
    }
    expect(needsCode("timeout 5 cat a.txt", `${plant(join(project, "wrap/timeout"))}:${USUAL}`)).toBe(true);
    // tar starts another by what an archive begins with.
    const packers = plant(join(project, "packers/compress"));
    for (const name of ["a.tgz", "a.tar"]) writeFileSync(join(project, name), "");
    for (const line of ["tar tzf a.tgz", "tar -tf a.tar"])
      expect([line, needsCode(line, USUAL), needsCode(line, `${packers}:${USUAL}`)]).toEqual([line, false, true]);
  });

  it("is git's only where what the user's own settings have git run isn't planted", () => {
    const { project, plant, needsCode } = world();
    for (const folder of ["objects", "refs"]) mkdirSync(join(project, ".git", folder));
    const path = `${join(project, "bin")}:${USUAL}`;
    expect(needsCode("git status", path)).toBe(false);
    plant(join(project, "bin/git-lfs"));
    expect(needsCode("git status", path)).toBe(true);
    expect(needsCode("git status", USUAL)).toBe(false);
  });

  it.each(["", ".", "bin", "./bin"])(
    "isn't known by a relative name on PATH, such as %o, in the shell's folder",
    (entry) => {
      const { project, plant, needsCode } = world();
      plant(join(project, entry === "" ? "." : entry, "cat"));
      expect(needsCode("cat a.txt", `${entry}:${USUAL}`)).toBe(true);
      mkdirSync(join(project, "src"));
      expect(needsCode("cd src && head -n 1 /dev/null", `${entry}:${USUAL}`)).toBe(false);
      plant(join(project, "src", entry, "head"));
      expect(needsCode("cd src && head -n 1 /dev/null", `${entry}:${USUAL}`)).toBe(true);
    },
  );

  it("isn't the usual one in a folder that anybody was granted, that all share, or that a link leads to", () => {
    const { home, project, grants, plant, needsCode } = world();
    const elsewhere = join("/opt", "metnos-tests-granted");
    grants.recordGrant({ ...ROBERTO, capability: "fs:write", target: `${elsewhere}/**`, agent: "another" });
    expect(grants.isWriteGranted(`${elsewhere}/cat`)).toBe(true);
    expect(grants.isWriteGranted("/opt/other/cat")).toBe(false);
    expect(needsCode("cat a.txt", `${plant(join(home, "shared/cat"))}:${USUAL}`)).toBe(true);
    plant(join(project, "tools/cat"));
    symlinkSync(join(project, "tools"), join(home, "link"));
    expect(needsCode("cat a.txt", `${join(home, "link")}:${USUAL}`)).toBe(true);
  });

  it.skipIf(NOT_SHARED === undefined)(
    "is looked up anew by each line: what is on PATH may lead elsewhere by now",
    () => {
      const { home, project, plant } = world();
      plant(join(project, "tools/cat"));
      const own = mkdtempSync(join(NOT_SHARED ?? "", "metnos-test-"));
      onTestFinished(() => rmSync(own, { recursive: true }));
      const folder = join(own, "current");
      // At Full a project is written without a grant.
      const settings = { home, grants: freshGrants().grants };
      const needsCode = (executor: string, args: Record<string, unknown>) =>
        decidedBy({
          executor,
          args,
          context: { cwd: project, path: `${folder}:${own}:${USUAL}` },
          settings,
        }).capabilities.some(({ capability }) => capability === "code:exec");
      const calls = () => [
        needsCode("shell_exec", { command: "cat a.txt" }),
        needsCode("shell_exec", { command: "head a.txt" }),
        needsCode("fs_write", { path: join(project, "tools/x"), content: "x" }),
      ];
      expect(calls()).toEqual([false, false, false]);
      symlinkSync(join(project, "tools"), folder);
      symlinkSync(join(project, "a.txt"), join(own, "head"));
      expect(calls()).toEqual([true, true, true]);
    },
  );

  it("is looked up once for a line, however often that names it", () => {
    const { home, project } = world();
    const call = { intent: "", executor: "shell_exec", args: {}, context: { cwd: project, path: USUAL } };
    let looks = 0;
    const search = programSearchOf(call, home, () => ++looks < 0);
    search?.isPlanted("cat", project);
    const once = looks;
    for (let left = 400; left > 0; left--) search?.isPlanted("cat", join(project, `${left}`));
    expect([once > 0, looks]).toEqual([true, once]);
  });

  it("counts as it was before where the agent says no PATH", () => {
    const { project, plant, needsCode } = world();
    plant(join(project, ".venv/bin/cat"));
    expect(needsCode("cat a.txt", undefined)).toBe(false);
  });

  it("is asked about with the reason", () => {
    const { project, plant, decided } = world();
    const answer = decided("cat a.txt", `${plant(join(project, ".venv/bin/cat"))}:${USUAL}`);
    expect(answer.outcome).toBe("approval_required");
  });
});

describe("writing a program", () => {
  it.each([
    ".venv/bin/x",
    "venv/bin/x",
    "env/bin/x",
    "vendor/bin/x",
    ".tox/py311/bin/x",
    ".nox/lint/bin/x",
    "node_modules/.bin/x",
    "bin/cat",
    "bin/gzip",
    "packages/a/bin/GIT",
  ])("at %s of a project is running code", (name) => {
    const { home, project, grants } = world();
    const args = { path: join(project, name), content: "x" };
    const answer = decidedBy({ executor: "fs_write", args, context: { cwd: project }, settings: { home, grants } });
    expect(answer.capabilities.map(({ capability }) => capability)).toContain("code:exec");
  });

  it.each(["bin/start", "src/cat", "environment/bin/x", "bin/test"])("at %s is writing a file", (name) => {
    const { home, project, grants } = world();
    const args = { path: join(project, name), content: "x" };
    const answer = decidedBy({ executor: "fs_write", args, context: { cwd: project }, settings: { home, grants } });
    expect(answer.outcome).toBe("allowed");
  });

  it("into a folder of the PATH that the agent's shell has is running code", () => {
    const { home, project, grants } = world();
    const args = { path: join(project, "tools/anything"), content: "x" };
    const context = { cwd: project, path: `${join(project, "tools")}:${USUAL}` };
    const answer = decidedBy({ executor: "fs_write", args, context, settings: { home, grants } });
    expect(answer.capabilities.map(({ capability }) => capability)).toContain("code:exec");
  });
});

describe("the PATH that an agent sends", () => {
  it("is a text of bounded length without a NUL byte; of a longer one the first folders are sent", () => {
    const long = `/first:${"/x".repeat(MAX_SHELL_PATH)}`;
    expect(shellPathOf({ PATH: long })).toEqual({ path: "/first" });
    expect(contextSchema.safeParse({ path: long }).success).toBe(false);
    expect(contextSchema.safeParse({ path: "/a\0/b" }).success).toBe(false);
    expect(contextSchema.safeParse(shellPathOf({ PATH: long })).success).toBe(true);
    expect(shellPathOf({})).toEqual({});
  });
});
