import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { systemClock } from "../../../main/base/clocks/system-clock.ts";
import { openBoxFolder } from "../../../main/box/box-folder.ts";
import { AfterRuns } from "../../../main/box/project/after-runs.ts";
import { Places } from "../../../main/box/project/places.ts";
import { TimeSlice } from "../../../main/box/project/time-slice.ts";
import { smallDisk } from "../../support/small-disk.ts";
import { tempFolder } from "../../support/temp-folder.ts";

/** What is kept of runs that are going, by this gate and the next one, where a command or a disk makes something of it. */

const RUN = { agent_name: "tester" };
const HOSTILE = "[core]\n\tfsmonitor = ./x.sh\n";

function gate(stateDir = tempFolder(), places = new Places()) {
  const [alarms, failures] = [[] as string[], [] as unknown[]];
  const folder = openBoxFolder(stateDir);
  const after = new AfterRuns({
    ...{ folder, places, clock: systemClock },
    alarms: { raise: ({ message }) => alarms.push(message) },
    audit: { append: () => undefined },
    failed: (_what, error) => failures.push(error),
  });
  const started = async (project: string, run = RUN) =>
    after.started(run, (await places.before({ project, writes: [], reads: [] }, new TimeSlice())).known);
  return { state_dir: stateDir, folder, after, alarms, failures, started };
}

function repository(project: string): string {
  mkdirSync(project, { recursive: true });
  execFileSync("git", ["init", "-q", project]);
  return join(project, ".git/config");
}

/** Mounts a folder at another path as well, where the tests may do that. */
function mountedAt(folder: string, other: string): boolean {
  mkdirSync(other, { recursive: true });
  try {
    execFileSync("mount", ["--bind", folder, other], { stdio: "ignore" });
  } catch {
    console.warn("skipped: a project at two paths: nothing can be mounted here");
    return false;
  }
  onTestFinished(() => {
    execFileSync("umount", [other]);
  });
  return true;
}

describe("a project that is mounted at two paths", () => {
  it("is one to runs at both: what one left and the other found at its start is set aside, also when it is left again", async () => {
    const [project, other] = [join(tempFolder(), "project"), join(tempFolder(), "other")];
    repository(project);
    if (!mountedAt(project, other)) return;
    const { started, after, alarms } = gate();
    const second = { agent_name: "second" };
    await started(project);
    writeFileSync(join(project, ".envrc"), "x");
    await started(other, second);
    await after.ended(RUN);
    expect([existsSync(join(project, ".envrc")), alarms.length]).toEqual([false, 1]);
    writeFileSync(join(other, ".envrc"), "x");
    await after.ended(second);
    expect([existsSync(join(project, ".envrc")), alarms.length]).toEqual([false, 2]);
  });
});

describe("settings that can't be put back, as the disk is full,", () => {
  async function unrestored() {
    const disk = smallDisk(8);
    if (disk === undefined) return undefined;
    const project = join(disk.folder, "project");
    const settings = repository(project);
    const before = readFileSync(settings, "utf8");
    const first = gate();
    await first.started(project);
    appendFileSync(settings, HOSTILE);
    disk.fill();
    await first.after.ended(RUN);
    expect(existsSync(settings)).toBe(false);
    expect(first.alarms.join()).toContain("could not be put back");
    const isOccupied = () => first.after.isOccupied([{ folder: project, places: [] }], true);
    expect(isOccupied()).toBe(false);
    disk.empty();
    return { ...first, project, before, settings, isOccupied };
  }

  it.each(["the next run there", "the next gate"])("are put back after %s", async (by) => {
    const left = await unrestored();
    if (left === undefined) return;
    const { project, settings, before, isOccupied, after, started } = left;
    if (by === "the next gate") {
      const next = gate(left.state_dir);
      await next.after.ended(next.after.takeOver());
    } else {
      await started(project);
      expect(isOccupied()).toBe(true);
      await after.ended(RUN);
      expect(isOccupied()).toBe(false);
    }
    expect(readFileSync(settings, "utf8")).toBe(before);
    expect(readdirSync(left.folder.going)).toEqual([]);
    expect(readdirSync(join(project, ".git")).filter((name) => /^config\.[0-9a-f]{8}$/.test(name))).toEqual([]);
  });
});

describe("the settings of a repository", () => {
  it.each([
    [
      "that has no work tree of its own",
      "",
      (project: string) => execFileSync("git", ["init", "-q", "--bare", project]),
    ],
    [
      "of a submodule",
      ".git/modules/ui",
      (project: string) => execFileSync("git", ["init", "-q", "--bare", join(project, ".git/modules/ui")]),
    ],
    [
      "below the project",
      "vendor/.git",
      (project: string) => execFileSync("git", ["init", "-q", join(project, "vendor")]),
    ],
  ])("%s are compared, too", async (_what, at, make) => {
    const project = tempFolder();
    if (at.startsWith(".git/")) repository(project);
    make(project);
    const settings = join(project, at, "config");
    const before = readFileSync(settings, "utf8");
    const { after, alarms, started } = gate();
    await started(project);
    // As git does outside of the box: what kept the file is gone with it.
    writeFileSync(`${settings}.lock`, `${before}${HOSTILE}`);
    renameSync(`${settings}.lock`, settings);
    await after.ended(RUN);
    expect(readFileSync(settings, "utf8")).toBe(before);
    expect(alarms).toHaveLength(1);
  });

  it("are too much to be kept where many repositories have long ones: then nothing starts there", async () => {
    const project = tempFolder();
    for (let count = 0; count < 40; count++)
      appendFileSync(repository(join(project, `r${count}`)), `# ${"x".repeat(250_000)}\n`);
    const { folder, started } = gate();
    await expect(started(project)).rejects.toThrow(/settings are too long|too many files/);
    expect(readdirSync(folder.going)).toEqual([]);
  });

  it("that are longer than can be kept let nothing start there, as what they hold afterwards couldn't be compared", async () => {
    const project = tempFolder();
    appendFileSync(repository(project), `# ${"x".repeat(300_000)}\n`);
    const { folder, started } = gate();
    await expect(started(project)).rejects.toThrow("settings are too long");
    expect(readdirSync(folder.going)).toEqual([]);
  });

  it.each(["\v", "\x01", "x"])(
    "take no more room than what they hold, of whatever characters: %j",
    async (character) => {
      const project = tempFolder();
      for (let count = 0; count < 8; count++)
        appendFileSync(repository(join(project, `r${count}`)), `# ${character.repeat(200_000)}\n`);
      const first = gate();
      await first.started(project);
      const [name = ""] = readdirSync(first.folder.going);
      expect(lstatSync(join(first.folder.going, name)).size).toBeLessThan(2.5 * 1024 * 1024);
      const settings = join(project, "r3/.git/config");
      const before = readFileSync(settings, "utf8");
      rmSync(settings);
      writeFileSync(settings, HOSTILE);
      const next = gate(first.state_dir);
      await next.after.ended(next.after.takeOver());
      expect(readFileSync(settings, "utf8")).toBe(before);
    },
  );

  it("that was removed meanwhile are nothing to put back", async () => {
    const project = tempFolder();
    repository(project);
    repository(join(project, "vendor"));
    const { after, alarms, failures, started } = gate();
    await started(project);
    rmSync(join(project, "vendor"), { recursive: true });
    await after.ended(RUN);
    expect([alarms, failures]).toEqual([[], []]);
  });
});

describe("a folder's rights", () => {
  const modeOf = (path: string) => lstatSync(path).mode & 0o777;

  it("are given back to its owner where nobody could look into it, and stay as they are where one may not write", async () => {
    const project = tempFolder();
    const settings = repository(project);
    chmodSync(project, 0o555);
    const { after, started } = gate();
    await started(project);
    chmodSync(join(project, ".git"), 0o050);
    await after.ended(RUN);
    expect([modeOf(project), modeOf(join(project, ".git"))]).toEqual([0o555, 0o750]);
    await started(project);
    chmodSync(join(project, ".git"), 0o555);
    appendFileSync(settings, HOSTILE);
    await after.ended(RUN);
    expect([modeOf(join(project, ".git")), readFileSync(settings, "utf8").includes("fsmonitor")]).toEqual([
      0o755,
      false,
    ]);
    chmodSync(project, 0o755);
  });
});

describe("two runs, the folder of one in the other's,", () => {
  const PLANTED = "wt/.vscode/tasks.json";
  const plant = (project: string) => {
    mkdirSync(join(project, "wt/.vscode"), { recursive: true });
    writeFileSync(join(project, PLANTED), "evil");
  };
  const BESIDE = { agent_name: "beside" };

  it("leave nothing where the other one had left it before: neither this gate nor the next one takes it for known", async () => {
    for (const isNext of [false, true]) {
      const project = tempFolder();
      mkdirSync(join(project, "wt"));
      const { after, started, state_dir } = gate();
      await started(join(project, "wt"), BESIDE);
      plant(project);
      await started(project);
      await after.ended(BESIDE);
      expect(existsSync(join(project, PLANTED))).toBe(false);
      plant(project);
      if (isNext) {
        const next = gate(state_dir);
        await next.after.ended(next.after.takeOver());
      } else await after.ended(RUN);
      expect(existsSync(join(project, PLANTED))).toBe(false);
    }
  });

  it.each([
    ["inner", ["wt", ""]],
    ["outer", ["", "wt"]],
  ])(
    "leave nothing of the first one's, the %s one, that the second one hid as the first one ended",
    async (_, order) => {
      const project = tempFolder();
      const hidden = join(tempFolder(), "hidden");
      mkdirSync(join(project, "wt/sub/.vscode"), { recursive: true });
      const planted = join(project, "wt/sub/.vscode/tasks.json");
      const { after, started, folder } = gate();
      const [first = "", second = ""] = order;
      await started(join(project, first), BESIDE);
      writeFileSync(planted, "evil");
      await started(join(project, second));
      renameSync(join(project, "wt/sub"), hidden);
      await after.ended(BESIDE);
      renameSync(hidden, join(project, "wt/sub"));
      await after.ended(RUN);
      expect(existsSync(planted)).toBe(false);
      expect(readdirSync(folder.going)).toEqual([]);
    },
  );

  it("put back what settings held before the first of them", async () => {
    const project = tempFolder();
    const settings = repository(project);
    const before = readFileSync(settings, "utf8");
    const { after, started } = gate();
    await started(join(project, ".git"), BESIDE);
    appendFileSync(settings, HOSTILE);
    await started(project);
    await after.ended(BESIDE);
    expect(readFileSync(settings, "utf8")).toBe(before);
    await after.ended(RUN);
    expect(readFileSync(settings, "utf8")).toBe(before);
  });

  it("are each looked at again once the other one has ended, before they start", async () => {
    const project = tempFolder();
    mkdirSync(join(project, "wt"));
    const { after, started } = gate();
    const began = performance.now();
    await started(join(project, "wt"), BESIDE);
    expect(after.hasEndedSince([project], began)).toBe(false);
    await after.ended(BESIDE);
    const folders = [project, join(project, "wt"), join(project, "wt/a"), join(project, "other")];
    expect(folders.map((folder) => after.hasEndedSince([folder], began))).toEqual([true, true, true, false]);
  });
});

it("hundreds of thousands of places that a command has left are worked through in pieces: nobody waits for them", async () => {
  const project = tempFolder();
  const found = Array.from({ length: 400_000 }, (_, index) => ({
    ...{ path: `${project}/${"d".repeat((index * 7919) % 97)}/${index}/.envrc`, parent: "", own: "", changed_at: 0 },
    is_link: false,
  }));
  const places = { appeared: async () => ({ found: found.splice(0), isWhole: true }) } as unknown as Places;
  const { after } = gate(tempFolder(), places);
  after.started(RUN, [{ folder: project, places: [] }]);
  const cpuTime = () => process.threadCpuUsage().user / 1000;
  let [longest, since] = [0, cpuTime()];
  let isOver = false;
  const turn = () => {
    longest = Math.max(longest, cpuTime() - since);
    since = cpuTime();
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await after.ended(RUN);
  isOver = true;
  expect(found).toEqual([]);
  expect(longest).toBeLessThan(60);
});

describe("what a gate before kept of its runs", () => {
  it("is taken over also where one of their folders can't be reached any more", async () => {
    const [project, other] = [tempFolder(), tempFolder()];
    mkdirSync(join(project, "a/b"), { recursive: true });
    const { started, state_dir } = gate();
    await started(join(project, "a/b"));
    await started(other);
    writeFileSync(join(other, ".envrc"), "x");
    renameSync(join(project, "a"), join(project, "c"));
    symlinkSync("a", join(project, "a"));
    const next = gate(state_dir);
    await next.after.ended(next.after.takeOver());
    expect(existsSync(join(other, ".envrc"))).toBe(false);
    expect(readdirSync(next.folder.going)).toEqual([]);
  });

  it("is nothing, and nothing is said, of a run that it was about to start when it was killed", async () => {
    const { folder, after, alarms } = gate();
    const whole = JSON.stringify({ agent_name: "tester", folder: tempFolder(), places: [] });
    for (const [at, text] of ['{"folder":"/', whole].entries())
      writeFileSync(join(folder.going, `${String(at).repeat(64)}.new`), text);
    await after.ended(after.takeOver());
    expect([alarms, readdirSync(folder.going)]).toEqual([[], []]);
  });

  it("is all of it, or nothing, where the disk is full", async () => {
    const disk = smallDisk(8);
    if (disk === undefined) return;
    const project = tempFolder();
    for (let count = 0; count < 400; count++) mkdirSync(join(project, `${count}/.vscode`), { recursive: true });
    for (let count = 0; count < 400; count++) writeFileSync(join(project, `${count}/.vscode/tasks.json`), "");
    const first = gate(disk.folder);
    disk.fill();
    await expect(first.started(project)).rejects.toThrow("ENOSPC");
    const next = gate(disk.folder);
    await next.after.ended(next.after.takeOver());
    expect([next.alarms, readdirSync(next.folder.going)]).toEqual([[], []]);
  });

  it.each([
    ["nothing, as after a crash of the machine", ""],
    ["another version's", '{"folder":7}'],
    ["cut short", '{"agent_name":"x"'],
  ])("is said not to have been looked after where it can't be read: %s", async (_what, text) => {
    const { folder, after, alarms } = gate();
    writeFileSync(join(folder.going, "0".repeat(64)), text);
    await after.ended(after.takeOver());
    expect(alarms.join()).toContain("could not be looked through");
    expect(readdirSync(folder.going)).toEqual([]);
  });
});
