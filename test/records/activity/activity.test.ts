import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { Decision, Outcome } from "../../../ipc/contract/decision.ts";
import { openDatabase } from "../../../main/base/sqlite/database.ts";
import type { Subject } from "../../../main/decide/stages/examination.ts";
import { ACTIVITY_SCHEMA, Activity, KEPT, KEPT_PER_SECOND } from "../../../main/records/activity/activity.ts";
import type { KeptEntry } from "../../../main/records/activity/list-calls.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const NOON = new Date(2026, 10, 21, 12, 0, 30).getTime();

function activityAt(clock: { now: number }, file = join(tempFolder(), "activity.db")) {
  const db = openDatabase(file, ACTIVITY_SCHEMA);
  onTestFinished(() => void db.close());
  return { activity: new Activity(db, () => clock.now), file, db };
}

let serial = 0;
function decision(outcome: Outcome, change: Partial<Decision> = {}): Decision {
  return {
    decision_id: `d${serial++}`,
    outcome,
    stage: "policy",
    reason: "because",
    explain: {},
    verdict: null,
    capabilities: [{ capability: "fs:read", target: "/srv/a" }],
    ...change,
  };
}

function subject(name = "worker"): Subject {
  return {
    agent: { agent_id: `id-${name}`, name, level: "Full", paired_at: "", last_seen_at: null, revoked_at: null },
    level: "Full",
    principal: { channel: "local", sender_id: "me" },
  };
}

const CALL = { intent: "to see", executor: "fs_read", args: { path: "/srv/a" } };

it("counts each call once, in its minute, and not its final answer again", () => {
  const clock = { now: NOON };
  const { activity } = activityAt(clock);
  const asked = decision("approval_required");
  activity.note(decision("allowed"), CALL, subject(), undefined);
  activity.note(asked, CALL, subject(), undefined);
  activity.note({ ...asked, outcome: "allowed", status: "approved" }, CALL, subject(), undefined);
  clock.now += 60_000;
  activity.note(decision("denied"), CALL, subject("other"), undefined);
  const { buckets, bucket_seconds } = activity.counts("hour");
  expect(bucket_seconds * buckets.length).toBe(3600);
  expect(buckets.slice(-2).map(({ allowed, asked, denied }) => [allowed, asked, denied])).toEqual([
    [1, 1, 0],
    [0, 0, 1],
  ]);
  expect(buckets.at(-1)?.start).toBe(Math.floor(clock.now / 60_000) * 60);
  for (const range of ["day", "week"] as const) {
    const sums = activity
      .counts(range)
      .buckets.reduce((sum, { allowed, asked, denied }) => sum + allowed + asked + denied, 0);
    expect([range, sums]).toEqual([range, 3]);
  }
  expect([...activity.callsToday()].sort()).toEqual([
    ["id-other", 1],
    ["id-worker", 2],
  ]);
});

it("counts survive a restart, and what no range shows is forgotten", () => {
  const clock = { now: NOON };
  const { activity, file, db } = activityAt(clock);
  activity.note(decision("allowed"), CALL, subject(), undefined);
  activity.flush();
  db.close();
  clock.now += 3 * 24 * 3600 * 1000;
  const again = activityAt(clock, file);
  expect(again.activity.counts("week").buckets.reduce((sum, { allowed }) => sum + allowed, 0)).toBe(1);
  expect([...again.activity.callsToday()]).toEqual([]);
  clock.now += 9 * 24 * 3600 * 1000;
  again.activity.note(decision("allowed"), CALL, subject(), undefined);
  again.activity.flush();
  expect(again.db.prepare("SELECT count(*) FROM minutes").pluck().get()).toBe(1);
});

/** The line of a decision, as the store of lines gives it. */
const lineOf = ({ decision_id }: Decision): KeptEntry => ({
  number: 1,
  decision_id,
  ts: 0,
  agent_name: "worker",
  executor: "fs_read",
  line: "fs_read",
  project: null,
  outcome: "allowed",
  result: "allowed",
  capabilities: [{ capability: "fs:read", target: "" }],
  rule: undefined,
  is_confined: false,
});

it("lines of the last decisions are completed by why, and by what was touched; older ones stay as they are", () => {
  const { activity } = activityAt({ now: NOON });
  const latest = decision("allowed");
  activity.note(latest, CALL, subject(), undefined);
  const older = decision("allowed");
  expect(activity.completed([lineOf(latest), lineOf(older)])).toEqual([
    { ...lineOf(latest), stage: "policy", reason: "because", capabilities: latest.capabilities },
    { ...lineOf(older), stage: null, reason: "" },
  ]);
});

it("keeps the last ones, and of a burst of allowed calls only some: never fewer of what was denied or asked", () => {
  const clock = { now: NOON };
  const { activity } = activityAt(clock);
  const kept = (all: readonly Decision[]) => activity.completed(all.map(lineOf)).filter(({ stage }) => stage !== null);
  const many = (count: number, outcome: Outcome) => {
    const all = Array.from({ length: count }, () => decision(outcome));
    for (const one of all) activity.note(one, CALL, subject(), undefined);
    return all;
  };
  const burst = many(3 * KEPT_PER_SECOND, "allowed");
  expect(activity.keepsNext).toBe(false);
  expect(kept(burst)).toHaveLength(KEPT_PER_SECOND);
  expect(kept(many(1, "denied"))).toHaveLength(1);
  expect(kept(many(2 * KEPT, "denied"))).toHaveLength(KEPT);
  clock.now += 1000;
  expect(activity.keepsNext).toBe(true);
});

it("forgets those that are to be forgotten, and no others", () => {
  const { activity } = activityAt({ now: NOON });
  const [one, other] = [decision("allowed"), decision("allowed")];
  activity.note(one, CALL, subject("worker"), undefined);
  activity.note(other, CALL, subject("other"), undefined);
  activity.forget(({ agent_name }) => agent_name === "worker");
  expect(() => activity.open(one)).toThrow(expect.objectContaining({ code: "not_kept" }));
  expect(activity.open(other).agent_name).toBe("other");
});

it("opens a kept decision with its trace, and says so where it isn't kept", () => {
  const { activity } = activityAt({ now: NOON });
  const kept = decision("allowed");
  activity.note(kept, CALL, subject(), [{ stage: "pairing", outcome: "passed", detail: "paired" }]);
  expect(activity.open({ decision_id: kept.decision_id })).toMatchObject({
    agent_name: "worker",
    executor: "fs_read",
    intent: "to see",
    decision: { trace: [{ stage: "pairing" }] },
  });
  expect(() => activity.open({ decision_id: "gone" })).toThrow(expect.objectContaining({ code: "not_kept" }));
});
