import { mkdirSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runGate, startServe } from "../../support/gate-process.ts";
import { operatorOf } from "../../support/served-agent.ts";
import { smallDisk } from "../../support/small-disk.ts";
import { temporaryHome } from "../../support/temporary-home.ts";

const LEFT = 600_000;

it("a disk that is almost full has an alarm before it is full, on Settings and in doctor, until there is enough room", async (context) => {
  const disk = smallDisk(32);
  if (disk === undefined) return context.skip("only root can mount a disk");
  const home = temporaryHome(undefined, disk.folder);
  await startServe(home);
  const operator = await operatorOf(home);
  const alarms = async () => (await operator.call("status", {})).alarms;
  const rooms = async () => (await operator.call("storage.files", {})).disks;
  expect(await alarms()).toEqual([]);
  expect(await rooms()).toMatchObject([{ path: home.paths.state_dir, total_bytes: 32 * 1024 * 1024, is_low: false }]);
  expect((await runGate(home, ["doctor", "--json"])).lines).toContainEqual(
    expect.objectContaining({
      check: "disk",
      ok: true,
      detail: expect.stringContaining("33.6 MB are free on the disk of"),
    }),
  );
  const { bavail, bsize } = statfsSync(disk.folder);
  writeFileSync(join(disk.folder, "filler"), Buffer.alloc(bavail * bsize - LEFT, 1));
  const message = expect.stringMatching(/^\d+(\.\d)? [kM]B of 33\.6 MB are free on the disk of /);
  await expect
    .poll(alarms, { timeout: 6000 })
    .toMatchObject([{ code: "disk_low", subject: home.paths.state_dir, message }]);
  expect(await rooms()).toMatchObject([{ is_low: true }]);
  const checks = (await runGate(home, ["doctor", "--json"])).lines as { check: string; ok: boolean }[];
  expect(checks.filter(({ check }) => ["disk", "disk_low"].includes(check))).toMatchObject([
    { check: "disk", ok: false },
  ]);
  disk.empty();
  await expect.poll(alarms, { timeout: 6000 }).toEqual([]);
});

it("the sizes of the gate's files are those on the disk", async () => {
  const home = temporaryHome();
  await startServe(home);
  const operator = await operatorOf(home);
  for (const folder of [home.paths.receiptsDir, home.paths.auditDir]) mkdirSync(folder, { recursive: true });
  const sizes = async () =>
    new Map((await operator.call("storage.files", {})).files.map(({ kind, bytes }) => [kind, bytes]));
  const before = await sizes();
  writeFileSync(join(home.paths.receiptsDir, "2026-01.jsonl"), "x".repeat(1000));
  writeFileSync(join(home.paths.auditDir, "2026-01.jsonl"), "x".repeat(2000));
  writeFileSync(join(home.paths.auditDir, "2025-01_2025-12.archive.gz"), "x".repeat(3000));
  const after = await sizes();
  const more = (kind: "receipts" | "trail" | "archives") => (after.get(kind) ?? 0) - (before.get(kind) ?? 0);
  expect([more("receipts"), more("trail"), more("archives")]).toEqual([1000, 2000, 3000]);
  for (const kind of ["grants", "approvals", "agents", "safety", "activity"] as const)
    expect(after.get(kind)).toBeGreaterThan(4096);
});
