import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { tokenOf } from "../support/agent-connection.ts";
import { startGate } from "../support/running-gate.ts";

const MARKER = "Zx9-Secret-4711";

it("nothing from the arguments' values reaches the log, the audit trail or a stored message, whatever the agent says", async () => {
  const gate = await startGate({ frameTimeoutMs: 60 });
  const agent = await gate.agent("leaky", "Supervised");
  const args = { path: `/tmp/${MARKER}/a.txt`, content: MARKER };
  const intent = `write ${MARKER} where it belongs`;

  // What is decided, asked, answered, withdrawn and expired.
  const asked = await agent.ask({
    executor: "fs_write",
    args,
    intent,
    context: { cwd: `/tmp/${MARKER}`, mode: MARKER },
  });
  await gate.operator.call("approvals.resolve", { token: tokenOf(asked.decision), decision: "approved" });
  expect((await asked.final()).outcome).toBe("allowed");
  const withdrawn = await agent.ask({ executor: "unheard-of", args: { deep: [{ value: MARKER }] }, intent });
  agent.send("tool.cancel", { id: "cancel", token: tokenOf(withdrawn.decision), reason: `gave up on ${MARKER}` });
  expect((await withdrawn.final()).status).toBe("cancelled");
  await agent.ask({ executor: "fs_read", args: { path: "/etc/shadow", note: MARKER }, intent });
  await agent.ask({ executor: "shell_exec", args: { command: `rm -rf / # ${MARKER}` }, intent });
  await agent.ask({ executor: "http_get", args: { url: `not a url ${MARKER}` }, intent });
  await agent.ask({ executor: "fs_read", args: { path: [MARKER] }, intent });
  await agent.ask({ executor: "time_now", args: { note: MARKER }, intent });
  const longName = await agent.ask({ executor: `mcp__x__${"y".repeat(60)}${MARKER}`, args: {}, intent });
  await gate.operator.call("approvals.resolve", { token: tokenOf(longName.decision), decision: "rejected" });
  await longName.final();
  agent.send("tool.plan", { id: "plan", intent, calls: [{ executor: "fs_write", args }] });
  await agent.next("tool.plan.decisions");
  agent.send("tool.outcome", { decision_id: asked.decision.decision_id, ok: false, error: `${MARKER} failed` });

  // What can't be read.
  for (const text of [
    `${MARKER}\n`,
    `{"type":"${MARKER}","data":{}}\n`,
    `{"type":"tool.call","data":{"id":"1","intent":"","executor":"a ${MARKER}","args":{}}}\n`,
    `{"type":"tool.call","data":{"id":"1","intent":"","executor":"fs_read","args":"${MARKER}"}}\n`,
    `{"type":"tool.cancel","data":{"id":"1","token":"${MARKER}","reason":""}}\n`,
  ]) {
    agent.sendText(text);
    expect(JSON.stringify((await agent.next("error")).data)).not.toContain(MARKER);
  }
  agent.sendText(`{"type":"${MARKER}`);
  expect((await agent.next("error")).data.code).toBe("frame_unfinished");
  await agent.close();
  await gate.close();

  const trail = readdirSync(gate.paths.auditDir).map((name) => readFileSync(join(gate.paths.auditDir, name), "utf8"));
  expect(trail.join("").split("\n").length).toBeGreaterThan(10);
  expect(trail.join("")).not.toContain(MARKER);
  expect(trail.join("").match(/"executor":"\(unnamed:83\)"/g)).toHaveLength(3);
  expect(gate.log.length).toBeGreaterThan(5);
  expect(gate.log.join("\n")).not.toContain(MARKER);

  const after = await startGate({ home: gate.home });
  const requests = await after.operator.call("approvals.list", { include_resolved: true });
  expect(requests).toHaveLength(3);
  for (const { message, args: kept } of requests) {
    expect(kept).toBeNull();
    expect(message ?? "").not.toContain(MARKER);
  }
});
