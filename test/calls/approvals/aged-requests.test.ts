import { expect, it } from "vitest";
import { AgedRequests, REMOVED_AT_ONCE } from "../../../main/calls/approvals/ended-request.ts";
import { freshApprovals, pendingOf, ROBERTO } from "../../support/gate-stores.ts";
import { startGate } from "../../support/running-gate.ts";

const DAY = 86_400;

function aged(keepDays = 400) {
  const { db, clock, registry } = freshApprovals();
  return { db, clock, registry, requests: new AgedRequests(db, keepDays, clock) };
}

function tokensIn({ db }: Pick<ReturnType<typeof aged>, "db">): string[] {
  return (db.prepare("SELECT token FROM pending").all() as { token: string }[]).map(({ token }) => token);
}

/** As the gate does once a receipt is written. */
const receiptsWritten = ({ db }: Pick<ReturnType<typeof aged>, "db">) => db.exec("DELETE FROM receipts_due");

it("what ended more than 400 days ago is removed; never what waits, what is younger, or what still gets its grants or its receipt", () => {
  const all = aged();
  const { db, clock, registry, requests } = all;
  const make = () => registry.createPending(pendingOf()).token;
  const answer = (token: string) => registry.resolve(registry.check(token, ROBERTO), "rejected");
  const [answered, withdrawn, granting, unreceipted, waits] = [make(), make(), make(), make(), make()];
  answer(answered);
  registry.cancelPending(withdrawn, "gone");
  registry.resolve(registry.check(granting, ROBERTO), "approved");
  receiptsWritten(all);
  // As where the gate ends between an answer and its grant.
  db.prepare("UPDATE pending SET territory_concession = 'session', grants_written_at = NULL WHERE token = ?").run(
    granting,
  );
  answer(unreceipted);
  clock.advance(399 * DAY);
  const young = registry.createPending(pendingOf()).token;
  registry.cancelPending(young, "gone");
  requests.flush();
  expect(tokensIn(all)).toHaveLength(6);
  clock.advance(2 * DAY);
  requests.flush();
  expect(tokensIn(all).sort()).toEqual([granting, unreceipted, waits, young].sort());
  receiptsWritten(all);
  clock.advance(3600);
  requests.flush();
  expect(tokensIn(all).sort()).toEqual([granting, waits, young].sort());
});

it("many are removed in pieces, one each time, and 0 keeps all of them", () => {
  const all = aged();
  const { clock, registry, requests } = all;
  const count = 2 * REMOVED_AT_ONCE + 50;
  for (let one = 0; one < count; one++) registry.cancelPending(registry.createPending(pendingOf()).token, "gone");
  clock.advance(500 * DAY);
  new AgedRequests(all.db, 0, clock).flush();
  expect(tokensIn(all)).toHaveLength(count);
  for (const left of [250, 50, 0]) {
    requests.flush();
    expect(tokensIn(all)).toHaveLength(left);
  }
});

it("a clock that is set ahead removes none for a day, so that it may be set right; one that is set back changes nothing", () => {
  const all = aged();
  const { clock, registry, requests } = all;
  const make = () => registry.cancelPending(registry.createPending(pendingOf()).token, "gone");
  make();
  requests.flush();
  clock.jump(500 * DAY);
  requests.flush();
  clock.advance(DAY / 2);
  requests.flush();
  expect(tokensIn(all)).toHaveLength(1);
  clock.jump(-500 * DAY);
  for (let hours = 0; hours < 72; hours++) {
    clock.advance(3600);
    requests.flush();
  }
  expect(tokensIn(all)).toHaveLength(1);
  clock.jump(500 * DAY);
  requests.flush();
  clock.advance(DAY);
  requests.flush();
  expect(tokensIn(all)).toEqual([]);
});

it("a gate removes them by itself, as its configuration says", async () => {
  let now = Date.parse("2026-01-01T12:00:00Z");
  const gate = await startGate({ config: "[approvals]\nkeep = 30\n", now: () => now });
  const agent = await gate.agent();
  const asked = await agent.ask({ executor: "fs_write", args: { path: "/tmp/a.txt" } });
  const [token = ""] = await gate.waiting();
  await gate.operator.call("approvals.resolve", { token, decision: "rejected" });
  await asked.final();
  const listed = () => gate.operator.call("approvals.list", { include_resolved: true });
  expect(await listed()).toHaveLength(1);
  now += 29 * 86_400_000;
  expect(await listed()).toHaveLength(1);
  now += 2 * 86_400_000;
  // They are looked for each hour; until its receipt is written the request stays.
  const anHourLater = () => {
    now += 3_600_000;
    return listed();
  };
  await expect.poll(anHourLater, { timeout: 10_000 }).toEqual([]);
  await expect.poll(async () => (await gate.operator.call("audit.verify", {})).ok).toBe(true);
});
