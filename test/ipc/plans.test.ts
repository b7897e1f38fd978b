import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startGate } from "../support/running-gate.ts";

const COUNT = 256;

/** A plan whose calls take long to evaluate, so that it needs many turns of the event loop. */
function longPlan(id: string): object {
  const command = (index: number) => `${"echo a b c; ".repeat(30)}rm -f x${index}`;
  const calls = Array.from({ length: COUNT }, (_, index) => ({
    executor: "shell_exec",
    args: { command: command(index) },
  }));
  return { id, intent: "", calls };
}

describe("a long plan", () => {
  it("yields: another agent is answered before it is, and the same connection's next call after it", async () => {
    const gate = await startGate();
    const [planner, other] = [await gate.agent("planner"), await gate.agent("other")];
    const order: string[] = [];
    planner.send("tool.plan", longPlan("plan"));
    planner.send("tool.call", { id: "next", intent: "", executor: "time_now", args: {} });
    const planned = planner.next("tool.plan.decisions").then(({ data }) => {
      order.push("plan");
      return data.decisions as unknown[];
    });
    const next = planner.next("tool.decision").then(() => order.push("next"));
    const asked = other.ask({ executor: "time_now" }).then(() => order.push("other"));
    expect(await planned).toHaveLength(COUNT);
    await Promise.all([next, asked]);
    expect(order).toEqual(["other", "plan", "next"]);
  });

  it("all of its lines are in the trail before its answer is sent", async () => {
    const gate = await startGate();
    const planner = await gate.agent("planner");
    planner.send("tool.plan", longPlan("plan"));
    await planner.next("tool.plan.decisions");
    expect(planLines(gate.paths.auditDir)).toBe(COUNT);
  });

  it("ends where its connection does", async () => {
    const gate = await startGate();
    const [planner, other] = [await gate.agent("planner"), await gate.agent("other")];
    planner.send("tool.plan", longPlan("plan"));
    await other.ping();
    await planner.close();
    await expect.poll(async () => (await gate.operator.call("status", {})).connections).toBe(1);
    gate.gate.core.gate.record();
    const lines = planLines(gate.paths.auditDir);
    expect(lines).toBeLessThan(COUNT);
    await new Promise((resolve) => setTimeout(resolve, 100));
    gate.gate.core.gate.record();
    expect(planLines(gate.paths.auditDir)).toBe(lines);
  });
});

function planLines(auditDir: string): number {
  return readdirSync(auditDir)
    .flatMap((name) => readFileSync(join(auditDir, name), "utf8").split("\n"))
    .filter((line) => line.includes('"event":"plan"')).length;
}

describe("calls that wait until their repository was looked through", () => {
  it("are decided in turns then: another agent's that waits as long is answered before most of them", async () => {
    const gate = await startGate();
    const cwd = join(gate.home.home, "slow");
    execFileSync("git", ["init", "-q", cwd]);
    const words = ["-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-q", "--allow-empty", "-m", "x"];
    execFileSync("git", words, { cwd });
    // Git waits for it.
    execFileSync("mkfifo", [join(cwd, ".git/shallow")]);
    const [many, other] = [await gate.agent("many"), await gate.agent("other")];
    const order: string[] = [];
    const asked = (agent: typeof many, command: string) =>
      agent.ask({ executor: "Bash", args: { command }, context: { cwd } });
    const long = Array.from({ length: 200 }, (_, at) => `cat ${at}.txt`).join("; ");
    const calls = Array.from({ length: 12 }, (_, at) =>
      asked(many, `git status; ${long}; echo ${at}`).then(() => order.push("many")),
    );
    await many.ping();
    await Promise.all([...calls, asked(other, "git status").then(() => order.push("other"))]);
    expect(order.indexOf("other")).toBeLessThan(6);
  });
});
