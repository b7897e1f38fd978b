import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { confinedCommand } from "../../../ipc/base/confined-command.ts";
import { processesWith } from "../../support/judged-gate.ts";
import { type BoxUnderTest, boxUnderTest, shellRuns, withoutBox } from "../box-under-test.ts";

const reason = withoutBox();
if (reason !== undefined) console.log(`confined commands in the background are not tested: ${reason}`);

const change = { call_id: "toolu_1", in_background: true };
const UNTIL_THE_END = "touch going; until [ -e end ]; do sleep 0.01; done; touch ended";

const start = ({ project }: BoxUnderTest, argv: readonly string[]) => shellRuns(confinedCommand(argv), project);
const ran = ({ box }: BoxUnderTest) => box.ran("agent-1", "toolu_1").confined;
/** Resolves once no run is going. */
const idle = ({ box }: BoxUnderTest) => vi.waitFor(() => expect(box.status().running).toBe(0), { timeout: 20_000 });

describe.skipIf(reason !== undefined)("a confined command that its client keeps in the background", () => {
  it("continues when its client has said that it ran, and ends with itself", async () => {
    const underTest = await boxUnderTest();
    const { project, paused, failures } = underTest;
    const running = start(underTest, underTest.prepare(UNTIL_THE_END, change));
    await expect.poll(() => existsSync(join(project, "going"))).toBe(true);
    expect(ran(underTest)).toEqual({ project, network: false });
    writeFileSync(join(project, "end"), "");
    expect(await running).toMatchObject({ code: 0, stderr: "" });
    expect(existsSync(join(project, "ended"))).toBe(true);
    await idle(underTest);
    expect([paused, failures]).toEqual([[], []]);
  });

  it("ends with the process that its client ends, with all that it has started", async () => {
    const underTest = await boxUnderTest();
    const { project, prepare } = underTest;
    const sleep = `${7_500_000 + process.pid}`;
    const line = `(setsid sleep ${sleep} &) ; touch going; sleep ${sleep}`;
    const shell = spawn("/bin/bash", ["-c", confinedCommand(prepare(line, change))], {
      cwd: project,
      stdio: "ignore",
      detached: true,
    });
    await expect.poll(() => existsSync(join(project, "going"))).toBe(true);
    const ended = once(shell, "exit");
    process.kill(-(shell.pid ?? 0), "SIGTERM");
    await ended;
    await idle(underTest);
    await expect.poll(() => processesWith(sleep)).toEqual([]);
  });

  it("is no bypass where its client says that it ran at whatever moment of its start, again and again", async () => {
    const underTest = await boxUnderTest();
    const argv = underTest.prepare("echo ran", change);
    let isOver = false;
    const running = start(underTest, argv).finally(() => {
      isOver = true;
    });
    let said = 0;
    // The gate sees the end of the run before its shell's is seen here: from then on there is none that ran.
    while (!isOver && ran(underTest) !== null) {
      said++;
      await turn();
    }
    expect(said).toBeGreaterThan(0);
    expect(await running).toMatchObject({ code: 0, stdout: "ran\n", stderr: "" });
    await idle(underTest);
    expect([underTest.paused, underTest.alarms, underTest.failures]).toEqual([[], [], []]);
    ran(underTest);
  });

  it("pauses its agent where it has begun nothing in its box ten seconds after its client said that it ran", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const underTest = await boxUnderTest();
      const argv = underTest.prepare("touch ran", change);
      expect(ran(underTest)).not.toBeNull();
      vi.advanceTimersByTime(9900);
      expect(underTest.paused).toEqual([]);
      vi.advanceTimersByTime(200);
      expect(underTest.paused).toEqual(["agent-1"]);
      expect(underTest.alarms.map(({ code }) => code)).toEqual(["box_bypassed"]);
      vi.useRealTimers();
      expect(await start(underTest, argv)).toMatchObject({ code: 126 });
      expect(existsSync(join(underTest.project, "ran"))).toBe(false);
    } finally {
      vi.useRealTimers();
    }
  });

  it("pauses nobody where its client says nothing, or where the gate refuses its launcher", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const underTest = await boxUnderTest();
      underTest.prepare("true", { ...change, call_id: "toolu_0" });
      vi.advanceTimersByTime(60_100);
      const argv = underTest.prepare("true", change);
      ran(underTest);
      underTest.agent.stopped = "the user has paused this agent";
      vi.useRealTimers();
      expect(await start(underTest, argv)).toMatchObject({ code: 126 });
      ran(underTest);
      expect(underTest.paused).toEqual([]);
    } finally {
      vi.useRealTimers();
    }
  });
});
