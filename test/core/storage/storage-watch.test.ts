import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type FileIdentity, identityOf } from "../../../ipc/base/file-identity.ts";
import type { GateError } from "../../../ipc/contract/gate-error.ts";
import { LEASE_MS } from "../../../main/core/storage/holder.ts";
import { StorageWatch } from "../../../main/core/storage/storage-watch.ts";
import { tempFolder } from "../../support/temp-folder.ts";

/** A watch over a lock and a database, on a stopped clock. */
function watched() {
  const folder = tempFolder();
  const clock = { now: 10_000 };
  vi.spyOn(performance, "now").mockImplementation(() => clock.now);
  onTestFinished(() => {
    vi.restoreAllMocks();
  });
  const lock = join(folder, "gate.lock");
  const database = join(folder, "grants.db");
  for (const file of [lock, database, `${database}-wal`]) writeFileSync(file, "x");
  const reported: GateError[] = [];
  const watch = new StorageWatch((loss) => reported.push(loss));
  watch.addDatabase("grants database", database);
  watch.addHeld("gate", "lock", lock, identityOf(lock) as FileIdentity);
  expect(watch.look()).toBeUndefined();
  return { watch, reported, clock, lock, database };
}

describe("whether the files are still the gate's own", () => {
  it("is checked again for a decision once the last check is too long ago, and not before", () => {
    const { watch, reported, clock, lock } = watched();
    rmSync(lock);
    clock.now += LEASE_MS;
    expect(watch.lossByNow()).toBeUndefined();
    clock.now += 1;
    expect(watch.lossByNow()?.code).toBe("gate_replaced");
    expect(reported.map(({ code }) => code)).toEqual(["gate_replaced"]);
  });

  it("is lost for ever once it was lost, and said once", () => {
    const { watch, reported, lock } = watched();
    renameSync(lock, `${lock}.away`);
    expect(watch.look()?.message).toContain(`${lock} was removed or moved`);
    renameSync(`${lock}.away`, lock);
    expect(watch.look()).toBe(watch.loss);
    expect(reported).toHaveLength(1);
  });

  it("is the lock's loss where the databases are missing with it, else the database's or its log's", () => {
    const all = watched();
    for (const file of [all.database, all.lock]) rmSync(file);
    expect(all.watch.look()?.code).toBe("gate_replaced");
    const log = watched();
    // Made beside it: a file system may give a new file the number of a deleted one.
    writeFileSync(`${log.database}-new`, "another");
    renameSync(`${log.database}-new`, `${log.database}-wal`);
    expect(log.watch.look()).toMatchObject({
      code: "database_unusable",
      message: expect.stringContaining("grants.db-wal was replaced by another file"),
    });
  });

  it("is no question any more while the gate closes and takes its own files away", () => {
    const { watch, reported, clock, lock } = watched();
    watch.stop();
    rmSync(lock);
    clock.now += 10 * LEASE_MS;
    expect([watch.lossByNow(), watch.look(), reported]).toEqual([undefined, undefined, []]);
  });
});
