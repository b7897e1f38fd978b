import { readFileSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { Decision } from "../../ipc/contract/decision.ts";
import { monthFile } from "../../main/records/audit/chain.ts";
import { tokenOf } from "../support/agent-connection.ts";
import { type GateUnderTest, startGate } from "../support/running-gate.ts";

const READ = { executor: "time_now", args: {} };
const FORBIDDEN = { executor: "fs_read", args: { path: "/root/.ssh/id_rsa" } };
const WRITE = { executor: "fs_write", args: { path: "/tmp/notes/a.txt", content: "hello" } };

interface Answer {
  type: string;
  data: Partial<Decision> & { decisions?: Decision[] };
}

/** The trail's lines as they are in the file at this moment. */
function trailOf({ paths }: GateUnderTest): Record<string, unknown>[] {
  const text = readFileSync(join(paths.auditDir, monthFile(Date.now())), "utf8");
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

/**
 * Looks into the file at the moment in which an answer is handed to the socket: a client that reads it later could find a line
 * that was written after it. Returns what was answered, and what of it had no line.
 */
function watchAnswers(gate: GateUnderTest): { answered: string[]; unwritten: string[] } {
  const seen: { answered: string[]; unwritten: string[] } = { answered: [], unwritten: [] };
  const cancelled = new Set<string | undefined>();
  const check = (decision: Partial<Decision>, event: string) => {
    const { decision_id, outcome, status } = decision;
    const what = `${event} ${status ?? outcome}`;
    seen.answered.push(what);
    const lines = trailOf(gate);
    if (status === "cancelled") cancelled.add(decision_id);
    const isWritten =
      status === "cancelled"
        ? lines.filter((line) => line.event === "answer" && line.status === "cancelled").length >= cancelled.size
        : lines.some((line) => line.event === event && line.decision_id === decision_id && line.outcome === outcome);
    if (!isWritten) seen.unwritten.push(what);
  };
  const write = Socket.prototype.write;
  Socket.prototype.write = function (this: Socket, ...args: unknown[]): boolean {
    for (const line of String(args[0]).split("\n")) {
      if (!/^\{"type":"tool\.(?:decision|plan\.decisions)"/.test(line)) continue;
      const { type, data } = JSON.parse(line) as Answer;
      if (type === "tool.decision") check(data, "decision");
      for (const decision of data.decisions ?? []) check(decision, "plan");
    }
    return Reflect.apply(write, this, args) as boolean;
  };
  onTestFinished(() => {
    Socket.prototype.write = write;
  });
  return seen;
}

it("every answer finds its line in the file", async () => {
  const gate = await startGate();
  const agent = await gate.agent();
  await agent.ask(READ);
  const seen = watchAnswers(gate);
  for (let round = 0; round < 30; round++) {
    await agent.ask(READ);
    await agent.ask(FORBIDDEN);
    for (const decision of ["approved", "rejected"] as const) {
      const asked = await agent.ask(WRITE);
      await gate.operator.call("approvals.resolve", { token: tokenOf(asked.decision), decision });
      await asked.final();
    }
    const waiting = await agent.ask(WRITE);
    const token = tokenOf(waiting.decision);
    agent.send("tool.cancel", { id: `cancel-${round}`, token, reason: "not needed" });
    await agent.next(({ data }) => data.id === `cancel-${round}`);
    await agent.next(({ data }) => data.id === waiting.id);
    const calls = [READ, FORBIDDEN].map((call, index) => ({ id: `p${index}`, intent: "", ...call }));
    agent.send("tool.plan", { id: `plan-${round}`, intent: "", calls });
    await agent.next("tool.plan.decisions");
    agent.sendText(
      [1, 2, 3]
        .map((n) => `${JSON.stringify({ type: "tool.call", data: { id: `b${round}-${n}`, intent: "", ...READ } })}\n`)
        .join(""),
    );
    for (const _ of [1, 2, 3]) await agent.next("tool.decision");
  }
  expect(new Set(seen.answered)).toEqual(
    new Set([
      "decision allowed",
      "decision denied",
      "decision approval_required",
      "decision approved",
      "decision rejected",
      "decision cancelled",
      "plan allowed",
      "plan denied",
    ]),
  );
  expect(seen.unwritten).toEqual([]);
});
