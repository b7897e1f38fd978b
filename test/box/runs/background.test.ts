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
    const under_test = await boxUnderTest();
    const { project, paused, failures } = under_test;
    const running = start(under_test, under_test.prepare(UNTIL_THE_END, change));
    await expect.poll(() => existsSync(join(project, "going"))).toBe(true);
    expect(ran(under_test)).toEqual({ project, network: false });
    writeFileSync(join(project, "end"), "");
    expect(await running).toMatchObject({ code: 0, stderr: "" });
    expect(existsSync(join(project, "ended"))).toBe(true);
    await idle(under_test);
    expect([paused, failures]).toEqual([[], []]);
  });

  it("ends with the process that its client ends, with all that it has started", async () => {
    const under_test = await boxUnderTest();
    const { project, prepare } = under_test;
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
    await idle(under_test);
    await expect.poll(() => processesWith(sleep)).toEqual([]);
  });

  it("is no bypass where its client says that it ran at whatever moment of its start, again and again", async () => {
    const under_test = await boxUnderTest();
    const argv = under_test.prepare("echo ran", change);
    let is_over = false;
    const running = start(under_test, argv).finally(() => {
      is_over = true;
    });
    let said = 0;
    // The gate sees the end of the run before its shell's is seen here: from then on there is none that ran.
    while (!is_over && ran(under_test) !== null) {
      said++;
      await turn();
    }
    expect(said).toBeGreaterThan(0);
    expect(await running).toMatchObject({ code: 0, stdout: "ran\n", stderr: "" });
    await idle(under_test);
    expect([under_test.paused, under_test.alarms, under_test.failures]).toEqual([[], [], []]);
    ran(under_test);
  });

  it("pauses its agent where it has begun nothing in its box ten seconds after its client said that it ran", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const under_test = await boxUnderTest();
      const argv = under_test.prepare("touch ran", change);
      expect(ran(under_test)).not.toBeNull();
      vi.advanceTimersByTime(9900);
      expect(under_test.paused).toEqual([]);
      vi.advanceTimersByTime(200);
      expect(under_test.paused).toEqual(["agent-1"]);
      expect(under_test.alarms.map(({ code }) => code)).toEqual(["box_bypassed"]);
      vi.useRealTimers();
      expect(await start(under_test, argv)).toMatchObject({ code: 126 });
      expect(existsSync(join(under_test.project, "ran"))).toBe(false);
    } finally {
      vi.useRealTimers();
    }
  });

  it("pauses nobody where its client says nothing, or where the gate refuses its launcher", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const under_test = await boxUnderTest();
      under_test.prepare("true", { ...change, call_id: "toolu_0" });
      vi.advanceTimersByTime(60_100);
      const argv = under_test.prepare("true", change);
      ran(under_test);
      under_test.agent.stopped = "the user has paused this agent";
      vi.useRealTimers();
      expect(await start(under_test, argv)).toMatchObject({ code: 126 });
      ran(under_test);
      expect(under_test.paused).toEqual([]);
    } finally {
      vi.useRealTimers();
    }
  });
});
