import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { monthFile } from "../../main/records/audit/chain.ts";
import { startServe } from "../support/gate-process.ts";
import { operatorOf, pairedAgent } from "../support/served-agent.ts";
import { HAS_ROOM_AHEAD, roomOf, smallDisk } from "../support/small-disk.ts";
import { temporaryHome } from "../support/temporary-home.ts";

const WRITE = { executor: "fs_write", args: { path: "/tmp/notes/a.txt", content: "hello" } };

const MINUTE_OF_CALLS = 60 * 50;

it("with a program that keeps filling the disk a minute of calls is in the trail, and a pause is stored", async () => {
  if (!HAS_ROOM_AHEAD) return console.warn("skipped: there is no room within files without util-linux's fallocate");
  const disk = smallDisk(24);
  if (disk === undefined) return;
  const home = temporaryHome(undefined, disk.folder);
  const { paths } = home;
  const serve = await startServe(home);
  const operator = await operatorOf(home);
  const agent = await pairedAgent(home, operator, "worker", "Full");
  await agent.ask(WRITE);
  const trail = join(paths.auditDir, monthFile(Date.now()));
  await expect.poll(() => roomOf(trail), { timeout: 10_000 }).toBeGreaterThan(4_000_000);
  await expect.poll(() => roomOf(`${paths.safety_db}-wal`), { timeout: 10_000 }).toBeGreaterThan(200_000);
  // It has what was kept aside as soon as the gate gives it back.
  for (const file of [paths.stateReserve, paths.auditReserve]) rmSync(file, { force: true });
  const lines = () => readFileSync(trail, "utf8").match(/"event":"decision"/g)?.length ?? 0;
  const before = lines();
  const stages = new Set<unknown>();
  for (let call = 0; call < MINUTE_OF_CALLS; call++) {
    if (call % 20 === 0) disk.fill();
    stages.add((await agent.ask(WRITE)).decision.stage);
  }
  // Many are denied or asked about, as they are so many; none because the trail couldn't be written, which is stage `safety`.
  expect([stages.has("policy"), stages.has("safety")]).toEqual([true, false]);
  expect(lines() - before).toBe(MINUTE_OF_CALLS);
  disk.fill();
  const pause = await operator.call("safety.pause", { reason: "stop" });
  expect(pause.note).toBeUndefined();
  const { audit_write_failures, alarms } = await operator.call("status", {});
  expect(audit_write_failures).toBe(0);
  expect(alarms.map(({ code }) => code)).not.toContain("trail_lost");
  await serve.end("SIGKILL");
  disk.empty();
  await startServe(home);
  const again = await operatorOf(home);
  expect((await again.call("safety.status", {})).pause).toMatchObject({ is_paused: true, reason: "stop" });
  expect(await again.call("audit.verify", {})).toMatchObject({ ok: true });
}, 120_000);
