import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { gatePaths } from "../../../ipc/base/paths.ts";
import { GateFiles } from "../../../main/decide/places/gate-files.ts";
import { type ConfinedWorld, confinedWorld, confinementIn, shellCall } from "../../support/confined-calls.ts";
import { PAIRED } from "../../support/examinations.ts";
import { freshGrants, ROBERTO } from "../../support/gate-stores.ts";
import { tempFolder, tempFolderForFile } from "../../support/temp-folder.ts";

const home = tempFolderForFile();
let world: ConfinedWorld;
beforeAll(() => {
  world = confinedWorld(home);
});

function git(cwd: string, ...args: string[]): void {
  const env = { PATH: process.env.PATH, HOME: home, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  const own = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "protocol.file.allow=always"];
  execFileSync("git", [...own, ...args], { cwd, env, stdio: "pipe" });
}

/** The declaration of a line in this folder; the reason where it isn't confined. */
function declaredIn(cwd: string, at = world) {
  const found = confinementIn(at, shellCall("make", cwd));
  return found.reason === null ? found.declaration : found.reason;
}

/** A folder in the home that is a repository by its looks. */
function repository(name: string): string {
  const folder = join(home, name);
  mkdirSync(join(folder, ".git/objects"), { recursive: true });
  writeFileSync(join(folder, ".git/HEAD"), "ref: refs/heads/main\n");
  return folder;
}

describe("the project is the repository of the working directory", () => {
  it("from any folder in it, also where a link leads to it", () => {
    expect(declaredIn(join(world.project, "src/store"))).toMatchObject({ project: world.project });
    const link = join(home, "link");
    symlinkSync(world.project, link);
    expect(declaredIn(link)).toMatchObject({ project: world.project, cwd: link });
  });

  it("of a linked worktree with the repository's own folder, which it reads and writes, and needs", () => {
    const worktree = join(home, "work/feature");
    git(world.project, "worktree", "add", "-q", "-b", "feature", worktree);
    const common = join(world.project, ".git");
    expect(declaredIn(worktree)).toMatchObject({ project: worktree, writes: [common] });
    const found = confinementIn(world, shellCall("make", worktree));
    if (found.reason !== null) throw new Error(found.reason);
    expect(found.needs.map(({ capability, target }) => [capability, target.kind === "path" && target.real])).toEqual([
      ["fs:read", worktree],
      ["fs:write", worktree],
      ["fs:read", common],
      ["fs:write", common],
    ]);
    // Inside the project itself it needs nothing more.
    git(world.project, "worktree", "add", "-q", "-b", "inner", join(world.project, "inner"));
    expect(declaredIn(join(world.project, "inner"))).toMatchObject({ project: join(world.project, "inner") });
  });

  it("of a submodule with its folder in the repository above it", () => {
    const above = join(home, "work/above");
    mkdirSync(above);
    git(above, "init", "-q");
    git(above, "submodule", "add", "-q", world.project, "part");
    expect(declaredIn(join(above, "part"))).toMatchObject({
      project: join(above, "part"),
      writes: [join(above, ".git/modules/part")],
    });
  });
});

describe("a `.git` file gives nothing that its repository doesn't know of", () => {
  const naming = (gitdir: string): string => {
    const folder = join(home, "work", `fake-${Math.random()}`);
    mkdirSync(folder);
    writeFileSync(join(folder, ".git"), `gitdir: ${gitdir}\n`);
    return folder;
  };

  it("no other repository, no worktree of somebody else, no folder of keys", () => {
    const other = repository("work/other");
    git(world.project, "worktree", "add", "-q", "-b", "known", join(home, "work/known"));
    mkdirSync(join(home, ".ssh"), { recursive: true });
    for (const gitdir of [
      join(other, ".git"),
      join(world.project, ".git"),
      join(world.project, ".git/worktrees/known"),
      join(home, ".ssh"),
      "../../..",
    ])
      expect([gitdir, declaredIn(naming(gitdir))]).toEqual([gitdir, "no-project"]);
  });

  it("no folder that is made to look like a worktree's, and shares another repository", () => {
    const other = repository("work/shared");
    const folder = naming("../made/worktrees/x");
    const made = join(home, "work/made/worktrees/x");
    mkdirSync(made, { recursive: true });
    writeFileSync(join(made, "gitdir"), `${join(folder, ".git")}\n`);
    writeFileSync(join(made, "commondir"), `${join(other, ".git")}\n`);
    expect(declaredIn(folder)).toBe("no-project");
  });

  it("no submodule's folder that a link leads out of its repository", () => {
    const above = repository("work/linking");
    const victim = repository("work/victim");
    symlinkSync(victim, join(above, ".git/modules"));
    const part = join(above, "part");
    mkdirSync(part);
    writeFileSync(join(part, ".git"), "gitdir: ../.git/modules/.git\n");
    expect(declaredIn(part)).toBe("no-project");
  });

  it("and no repository's folder that names another one", () => {
    const folder = repository("work/renamed");
    writeFileSync(join(folder, ".git/commondir"), join(world.project, ".git"));
    expect(declaredIn(folder)).toBe("no-project");
  });
});

describe("what is no project", () => {
  it("a home folder, one above it, a place that others share", () => {
    const homely = confinedWorld(tempFolder());
    cpSync(join(homely.project, ".git"), join(homely.home, ".git"), { recursive: true });
    rmSync(join(homely.project, ".git"), { recursive: true });
    for (const cwd of [homely.home, join(homely.home, "work"), "/", "/tmp", "/etc", "/usr", "/proc/self/cwd"])
      expect([cwd, declaredIn(cwd, homely)]).toEqual([cwd, "no-project"]);
  });

  it("the folder of a process, by its number or as each process sees its own", () => {
    const other = spawn("sleep", ["60"], { cwd: world.project, stdio: "ignore" });
    onTestFinished(() => {
      other.kill("SIGKILL");
    });
    // Its project, as long as it runs and has that number.
    for (const folder of [`/proc/${other.pid}/cwd`, `/proc/${other.pid}/cwd/src`])
      expect([folder, declaredIn(folder)]).toEqual([folder, "no-project"]);
    expect(declaredIn(world.project)).toMatchObject({ project: world.project });
  });

  it.each([".ssh", ".config/nvim", ".password-store", ".oh-my-zsh", "bin", ".claude"])(
    "a repository in ~/%s: whose content runs later, or is secret",
    (name) => {
      expect(declaredIn(repository(name))).toBe("no-project");
    },
  );

  it("one with the settings of an agent's client in it that the environment names: no box knows them", () => {
    const folder = repository("work/own");
    const at = (env: Record<string, string>) => ({ ...world, settings: { ...world.settings, env } });
    expect(declaredIn(folder, at({}))).toMatchObject({ project: folder });
    for (const env of [
      { CODEX_HOME: join(folder, "state/codex") },
      { OPENCODE_CONFIG: join(folder, "oc.json") },
      { GEMINI_CLI_SYSTEM_SETTINGS_PATH: join(folder, "gemini.json") },
    ])
      expect([env, declaredIn(folder, at(env))]).toEqual([env, "no-project"]);
  });

  it("the gate's own folders, and its program's", () => {
    const program = repository("work/gate");
    const paths = gatePaths({ HOME: home, METNOS_GRANTS_DB: join(home, "work/kept/grants.db") });
    const gateFiles = new GateFiles(paths, home, [join(program, "bin")]);
    const at = { ...world, settings: { ...world.settings, gateFiles } };
    expect(declaredIn(program)).toMatchObject({ project: program });
    expect(declaredIn(program, at)).toBe("no-project");
    expect(declaredIn(repository("work/kept"), at)).toBe("no-project");
    expect(declaredIn(world.project, at)).toMatchObject({ project: world.project });
  });
});

describe("without a repository, the folder that was granted", () => {
  function granted(target: string, more: { agent?: string; session?: string; capability?: "fs:read" } = {}) {
    const { grants } = freshGrants();
    grants.recordGrant({ ...ROBERTO, capability: "fs:write", agent: PAIRED.agent_id, session: "s1", target, ...more });
    return { ...world, settings: { ...world.settings, grants } };
  }

  it("is the project, from any folder in it", () => {
    const folder = join(home, "loose/a");
    mkdirSync(folder, { recursive: true });
    expect(declaredIn(folder)).toBe("no-project");
    expect(declaredIn(folder, granted(`${join(home, "loose")}/**`))).toMatchObject({
      project: join(home, "loose"),
      writes: [],
    });
  });

  it("only by a grant of this agent, for writing, on all below, and never the home", () => {
    const folder = join(home, "loose2/a");
    mkdirSync(folder, { recursive: true });
    const below = `${join(home, "loose2")}/**`;
    for (const at of [
      granted(below, { agent: "another" }),
      granted(below, { session: "another" }),
      granted(below, { capability: "fs:read" }),
      granted(`${join(home, "loose2")}/*`),
      granted(`${join(home, "loose2")}/*/**`),
      granted(`${home}/**`),
    ])
      expect(declaredIn(folder, at)).toBe("no-project");
  });
});

describe("packages that are a link to another project's", () => {
  const reads = (cwd: string) => {
    const found = confinementIn(world, shellCall("npm test", cwd));
    if (found.reason !== null) throw new Error(found.reason);
    const needs = found.needs.filter(({ capability }) => capability === "fs:read").map(({ target }) => target);
    const asked = needs.flatMap((target) => (target.kind === "path" && target.is_tree ? [target.real] : []));
    return { shown: found.declaration.reads, asked: asked.filter((path) => path !== found.declaration.project) };
  };

  it("are shown to its commands, by a need of their own", () => {
    const [own, other] = [repository("work/linked"), repository("work/main")];
    const packages = join(other, "node_modules");
    mkdirSync(join(own, "part/src"), { recursive: true });
    mkdirSync(packages);
    symlinkSync(packages, join(own, "node_modules"));
    expect(reads(join(own, "part/src"))).toEqual({ shown: [packages], asked: [packages] });
    expect(reads(other)).toEqual({ shown: [], asked: [] });
  });

  it.each(["other/src", "other", "notes/node_modules", ".ssh"])("aren't where the link leads to %s", (target) => {
    const [own, other] = [repository("work/elsewhere"), repository("work/other")];
    for (const folder of [join(other, "src"), join(home, "work/notes/node_modules"), join(home, "work/.ssh")])
      mkdirSync(folder, { recursive: true });
    rmSync(join(own, "node_modules"), { force: true });
    symlinkSync(join(home, "work", target), join(own, "node_modules"));
    expect(reads(own)).toEqual({ shown: [], asked: [] });
  });
});
