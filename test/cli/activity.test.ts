import { describe, expect, it } from "vitest";
import { parseMoment } from "../../cli/durations.ts";
import { activityColumns, auditColumns, DAY_COLUMNS } from "../../cli/listings.ts";
import { EXIT } from "../../cli/output.ts";
import { tableLines } from "../../cli/table.ts";
import type { ActivityEntry, DayRow } from "../../ipc/contract/activity.ts";
import { runGate } from "../support/gate-process.ts";
import { startGate } from "../support/running-gate.ts";

/** A gate that has decided three calls, and was started again since. */
async function seat() {
  const gate = await startGate();
  const agent = await gate.agent("tester", "Full");
  await agent.ask({ executor: "Bash", args: { command: "git push --force origin main" } });
  await agent.ask({ executor: "Bash", args: { command: "rm -rf /" } });
  await agent.ask({ executor: "time_now" });
  await gate.close();
  return (await startGate({ home: gate.home })).home;
}

describe("what happened, in a terminal", () => {
  it("today has each agent's calls in numbers that add up", async () => {
    const home = await seat();
    const { code, lines } = await runGate(home, ["today"]);
    expect(code).toBe(EXIT.ok);
    const [{ rows = [] } = {}] = lines as { rows?: DayRow[] }[];
    expect(rows).toMatchObject([{ agent_name: "tester", total: 3, calls: { denied: 1 } }]);
    for (const { calls, total } of rows) expect(Object.values(calls).reduce((sum, count) => sum + count)).toBe(total);
    expect((await runGate(home, ["status"])).stderr).toMatch(
      /today \d allowed by itself, 0 you approved, 0 you denied, 1 denied/,
    );
  });

  it("activity finds a call by its words, its outcome, its agent and its time, over a restart", async () => {
    const home = await seat();
    const found = async (...args: string[]) =>
      (await runGate(home, ["activity", ...args])).lines.map(({ line }) => line);
    const all = await found();
    expect(all).toHaveLength(3);
    expect(await found("--search", "FORCE push")).toEqual([expect.stringMatching(/^git push --force/)]);
    expect(await found("--outcome", "denied")).toEqual([expect.stringMatching(/^rm -rf/)]);
    expect(await found("--agent", "nobody")).toEqual([]);
    expect(await found("--since", "1h", "-n", "1")).toEqual(all.slice(0, 1));
    expect(await found("--since", "2099-01-01")).toEqual([]);
    expect((await runGate(home, ["activity", "--outcome", "somehow"])).code).toBe(EXIT.usage);
    expect((await runGate(home, ["activity", "--since", "lately"])).code).toBe(EXIT.usage);
    expect((await runGate(home, ["activity", "-n", "0"])).code).toBe(EXIT.usage);
  });

  it("forget removes what it is asked to, and the listing says so", async () => {
    const home = await seat();
    expect((await runGate(home, ["activity", "forget"])).code).toBe(EXIT.usage);
    expect((await runGate(home, ["activity", "forget", "--all", "--agent", "tester"])).code).toBe(EXIT.usage);
    expect((await runGate(home, ["activity", "forget", "--before", "1d"])).lines).toEqual([{ forgotten: 0 }]);
    expect((await runGate(home, ["activity", "forget", "--agent", "tester"])).lines).toEqual([{ forgotten: 3 }]);
    const { lines, stderr } = await runGate(home, ["activity"]);
    expect(lines).toEqual([]);
    expect(stderr).toMatch(/not complete: .*3 calls were forgotten/);
  });
});

const ENTRY: ActivityEntry = {
  number: 1,
  decision_id: "d",
  ts: 1_800_000_000,
  agent_name: "claude-code",
  executor: "Bash",
  line: "git push --force … → git.example.org",
  project: "/srv/shop",
  outcome: "allowed",
  result: "approved",
  stage: null,
  reason: "",
  capabilities: [],
  rule: undefined,
  is_confined: false,
};

describe("as a table", () => {
  it("a call keeps its line whole at 80 columns: its agent and project give way", () => {
    const [, row = ""] = tableLines(activityColumns(ENTRY.ts * 1000), [ENTRY], 80);
    expect(row).toContain(ENTRY.line);
    expect(row).toContain("you approved");
  });

  it("the trail's decision has the line of its call beside it, where that is kept", () => {
    const line = {
      event: "decision",
      ts: 1,
      prev: "",
      decision_id: "d",
      outcome: "allowed",
      executor: "Bash",
      capabilities: ["code:exec"],
    };
    const shown = (lines: Record<string, string>) => tableLines(auditColumns(lines), [line], 100).join("\n");
    expect(shown({ d: "npm test" })).toContain("npm test");
    expect(shown({})).toContain("Bash code:exec");
  });

  it("a day's row has each figure under its own name", () => {
    const calls = { allowed: 4, approved: 3, rejected: 2, denied: 1, unanswered: 0, waiting: 0 };
    const some = { count: 0, some: [] };
    const day: DayRow = {
      agent_name: "a",
      project: "/srv/shop",
      calls,
      total: 10,
      asked: 5,
      files: some,
      hosts: some,
      costs: [],
    };
    const [title = "", row = ""] = tableLines(DAY_COLUMNS, [day], 120);
    expect(title.trim().split(/\s{2,}/)).toEqual([
      "AGENT",
      "PROJECT",
      "CALLS",
      "BY ITSELF",
      "YOU APPROVED",
      "YOU DENIED",
      "DENIED",
    ]);
    expect(row.trim().split(/\s{2,}/)).toEqual(["a", "/srv/shop", "10", "4", "3", "2", "1"]);
  });
});

it("a moment is a span ago, midnight, a day or a time; nothing else", () => {
  const now = new Date(2026, 10, 21, 12, 0).getTime();
  expect(Date.parse(parseMoment("2h", now))).toBe(now - 7_200_000);
  expect(Date.parse(parseMoment("today", now))).toBe(new Date(2026, 10, 21).getTime());
  expect(Date.parse(parseMoment("2026-11-20", now))).toBe(new Date(2026, 10, 20).getTime());
  expect(parseMoment("2026-11-20T10:00:00Z", now)).toBe("2026-11-20T10:00:00.000Z");
  for (const text of ["", "lately", "7", "2026-13-40"]) expect(() => parseMoment(text, now)).toThrow();
});
