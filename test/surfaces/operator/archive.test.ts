import { readdirSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { expect, it } from "vitest";
import { EXIT } from "../../../cli/output.ts";
import { runGate } from "../../support/gate-process.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { startGate } from "../../support/running-gate.ts";
import { temporaryHome } from "../../support/temporary-home.ts";

const READ = { executor: "time_now", args: {} };

it("months are archived beside a gate that decides meanwhile, and by the command while none runs; verify proves both", async () => {
  let now = Date.parse("2026-05-30T12:00:00Z");
  const first = await startGate({ now: () => now });
  const agent = await first.agent("worker", "Full");
  for (let call = 0; call < 50; call++) await agent.ask(READ);
  const { text } = await first.operator.call("audit.checkpoint", { is_fresh: true });
  const against = text ?? "";
  now += 7 * 86_400_000;
  await agent.ask(READ);
  await expect(first.operator.call("audit.archive", { before: "2026-07" })).rejects.toMatchObject({
    code: "invalid_params",
  });
  await first.operator.call("safety.pause", { reason: "lunch" });
  await expect(first.operator.call("audit.archive", { before: "2026-06" })).rejects.toMatchObject({
    code: "trail_not_whole",
  });
  await first.operator.call("safety.resume", {});
  // All at once: none of them reads a file that another one takes away.
  const [made, report, calls] = await Promise.all([
    first.operator.call("audit.archive", { before: "2026-06" }),
    first.operator.call("audit.verify", { against }),
    Promise.all(Array.from({ length: 20 }, () => agent.ask(READ))),
  ]);
  expect(made).toMatchObject({ file: "2026-05_2026-05.archive.gz", months: ["2026-05"] });
  expect(report).toMatchObject({ ok: true, problems: [] });
  expect(calls.map(({ decision }) => decision.outcome)).toEqual(Array(20).fill("allowed"));
  expect(await first.operator.call("audit.verify", { against })).toMatchObject({ ok: true, files: 2, problems: [] });
  await first.close();
  const offline = await runGate(first.home, ["audit", "archive", "--before", "2026-07"]);
  expect(offline).toMatchObject({
    code: EXIT.ok,
    stderr: expect.stringMatching(/^\d+ lines of 1 month: .* in 2026-06_2026-06\.archive\.gz\n$/),
  });
  expect(readdirSync(first.paths.auditDir).filter((name) => name.endsWith(".gz"))).toHaveLength(2);
  const next = await startGate({ home: first.home });
  expect(await next.operator.call("audit.verify", { against })).toMatchObject({ ok: true, problems: [] });
  expect((await next.operator.call("status", {})).alarms).toEqual([]);
});

it("months that ended so many days ago are archived by themselves, and no others; not while the gate is paused", async () => {
  let now = Date.parse("2026-05-30T12:00:00Z");
  const home = temporaryHome("[audit]\nkeep = 40\n");
  for (const day of ["2026-05-30", "2026-06-30", "2026-07-01"]) {
    now = Date.parse(`${day}T12:00:00Z`);
    const gate = await startGate({ home, now: () => now });
    await (await gate.agent("worker", "Full")).ask(READ);
    await gate.close();
  }
  now = Date.parse("2026-08-09T12:00:00Z");
  const clock = new ManualClock(new Date(now).toISOString());
  const gate = await startGate({ home, clock });
  await gate.operator.call("safety.pause", { reason: "lunch" });
  clock.advance(61);
  await setTimeout(2500);
  const files = () => readdirSync(gate.paths.auditDir).filter((name) => name !== "reserve");
  expect(files()).toEqual(["2026-05.jsonl", "2026-06.jsonl", "2026-07.jsonl", "2026-08.jsonl"]);
  await gate.operator.call("safety.resume", {});
  clock.advance(3601);
  await gate.logged(/^archived 2026-05 of the audit trail in 2026-05_2026-05\.archive\.gz$/);
  // June ended 39 days ago.
  expect(files()).toEqual(["2026-05_2026-05.archive.gz", "2026-06.jsonl", "2026-07.jsonl", "2026-08.jsonl"]);
  clock.advance(2 * 86_400);
  await gate.logged(/^archived 2026-06 /);
  expect(await gate.operator.call("audit.verify", {})).toMatchObject({ ok: true, files: 4, problems: [] });
  await setTimeout(1500);
  expect((await gate.operator.call("status", {})).alarms).toEqual([]);
});
