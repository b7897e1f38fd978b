import { mkdirSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { OperatorClient } from "../../ipc/socket/operator-client.ts";
import { LAUNCHER, StartedProcess, startServe } from "../support/gate-process.ts";
import { givePort } from "../support/own-port.ts";
import { operatorOf, pairedAgent } from "../support/served-agent.ts";
import { type SmallDisk, smallDisk, takeRoom } from "../support/small-disk.ts";
import { type TemporaryHome, temporaryHome } from "../support/temporary-home.ts";

const READ = { executor: "time_now", args: {} };

/** `metnos-gate start` without a tray. */
async function start(home: TemporaryHome): Promise<StartedProcess> {
  givePort(home);
  const env = { ...home.env, ELECTRON_OVERRIDE_DIST_PATH: join(home.home, "nowhere") };
  const started = new StartedProcess(process.execPath, [LAUNCHER, "start"], { env });
  await started.printed(/the audit trail is/);
  return started;
}

const WAYS: [string, (home: TemporaryHome) => Promise<StartedProcess>][] = [
  ["serve", (home) => startServe(home)],
  ["start", start],
];

/** As a program does that keeps filling the disk, also where the gate can keep no room within its files. */
async function fillForGood(disk: SmallDisk, { paths }: TemporaryHome): Promise<void> {
  for (const file of [paths.safety_db, paths.agents_db]) await takeRoom(`${file}-wal`);
  rmSync(paths.stateReserve, { force: true });
  disk.fill();
}

async function onFullDisk(way: (home: TemporaryHome) => Promise<StartedProcess>) {
  const disk = smallDisk(16);
  if (disk === undefined) return undefined;
  const home = temporaryHome(undefined, disk.folder);
  const processStarted = await way(home);
  const operator = await operatorOf(home);
  const agent = await pairedAgent(home, operator, "worker", "Full");
  await agent.ask(READ);
  await fillForGood(disk, home);
  return { disk, home, operator, agent, started: processStarted };
}

/** Kills the gate itself, and waits until another one answers where its supervisor starts one. */
async function killed(
  started: StartedProcess,
  home: TemporaryHome,
  operator: OperatorClient,
  before: () => void,
): Promise<void> {
  const { pid } = await operator.call("status", {});
  // In one go: the gate tries again by itself every 2 s.
  before();
  process.kill(pid, "SIGKILL");
  if (pid === started.child.pid) {
    await started.exited;
    await startServe(home);
  } else await started.printed(/ALARM gate_restarted/);
}

const alarmsOf = async (operator: OperatorClient) =>
  (await operator.call("status", {})).alarms.filter(({ code }) => code === "pause_not_stored");

describe.each(WAYS)("a pause on a full disk, of a gate that %s runs", (_way, way) => {
  it("is there after the disk was freed and the gate killed, and ends for good once it is resumed", async () => {
    const full = await onFullDisk(way);
    if (full === undefined) return;
    const { disk, home, operator, started } = full;
    const first = await operator.call("safety.pause", { reason: "stop" });
    const again = await operator.call("safety.pause", {});
    expect([first.note, again.note]).toEqual(Array(2).fill(expect.stringContaining("the disk is full")));
    expect(await alarmsOf(operator)).toMatchObject([{ message: expect.stringContaining("the disk is full") }]);
    await killed(started, home, operator, disk.empty);
    const next = await operatorOf(home);
    const { pause } = await next.call("safety.status", {});
    expect(pause).toMatchObject({ is_paused: true, by: "human", reason: "stop", since: first.since });
    await expect.poll(() => alarmsOf(next)).toEqual([]);
    await next.call("safety.resume", {});
    process.kill((await next.call("status", {})).pid, "SIGKILL");
    await started.exited;
    await startServe(home);
    expect((await (await operatorOf(home)).call("safety.status", {})).pause.is_paused).toBe(false);
  });
});

describe("a pause on a full disk", () => {
  it("of one agent is there as well, and each end of one holds though the disk is still full", async () => {
    const full = await onFullDisk((home) => startServe(home));
    if (full === undefined) return;
    const { home, disk, operator, started } = full;
    const paused = await operator.call("agents.pause", { name: "worker" });
    expect(paused.note).toContain("the disk is full");
    expect(await alarmsOf(operator)).toMatchObject([{ subject: "worker" }]);
    await operator.call("safety.pause", {});
    expect(await alarmsOf(operator)).toHaveLength(2);
    await operator.call("safety.resume", {});
    expect(await alarmsOf(operator)).toMatchObject([{ subject: "worker" }]);
    await killed(started, home, operator, disk.empty);
    const next = await operatorOf(home);
    expect((await next.call("safety.status", {})).pause.is_paused).toBe(false);
    const { agents } = await next.call("agents.list", {});
    expect(agents.map(({ name, paused: pause }) => [name, pause !== null])).toEqual([["worker", true]]);
  });

  it("that could not be kept either is still one for the gate that the supervisor starts", async () => {
    const full = await onFullDisk(start);
    if (full === undefined) return;
    const { disk, home, operator, started } = full;
    rmSync(home.paths.keptPauses);
    mkdirSync(home.paths.keptPauses);
    const { note } = await operator.call("safety.pause", { reason: "stop" });
    expect(note).toContain("a restart would forget it: the disk is full");
    await killed(started, home, operator, () => {
      disk.empty();
      rmdirSync(home.paths.keptPauses);
    });
    expect(started.stderr).toContain("starting it again, paused: a pause could not be stored");
    const { pause } = await (await operatorOf(home)).call("safety.status", {});
    expect(pause).toMatchObject({ is_paused: true, until: null });
    expect(pause.reason).toContain("resume it once you have looked");
  });

  it("is said by a gate that ends in order, and by the next one", async () => {
    const full = await onFullDisk((home) => startServe(home));
    if (full === undefined) return;
    const { disk, home, operator, started } = full;
    await operator.call("safety.pause", {});
    await started.end("SIGTERM");
    expect(started.stdout).toMatch(/the gate ends .*the gate is paused, but/);
    disk.empty();
    const next = await startServe(home);
    await next.printed(/the gate starts paused: .*kept-pauses/);
  });
});
