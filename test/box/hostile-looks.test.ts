import { execFileSync } from "node:child_process";
import { appendFileSync, cpSync, mkdirSync, renameSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { realForm, realPath, withScanLimit } from "@metnos-gate/shell-reading/files";
import { describe, expect, it, onTestFinished } from "vitest";
import { repositoryPlaces } from "../../main/box/arguments/git.ts";
import { coverOf, Indexes } from "../../main/box/arguments/masks.ts";
import { Places, TooLarge } from "../../main/box/project/places.ts";
import { TimeSlice } from "../../main/box/project/time-slice.ts";
import { askedBelow } from "../../main/decide/places/further-needs.ts";
import { HeldByGit } from "../../main/decide/places/held-by-git.ts";
import { indexOf } from "../support/git-index.ts";
import { tempFolder } from "../support/temp-folder.ts";

/** What is looked at in one piece, while the gate answers nobody, is bounded, whatever a hostile project holds. */

/** Of processor time: the machine may do much else. */
const MAX_MS = 700;

function within<T>(look: () => T): T {
  const began = process.threadCpuUsage();
  const seen = look();
  const { user, system } = process.threadCpuUsage(began);
  expect((user + system) / 1000).toBeLessThan(MAX_MS);
  return seen;
}

/** Slices that measure how long the pieces between them took, in milliseconds of processor time. */
class Pieces extends TimeSlice {
  longest = 0;
  #began = process.threadCpuUsage();

  passed(): void {
    const { user, system } = process.threadCpuUsage(this.#began);
    this.longest = Math.max(this.longest, (user + system) / 1000);
  }

  override async shared(): Promise<void> {
    this.passed();
    await super.shared();
    this.#began = process.threadCpuUsage();
  }
}

/** Folders in one another, as deep as a path can name. */
function makeDeep(project: string): string {
  const deep = `${project}/${"d/".repeat(1900)}`.slice(0, -1);
  mkdirSync(deep, { recursive: true });
  onTestFinished(() => void execFileSync("rm", ["-rf", `${project}/d`]));
  return deep;
}

/** As a line is shown that only looks. */
const looking = (project: string) =>
  ({ kind: "looking", project, cwd: project, reads: [project], writes: [], network: false }) as const;

describe("a hostile project", () => {
  it("with thousands of names that have to be looked into has the rest taken for secrets", () => {
    const project = tempFolder();
    writeFileSync(join(project, "big"), "a-b ".repeat(64 * 1024));
    for (let index = 0; index < 1500; index++) symlinkSync("big", join(project, `k${index}.pem`));
    const target = { kind: "path", lexical: project, real: project, is_tree: true } as const;
    const asked = within(() =>
      withScanLimit(() => askedBelow({ capability: "fs:read", target }, new HeldByGit("/nobody"))),
    );
    expect(asked.length).toBeGreaterThan(0);
  });

  it("with a large index has its secrets looked up in it quickly", () => {
    const project = tempFolder();
    mkdirSync(join(project, ".git"));
    const names = Array.from({ length: 130_000 }, (_, index) => `z/${String(index).padStart(6, "0")}`);
    writeFileSync(
      join(project, ".git/index"),
      indexOf([...names.slice(0, 1000), "z/000999x/.env", ...names.slice(1000)]),
    );
    mkdirSync(join(project, "z/000999x"), { recursive: true });
    const indexes = new Indexes();
    const covers = within(() =>
      Array.from({ length: 2000 }, (_, index) => coverOf(join(project, `${index}/.env`), project, indexes)),
    );
    expect(new Set(covers)).toEqual(new Set(["empty"]));
    expect(coverOf(join(project, "z/000999x/.env"), project, indexes)).toBe("unreadable");
  });

  it("with thousands of folders in one another, or chains of links, has its paths followed quickly", () => {
    const project = tempFolder();
    const deep = makeDeep(project);
    for (let index = 0; index < 39; index++)
      symlinkSync(`${"../".repeat(2)}${"d/../".repeat(600)}chain${index + 1}`, join(project, "d/d", `chain${index}`));
    const deepest = `${deep}/there`;
    const paths = Array.from({ length: 20 }, (_, index) => [deep, deepest, `${deepest}/${"x/".repeat(index)}y`]).flat();
    const found = within(() => paths.map((path) => realForm(path)));
    // Nobody works so deep: no decision begins to follow it.
    expect(new Set(found)).toEqual(new Set([null]));
    expect(within(() => paths.map(() => realPath(deep)))).toContain(deep);
    const chains = Array.from({ length: 400 }, (_, index) => join(project, "d/d", `chain${index % 39}`, `../${index}`));
    within(() => withScanLimit(() => chains.map((path) => realForm(path))));
  });

  it("with thousands of long logs of git's has them read in pieces, and no more than fits into one look", async () => {
    const project = tempFolder();
    execFileSync("git", ["init", "-q", project]);
    const logs = join(project, ".git/logs");
    mkdirSync(join(logs, "refs/heads"), { recursive: true });
    for (let index = 0; index < 600; index++) {
      const log = join(logs, "refs/heads", String(index));
      writeFileSync(log, "");
      truncateSync(log, 2 * 1024 * 1024);
    }
    const looked = () => new Places().before(looking(project), turns);
    const turns = new Pieces();
    const began = process.threadCpuUsage();
    const { found } = await looked();
    const { user, system } = process.threadCpuUsage(began);
    expect(found.secrets).toEqual([logs]);
    expect((user + system) / 1000).toBeLessThan(MAX_MS);
    expect(turns.longest).toBeLessThan(50);
    // Others than git makes.
    for (let index = 0; index < 1001; index++) mkdirSync(join(project, `.git/modules/m${index}`), { recursive: true });
    await expect(looked()).rejects.toThrow(TooLarge);
  });

  it("has a password hidden as soon as git has written it into a log, whatever was found before", async () => {
    const project = tempFolder();
    const odd = Buffer.from(`${project}/caf\xe9`, "latin1");
    execFileSync("git", ["init", "-q", project]);
    const git = join(project, ".git");
    mkdirSync(join(git, "logs/refs/heads"), { recursive: true });
    for (const name of ["HEAD", "refs/heads/main"]) writeFileSync(join(git, "logs", name), "x\n");
    const places = new Places();
    const hidden = async () => (await places.before(looking(project), new TimeSlice())).found.secrets;
    expect(await hidden()).toEqual([]);
    expect(await hidden()).toEqual([]);
    for (const name of ["HEAD", "refs/heads/main"])
      appendFileSync(join(git, "logs", name), "pull https://me:pw@h.example/x\n");
    expect(await hidden()).toEqual([join(git, "logs")]);
    writeFileSync(join(git, "FETCH_HEAD"), "branch 'm' of https://me:pw@h.example/x\n");
    expect(await hidden()).toEqual([join(git, "logs"), join(git, "FETCH_HEAD")]);
    // Of a name that isn't UTF-8 nothing is read, and nothing shown.
    cpSync(git, `${project}/copied`, { recursive: true });
    mkdirSync(odd);
    renameSync(`${project}/copied`, Buffer.concat([odd, Buffer.from("/.git")]));
    const { unnamedSecrets } = await places.before(looking(project), new TimeSlice());
    const at = Buffer.concat([odd, Buffer.from("/.git/")]).toString("latin1");
    expect(unnamedSecrets).toEqual(expect.arrayContaining([`${at}logs`, `${at}FETCH_HEAD`]));
  });

  it("with many links to folders of programs, each by a long way, has them followed in pieces", async () => {
    const project = tempFolder();
    for (const name of ["d", "chain30", ".tox"]) mkdirSync(join(project, name));
    for (let index = 0; index < 30; index++)
      symlinkSync(`${"d/../".repeat(300)}chain${index + 1}`, join(project, `chain${index}`));
    const link = (from: number, to: number) => {
      for (let index = from; index < to; index++) symlinkSync("../chain0", join(project, ".tox", String(index)));
    };
    link(0, 400);
    const box = { project, cwd: project, reads: [], writes: [], network: false };
    const turns = new Pieces();
    const { known } = await new Places().before(box, turns);
    expect(known[0]?.places).toHaveLength(400);
    turns.passed();
    expect(turns.longest).toBeLessThan(MAX_MS);
    link(400, 4100);
    await expect(new Places().before(box, turns)).rejects.toThrow(TooLarge);
  });

  it.each(["modules", "worktrees"])("with more folders in .git/%s than anybody has gets no box", (name) => {
    const git = join(tempFolder(), ".git");
    for (let index = 0; index < 1200; index++) mkdirSync(join(git, name, String(index)), { recursive: true });
    within(() => expect(() => repositoryPlaces(git)).toThrow(/too many folders/));
  });

  it("that can't be looked through has no line run that only looks, as its secrets aren't all hidden", async () => {
    const project = tempFolder();
    for (let index = 0; index < 20; index++) mkdirSync(join(project, `a${index}/b`), { recursive: true });
    const places = new Places({ folders: 10, names: 1000, large: 100_000 });
    const box = { project, cwd: project, reads: [project], writes: [], network: false };
    await expect(places.before({ ...box, kind: "looking" }, new TimeSlice())).rejects.toThrow(TooLarge);
    // A clear line's words say what it reads, and that was decided on.
    await expect(places.before({ ...box, kind: "needs" }, new TimeSlice())).resolves.toBeDefined();
  });
});
