import { describe, expect, it } from "vitest";
import { type FailingDisk, failingDisk } from "../support/failing-disk.ts";
import { runGate, startServe } from "../support/gate-process.ts";
import { operatorOf, pairedAgent } from "../support/served-agent.ts";
import { temporaryHome } from "../support/temporary-home.ts";

const READ = { executor: "fs_read", args: { path: "/srv/a" } };

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
