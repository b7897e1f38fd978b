import { readFileSync, rmSync } from "node:fs";
import { expect, it } from "vitest";
import { startGate } from "../../support/running-gate.ts";
import { temporaryHome } from "../../support/temporary-home.ts";

it("a gate whose record of its checkpoints is gone continues after those that are stored", async () => {
  const home = temporaryHome();
  const first = await startGate({ home });
  await first.operator.call("safety.pause", { reason: "a line" });
  const { text } = await first.operator.call("audit.checkpoint", { is_fresh: true });
  await first.close();
  rmSync(home.paths.checkpointRecord);
  const second = await startGate({ home });
  const report = await second.operator.call("audit.verify", { against: text ?? "" });
  expect(report).toMatchObject({ ok: true, problems: [] });
  const { text: next } = await second.operator.call("audit.checkpoint", { is_fresh: true });
  expect(next?.split("\n")[0]).toBe(text?.split("\n")[0]);
  await second.close();
  expect(readFileSync(home.paths.checkpointRecord, "utf8")).toContain(text?.split("\n")[0]);
});
