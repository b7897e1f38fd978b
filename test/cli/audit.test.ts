import { appendFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { EXIT } from "../../cli/output.ts";
import { runGate } from "../support/gate-process.ts";
import { startGate } from "../support/running-gate.ts";

it("audit verify counts what is open; what was accepted is not said to be as it was written", async () => {
  const gate = await startGate();
  await gate.operator.call("safety.pause", { reason: "lunch" });
  await gate.close();
  const folder = gate.home.paths.auditDir;
  const [file = ""] = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
  expect(await runGate(gate.home, ["audit", "verify"])).toMatchObject({
    code: EXIT.ok,
    stderr: "1 line, each as it was written\n",
  });
  appendFileSync(join(folder, file), "\n");
  expect(await runGate(gate.home, ["audit", "verify"])).toMatchObject({
    code: EXIT.problemFound,
    stderr: "1 problem found\n",
  });
  const accepted = await runGate(gate.home, ["audit", "accept", "--reason", "an editor"]);
  expect(accepted).toMatchObject({
    code: EXIT.ok,
    stderr: expect.stringMatching(/with \d accepted problems? and no other/),
  });
  expect(accepted.stderr).not.toContain("as it was written");
});
