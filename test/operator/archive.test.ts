import { readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { EXIT } from "../../cli/output.ts";
import { runGate } from "../support/gate-process.ts";
import { startGate } from "../support/running-gate.ts";

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
  expect(readdirSync(first.paths.audit_dir).filter((name) => name.endsWith(".gz"))).toHaveLength(2);
  const next = await startGate({ home: first.home });
  expect(await next.operator.call("audit.verify", { against })).toMatchObject({ ok: true, problems: [] });
  expect((await next.operator.call("status", {})).alarms).toEqual([]);
});
