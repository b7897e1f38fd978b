import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { type AgentPause, AgentPauses } from "../../main/agents/agent-pauses.ts";
import { AGENTS_SCHEMA } from "../../main/agents/agents.ts";
import { openDatabase } from "../../main/base/sqlite/database.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { tempFolder } from "../support/temp-folder.ts";

function opened(file = join(tempFolder(), "agents.db"), clock = new ManualClock()) {
  const db = openDatabase(file, AGENTS_SCHEMA);
  const changes: [string, AgentPause | null][] = [];
  const damaged: string[] = [];
  const pauses = new AgentPauses(db, {
    clock,
    changed: (agentId, pause) => changes.push([agentId, pause]),
    report: { damaged: (what) => damaged.push(what), resolved: () => undefined },
  });
  const close = () => {
    pauses.stop();
    if (db.open) db.close();
  };
  onTestFinished(close);
  return { pauses, file, clock, db, changes, damaged, close };
}

it("pauses one agent and no other, until it is resumed, also over a restart", () => {
  const first = opened();
  first.pauses.begin("agent-1");
  expect([first.pauses.isPaused("agent-1"), first.pauses.isPaused("agent-2")]).toEqual([true, false]);
  first.close();
  first.clock.advance(31_536_000);
  const second = opened(first.file, first.clock);
  expect(second.pauses.of("agent-1")).toEqual({ agent_id: "agent-1", since: "2026-05-04T10:00:00Z", until: null });
  expect([second.pauses.end("agent-1"), second.pauses.end("agent-1")]).toEqual([true, false]);
  second.close();
  expect(opened(first.file).pauses.list()).toEqual([]);
});

it("ends by itself once both clocks say so: setting the wall clock ahead ends nothing", () => {
  const { pauses, clock, changes } = opened();
  pauses.begin("agent-1", 3600);
  clock.jump(7200);
  expect(pauses.isPaused("agent-1")).toBe(true);
  clock.jump(-7200);
  clock.advance(3602);
  expect(pauses.isPaused("agent-1")).toBe(false);
  expect(changes.map(([agentId, pause]) => [agentId, pause !== null])).toEqual([
    ["agent-1", true],
    ["agent-1", false],
  ]);
});

it("a shorter pause shortens none that is there", () => {
  const { pauses, clock } = opened();
  const hour = pauses.begin("agent-1", 3600).until;
  expect(pauses.begin("agent-1", 60).until).toBe(hour);
  expect(pauses.begin("agent-1").until).toBeNull();
  expect(pauses.begin("agent-1", 60).until).toBeNull();
  clock.advance(31_536_000);
  expect(pauses.isPaused("agent-1")).toBe(true);
});

it("a stored pause that can't be read still pauses, and is reported until the user ends it", () => {
  const first = opened();
  first.pauses.begin("agent-1", 60);
  first.db.exec("UPDATE agent_pauses SET until = 'soon'");
  first.close();
  first.clock.advance(3600);
  const second = opened(first.file, first.clock);
  expect(second.damaged).toEqual(["the pause of agent-1"]);
  expect(second.pauses.of("agent-1")?.until).toBeNull();
  expect(second.pauses.end("agent-1")).toBe(true);
  expect(second.pauses.isPaused("agent-1")).toBe(false);
});

it("a pause that can't be written holds all the same, and is written later", () => {
  const { pauses, db, file, clock, close, changes } = opened();
  db.pragma("query_only = 1");
  expect(() => pauses.begin("agent-1")).toThrow(/readonly/);
  expect(pauses.isPaused("agent-1")).toBe(true);
  expect(changes).toHaveLength(1);
  db.pragma("query_only = 0");
  pauses.flush();
  close();
  expect(opened(file, clock).pauses.isPaused("agent-1")).toBe(true);
});
