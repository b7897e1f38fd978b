import { describe, expect, it } from "vitest";
import { FreedesktopSink } from "../../../main/surfaces/notifications/freedesktop.ts";
import type { ReviewTarget } from "../../../main/surfaces/notifications/notifier.ts";
import { alarm } from "../../support/alarm.ts";
import { NotificationServer } from "../../support/notification-server.ts";
import { ObservedSink } from "../../support/observed-sink.ts";
import { cantRun, PrivateBus } from "../../support/private-bus.ts";
import { startGate } from "../../support/running-gate.ts";

const skipped = cantRun("what notifications of alarms do", ["dbus-run-session", "dbus-daemon"]);

/** A gate with a notification server on a private bus; the notifier's clock is the test's. */
async function desk() {
  const { address } = await PrivateBus.start();
  const server = await NotificationServer.start(address);
  const clock = { ms: 1_000_000 };
  const reviewed: ReviewTarget[] = [];
  const sink = new ObservedSink(new FreedesktopSink(address, () => undefined));
  const review = (what: ReviewTarget) => reviewed.push(what);
  const gate = await startGate({ notifications: { sink: () => sink, now: () => clock.ms, review } });
  await sink.received(({ type }) => type === "ready");
  return { alarms: gate.gate.core.alarms, server, sink, clock, reviewed };
}

describe.skipIf(skipped)("the notification of an alarm", () => {
  it("says what and what to do, opens the page, and closes when the alarm is over", async () => {
    const { alarms, server, sink, clock, reviewed } = await desk();
    alarms.raise(alarm());
    const one = await server.only();
    expect(one).toMatchObject({ title: "The audit trail can't be written", expireTimeout: 0 });
    expect(one.body.split("\n")).toEqual([alarm().message, alarm().hint, "Metnos Gate"]);
    expect(one.hints.urgency).toMatchObject({ signature: "y", value: 1 });
    expect([...one.actions.values()]).toEqual(["Review", "Review"]);
    await sink.settled();
    clock.ms += 500;
    server.press(one, "Review");
    await sink.received(({ type }) => type === "action");
    expect(reviewed).toEqual([{ kind: "alarm" }]);
    alarms.clear(alarm().code, alarm().subject);
    await server.until((shown) => shown.length === 0);
  });

  it("is shown once: put aside it stays away while others come, and is back only if it was over meanwhile", async () => {
    const { alarms, server, sink, clock } = await desk();
    alarms.raise(alarm());
    const one = await server.only();
    await sink.settled();
    clock.ms += 500;
    server.dismiss(one);
    await sink.received(({ type }) => type === "dismissed");
    alarms.raise(alarm({ hint: "other words" }));
    alarms.raise(alarm({ code: "database_unusable", subject: "grants.db" }));
    await server.only(({ title }) => title === "A database can't be used");
    expect(server.calls.map(({ title }) => title)).toEqual([
      "The audit trail can't be written",
      "A database can't be used",
    ]);
    alarms.clear(alarm().code, alarm().subject);
    alarms.raise(alarm());
    await server.until((shown) => shown.length === 2);
  });

  it("is shown for an alarm that was raised before the notifications started, and says what to run without a page", async () => {
    const { address } = await PrivateBus.start();
    const server = await NotificationServer.start(address);
    const gate = await startGate({ notifications: { sink: () => new FreedesktopSink(address, () => undefined) } });
    gate.gate.core.alarms.raise(alarm({ message: `gone: ${"\u202e"}txt` }));
    await server.only();
    // Another language begins the notifications anew.
    await gate.operator.call("settings.set", { key: "language", value: "it" });
    const again = await server.only(({ title }) => title === "Il registro non si può scrivere");
    expect(again.body).toContain("Guarda: metnos-gate alarms list");
    expect(again.body).toContain("gone: \\u{202e}txt");
  });
});
