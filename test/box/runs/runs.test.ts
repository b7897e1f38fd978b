import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { confinedCommand } from "../../../ipc/base/confined-command.ts";
import { PipePairs } from "../../../main/base/pipes/pipe-pairs.ts";
import { openBoxFolder } from "../../../main/box/box-folder.ts";
import { Places } from "../../../main/box/project/places.ts";
import { Runs } from "../../../main/box/runs/runs.ts";
import { tempFolder } from "../../support/temp-folder.ts";
import { type BoxUnderTest, boxUnderTest, shellRuns, withoutBox } from "../box-under-test.ts";

const reason = withoutBox();
if (reason !== undefined) console.warn(`confined runs are not tested: ${reason}`);

const NOT_RUN = {
  code: 126,
  stdout: "",
  stderr: expect.stringMatching(/^Metnos Gate: .*: the command did not run\n$/),
};

const RUN = {
  declaration: { project: "/p", cwd: "/p", reads: [], writes: [], network: false },
  line: "true",
  agent_id: "agent-1",
  agent_name: "tester",
  session: "s",
  call_hash: "0".repeat(64),
  call_id: undefined,
};

const NOT_RUN_SAID = (files: number) => ({
  files,
  code: 126,
  stderr: expect.stringContaining("the command did not run"),
});

const start = ({ project }: BoxUnderTest, argv: readonly string[]) => shellRuns(confinedCommand(argv), project);

/** Resolves once no run is going. */
const idle = ({ box }: BoxUnderTest) =>
  vi.waitFor(() => expect(box.status().running).toBe(0), { timeout: 20_000, interval: 5 });

async function runsAlone() {
  const folder = openBoxFolder(tempFolder());
  const slots = new PipePairs(folder.path, "test", () => undefined);
  await slots.begin();
  const failed = (what: string) => expect.unreachable(what);
  const never = { bypassed: () => failed("bypassed"), hidItsEnd: () => failed("hidItsEnd") };
  const runs = new Runs({ folder, slots, maker: "bwrap", ...never, failed });
  onTestFinished(() => {
    runs.close();
    slots.close();
  });
  return { folder, runs };
}

describe.skipIf(reason !== undefined)("a confined run", () => {
  it("starts once: the second time nothing runs", async () => {
    const underTest = await boxUnderTest();
    const argv = underTest.prepare("echo ran");
    expect(await start(underTest, argv)).toMatchObject({ code: 0, stdout: "ran\n" });
    expect(await start(underTest, argv)).toMatchObject(NOT_RUN);
    await idle(underTest);
    expect(await start(underTest, argv)).toMatchObject(NOT_RUN);
  });

  it("starts once, too, when it is started twice at the same time", async () => {
    const underTest = await boxUnderTest();
    const argv = underTest.prepare("echo ran; sleep 0.2");
    const ends = await Promise.all([start(underTest, argv), start(underTest, argv), start(underTest, argv)]);
    expect(ends.map(({ stdout }) => stdout).sort()).toEqual(["", "", "ran\n"]);
    expect(ends.filter(({ code }) => code === 126)).toHaveLength(2);
  });

  it("that can't be kept on the disk doesn't start, and isn't counted as going", async () => {
    const { run, state_dir, project } = await boxUnderTest();
    const [beside, going] = [join(state_dir, "../beside"), join(state_dir, "box/going")];
    mkdirSync(beside);
    // In the place of what is kept of the second of its folders.
    const other = join(going, createHash("sha256").update(beside).digest("hex"));
    mkdirSync(other);
    const declaration = { project, cwd: project, reads: [], writes: [beside], network: false };
    expect((await run("touch ran", { change: { declaration } })).code).toBe(126);
    expect(existsSync(join(project, "ran"))).toBe(false);
    rmSync(other, { recursive: true });
    expect((await run("touch ran", { change: { declaration } })).code).toBe(0);
    await expect.poll(() => readdirSync(going), { timeout: 5000 }).toEqual([]);
  });

  it("waits for no pipe in the place of what the gate keeps for its project", async () => {
    const { run, state_dir } = await boxUnderTest();
    expect((await run("true")).code).toBe(0);
    const projects = join(state_dir, "box/projects");
    for (const name of readdirSync(projects)) {
      rmSync(join(projects, name, "gitconfig"));
      execFileSync(
        "mkfifo",
        ["gitconfig", "gitconfig.new"].map((file) => join(projects, name, file)),
      );
    }
    expect((await run("git config --global --get safe.directory")).stdout).toBe("*\n");
  });

  it("leaves nothing of git's own tidying in the background, which would end with the box and leave its lock", async () => {
    const { project, run } = await boxUnderTest();
    execFileSync("git", ["init", "-q", project]);
    const began = "touch a; git add a; git -c user.name=a -c user.email=a@b.c commit -qm a";
    // It says which of them git starts.
    const { code, stderr } = await run(`${began}; GIT_TRACE=1 git -c gc.auto=1 -c gc.autoPackLimit=1 gc --auto`);
    expect([code, stderr]).toEqual([0, expect.not.stringContaining("in the background")]);
    expect(await run("git config --get gc.autoDetach; git config --get maintenance.autoDetach")).toMatchObject({
      stdout: "false\nfalse\n",
    });
  });

  it("is left alone by a second launcher while a first one is about to start it", async () => {
    const underTest = await boxUnderTest();
    const argv = underTest.prepare("touch ran");
    const taken = join(underTest.state_dir, "box", `${(argv[2] ?? "").replace(/\..*/, "")}.taken`);
    writeFileSync(taken, "");
    expect(await start(underTest, argv)).toMatchObject({
      code: 126,
      stderr: expect.stringContaining("started before"),
    });
    rmSync(taken);
    expect(await start(underTest, argv)).toMatchObject({ code: 0, stderr: "" });
  });

  it("doesn't start in a project that holds too much for a box, which is known from then on", async () => {
    const underTest = await boxUnderTest();
    const { box, project } = underTest;
    for (let index = 0; index < 700; index++) {
      const folder = join(project, `${index}-${"x".repeat(200)}`);
      mkdirSync(folder);
      writeFileSync(join(folder, ".envrc"), "");
    }
    expect(box.isTooLarge(project)).toBe(false);
    const ended = await underTest.run("echo ran");
    expect(ended).toMatchObject(NOT_RUN);
    expect(ended.stderr).toContain(
      "its project holds too much that is run later for a box: sent again, it is asked about",
    );
    expect(box.isTooLarge(project)).toBe(true);
    expect(underTest.failures).toEqual([]);
  });

  it("counts as none where its launcher ends while its project is looked at", async () => {
    const { folder, runs } = await runsAlone();
    const done: string[] = [];
    let looked: (words: Buffer) => void = () => undefined;
    const dropped = new Promise<void>((resolve) => {
      const { argv } = runs.prepare(RUN, {
        refusal: () => null,
        start: () =>
          new Promise((given) => {
            looked = given;
          }),
        ended: async () => void done.push("ended"),
        dropped: async () => {
          done.push("dropped");
          resolve();
        },
      });
      const pipe = join(folder.path, (argv[2] ?? "").replace(/\..*/, ".up"));
      writeFileSync(pipe, `${argv[2]}\0${0}\0`);
    });
    await dropped;
    looked(Buffer.from("words\0"));
    await turn();
    expect(runs.running).toBe(0);
    expect(done).toEqual(["dropped"]);
  });

  it("can't keep the gate reading by what its box's first process has open: nobody takes it, and its end is seen all the same", async () => {
    vi.stubEnv("METNOS_BOX_MAKER", "bubblewrap"); // with the gate's own program it can't be opened
    onTestFinished(() => void vi.unstubAllEnvs());
    const underTest = await boxUnderTest();
    const flood = "timeout 1 dd if=/dev/zero of=/proc/1/fd/4 bs=64k count=100 2>/dev/null; echo $?";
    expect(await underTest.run(flood)).toMatchObject({ code: 0, stdout: "124\n" });
    await idle(underTest);
    expect(underTest.failures).toEqual([]);
    expect(await underTest.run("echo next")).toMatchObject({ code: 0, stdout: "next\n" });
  });

  it("can't do so either where it writes before a busy gate has read which process is the first", async () => {
    vi.stubEnv("METNOS_BOX_MAKER", "bubblewrap"); // with the gate's own program it can't be opened
    onTestFinished(() => void vi.unstubAllEnvs());
    const underTest = await boxUnderTest();
    const busy = setInterval(() => {
      const until = performance.now() + 60;
      while (performance.now() < until);
    }, 1);
    onTestFinished(() => clearInterval(busy));
    const flood = "timeout 1 dd if=/dev/zero of=/proc/1/fd/4 bs=64k count=100 2>/dev/null; echo $?";
    for (let run = 0; run < 4; run++) expect(await underTest.run(flood)).toMatchObject({ code: 0, stdout: "124\n" });
    await idle(underTest);
    expect(underTest.failures).toEqual([]);
  });

  it("says that it was not run where too few files may be open, and never ends as if it had been", async () => {
    const underTest = await boxUnderTest();
    for (const files of [9, 10, 11, 12, 13]) {
      const line = `ulimit -n ${files}; ${confinedCommand(underTest.prepare("echo ran"))}`;
      const { code, stdout, stderr } = await shellRuns(line, underTest.project);
      if (stdout !== "ran\n")
        expect({ files, code: code === 0, stderr }).toEqual({ files, code: false, stderr: expect.any(String) });
      if (files === 11 || files === 12) expect({ files, code, stderr }).toMatchObject(NOT_RUN_SAID(files));
    }
  });

  it("is given nothing of what its caller has open, also where bash keeps its own script", async () => {
    const underTest = await boxUnderTest();
    const argv = underTest.prepare("ls /proc/self/fd | sort -n | tail -n +4 | grep -v '^3$'; true");
    const line = `exec 255</etc 254</etc 8</etc; ${confinedCommand(argv)}`;
    expect(await shellRuns(line, underTest.project)).toMatchObject({ code: 0, stdout: "", stderr: "" });
  });

  it("is not started by an ID with another secret, and then not at all", async () => {
    const underTest = await boxUnderTest();
    const [program = "", verb = "", id = ""] = underTest.prepare("echo ran");
    const other = id.replace(/.$/, (last) => (last === "0" ? "1" : "0"));
    expect(await start(underTest, [program, verb, other])).toMatchObject(NOT_RUN);
    expect(await start(underTest, [program, verb, id])).toMatchObject(NOT_RUN);
    for (const wrong of ["", "x", "../../x.y", "12", ".", "a b.c", "0.0"])
      expect(await start(underTest, [program, verb, wrong])).toMatchObject(NOT_RUN);
    expect(await start(underTest, [program, "stop", id])).toMatchObject(NOT_RUN);
  });

  it.each<[what: string, change: Partial<BoxUnderTest["agent"]>]>([
    ["was paused", { stopped: "the user has paused this agent" }],
    ["has another level", { level: "ReadOnly" }],
    ["was revoked", { level: undefined }],
  ])("can't be started any more once its agent %s, and that is no bypass", async (_, change) => {
    const underTest = await boxUnderTest();
    const argv = underTest.prepare("touch ran", { call_id: "toolu_1" });
    Object.assign(underTest.agent, change);
    expect(await start(underTest, argv)).toMatchObject(NOT_RUN);
    expect(existsSync(join(underTest.project, "ran"))).toBe(false);
    underTest.box.ran("agent-1", "toolu_1");
    expect(underTest.paused).toEqual([]);
    expect(underTest.failures).toEqual([]);
  });

  it("can't be started after a minute", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const underTest = await boxUnderTest();
      const argv = underTest.prepare("echo ran");
      vi.advanceTimersByTime(60_001);
      vi.useRealTimers();
      expect(await start(underTest, argv)).toMatchObject(NOT_RUN);
    } finally {
      vi.useRealTimers();
    }
  });

  it("is known for an hour after that, by a small part of what it was", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const { runs } = await runsAlone();
      const plan = { refusal: () => null, start: vi.fn(), ended: vi.fn(), dropped: async () => undefined };
      const { argv } = runs.prepare({ ...RUN, line: "x".repeat(100_000), call_id: "toolu_1" }, plan);
      vi.advanceTimersByTime(60_001);
      for (let turns = 0; turns < 20; turns++) await turn(); // until its pipe is closed
      const known = runs.of("agent-1", "toolu_1");
      expect(known).toMatchObject({ id: argv[2], state: "expired", confined_run: { agent_id: "agent-1" } });
      expect(JSON.stringify(known).length).toBeLessThan(1000);
      expect([runs.of("agent-1", argv[2] ?? ""), ...runs.unstarted("agent-1")]).toEqual([known, known]);
      vi.advanceTimersByTime(3_600_001);
      expect(runs.of("agent-1", "toolu_1")).toBeUndefined();
    } finally {
      vi.useRealTimers();
    }
  });

  it("is refused where the launcher or a pipe was replaced", async () => {
    const underTest = await boxUnderTest();
    const folder = join(underTest.state_dir, "box");
    const [program = "", , id = ""] = underTest.prepare("echo ran");
    const pipe = join(folder, `${id.replace(/\..*/, "")}.down`);
    rmSync(pipe);
    writeFileSync(pipe, "go\n");
    expect(await start(underTest, [program, "run", id])).toMatchObject(NOT_RUN);
    for (const name of readdirSync(folder).filter((file) => file.endsWith(".down"))) {
      rmSync(join(folder, name));
      writeFileSync(join(folder, name), "go\n");
    }
    expect(() => underTest.prepare("echo ran")).toThrow(/replaced/);
    renameSync(program, `${program}.old`);
    writeFileSync(program, "#!/bin/sh\n", { mode: 0o700 });
    expect(() => underTest.prepare("echo ran")).toThrow(/was changed/);
  });

  it("that says what no launcher says is not started, however much it says", async () => {
    const underTest = await boxUnderTest();
    const [, , id = ""] = underTest.prepare("touch ran");
    const pipe = join(underTest.state_dir, "box", `${id.replace(/\..*/, "")}.up`);
    const { code } = await shellRuns(`head -c 20000000 /dev/zero | tr '\\0' x > '${pipe}'`, underTest.project);
    expect(code).not.toBe(126);
    expect(existsSync(join(underTest.project, "ran"))).toBe(false);
    expect(await underTest.run("echo next")).toMatchObject({ code: 0, stdout: "next\n" });
  });

  it("is in private folders and files alone", async () => {
    const underTest = await boxUnderTest();
    await underTest.run("true", { change: { call_id: "call-1" } });
    // What covers others can't be read, not even by its owner: `find` says so, and continues.
    const found = (...words: string[]) =>
      spawnSync("find", ["-L", join(underTest.state_dir, "box"), ...words], { encoding: "utf8" }).stdout;
    expect(found("-type", "f").split("\n").length).toBeGreaterThan(3);
    expect(found("-perm", "/077", "!", "-name", "*.taken")).toBe("");
    // Whether a launcher came, which says nothing.
    expect(found("-name", "*.taken", "-size", "+0")).toBe("");
  });

  it("may be one of a hundred at the same time", async () => {
    const underTest = await boxUnderTest();
    const runs = Array.from({ length: 100 }, (_, index) => underTest.run(`echo ${index}`));
    expect((await Promise.all(runs)).map(({ stdout }) => stdout)).toEqual(runs.map((_, index) => `${index}\n`));
    expect(underTest.failures).toEqual([]);
  }, 60_000);

  it("is one of 256 of its agent at most, and other agents still get theirs", async () => {
    const underTest = await boxUnderTest();
    const looks = vi.spyOn(Places.prototype, "before");
    onTestFinished(() => looks.mockRestore());
    for (let count = 0; count < 256; count++) underTest.prepare("true");
    await vi.waitFor(() => expect(looks).toHaveBeenCalledTimes(256), { timeout: 10_000 });
    expect(() => underTest.prepare("true")).toThrow(/too many of this agent's commands/);
    for (let turns = 0; turns < 5; turns++) await turn();
    expect(looks).toHaveBeenCalledTimes(256);
    const argv = underTest.prepare("echo ran", { agent_id: "agent-2" });
    expect(await start(underTest, argv)).toMatchObject({ code: 0, stdout: "ran\n" });
  });

  it("takes a line of 100 KiB", async () => {
    const underTest = await boxUnderTest();
    const text = "x".repeat(100 * 1024);
    expect(await underTest.run(`echo ${text} | wc -c`)).toMatchObject({ stdout: `${text.length + 1}\n`, stderr: "" });
  });

  it("leaves nothing running once it has ended", async () => {
    const underTest = await boxUnderTest();
    await underTest.run("(setsid sh -c 'while :; do echo x >> grows; done' &) ; true");
    await idle(underTest);
    const size = () => statSync(join(underTest.project, "grows"), { throwIfNoEntry: false })?.size;
    const before = size();
    await underTest.run("sleep 0.05");
    expect(size()).toBe(before);
  });
});

describe.skipIf(reason !== undefined)("a call that was allowed as a confined one", () => {
  const change = { call_id: "toolu_1" };

  it("is known by its id", async () => {
    const underTest = await boxUnderTest();
    const argv = underTest.prepare("true", change);
    await start(underTest, argv);
    await idle(underTest);
    expect(underTest.box.ran("agent-1", "toolu_1")).toEqual({
      confined: { project: underTest.project, network: false },
    });
    expect(underTest.paused).toEqual([]);
    expect(underTest.box.ran("agent-1", "other")).toEqual({ confined: null });
  });

  it("and ran without having started there, pauses its agent", async () => {
    const underTest = await boxUnderTest();
    underTest.prepare("true", change);
    expect(underTest.box.ran("agent-2", "toolu_1")).toEqual({ confined: null });
    expect(underTest.paused).toEqual([]);
    expect(underTest.box.ran("agent-1", "toolu_1").confined).not.toBeNull();
    expect(underTest.paused).toEqual(["agent-1"]);
    expect(underTest.alarms.map(({ code, subject }) => [code, subject])).toEqual([["box_bypassed", "tester"]]);
    expect(underTest.trail.map(({ event, agent }) => [event, agent])).toEqual([["box.bypassed", "tester"]]);
  });

  it("and whose launcher the gate refused, pauses nobody", async () => {
    const underTest = await boxUnderTest();
    const [program = "", , id = ""] = underTest.prepare("true", change);
    await start(underTest, [program, "run", id.replace(/\..*/, ".0")]);
    underTest.box.ran("agent-1", "toolu_1");
    expect(underTest.paused).toEqual([]);
  });

  it("can be taken back", async () => {
    const underTest = await boxUnderTest();
    const argv = underTest.prepare("touch ran", change);
    underTest.box.discard(argv);
    expect(await start(underTest, argv)).toMatchObject(NOT_RUN);
    expect(underTest.box.ran("agent-1", "toolu_1")).toEqual({ confined: null });
  });
});
