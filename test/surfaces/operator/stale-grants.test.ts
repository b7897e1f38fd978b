import { expect, it } from "vitest";
import type { AuditLine } from "../../../ipc/contract/operator-api.ts";
import type { ChannelNote } from "../../../main/core/channel.ts";
import { linesIn } from "../../support/audit-trail.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { startGate } from "../../support/running-gate.ts";

const DAY = 86_400;

/** A gate that finds seven grants unused at its start, as it has revoked them. */
async function started(config = "") {
  const clock = new ManualClock();
  const first = await startGate({ clock, config });
  const agent = await first.agent("worker", "Supervised");
  await agent.close();
  for (let index = 0; index < 7; index++)
    await first.operator.call("grants.add", { capability: "fs:read", target: `/srv/${index}/**`, agent: "worker" });
  await first.close();
  clock.advance(91 * DAY + 60);
  const gate = await startGate({ home: first.home, clock });
  const notes: ChannelNote[] = [];
  gate.gate.core.notes.subscribe((note) => notes.push(note));
  return { gate, clock, notes };
}

it("grants that nobody used for 90 days are revoked soon after a start, said in a note and in the trail, and given back in one act", async () => {
  const { gate, notes } = await started('language = "it"\n');
  // A call that is asked about again once the grant has gone.
  const agent = await gate.agent("worker");
  const call = { executor: "fs_read", args: { path: "/srv/0/a" } };
  expect((await agent.ask(call)).decision.outcome).toBe("allowed");
  await gate.event(({ type }) => type === "grants.changed");
  const asked = await agent.ask({ ...call, args: { path: "/srv/1/a" } });
  const [batch] = await gate.operator.call("grants.stale", {});
  if (batch === undefined) throw new Error("nothing was revoked");
  // The one that was used a moment before is no longer stale.
  expect(batch.grants.map(({ target }) => target)).toEqual([6, 5, 4, 3, 2, 1].map((index) => `/srv/${index}/**`));
  expect(batch).toMatchObject({
    unused_days: 90,
    grants: [{ agent_name: "worker", revoked_reason: "stale" }, {}, {}, {}, {}, {}],
  });
  expect(notes).toHaveLength(1);
  expect(notes[0]).toMatchObject({ kind: "stale", is_urgent: false });
  expect(notes[0]?.title).toBe("6 permessi sono stati revocati: non usati per 90 giorni");
  expect(notes[0]?.lines.slice(0, 1)).toEqual(["fs:read /srv/1/** (worker)"]);
  expect(notes[0]?.lines.slice(5, 6)).toEqual(["e un altro"]);
  expect(notes[0]?.lines.at(-1)).toContain("policy restore-stale");
  expect(await gate.operator.call("grants.restore_stale", { revoked_at: batch.revoked_at })).toEqual({ restored: 6 });
  expect(await gate.operator.call("grants.stale", {})).toEqual([]);
  if (asked.decision.outcome !== "allowed") expect((await asked.final()).outcome).toBe("allowed");
  const refused = gate.operator.call("grants.restore_stale", { revoked_at: batch.revoked_at });
  await expect(refused).rejects.toMatchObject({ code: "too_late" });
  const lines = linesIn(gate.paths.auditDir).map((line) => JSON.parse(line) as AuditLine);
  expect(lines.filter(({ event }) => event.startsWith("grants.stale"))).toMatchObject([
    { event: "grants.stale", count: 6, unused_days: 90, grant_ids: [2, 3, 4, 5, 6, 7] },
    { event: "grants.stale-restored", count: 6 },
  ]);
});

it("an agent that is revoked meanwhile gets nothing back", async () => {
  const { gate } = await started();
  await gate.event(({ type }) => type === "grants.changed");
  await gate.operator.call("agents.revoke", { name: "worker" });
  expect(await gate.operator.call("grants.stale", {})).toEqual([]);
});
