import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, it, onTestFinished, vi } from "vitest";
import { monthFile } from "../../main/records/audit/chain.ts";
import { startGate } from "../support/running-gate.ts";
import { tempFolder } from "../support/temp-folder.ts";

const CALL = { executor: "time_now", args: {} };

it("a surface that fails to show a decision changes no answer, keeps none from the others, and is logged", async () => {
  const gate = await startGate();
  const agent = await gate.agent();
  gate.operator.subscribe(() => {
    throw new TypeError("cannot show /home/secret");
  }, ["decision"]);
  const received: string[] = [];
  gate.operator.subscribe(({ type }) => received.push(type), ["decision"]);
  for (let call = 0; call < 3; call++) expect((await agent.ask(CALL)).decision.outcome).toBe("allowed");
  await gate.logged(/error in telling a surface: TypeError/);
  expect(received).toHaveLength(3);
  expect(gate.log.join("\n")).not.toContain("secret");
  const trail = readFileSync(join(gate.paths.auditDir, monthFile(Date.now())), "utf8");
  expect(trail.match(/"event":"decision"/g)).toHaveLength(3);
});

it("a database that can't be written when an agent leaves doesn't end the gate: its session is over all the same", async () => {
  const gate = await startGate();
  const agent = await gate.agent("worker");
  const { grants } = gate.gate.core;
  const holder = { channel: "local", sender_id: "x", agent: agent.agent_id, session: agent.session };
  grants.recordGrant({ ...holder, capability: "mail:read", target: "inbox" });
  const find = () => grants.find(holder, "mail:read", { kind: "exact", value: "inbox" });
  expect(find()).toBeDefined();
  const other = new Database(gate.paths.grants_db);
  onTestFinished(() => {
    other.close();
  });
  other.exec("CREATE TRIGGER full BEFORE UPDATE ON grants BEGIN SELECT RAISE(ABORT, 'full'); END");
  await agent.close();
  await gate.logged(/error in a session's end: SqliteError/);
  expect(find()).toBeUndefined();
  other.exec("DROP TRIGGER full");
  expect((await (await gate.agent("worker")).ask(CALL)).decision.outcome).toBe("allowed");
});

it("many messages in one read are answered in their order, each is in the trail and among the last decisions", async () => {
  const gate = await startGate();
  const agent = await gate.agent();
  const ids = Array.from({ length: 300 }, (_, index) => `call-${index}`);
  agent.sendText(
    ids.map((id) => `${JSON.stringify({ type: "tool.call", data: { id, intent: "", ...CALL } })}\n`).join(""),
  );
  const answered: unknown[] = [];
  for (const _ of ids) answered.push((await agent.next("tool.decision")).data.id);
  expect(answered).toEqual(ids);
  const trail = readFileSync(join(gate.paths.auditDir, monthFile(Date.now())), "utf8");
  expect(trail.match(/"event":"decision"/g)).toHaveLength(ids.length);
  expect((await gate.operator.call("status", {})).decisions.allowed).toBe(ids.length);
  expect(await gate.operator.call("audit.verify", {})).toMatchObject({ ok: true });
});

it("a call that can't be decided on once its repository was looked through is answered as any other that fails", async () => {
  const gate = await startGate();
  const agent = await gate.agent();
  const cwd = tempFolder();
  execFileSync("git", ["-C", cwd, "init", "-q"]);
  vi.spyOn(gate.gate.core.gate, "decide").mockImplementationOnce(() => {
    throw new TypeError("cannot decide");
  });
  agent.send("tool.call", {
    id: "1",
    intent: "",
    executor: "shell_exec",
    args: { command: "git log" },
    context: { cwd },
  });
  expect(await agent.next(({ data }) => data.id === "1")).toMatchObject({ type: "error", data: { code: "internal" } });
  await gate.logged(/error in tool\.call: TypeError/);
  agent.send("tool.cancel", { id: "2", call: "1", reason: "" });
  expect(await agent.next(({ data }) => data.id === "2")).toMatchObject({ data: { code: "unknown_token" } });
  expect((await agent.ask(CALL)).decision.outcome).toBe("allowed");
});
