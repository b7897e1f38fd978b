import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Decision, Outcome } from "../../../ipc/contract/decision.ts";
import { openDatabase } from "../../../main/base/sqlite/database.ts";
import type { Unfinished } from "../../../main/decide/stages/examination.ts";
import { withoutSecrets } from "../../../main/judges/reviews/sent/masked-secrets.ts";
import type { CallLine } from "../../../main/records/activity/call-line.ts";
import { forgetCalls } from "../../../main/records/activity/forget-calls.ts";
import { type Bounds, KeptCalls, MAX_PENDING } from "../../../main/records/activity/kept-calls.ts";
import { KEPT_CALLS_SCHEMA } from "../../../main/records/activity/kept-calls-schema.ts";
import { type CallsQuery, callsToday, linesOf, listCalls } from "../../../main/records/activity/list-calls.ts";
import { tempFolder } from "../../support/temp-folder.ts";

// main/records/activity/kept-calls.ts and what looks through it, on real files.

const NOON = new Date(2026, 10, 21, 12, 0, 30).getTime();
const DAY_MS = 86_400_000;

interface Seat {
  file?: string;
  clock?: { now: number };
  bounds?: Bounds;
  days?: number;
}

function keptAt({ file = join(tempFolder(), "lines.db"), clock = { now: NOON }, bounds, days = 30 }: Seat = {}) {
  const db = openDatabase(file, KEPT_CALLS_SCHEMA);
  onTestFinished(() => void (db.open && db.close()));
  const failures: unknown[] = [];
  const kept = new KeptCalls(db, {
    keep: "line",
    days,
    now: () => clock.now,
    lines: { lineOf: (x) => (x as unknown as { line: CallLine }).line },
    withoutSecrets,
    failed: (_what, error) => failures.push(error),
    ...(bounds === undefined ? {} : { bounds }),
  });
  return { kept, db, file, clock, failures };
}

let serial = 0;
function decision(outcome: Outcome, change: Partial<Decision> = {}): Decision {
  const id = `00000000-0000-4000-8000-${(serial++).toString(16).padStart(12, "0")}`;
  return {
    decision_id: id,
    outcome,
    stage: "policy",
    reason: "",
    explain: {},
    verdict: null,
    capabilities: [],
    ...change,
  };
}

/** A call as it was examined, as far as its line needs it. */
function called(text: string, change: Partial<CallLine> & { agent?: string } = {}): Unfinished {
  const { agent = "worker", ...line } = change;
  return {
    subject: { agent: { name: agent } },
    line: { text, tool: "Bash", project: "/srv/shop", files: [], hosts: [], ...line },
  } as unknown as Unfinished;
}

const texts = async (kept: KeptCalls, query: Partial<CallsQuery> = {}) =>
  (await listCalls(kept, { limit: 100, ...query })).map(({ line }) => line);

describe("lines", () => {
  it("are there after a restart, newest first, a page at a time", async () => {
    const { kept, db, file, clock } = keptAt();
    for (let index = 0; index < 5; index++) kept.note(decision("allowed"), called(`npm test ${index}`));
    kept.close();
    db.close();
    const again = keptAt({ file, clock });
    const first = await listCalls(again.kept, { limit: 2 });
    expect(first.map(({ line }) => line)).toEqual(["npm test 4", "npm test 3"]);
    expect(await texts(again.kept, { before: first.at(-1)?.number ?? 0 })).toEqual([
      "npm test 2",
      "npm test 1",
      "npm test 0",
    ]);
    expect(again.kept.gaps(0, clock.now)).toEqual([]);
  });

  it("of a question becomes that of its answer: each call has one", async () => {
    const { kept } = keptAt();
    const asked = decision("approval_required");
    kept.note(asked, called("git push --force"));
    expect((await listCalls(kept, { limit: 5 }))[0]).toMatchObject({ result: "waiting", outcome: "approval_required" });
    kept.note({ ...asked, outcome: "allowed", status: "approved" }, called("git push --force"));
    const [entry, ...others] = await listCalls(kept, { limit: 5 });
    expect(others).toEqual([]);
    expect(entry).toMatchObject({
      result: "approved",
      outcome: "allowed",
      status: "approved",
      line: "git push --force",
    });
  });

  it("of a question that a gate left is one without an answer", async () => {
    const { kept, db, file, clock } = keptAt();
    kept.note(decision("approval_required"), called("rm -r src"));
    kept.close();
    db.close();
    const again = keptAt({ file, clock });
    expect(await listCalls(again.kept, { limit: 5 })).toMatchObject([{ result: "unanswered", status: "cancelled" }]);
  });

  it.each([
    ["allowed", {}, "allowed"],
    ["allowed", { status: "approved" }, "approved"],
    ["allowed", { status: "approved", explain: { rule: "approval.covered-by-grant" } }, "allowed"],
    ["denied", { status: "rejected" }, "rejected"],
    ["denied", { status: "rejected", explain: { rule: "approval.refused-for-session" } }, "denied"],
    ["denied", { status: "approved" }, "denied"],
    ["denied", { status: "expired" }, "unanswered"],
    ["denied", { status: "cancelled" }, "unanswered"],
    ["denied", {}, "denied"],
  ] as const)("%s %j came out as %s", async (outcome, change, result) => {
    const { kept } = keptAt();
    kept.note(decision(outcome, change), called("npm test"));
    expect(await listCalls(kept, { limit: 1 })).toMatchObject([{ result }]);
  });

  it("have no secret in the file, whatever is in the texts", () => {
    const { kept, db, file } = keptAt();
    const secret = "ghp_abcdefghijklmnopqrst0123";
    kept.note(
      decision("allowed"),
      called(`cat ${secret}`, { project: `/srv/${secret}`, files: [`src/${secret}`], tool: `tool-${secret}` }),
    );
    kept.close();
    db.close();
    expect(readFileSync(file).toString("latin1")).not.toContain(secret.slice(4));
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });
});

describe("a search", () => {
  async function searched(query: Partial<CallsQuery>) {
    const { kept, clock } = keptAt();
    kept.note(decision("allowed"), called("npm test"));
    clock.now += 1000;
    kept.note(decision("denied"), called("git push --force", { agent: "other", project: "/srv/site" }));
    clock.now += 1000;
    kept.note(
      decision("allowed", { status: "approved", capabilities: [{ capability: "fs:write", target: "x" }] }),
      called("Edit src/100%_a.ts", { tool: "Edit" }),
    );
    return await texts(kept, query);
  }
  const [TEST, PUSH, EDIT] = ["npm test", "git push --force", "Edit src/100%_a.ts"];
  it.each([
    [{}, [EDIT, PUSH, TEST]],
    [{ text: "PUSH" }, [PUSH]],
    [{ text: "force git" }, [PUSH]],
    [{ text: "force npm" }, []],
    [{ text: "t" }, [EDIT, PUSH, TEST]],
    [{ text: "100%_" }, [EDIT]],
    [{ text: "0%a" }, []],
    [{ text: "site" }, [PUSH]],
    [{ text: "other" }, [PUSH]],
    [{ text: "o'ther" }, []],
    [{ agent: "other" }, [PUSH]],
    [{ agent: "nobody" }, []],
    [{ project: "/srv/shop" }, [EDIT, TEST]],
    [{ result: "approved" }, [EDIT]],
    [{ outcome: "allowed" }, [EDIT, TEST]],
    [{ answered: true }, [EDIT]],
    [{ capability: "fs:write" }, [EDIT]],
    [{ since: NOON + 1000 }, [EDIT, PUSH]],
    [{ until: NOON + 1000 }, [TEST]],
    [{ text: "t", agent: "worker", limit: 1 }, [EDIT]],
  ] as const)("%j", async (query, found) => {
    expect(await searched(query)).toEqual(found);
  });

  it("of several at once finds for each its own", async () => {
    const { kept } = keptAt();
    for (let index = 0; index < 50; index++)
      kept.note(decision("allowed"), called(`npm run ${index % 2 === 0 ? "even" : "odd"}`));
    const found = await Promise.all(["even", "odd", "npm"].map((text) => texts(kept, { text })));
    expect(found.map(({ length }) => length)).toEqual([25, 25, 50]);
    expect(kept.db.prepare("SELECT count(*) FROM temp.found").pluck().get()).toBe(0);
  });

  it("the lines of decisions are found by them", async () => {
    const { kept } = keptAt();
    const [one, other] = [decision("allowed"), decision("denied")];
    kept.note(one, called("npm test"));
    kept.note(other, called("git push"));
    const ids = [one.decision_id, other.decision_id, "not kept"];
    expect(await linesOf(kept, ids, NOON - 1, NOON + 1)).toEqual({
      [one.decision_id]: "npm test",
      [other.decision_id]: "git push",
    });
  });
});

describe("today", () => {
  it("has figures that add up, of each agent in each project", async () => {
    const { kept, clock } = keptAt({ clock: { now: NOON - DAY_MS } });
    kept.note(decision("allowed"), called("npm test"));
    clock.now = NOON;
    const price = { amount: 0.25, currency: "USD", is_estimated: false };
    kept.note(decision("allowed", { price }), called("npm test", { hosts: ["example.org"] }));
    for (const name of ["a", "b", "a"]) kept.note(decision("allowed"), called(`Edit ${name}`, { files: [name] }));
    kept.note(decision("denied"), called("rm x", { files: ["never.ts"], hosts: ["never.example"] }));
    kept.note(decision("allowed", { status: "approved" }), called("git push"));
    kept.note(decision("denied", { status: "expired" }), called("git push"));
    kept.note(decision("approval_required"), called("git push"));
    kept.note(decision("allowed"), called("npm test", { project: "/srv/site" }));
    const { rows } = await callsToday(kept);
    expect(rows).toEqual([
      {
        agent_name: "worker",
        project: "/srv/shop",
        calls: { allowed: 4, approved: 1, rejected: 0, denied: 1, unanswered: 1, waiting: 1 },
        total: 8,
        asked: 3,
        files: { count: 2, some: ["a", "b"] },
        hosts: { count: 1, some: ["example.org"] },
        costs: [{ currency: "USD", amount: 0.25 }],
      },
      expect.objectContaining({ project: "/srv/site", total: 1 }),
    ]);
    for (const { calls, total } of rows) expect(Object.values(calls).reduce((sum, count) => sum + count)).toBe(total);
  });
});

describe("what is kept is bounded", () => {
  it("by days", async () => {
    const { kept, clock } = keptAt({ days: 2 });
    kept.note(decision("allowed"), called("old"));
    clock.now += DAY_MS;
    kept.note(decision("allowed"), called("newer"));
    clock.now += 1.5 * DAY_MS;
    kept.note(decision("allowed"), called("newest"));
    expect(await texts(kept)).toEqual(["newest", "newer"]);
    expect(kept.db.prepare("SELECT line FROM texts ORDER BY line").pluck().all()).toEqual(["newer", "newest"]);
  });

  it("by their number: the oldest go, and the list says so", async () => {
    const { kept, clock } = keptAt({ bounds: { calls: 1500, bytes: 1e9 } });
    for (let index = 0; index < 4000; index++) kept.note(decision("allowed"), called(`npm run ${index % 7}`));
    kept.flush();
    expect(kept.size).toBeLessThanOrEqual(2500);
    kept.flush();
    expect(kept.size).toBeLessThanOrEqual(1500);
    expect(kept.gaps(0, clock.now)).toEqual([expect.objectContaining({ why: "bounded", calls: 4000 - kept.size })]);
  });

  it("by bytes, texts of any length", () => {
    const { kept } = keptAt({ bounds: { calls: 1e6, bytes: 2_000_000 } });
    for (let index = 0; index < 20_000; index++) kept.note(decision("allowed"), called(`${index} ${"x".repeat(280)}`));
    for (let round = 0; round < 20; round++) kept.flush();
    expect(kept.usedBytes()).toBeLessThanOrEqual(2_000_000);
    expect(kept.size).toBeGreaterThan(1000);
  });

  it("what can't be written waits, then the oldest are lost, and the list says how many", async () => {
    const { kept, db, clock } = keptAt();
    db.exec("CREATE TEMP TRIGGER full BEFORE INSERT ON main.calls BEGIN SELECT RAISE(ABORT, 'full'); END");
    for (let index = 0; index < MAX_PENDING + 10; index++) kept.note(decision("allowed"), called(`line ${index}`));
    expect(() => kept.flush()).toThrow("full");
    expect(kept.gaps(0, clock.now)).toEqual([expect.objectContaining({ why: "unwritten", calls: 10 })]);
    db.exec("DROP TRIGGER full");
    expect((await texts(kept, { limit: 1 }))[0]).toBe(`line ${MAX_PENDING + 9}`);
    expect(kept.size).toBe(MAX_PENDING);
    expect(kept.gaps(0, clock.now)).toEqual([expect.objectContaining({ why: "unwritten", calls: 10 })]);
  });
});

describe("forgetting", () => {
  async function filled() {
    const seat = keptAt();
    for (const [day, agent, project] of [
      [0, "worker", "/srv/shop"],
      [1, "worker", "/srv/site"],
      [2, "other", "/srv/site"],
    ] as const) {
      seat.clock.now = NOON + day * DAY_MS;
      seat.kept.note(decision("allowed"), called(`${agent} in ${project} marked-${day}`, { agent, project }));
    }
    seat.kept.flush();
    return seat;
  }
  const [SHOP, SITE, OTHER] = [
    "worker in /srv/shop marked-0",
    "worker in /srv/site marked-1",
    "other in /srv/site marked-2",
  ];
  it.each([
    [{}, []],
    [{ agent: "worker" }, [OTHER]],
    [{ project: "/srv/site" }, [SHOP]],
    [{ agent: "worker", project: "/srv/site" }, [OTHER, SHOP]],
    [{ before: NOON + DAY_MS }, [OTHER, SITE]],
    [{ agent: "nobody" }, [OTHER, SITE, SHOP]],
  ])("%j leaves the others", async (forgotten, left) => {
    const { kept, clock } = await filled();
    expect(await forgetCalls(kept, forgotten)).toBe(3 - left.length);
    expect(await texts(kept)).toEqual(left);
    expect(kept.gaps(0, clock.now)).toEqual(
      left.length === 3 ? [] : [expect.objectContaining({ why: "forgotten", calls: 3 - left.length })],
    );
  });

  it("takes it out of the file's bytes, and the names with it", async () => {
    const { kept, file } = await filled();
    const bytes = () => [file, `${file}-wal`].map((name) => readFileSync(name).toString("latin1")).join();
    expect(bytes()).toContain("marked-2");
    await forgetCalls(kept, { agent: "other" });
    expect(bytes()).not.toContain("marked-2");
    expect(kept.db.prepare("SELECT name FROM names").pluck().all()).not.toContain("other");
    expect(bytes()).not.toContain("other in");
  });

  it("of what waits for an answer: the answer brings nothing back, and counts as a call", async () => {
    const { kept } = keptAt();
    const asked = decision("approval_required");
    kept.note(asked, called("git push"));
    await forgetCalls(kept, {});
    kept.note({ ...asked, outcome: "allowed", status: "approved" }, called("git push"));
    expect(await listCalls(kept, { limit: 5 })).toMatchObject([{ result: "approved" }]);
  });
});

it("a gate that was killed left what it had written, and the next one says that some may be missing", async () => {
  const { kept, db, file, clock } = keptAt();
  kept.note(decision("allowed"), called("npm test"));
  kept.flush();
  kept.note(decision("allowed"), called("lost"));
  db.close();
  clock.now += 60_000;
  const again = keptAt({ file, clock });
  expect(await texts(again.kept)).toEqual(["npm test"]);
  expect(again.kept.gaps(0, clock.now)).toEqual([
    { from: NOON / 1000, until: clock.now / 1000, why: "killed", calls: null },
  ]);
});
