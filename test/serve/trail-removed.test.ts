import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { runGate, startServe } from "../support/gate-process.ts";
import { startGate } from "../support/running-gate.ts";
import { operatorOf, pairedAgent } from "../support/served-agent.ts";
import { temporaryHome } from "../support/temporary-home.ts";

const READ = { executor: "fs_read", args: { path: "/srv/a" } };

const OLD = "2026-05.jsonl";

const CHANGES: Record<string, { act(folder: string, file: string): void; how: string }> = {
  "its folder is deleted": { act: (folder) => rmSync(folder, { recursive: true }), how: "was removed" },
  "its folder is moved": { act: (folder) => renameSync(folder, `${folder}.moved`), how: "was removed" },
  "the month's file is deleted": { act: (_, file) => rmSync(file), how: "was removed" },
  "the month's file is cut": { act: (_, file) => truncateSync(file, 10), how: "was cut" },
  "another folder is put in its place": {
    act(folder) {
      renameSync(folder, `${folder}.moved`);
      mkdirSync(folder);
    },
    how: "was removed",
  },
};

describe("the trail of a running gate", () => {
  it.each<[string, (file: string) => void]>([
    ["was removed", (file) => rmSync(file)],
    ["was cut", (file) => truncateSync(file, 10)],
    ["was written into", (file) => appendFileSync(file, "more\n")],
  ])("raises it for a month before, too, where that %s, before its first line and after it", async (how, act) => {
    const first = await startGate({ now: () => Date.parse("2026-05-30T12:00:00Z") });
    const reader = await first.agent("worker", "Full");
    await reader.ask(READ);
    await first.close();
    const kept = readFileSync(join(first.paths.auditDir, OLD));
    const message = expect.stringContaining(`${OLD} ${how}`);
    for (const hasLines of [false, true]) {
      const gate = await startGate({ home: first.home });
      if (hasLines) await (await gate.agent("worker", "Full")).ask(READ);
      const alarms = async () => (await gate.operator.call("status", {})).alarms;
      await setTimeout(1500);
      expect(await alarms()).toEqual([]);
      const began = performance.now();
      act(join(first.paths.auditDir, OLD));
      await expect.poll(alarms, { timeout: 6000 }).toMatchObject([{ code: "trail_changed", message }]);
      expect(performance.now() - began).toBeLessThan(2000);
      // Once only.
      await gate.operator.call("alarms.acknowledge", { code: "trail_changed", subject: first.paths.auditDir });
      await setTimeout(1500);
      expect(await alarms()).toEqual([]);
      // Before its end, at which the lengths of all months are kept beside its last checkpoint.
      writeFileSync(join(first.paths.auditDir, OLD), kept);
      await gate.close();
    }
  });

  it.each(Object.keys(CHANGES))("raises an alarm within two seconds though nobody calls, as %s", async (what) => {
    const { act, how } = CHANGES[what] ?? {};
    const home = temporaryHome();
    await startServe(home);
    const operator = await operatorOf(home);
    const agent = await pairedAgent(home, operator, "worker", "Full");
    for (let time = 0; time < 20; time++) await agent.ask(READ);
    const { auditDir } = home.paths;
    const alarms = async () => (await operator.call("status", {})).alarms;
    expect(await alarms()).toEqual([]);
    const [file = ""] = readdirSync(auditDir);
    const began = performance.now();
    act?.(auditDir, join(auditDir, file));
    // The gate looks each second; the rest is the time of a busy machine.
    await expect
      .poll(alarms, { timeout: 6000 })
      .toMatchObject([
        { code: "trail_changed", subject: auditDir, message: expect.stringContaining(`${file} ${how}`) },
      ]);
    const ms = performance.now() - began;
    console.info(`${what}: alarm after ${Math.round(ms)} ms`);
    expect(ms).toBeLessThan(2500);
    // The gate writes on, and the alarm is there until it is dismissed.
    expect((await agent.ask(READ)).decision.outcome).toBe("allowed");
    expect(await alarms()).toHaveLength(1);
    expect((await runGate(home, ["audit", "verify"])).code).toBe(5);
    await operator.call("alarms.acknowledge", { code: "trail_changed", subject: auditDir });
    await setTimeout(2500);
    expect(await alarms()).toEqual([]);
  });
});
