import { mkdirSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { AgentPauses } from "../../main/agents/agent-pauses.ts";
import { AGENTS_SCHEMA } from "../../main/agents/agents.ts";
import { GATE, KeptPauses } from "../../main/agents/kept-pauses.ts";
import { Alarms } from "../../main/base/alarms.ts";
import { openDatabase } from "../../main/base/sqlite/database.ts";
import { PauseSwitch } from "../../main/decide/safety/pause.ts";
import { SAFETY_SCHEMA } from "../../main/decide/safety/schema.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { tempFolder } from "../support/temp-folder.ts";

/** One life of both switches, with the file beside. `breakDatabases` makes their databases fail as a broken disk does. */
function opened(folder = tempFolder(), clock = new ManualClock(), nameOf = (id: string) => `name of ${id}`) {
  const file = join(folder, "kept-pauses");
  const alarms = new Alarms(clock.now, () => undefined);
  const kept = new KeptPauses({ file, alarms, now: clock.now, nameOf });
  const safetyDb = openDatabase(join(folder, "safety.db"), SAFETY_SCHEMA);
  const agentsDb = openDatabase(join(folder, "agents.db"), AGENTS_SCHEMA);
  const pause = new PauseSwitch(safetyDb, { clock, changed: () => undefined, kept });
  const agents = new AgentPauses(agentsDb, { clock, changed: () => undefined, kept });
  kept.flush();
  const breakDatabases = (isBroken: boolean) => {
    for (const db of [safetyDb, agentsDb]) db.pragma(`query_only = ${isBroken ? 1 : 0}`);
  };
  const close = () => {
    pause.stop();
    agents.stop();
    kept.close();
    for (const db of [safetyDb, agentsDb]) if (db.open) db.close();
  };
  onTestFinished(close);
  /** As `kill -9` and a start. */
  const again = () => {
    close();
    return opened(folder, clock);
  };
  return { folder, file, clock, alarms, kept, pause, agents, safety_db: safetyDb, breakDatabases, again };
}

/** The file can't be written or read any more. */
function block(file: string): void {
  rmSync(file);
  mkdirSync(file);
}

const HUMAN = { by: "human", reason: "lunch", clears: "by_human" } as const;

describe("a pause that its database can't store", () => {
  it("is an alarm until it is stored, also over a kill, and is in the file as long", () => {
    const first = opened();
    first.breakDatabases(true);
    expect(() => first.pause.begin(HUMAN)).toThrow(/readonly/);
    expect(() => first.agents.begin("agent-1")).toThrow(/readonly/);
    expect(first.alarms.list()).toMatchObject([
      {
        code: "pause_not_stored",
        subject: "the gate",
        message: expect.stringContaining(`it is kept in ${first.file}`),
      },
      { code: "pause_not_stored", subject: "name of agent-1" },
    ]);
    expect(first.kept.isAnyUnkept).toBe(false);
    const second = first.again();
    expect(second.pause.state()).toMatchObject({ is_paused: true, reason: "lunch" });
    expect(second.agents.of("agent-1")).toMatchObject({ until: null });
    expect([...second.kept.adopted]).toEqual([GATE, "agent-1"]);
    second.pause.flush();
    second.agents.flush();
    expect(second.alarms.list()).toEqual([]);
    expect(readFileSync(second.file, "utf8").trim()).toBe("{}");
    const third = second.again();
    expect([third.pause.reason, third.agents.isPaused("agent-1")]).toEqual(["lunch", true]);
    expect(third.kept.adopted.size).toBe(0);
  });

  it("is tried again by a repetition, which fails as the first did, and is stored once that is possible", () => {
    const { pause, breakDatabases, alarms, kept, again } = opened();
    breakDatabases(true);
    expect(() => pause.begin(HUMAN)).toThrow(/readonly/);
    const note = kept.noteOf(GATE);
    expect(() => pause.begin(HUMAN)).toThrow(/readonly/);
    expect([kept.noteOf(GATE), note]).toEqual([note, expect.stringContaining("SQLITE_READONLY")]);
    breakDatabases(false);
    pause.begin(HUMAN);
    expect([alarms.list(), kept.noteOf(GATE)]).toEqual([[], undefined]);
    expect(again().pause.reason).toBe("lunch");
  });

  it("makes the one that is stored stricter, and for a time ends when it would have", () => {
    const first = opened();
    first.pause.begin({ ...HUMAN, clears: "after_seconds", seconds: 60 });
    first.agents.begin("agent-1", 60);
    first.breakDatabases(true);
    expect(() => first.pause.begin({ ...HUMAN, clears: "after_seconds", seconds: 3600 })).toThrow();
    expect(() => first.agents.begin("agent-1", 3600)).toThrow();
    first.clock.advance(120);
    const second = first.again();
    expect([second.pause.reason, second.agents.isPaused("agent-1")]).toEqual(["lunch", true]);
    second.breakDatabases(true);
    second.clock.advance(3600);
    const third = second.again();
    expect([third.pause.reason, third.agents.isPaused("agent-1")]).toEqual([undefined, false]);
    expect(third.alarms.list()).toEqual([]);
    expect(readFileSync(third.file, "utf8").trim()).toBe("{}");
  });

  it("of an agent that is called gate is an alarm of its own beside the one of the pause of every agent", () => {
    const { pause, agents, alarms, kept, breakDatabases } = opened(undefined, undefined, () => "gate");
    breakDatabases(true);
    expect(() => pause.begin(HUMAN)).toThrow(/readonly/);
    expect(() => agents.begin("agent-1")).toThrow(/readonly/);
    expect(alarms.list().map(({ message }) => message)).toEqual([
      expect.stringContaining("the gate is paused, but"),
      expect.stringContaining("agent gate is paused, but"),
    ]);
    breakDatabases(false);
    agents.flush();
    expect(alarms.list().map(({ message }) => message)).toEqual([kept.noteOf(GATE)]);
  });

  it("in neither place says that a restart would forget it", () => {
    const { pause, breakDatabases, file, kept, alarms } = opened();
    block(file);
    breakDatabases(true);
    expect(() => pause.begin(HUMAN)).toThrow(/readonly/);
    expect(alarms.list()).toMatchObject([{ message: expect.stringContaining("a restart would forget it") }]);
    expect(kept.isAnyUnkept).toBe(true);
    rmdirSync(file);
    expect(() => pause.flush()).toThrow(/readonly/);
    expect(alarms.list()).toMatchObject([{ message: expect.stringContaining("it is kept in") }]);
    expect(kept.isAnyUnkept).toBe(false);
  });

  it("is kept however long its words are, and however many agents are paused", () => {
    const first = opened();
    first.breakDatabases(true);
    const cause = { rule_id: "SR-001", subject_type: "goal", agent_name: "a", detail: "d", about: "è".repeat(2000) };
    expect(() =>
      first.pause.begin({ by: "safety", reason: "\u0001".repeat(500), clears: "by_human", cause } as never),
    ).toThrow();
    for (let agent = 0; agent < 20; agent++) expect(() => first.agents.begin(`agent-${agent}`, 60)).toThrow();
    expect(statSync(first.file).size).toBe(4096);
    const second = first.again();
    expect(second.pause.state()).toMatchObject({ is_paused: true, by: "safety" });
    expect(second.agents.list()).toHaveLength(20);
  });
});

describe("the end of a pause", () => {
  it("is refused where the file can't be written that holds it: the next gate would be paused", () => {
    const first = opened();
    first.breakDatabases(true);
    expect(() => first.pause.begin(HUMAN)).toThrow();
    expect(() => first.agents.begin("agent-1")).toThrow();
    first.breakDatabases(false);
    const text = readFileSync(first.file);
    block(first.file);
    expect(() => first.pause.end()).toThrow(/that the pause ends can't be stored: .*kept-pauses is a folder/);
    expect(() => first.agents.end("agent-1")).toThrow(/kept-pauses is a folder/);
    expect([first.pause.reason, first.agents.isPaused("agent-1")]).toEqual(["lunch", true]);
    rmdirSync(first.file);
    writeFileSync(first.file, text);
    expect([first.pause.end(), first.agents.end("agent-1")]).toEqual([true, true]);
    const second = first.again();
    expect([second.pause.reason, second.agents.list()]).toEqual([undefined, []]);
  });

  it("is refused where the database can't store it, and the pause is kept again", () => {
    const first = opened();
    first.pause.begin(HUMAN);
    first.agents.begin("agent-1");
    first.breakDatabases(true);
    expect(() => first.pause.end()).toThrow(/readonly/);
    expect(() => first.agents.end("agent-1")).toThrow(/readonly/);
    // After an error of the disk nobody knows whether the row is still there.
    expect(first.alarms.list().map(({ subject }) => subject)).toEqual(["the gate", "name of agent-1"]);
    first.safety_db.pragma("query_only = 0");
    first.safety_db.exec("DELETE FROM pause");
    expect(first.again().pause.reason).toBe("lunch");
  });

  it("writes over what a failed write may have left on the disk", () => {
    const { pause, breakDatabases, folder, again } = opened();
    breakDatabases(true);
    expect(() => pause.begin(HUMAN)).toThrow();
    breakDatabases(false);
    const log = join(folder, "safety.db-wal");
    const before = statSync(log).size;
    expect(pause.end()).toBe(true);
    expect(statSync(log).size).toBeGreaterThan(before);
    expect(again().pause.reason).toBeUndefined();
  });

  it("needs no file where none could be made", () => {
    const folder = tempFolder();
    const { pause, file, kept } = opened(folder);
    block(file);
    pause.begin(HUMAN);
    expect(pause.end()).toBe(true);
    kept.flush();
    expect(kept.isAnyUnkept).toBe(false);
  });
});

it("the pause of every agent is kept also where those of single agents have filled the file", () => {
  const first = opened();
  first.breakDatabases(true);
  const names = Array.from({ length: 60 }, (_, index) => `agent-${index}`);
  for (const name of names) expect(() => first.agents.begin(name)).toThrow(/readonly/);
  expect(first.kept.isAnyUnkept).toBe(true);
  expect(first.kept.noteOf("agent-59")).toContain("a restart would forget it");
  expect(() => first.pause.begin({ ...HUMAN, reason: "x".repeat(3000) })).toThrow(/readonly/);
  expect(first.kept.noteOf(GATE)).toContain("it is kept in");
  const unkept = first.kept.notes().filter((note) => note.includes("a restart would forget it"));
  expect(first.alarms.list().filter(({ message }) => unkept.includes(message))).toHaveLength(unkept.length);
  const second = first.again();
  expect(second.pause.reason).toMatch(/^x+$/);
  expect(names.filter((name) => !second.agents.isPaused(name))).toHaveLength(unkept.length);
});

describe("a file that can't be read", () => {
  it.each(["no JSON", '{"gate":1}', '["gate"]'])("as %s pauses the gate until the user has looked", (text) => {
    const first = opened();
    writeFileSync(first.file, text);
    const second = first.again();
    expect(second.pause.reason).toContain(`${second.file} can't be read`);
    // They aren't paused any more once the gate isn't.
    expect(second.pause.reason).toContain("agents may have been paused by it");
    second.pause.flush();
    expect(second.pause.end()).toBe(true);
    expect(second.again().pause.reason).toBeUndefined();
  });

  it("as a folder does so until it is moved away", () => {
    const first = opened();
    block(first.file);
    const second = first.again();
    expect(second.pause.reason).toContain("kept-pauses is a folder");
    expect(() => second.pause.end()).toThrow(/kept-pauses is a folder/);
    rmdirSync(second.file);
    expect(second.pause.end()).toBe(true);
  });

  it.each(["", " \n", "\0".repeat(4096)])("as one that nothing was written into yet holds no pause", (text) => {
    const first = opened();
    writeFileSync(first.file, text);
    const second = first.again();
    expect(second.pause.reason).toBeUndefined();
    expect(statSync(second.file).size).toBe(4096);
  });
});
