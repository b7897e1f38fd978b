import { mkdirSync, readdirSync, renameSync, rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runGate, startServe } from "../support/gate-process.ts";
import { operatorOf, pairedAgent } from "../support/served-agent.ts";
import { temporaryHome } from "../support/temporary-home.ts";

const READ = { executor: "fs_read", args: { path: "/srv/a" } };

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
  it.each(Object.keys(CHANGES))("raises an alarm within two seconds though nobody calls, as %s", async (what) => {
    const { act, how } = CHANGES[what] ?? {};
    const home = temporaryHome();
    await startServe(home);
    const operator = await operatorOf(home);
    const agent = await pairedAgent(home, operator, "worker", "Full");
    for (let time = 0; time < 20; time++) await agent.ask(READ);
    const { audit_dir } = home.paths;
    const alarms = async () => (await operator.call("status", {})).alarms;
    expect(await alarms()).toEqual([]);
    const [file = ""] = readdirSync(audit_dir);
    const began = performance.now();
    act?.(audit_dir, join(audit_dir, file));
    // The gate looks each second; the rest is the time of a busy machine.
    await expect
      .poll(alarms, { timeout: 6000 })
      .toMatchObject([
        { code: "trail_changed", subject: audit_dir, message: expect.stringContaining(`${file} ${how}`) },
      ]);
    const ms = performance.now() - began;
    console.info(`${what}: alarm after ${Math.round(ms)} ms`);
    expect(ms).toBeLessThan(2500);
    // The gate writes on, and the alarm is there until it is dismissed.
    expect((await agent.ask(READ)).decision.outcome).toBe("allowed");
    expect(await alarms()).toHaveLength(1);
    expect((await runGate(home, ["audit", "verify"])).code).toBe(5);
    await operator.call("alarms.acknowledge", { code: "trail_changed", subject: audit_dir });
    await new Promise((resolve) => setTimeout(resolve, 2500));
    expect(await alarms()).toEqual([]);
  });
});
