import { basename } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Fault } from "../../reliability/failing-disk.ts";
import { type FailingDisk, failingDisk } from "../support/failing-disk.ts";
import { runGate, startServe } from "../support/gate-process.ts";
import { operatorOf, pairedAgent } from "../support/served-agent.ts";
import { temporaryHome } from "../support/temporary-home.ts";

const READ = { executor: "fs_read", args: { path: "/srv/a" } };
const WRITE = { executor: "fs_write", args: { path: "/tmp/notes/a.txt", content: "hello" } };

/** What is asked in each test is another call. */
let asked = 0;
const write = () => ({ ...WRITE, args: { ...WRITE.args, content: `${asked++}` } });

/** A gate on a disk that can be made to fail, with a paired agent. */
async function servedOn(disk: FailingDisk, level: "Supervised" | "Full" = "Full") {
  const home = temporaryHome();
  const serve = await startServe(home, [], disk.env);
  const operator = await operatorOf(home);
  const agent = await pairedAgent(home, operator, "worker", level);
  const alarms = async () => (await operator.call("status", {})).alarms;
  return { home, serve, operator, agent, alarms };
}

describe("audit verify beside a gate that is losing lines", () => {
  it("finds them though neither the trail nor the record beside it can be written, and ends with 5", async (context) => {
    const disk = failingDisk();
    if (disk === undefined) return context.skip("no C compiler");
    const { home, agent } = await servedOn(disk);
    await agent.ask(READ);
    expect((await runGate(home, ["audit", "verify"])).code).toBe(0);
    disk.fail(...["/vaglio/", "/audit-head"].map((of) => ({ what: "write", of, code: "EROFS" }) as const));
    for (let time = 0; time < 3; time++) expect((await agent.ask(READ)).decision.outcome).toBe("allowed");
    const { code, lines, stderr } = await runGate(home, ["audit", "verify"]);
    const problem = expect.stringMatching(/^\d lines could not be written \(EROFS\)/);
    expect(lines).toMatchObject([{ kind: "lost", problem }, { ok: false }]);
    expect({ code, stderr }).toEqual({ code: 5, stderr: "1 problem found\n" });
    // Written again: the trail says itself what is missing.
    disk.fail();
    await agent.ask(READ);
    const after = await runGate(home, ["audit", "verify"]);
    expect(after.lines[0]).toMatchObject({ kind: "lost", file: expect.stringMatching(/jsonl$/) });
    expect(after.code).toBe(5);
  });
});

/** What writes each database. */
const ACTS: Record<string, (served: Awaited<ReturnType<typeof servedOn>>) => Promise<unknown>> = {
  "grants.db": ({ operator }) => operator.call("grants.add", { capability: "fs:write", target: "/tmp/notes/**" }),
  "approvals.db": ({ agent }) => agent.ask(write()),
  "agents.db": ({ operator }) => operator.call("agents.level", { name: "worker", level: "ReadOnly" }),
  "safety.db": ({ operator }) => operator.call("safety.pause", {}),
};

describe("a database that fails while the gate runs", () => {
  it.each(
    Object.keys(ACTS).flatMap((file) =>
      (["write EIO", "sync EIO", "write ENOSPC"] as const).map((fault) => [file, fault] as const),
    ),
  )("%s (%s): raises an alarm that names it, until it can be written again", async (file, fault) => {
    const disk = failingDisk();
    if (disk === undefined) return;
    const served = await servedOn(disk, "Supervised");
    const [what, code] = fault.split(" ") as ["write" | "sync", "EIO" | "ENOSPC"];
    disk.fail({ what, of: `/${file}`, code });
    await ACTS[file]?.(served).catch(() => undefined);
    const alarm = { code: "database_unusable", subject: expect.stringContaining(`/${file}`) };
    await expect.poll(served.alarms, { timeout: 8000 }).toContainEqual(expect.objectContaining(alarm));
    const found = (await served.alarms()).filter(({ code }) => code === "database_unusable");
    expect(found).toHaveLength(1);
    disk.fail();
    await expect.poll(served.alarms, { timeout: 15_000 }).toEqual([]);
  });

  it("is named within two seconds where another one failed before", async () => {
    const disk = failingDisk();
    if (disk === undefined) return;
    const served = await servedOn(disk, "Supervised");
    const failing = async () =>
      (await served.alarms()).flatMap(({ code, subject }) => (code === "database_unusable" ? [basename(subject)] : []));
    const faults: Fault[] = [];
    for (const file of ["grants.db", "agents.db"]) {
      faults.push({ what: "write", of: `/${file}`, code: "ENOSPC" });
      disk.fail(...faults);
      const began = performance.now();
      await expect(ACTS[file]?.(served)).rejects.toMatchObject({ code: "disk_full" });
      await expect.poll(failing, { timeout: 8000 }).toContain(file);
      expect(performance.now() - began).toBeLessThan(2000);
    }
    disk.fail();
    await expect.poll(failing, { timeout: 15_000 }).toEqual([]);
  });

  it("a trail that can't be synced raises an alarm until it is", async () => {
    const disk = failingDisk();
    if (disk === undefined) return;
    const { agent, alarms } = await servedOn(disk);
    disk.fail({ what: "sync", of: "/vaglio/", code: "EIO" });
    expect((await agent.ask(READ)).decision.outcome).toBe("allowed");
    const message = expect.stringMatching(/can't be synced to the disk: EIO$/);
    await expect.poll(alarms, { timeout: 5000 }).toMatchObject([{ code: "trail_unwritable", message }]);
    disk.fail();
    await agent.ask(READ);
    await expect.poll(alarms, { timeout: 5000 }).toEqual([]);
  });

  it("receipts that can't be synced raise an alarm until they are, also while no other one is due", async () => {
    const disk = failingDisk();
    if (disk === undefined) return;
    const { alarms, home, operator } = await servedOn(disk);
    disk.fail({ what: "sync", of: "/receipts/", code: "EIO" });
    await operator.call("grants.add", { capability: "fs:write", target: "/tmp/notes/**" });
    const alarm = [{ code: "receipts_unwritable", subject: home.paths.receiptsDir }];
    await expect.poll(alarms, { timeout: 8000 }).toMatchObject(alarm);
    const { since } = (await alarms())[0] ?? {};
    // Each second it is tried again, and there is nothing to make.
    for (let time = 0; time < 15; time++) {
      await setTimeout(200);
      expect(await alarms()).toMatchObject([{ ...alarm[0], since }]);
    }
    disk.fail();
    await expect.poll(alarms, { timeout: 8000 }).toEqual([]);
  });

  it("a revocation that can't be synced says that it may be in force", async () => {
    const disk = failingDisk();
    if (disk === undefined) return;
    const { operator } = await servedOn(disk);
    const { id } = await operator.call("grants.add", { capability: "fs:write", target: "/tmp/notes/**" });
    disk.fail({ what: "sync", of: "/grants.db", code: "EIO" });
    await expect(operator.call("grants.revoke", { id })).rejects.toMatchObject({
      code: "storage_failed",
      message: expect.stringContaining("may be in force"),
    });
    await expect(operator.call("grants.list", {})).resolves.toMatchObject([{ id }]);
  });
});
