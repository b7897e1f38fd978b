import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { confinedCommand } from "../../ipc/base/confined-command.ts";
import { shellQuoted } from "../../ipc/base/shell-quoted.ts";
import { AfterRuns } from "../../main/box/project/after-runs.ts";
import { startGate } from "../support/running-gate.ts";
import { smallDisk } from "../support/small-disk.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { boxUnderTest, shellRuns, withoutBox } from "./box-under-test.ts";

const reason = withoutBox();
if (reason !== undefined) console.warn(`the box of a gate is not tested: ${reason}`);

/** A gate's box in a process of its own, that prints the words of a run of the line that it is given. */
const OTHER_GATE = new URL("./other-gate.ts", import.meta.url).pathname;

async function otherGate(folder: string, line: string, more = {}): Promise<{ process: ChildProcess; argv: string[] }> {
  const child = spawn(process.execPath, [OTHER_GATE, folder, line, JSON.stringify(more)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const [text] = (await once(child.stdout.setEncoding("utf8"), "data")) as [string];
  return { process: child, argv: JSON.parse(text) as string[] };
}

async function killed({ process }: { process: ChildProcess }): Promise<void> {
  const exit = once(process, "exit");
  process.kill("SIGKILL");
  await exit;
}

function folders() {
  const folder = tempFolder();
  const [stateDir, project] = [join(folder, "state"), join(folder, "project")];
  for (const each of [stateDir, project, join(folder, "home")]) mkdirSync(each);
  return { folder, state_dir: stateDir, project };
}

describe.skipIf(reason !== undefined)("a gate that ends while its box is being tried", () => {
  it("writes no launcher any more: the next gate's would be another one's", async () => {
    const gate = await startGate();
    const { box } = gate.gate.core;
    const tried = box.ready;
    await gate.close();
    await tried;
    expect(readdirSync(join(gate.paths.state_dir, "box")).filter((name) => /metnos-gate-box|\.up$/.test(name))).toEqual(
      [],
    );
  });
});

describe.skipIf(reason !== undefined)("a gate that starts", () => {
  it("takes nothing that lies in its folder for a pipe that is none, and follows no link there", async () => {
    const { folder, state_dir, project } = folders();
    const boxFolder = join(state_dir, "box");
    mkdirSync(join(boxFolder, "0000-1.up", "inner"), { recursive: true, mode: 0o700 });
    writeFileSync(join(boxFolder, "0000-2.up"), "text");
    writeFileSync(join(folder, "mine"), "mine");
    symlinkSync(join(folder, "mine"), join(boxFolder, "0000-3.up"));
    const { box, failures } = await boxUnderTest({ state_dir, project });
    await box.settled;
    expect(failures).toEqual([]);
    expect(readdirSync(boxFolder).filter((name) => name.startsWith("0000"))).toEqual([]);
    expect(readFileSync(join(folder, "mine"), "utf8")).toBe("mine");
  });
});

describe.skipIf(reason !== undefined)("a gate that dies", () => {
  it("lets nothing start that it has prepared", async () => {
    const { folder, project } = folders();
    const gate = await otherGate(folder, "touch ran");
    await killed(gate);
    expect(await shellRuns(confinedCommand(gate.argv), project)).toMatchObject({
      code: 126,
      stdout: "",
      stderr: expect.stringMatching(/^Metnos Gate: .*: the command did not run\n$/),
    });
    expect(existsSync(join(project, "ran"))).toBe(false);
  });

  it("leaves a command confined that runs, and the next gate sets aside what it left", async () => {
    const { folder, state_dir, project } = folders();
    const line =
      "touch going; until [ -e end ]; do sleep 0.01; done; echo x > .envrc; echo x > /etc/x || echo confined";
    const gate = await otherGate(folder, line);
    const command = shellRuns(confinedCommand(gate.argv), project);
    await expect.poll(() => existsSync(join(project, "going"))).toBe(true);
    // What makes its pipes is a process of its own, and would make some after its end.
    const inFolder = () => readdirSync(join(state_dir, "box")).length;
    for (let before = 0; before !== inFolder(); await setTimeout(500)) before = inFolder();
    await killed(gate);
    const next = await boxUnderTest({ state_dir, project });
    expect(next.box.is_available).toBe(true);
    writeFileSync(join(project, "end"), "");
    expect((await command).stdout).toBe("confined\n");
    await next.box.settled;
    expect(next.box.status().set_aside.map(({ path }) => path)).toEqual([join(project, ".envrc")]);
    expect(next.failures).toEqual([]);
    // Nothing of the earlier gate is left but what was set aside.
    expect(readdirSync(join(state_dir, "box/going"))).toEqual([]);
    const prefixes = readdirSync(join(state_dir, "box")).flatMap((name) => /^([0-9a-f]{8})-/.exec(name)?.[1] ?? []);
    expect(new Set(prefixes).size).toBe(1);
  });

  it("and whose command ended before the next one starts: what it left is set aside, too", async () => {
    const { folder, state_dir, project } = folders();
    const gate = await otherGate(folder, "touch going; until [ -e end ]; do sleep 0.01; done; echo x > .envrc");
    const command = shellRuns(confinedCommand(gate.argv), project);
    await expect.poll(() => existsSync(join(project, "going"))).toBe(true);
    await killed(gate);
    writeFileSync(join(project, "end"), "");
    await command;
    const next = await boxUnderTest({ state_dir, project });
    await next.box.settled;
    expect(existsSync(join(project, ".envrc"))).toBe(false);
  });
});

describe.skipIf(reason !== undefined)("what a command may be changing", () => {
  it("is what its box lets it write, also a clear line's, until it has ended", async () => {
    const { box, project, run } = await boxUnderTest();
    const changing = () => ["a.txt", "sub/a.txt"].map((name) => box.isBeingChanged(join(project, name)));
    mkdirSync(join(project, "sub"));
    const narrow = (kind: "needs" | "looking", writes: string[]) => ({
      declaration: { kind, project, cwd: project, reads: [project], writes, network: false },
    });
    for (const [change, expected] of [
      [{}, [true, true]],
      [narrow("needs", [project]), [true, true]],
      [narrow("needs", [join(project, "sub")]), [false, true]],
      [narrow("looking", []), [false, false]],
    ] as const) {
      const command = run("sleep 0.2", { change });
      expect(changing()).toEqual(expected);
      expect(await command).toMatchObject({ code: 0, stderr: "" });
      await expect.poll(changing).toEqual([false, false]);
    }
  });
});

describe.skipIf(reason !== undefined)("the gate after one that died", () => {
  it("counts what its command may write as being changed, until that has ended and was looked after", async () => {
    const { folder, state_dir, project } = folders();
    const gate = await otherGate(folder, "touch going; until [ -e end ]; do sleep 0.01; done");
    const command = shellRuns(confinedCommand(gate.argv), project);
    await expect.poll(() => existsSync(join(project, "going"))).toBe(true);
    await killed(gate);
    const { box } = await boxUnderTest({ state_dir, project });
    expect([join(project, "a.txt"), join(folder, "a.txt")].map((path) => box.isBeingChanged(path))).toEqual([
      true,
      false,
    ]);
    writeFileSync(join(project, "end"), "");
    await command;
    await box.settled;
    expect(box.isBeingChanged(join(project, "a.txt"))).toBe(false);
  });

  it("looks after its command also where it has no box itself", async () => {
    const { folder, state_dir, project } = folders();
    const gate = await otherGate(folder, "touch going; until [ -e end ]; do sleep 0.01; done; echo x > .envrc");
    const command = shellRuns(confinedCommand(gate.argv), project);
    await expect.poll(() => existsSync(join(project, "going"))).toBe(true);
    await killed(gate);
    const { box, alarms } = await boxUnderTest({ state_dir, project, settings: { enabled: false } });
    expect(box.is_available).toBe(false);
    writeFileSync(join(project, "end"), "");
    await command;
    await box.settled;
    expect(existsSync(join(project, ".envrc"))).toBe(false);
    expect(alarms.map(({ code }) => code)).toEqual(["box_set_aside"]);
  });

  it("puts back what a submodule's command made of the settings", async () => {
    const { folder, state_dir, project } = folders();
    execFileSync("git", ["init", "-q", project]);
    const settings = join(project, ".git/config");
    const before = readFileSync(settings, "utf8");
    const line =
      "touch going; until [ -e end ]; do sleep 0.01; done; git config core.fsmonitor ./x.sh && touch written";
    const gate = await otherGate(folder, line, { changes_settings: [settings] });
    const command = shellRuns(confinedCommand(gate.argv), project);
    await expect.poll(() => existsSync(join(project, "going"))).toBe(true);
    await killed(gate);
    const { box, alarms, failures } = await boxUnderTest({ state_dir, project });
    writeFileSync(join(project, "end"), "");
    await command;
    await box.settled;
    expect(existsSync(join(project, "written"))).toBe(true);
    expect(readFileSync(settings, "utf8")).toBe(before);
    expect(alarms.map(({ code }) => code)).toEqual(["box_set_aside"]);
    expect(failures).toEqual([]);
    expect(readdirSync(join(state_dir, "box/going"))).toEqual([]);
  });

  it("sets aside what one of its commands left while another one, in another project, runs on", async () => {
    const { folder, state_dir, project } = folders();
    const other = join(folder, "other");
    mkdirSync(other);
    const untilEnd = "touch going; until [ -e end ]; do sleep 0.01; done";
    const commands: Promise<unknown>[] = [];
    for (const [at, more] of [
      [project, {}],
      [other, { project: other, cwd: other }],
    ] as const) {
      const gate = await otherGate(folder, `${untilEnd}; echo x > .envrc`, more);
      commands.push(shellRuns(confinedCommand(gate.argv), at));
      onTestFinished(() => writeFileSync(join(at, "end"), ""));
      await expect.poll(() => existsSync(join(at, "going"))).toBe(true);
      await killed(gate);
    }
    const { box, failures } = await boxUnderTest({ state_dir, project });
    const setAside = () => box.status().set_aside.map(({ path }) => path);
    writeFileSync(join(project, "end"), "");
    await commands[0];
    await expect.poll(setAside).toEqual([join(project, ".envrc")]);
    expect(box.isBeingChanged(join(other, "a.txt"))).toBe(true);
    writeFileSync(join(other, "end"), "");
    await commands[1];
    await box.settled;
    expect(setAside().sort()).toEqual([join(other, ".envrc"), join(project, ".envrc")]);
    expect([readdirSync(join(state_dir, "box/going")), failures]).toEqual([[], []]);
  });

  it("starts no command beside one of its that may change settings, until that has ended", async () => {
    const { folder, state_dir, project } = folders();
    execFileSync("git", ["init", "-q", project]);
    const other = join(folder, "other");
    mkdirSync(other);
    const untilEnd = "touch going; until [ -e end ]; do sleep 0.01; done";
    const commands: Promise<unknown>[] = [];
    for (const [at, more] of [
      [project, { changes_settings: [join(project, ".git/config")] }],
      [other, { project: other, cwd: other }],
    ] as const) {
      const gate = await otherGate(folder, untilEnd, more);
      commands.push(shellRuns(confinedCommand(gate.argv), at));
      onTestFinished(() => writeFileSync(join(at, "end"), ""));
      await expect.poll(() => existsSync(join(at, "going"))).toBe(true);
      await killed(gate);
    }
    const { run, box } = await boxUnderTest({ state_dir, project });
    expect(await run("true")).toMatchObject({ code: 126, stderr: expect.stringContaining("git changes settings") });
    writeFileSync(join(project, "end"), "");
    await commands[0];
    await expect.poll(async () => (await run("true")).code).toBe(0);
    writeFileSync(join(other, "end"), "");
    await commands[1];
    await box.settled;
  });

  it("reads little of what its command writes without end into the pipe by which it is known to run", async () => {
    vi.stubEnv("METNOS_BOX_MAKER", "bubblewrap"); // with the gate's own program it can't be opened
    onTestFinished(() => void vi.unstubAllEnvs());
    const { folder, state_dir, project } = folders();
    const opens =
      '($fd) = grep { -p } glob("/proc/1/fd/*"); sysopen F, $fd, O_RDWR | O_NONBLOCK or exit; open N, ">filled";';
    const counts = "if ($i++ % 1000 == 0) { sysseek N, 0, 0; syswrite N, sprintf '%012d', $n }";
    const fills = `use Fcntl; ${opens} for (;;) { $n += syswrite F, 'x' x 65536; ${counts} }`;
    const gate = await otherGate(
      folder,
      `perl -e ${shellQuoted(fills)} & until [ -e end ]; do sleep 0.01; done; echo x > .envrc`,
    );
    const command = shellRuns(confinedCommand(gate.argv), project);
    const filled = () => (existsSync(join(project, "filled")) ? Number(readFileSync(join(project, "filled"))) : 0);
    await expect.poll(filled).toBeGreaterThan(0);
    await killed(gate);
    const { box, alarms, failures } = await boxUnderTest({ state_dir, project });
    expect(box.isBeingChanged(join(project, "a.txt"))).toBe(true);
    const before = filled();
    await setTimeout(500);
    expect(filled() - before).toBeLessThan(8 * 1024 * 1024);
    writeFileSync(join(project, "end"), "");
    await command;
    await box.settled;
    expect([existsSync(join(project, ".envrc")), failures]).toEqual([false, []]);
    expect(alarms.map(({ code }) => code)).toEqual(["box_set_aside"]);
  });

  it("looks after its command also where what was kept of it couldn't be read at first", async () => {
    const { state_dir, project } = folders();
    const reading = vi.spyOn(AfterRuns.prototype, "takeOver").mockImplementationOnce(() => {
      throw Object.assign(new Error("EIO"), { code: "EIO" });
    });
    onTestFinished(() => reading.mockRestore());
    const { box } = await boxUnderTest({ state_dir, project });
    expect([box.is_available, reading.mock.calls.length]).toEqual([true, 2]);
  });

  it("waits for nothing that another process has put in the place of what was kept", async () => {
    const { state_dir, project } = folders();
    const going = join(state_dir, "box/going");
    mkdirSync(going, { recursive: true, mode: 0o700 });
    execFileSync("mkfifo", [join(going, "0".repeat(64))]);
    const { box, failures } = await boxUnderTest({ state_dir, project });
    await box.settled;
    expect([readdirSync(going), failures]).toEqual([[], []]);
  });
});

describe("the box of a gate", () => {
  it("is not there where a link is in its folder's place, and what the link leads to stays as it is", async () => {
    const { state_dir, project } = folders();
    const elsewhere = tempFolder();
    symlinkSync(elsewhere, join(state_dir, "box"));
    const { box } = await boxUnderTest({ state_dir, project });
    expect(box.is_available).toBe(false);
    expect(box.status().problem).toBe("folder-unusable");
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  it("is not there where no program can be run from its folder: each command would fail", async () => {
    const { project } = folders();
    const disk = smallDisk(16);
    if (disk === undefined) return;
    execFileSync("mount", ["-o", "remount,noexec", disk.folder]);
    const { box } = await boxUnderTest({ state_dir: join(disk.folder, "state"), project });
    expect([box.is_available, box.status().problem]).toEqual([false, "folder-unusable"]);
    expect(box.status().detail).toContain("metnos-gate-box");
  });

  it("is not there where it is turned off", async () => {
    const gate = await startGate({ config: "[box]\nenabled = false\n" });
    expect((await gate.operator.call("box.status", {})).problem).toBe("disabled");
    await gate.gate.core.box.ready;
    expect(gate.gate.core.box.is_available).toBe(false);
  });
});
