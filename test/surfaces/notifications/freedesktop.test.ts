import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { Message, Variant } from "@jellybrick/dbus-next";
import { describe, expect, it, onTestFinished } from "vitest";
import { FreedesktopSink } from "../../../main/surfaces/notifications/freedesktop.ts";
import { notificationSink } from "../../../main/surfaces/notifications/platform.ts";
import type { Notice, SinkEvent } from "../../../main/surfaces/notifications/sink.ts";
import { LineLog } from "../../support/line-log.ts";
import { busProgram, NotificationServer } from "../../support/notification-server.ts";
import { ObservedSink } from "../../support/observed-sink.ts";
import { cantRun, PrivateBus } from "../../support/private-bus.ts";
import { startGate } from "../../support/running-gate.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const skipped = cantRun("the notifications' way over D-Bus", ["dbus-run-session", "dbus-daemon"]);

const NAME = "org.freedesktop.Notifications";
const PATH = "/org/freedesktop/Notifications";

const NOTICE: Notice = {
  kind: "approval",
  is_urgent: true,
  title: "May I run?",
  lines: ["ls"],
  buttons: [
    { action: "approve", label: "Approve" },
    { action: "deny", label: "Deny" },
  ],
  defaultAction: null,
};

const is = (type: SinkEvent["type"]) => (event: SinkEvent) => event.type === type;

/** A sink on this bus, ended with the test. */
function sinkOn(address: string): ObservedSink {
  const sink = new ObservedSink(new FreedesktopSink(address, () => undefined));
  onTestFinished(() => sink.end());
  sink.start(() => undefined);
  return sink;
}

/** The sink has processed all that was sent before: later signals will be received. */
async function pressIsHeard(sink: ObservedSink, server: NotificationServer, count: number): Promise<void> {
  const [one] = await server.until((shown) => shown.length > 0);
  if (one !== undefined) server.press(one, "Deny");
  await sink.received(is("action"), count);
}

describe.skipIf(skipped)("signals", () => {
  it("only the server's own count: another program's look the same and do nothing", async () => {
    const { address } = await PrivateBus.start();
    const server = await NotificationServer.start(address);
    const sink = sinkOn(address);
    await sink.received(is("ready"));
    sink.show(NOTICE);
    const one = await server.only();
    await sink.received(is("shown"));
    const key = [...one.actions.keys()][0] ?? "";
    const program = await busProgram(address);
    for (const [member, signature, body] of [
      ["ActionInvoked", "us", [one.id, key]],
      ["NotificationClosed", "uu", [one.id, 2]],
    ] as const) {
      // To all connections, and to ours alone.
      for (const destination of [undefined, one.sender]) {
        const signal = Message.newSignal(PATH, NAME, member, signature, [...body]);
        if (destination !== undefined) signal.destination = destination;
        program.send(signal);
      }
    }
    // A call that returns: the bus has passed on what was sent before it.
    await program.requestName("test.metnos.Program");
    await pressIsHeard(sink, server, 1);
    expect(sink.events.filter((event) => event.type === "action" || event.type === "dismissed")).toEqual([
      { type: "action", handle: "n1", action: "deny" },
    ]);
  });

  it("a forged change of owner is not believed", async () => {
    const { address } = await PrivateBus.start();
    const server = await NotificationServer.start(address);
    const sink = sinkOn(address);
    await sink.received(is("ready"));
    sink.show(NOTICE);
    const one = await server.only();
    await sink.received(is("shown"));
    const program = await busProgram(address);
    const forged = Message.newSignal("/org/freedesktop/DBus", "org.freedesktop.DBus", "NameOwnerChanged", "sss", [
      NAME,
      one.sender,
      program.name,
    ]);
    forged.destination = one.sender;
    program.send(forged);
    await program.requestName("test.metnos.Program");
    await pressIsHeard(sink, server, 1);
    expect(sink.events.map(({ type }) => type)).toEqual(["ready", "shown", "action"]);
  });

  it("a text that another program puts in our notification's place can't be answered with our buttons", async () => {
    const { address } = await PrivateBus.start();
    const server = await NotificationServer.start(address);
    const sink = sinkOn(address);
    await sink.received(is("ready"));
    sink.show(NOTICE);
    const { id } = await server.only();
    await sink.received(is("shown"));
    const program = await busProgram(address);
    const actions = ["approve", "Approve", "deny", "Deny"];
    const hints = { urgency: new Variant("y", 2) };
    await program.call(
      new Message({
        destination: NAME,
        path: PATH,
        interface: NAME,
        member: "Notify",
        signature: "susssasa{sv}i",
        body: ["Metnos Gate", id, "", "May I read?", "notes.txt", actions, hints, 0],
      }),
    );
    const replaced = await server.only(({ title }) => title === "May I read?");
    expect(replaced.id).toBe(id);
    server.press(replaced, "Approve");
    server.dismiss(replaced);
    await sink.received(is("dismissed"));
    expect(sink.events.filter(is("action"))).toEqual([]);
  });

  it("each text has its own answers: a press on the one before does nothing", async () => {
    const { address } = await PrivateBus.start();
    const server = await NotificationServer.start(address);
    const sink = sinkOn(address);
    await sink.received(is("ready"));
    const handle = sink.show(NOTICE);
    const first = await server.only();
    await sink.received(is("shown"));
    sink.replace(handle, { ...NOTICE, title: "May I write?" });
    const second = await server.only(({ title }) => title === "May I write?");
    expect(second).toMatchObject({ id: first.id, replacesId: first.id });
    await sink.received(is("shown"), 2);
    server.press(first, "Approve");
    server.press(second, "Deny");
    await sink.received(is("action"));
    expect(sink.events.filter(is("action"))).toEqual([{ type: "action", handle, action: "deny" }]);
  });
});

describe.skipIf(skipped)("the server", () => {
  it("absent, started, killed and restarted: waiting requests are shown each time, and decisions continue", async () => {
    const { address } = await PrivateBus.start();
    const log = new LineLog();
    const sink = new ObservedSink(new FreedesktopSink(address, log.push));
    const gate = await startGate({ notifications: { sink: () => sink } });
    const agent = await gate.agent();
    await agent.ask({ executor: "shell_exec", args: { command: "ls" } });
    expect((await agent.ask({ executor: "time_now" })).decision.outcome).toBe("allowed");
    await log.until(/no notification server/);
    const first = await NotificationServer.start(address);
    expect((await first.only()).title).toBe("tester: May I run?");
    await sink.received(is("shown"));
    first.stop();
    await sink.received(is("lost"));
    expect((await agent.ask({ executor: "time_now" })).decision.outcome).toBe("allowed");
    const second = await NotificationServer.start(address, ["body"], 100);
    expect(await second.only()).toMatchObject({ id: 101, replacesId: 0 });
    await sink.received(is("shown"), 2);
    const [token = ""] = await gate.waiting();
    await gate.operator.call("approvals.resolve", { token, decision: "rejected" });
    await second.until((shown) => shown.length === 0);
    expect(log.lines).toEqual([
      "notifications: no notification server is running; they are shown once there is one",
      "notifications: the notification server was lost; waiting requests are shown again once it is back",
    ]);
  });

  it("dying while it is asked to show something: that is shown by the next one", async () => {
    const { address } = await PrivateBus.start();
    const first = await NotificationServer.start(address);
    first.isStuck = true;
    const sink = new ObservedSink(new FreedesktopSink(address, () => undefined));
    const gate = await startGate({ notifications: { sink: () => sink } });
    await sink.received(is("ready"));
    await (await gate.agent()).ask({ executor: "shell_exec", args: { command: "ls" } });
    await first.only();
    first.stop();
    await sink.received(is("lost"));
    const second = await NotificationServer.start(address);
    expect((await second.only()).title).toBe("tester: May I run?");
  });

  it("one that is replaced by another is followed, and the first one's signals count no more", async () => {
    const { address } = await PrivateBus.start();
    const first = await NotificationServer.start(address);
    const sink = sinkOn(address);
    await sink.received(is("ready"));
    sink.show(NOTICE);
    const one = await first.only();
    await sink.received(is("shown"));
    await first.bus.releaseName(NAME);
    const second = await NotificationServer.start(address);
    await sink.received(is("ready"), 2);
    const handle = sink.show(NOTICE);
    await sink.received(is("shown"), 2);
    first.press(one, "Approve");
    await first.bus.requestName("test.metnos.First");
    await pressIsHeard(sink, second, 1);
    expect(sink.events.filter(is("action"))).toEqual([{ type: "action", handle, action: "deny" }]);
  });

  it("the bus itself dies: the log says so, and the gate continues", async () => {
    const bus = await PrivateBus.start();
    const log = new LineLog();
    const sink = new ObservedSink(new FreedesktopSink(bus.address, log.push));
    await NotificationServer.start(bus.address);
    const gate = await startGate({ notifications: { sink: () => sink } });
    await sink.received(is("ready"));
    await bus.stop();
    await log.until(/^notifications: the session bus was lost/);
    const asked = await (await gate.agent()).ask({ executor: "shell_exec", args: { command: "ls" } });
    expect(asked.decision.outcome).toBe("approval_required");
    expect(sink.events.map(({ type }) => type)).toEqual(["ready", "lost"]);
  });
});

const NOT_A_BUS: readonly (readonly [string, ((socket: Socket) => unknown) | undefined])[] = [
  ["nothing listens", undefined],
  ["it says nothing and hangs up", (socket: Socket) => socket.end()],
  ["it refuses us", (socket: Socket) => socket.end("REJECTED EXTERNAL\r\n")],
  [
    "it sends what is no message",
    (socket: Socket) =>
      socket.once("data", () => socket.write(Buffer.concat([Buffer.from("OK 1234\r\n"), Buffer.alloc(4096, 0xff)]))),
  ],
  [
    "it sends a message with a broken signature",
    (socket: Socket) => {
      const header = Buffer.from([0x6c, 4, 0, 1, 8, 0, 0, 0, 1, 0, 0, 0, 16, 0, 0, 0]);
      const fields = Buffer.from([8, 1, 0x67, 0, 5, 0x28, 0x28, 0x28, 0x7b, 0x61, 0, 0, 0, 0, 0, 0]);
      socket.once("data", () =>
        socket.write(Buffer.concat([Buffer.from("OK 1234\r\n"), header, fields, Buffer.alloc(8)])),
      );
    },
  ],
];

describe("a bus that isn't one", () => {
  it.each(NOT_A_BUS)(
    "%s: the gate starts, decides and closes, and says why there are no notifications",
    async (_, speak) => {
      const path = join(tempFolder(), "bus");
      if (speak !== undefined) {
        const sockets = new Set<Socket>();
        const server = createServer((socket) => {
          sockets.add(socket);
          socket.on("error", () => socket.destroy());
          speak(socket);
        });
        server.listen(path);
        await once(server, "listening");
        onTestFinished(() => {
          for (const socket of sockets) socket.destroy();
          server.close();
        });
      }
      const log = new LineLog();
      const gate = await startGate({
        notifications: { sink: () => new FreedesktopSink(`unix:path=${path}`, log.push) },
      });
      await log.until(/^notifications: the session bus can't be used \(.+\)$/);
      expect((await (await gate.agent()).ask({ executor: "time_now" })).decision.outcome).toBe("allowed");
      await gate.close();
    },
  );
});

describe("where notifications can't be shown", () => {
  const reasonOf = (env: Record<string, string>, platform: NodeJS.Platform = "linux") => {
    const found = notificationSink(env, platform, () => undefined);
    return found.sink === null ? found.reason : "a sink";
  };

  it("says why", () => {
    expect(reasonOf({})).toBe("no session bus (DBUS_SESSION_BUS_ADDRESS is not set)");
    expect(reasonOf({ DBUS_SESSION_BUS_ADDRESS: "" })).toMatch(/not set/);
    expect(reasonOf({ DBUS_SESSION_BUS_ADDRESS: "tcp:host=127.0.0.1,port=1" })).toMatch(/not a Unix socket/);
    expect(reasonOf({ DBUS_SESSION_BUS_ADDRESS: "unixexec:path=/bin/sh" })).toMatch(/not a Unix socket/);
    expect(reasonOf({ DBUS_SESSION_BUS_ADDRESS: "unix:path=/run/user/1000/bus" }, "darwin")).toMatch(/desktop app/);
    expect(reasonOf({ DBUS_SESSION_BUS_ADDRESS: "unix:path=/run/user/1000/bus,guid=1" })).toBe("a sink");
  });

  it("the gate says so when it starts, also where it was switched off", async () => {
    const none = await startGate();
    expect(none.gate.notifications).toMatchObject({
      isOn: false,
      status: expect.stringMatching(/^off: no session bus/),
    });
    const off = await startGate({ config: "[notifications]\nenabled = false" });
    expect(off.gate.notifications.status).toBe("off: not wanted (notifications.enabled)");
    const without = await startGate({ notifications: false });
    expect(without.gate.notifications.status).toBe("off: not wanted (--no-notifications)");
  });
});
