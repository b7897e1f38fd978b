import { Message, type MessageBus, MessageType, Variant } from "@jellybrick/dbus-next";
import { describe, expect, it, onTestFinished } from "vitest";
import { channelSections } from "../../../main/config/channels.ts";
import { ScreenLock } from "../../../main/surfaces/notifications/screen-lock.ts";
import { SharedScreen } from "../../../main/surfaces/notifications/shared-screen.ts";
import { busProgram } from "../../support/notification-server.ts";
import { cantRun, PrivateBus } from "../../support/private-bus.ts";

// main/surfaces/notifications/screen-lock.ts, with a real bus and a small desktop on it.

const skipped = cantRun("whether the screen is locked", ["dbus-run-session", "dbus-daemon"]);
const NO_BUS = "unix:path=/nonexistent/bus";

/** Answers as a screen saver does. */
async function saver(address: string, name = "org.gnome.ScreenSaver", isActive = false) {
  const bus = await busProgram(address);
  const state = { is_active: isActive };
  const path = `/${name.replaceAll(".", "/")}`;
  bus.addMethodHandler((message: Message) => {
    if (message.type !== MessageType.METHOD_CALL || message.member !== "GetActive") return false;
    bus.send(Message.newMethodReturn(message, "b", [state.is_active]));
    return true;
  });
  await bus.requestName(name, 4);
  return {
    bus,
    set(active: boolean) {
      state.is_active = active;
      bus.send(Message.newSignal(path, name, "ActiveChanged", "b", [active]));
    },
  };
}

/** Answers as logind does. */
async function logind(address: string, locked: { hint: boolean }): Promise<MessageBus> {
  const bus = await busProgram(address);
  bus.addMethodHandler((message: Message) => {
    const [of, name] = message.body as string[];
    const session = "/org/freedesktop/login1/session/_31";
    if (message.member === "GetUser")
      bus.send(Message.newMethodReturn(message, "o", ["/org/freedesktop/login1/user/_1000"]));
    else if (name === "Display") bus.send(Message.newMethodReturn(message, "v", [new Variant("(so)", ["1", session])]));
    else if (of?.endsWith(".Session") && name === "LockedHint")
      bus.send(Message.newMethodReturn(message, "v", [new Variant("b", locked.hint)]));
    else return false;
    return true;
  });
  await bus.requestName("org.freedesktop.login1", 4);
  return bus;
}

function lock(session: string, system = NO_BUS, doubtMs = 3_600_000) {
  const known: { resolve(): void } = { resolve: () => undefined };
  const screen = new ScreenLock({
    env: { DBUS_SESSION_BUS_ADDRESS: session, DBUS_SYSTEM_BUS_ADDRESS: system },
    changed: () => known.resolve(),
    doubtMs,
    retryMs: 20,
  });
  onTestFinished(() => screen.close());
  return {
    screen,
    isKnown: (isKnown: boolean) =>
      new Promise<void>((resolve) => {
        known.resolve = () => screen.isKnown === isKnown && resolve();
        known.resolve();
      }),
    isLocked: (isLocked: boolean) =>
      new Promise<void>((resolve) => {
        const look = () => screen.isLocked === isLocked && resolve();
        screen.subscribe(look);
        look();
      }),
  };
}

describe.skipIf(skipped)("whether the screen is locked", () => {
  it.each(["org.gnome.ScreenSaver", "org.freedesktop.ScreenSaver"])("is what %s says, and follows it", async (name) => {
    const { address } = await PrivateBus.start();
    const desk = await saver(address, name);
    const { screen, isKnown, isLocked } = lock(address);
    await isKnown(true);
    expect(screen.isLocked).toBe(false);
    desk.set(true);
    await isLocked(true);
    desk.set(false);
    await isLocked(false);
  });

  it("is known as a locked one at once, also of a desktop that starts later", async () => {
    const { address } = await PrivateBus.start();
    const { screen, isLocked } = lock(address);
    expect([screen.isKnown, screen.isLocked]).toEqual([false, false]);
    const desk = await saver(address, "org.gnome.ScreenSaver", true);
    await isLocked(true);
    // Its desktop ends: nothing is known any more.
    const unknown = isLocked(false);
    desk.bus.disconnect();
    await unknown;
    expect(screen.isKnown).toBe(false);
  });

  it("unknown for a while, it counts as locked: in doubt the user is called", async () => {
    const { screen, isLocked } = lock(NO_BUS, NO_BUS, 20);
    expect(screen.isLocked).toBe(false);
    await isLocked(true);
    expect(screen.isKnown).toBe(false);
  });

  it("is what logind's hint says where it says yes; its no says nothing", async () => {
    const { address } = await PrivateBus.start();
    const locked = { hint: false };
    const bus = await logind(address, locked);
    const { screen, isLocked } = lock(NO_BUS, address);
    locked.hint = true;
    const path = "/org/freedesktop/login1/session/_31";
    const announce = () =>
      bus.send(
        Message.newSignal(path, "org.freedesktop.DBus.Properties", "PropertiesChanged", "sa{sv}as", ["x", {}, []]),
      );
    const timer = setInterval(announce, 20);
    onTestFinished(() => clearInterval(timer));
    await isLocked(true);
    expect(screen.isKnown).toBe(true);
  });

  it("a signal from a program that isn't the screen saver changes nothing", async () => {
    const { address } = await PrivateBus.start();
    await saver(address);
    const { screen, isKnown } = lock(address);
    await isKnown(true);
    const other = await busProgram(address);
    const name = "org.gnome.ScreenSaver";
    other.send(Message.newSignal("/org/gnome/ScreenSaver", name, "ActiveChanged", "b", [true]));
    // A call and its answer after it: by then the signal was delivered.
    const peer = new Message({
      destination: "org.freedesktop.DBus",
      path: "/",
      interface: "org.freedesktop.DBus",
      member: "ListNames",
    });
    await other.call(peer);
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
    expect(screen.isLocked).toBe(false);
  });
});

it.each([
  ["a channel is used while it is locked", { channels: { ntfy: { when: "locked" } } }, false],
  ["Telegram says what is for then", { telegram: { token_env: "TOKEN" } }, false],
  ["nothing depends on it", {}, null],
])(
  "whether the screen is locked is looked at where %s",
  async (_what, { channels, telegram }: Record<string, object>, isKnown) => {
    const config = {
      channels: channelSections.channels.parse(channels),
      telegram: channelSections.telegram.parse(telegram),
    };
    const env = { DBUS_SESSION_BUS_ADDRESS: NO_BUS, DBUS_SYSTEM_BUS_ADDRESS: NO_BUS };
    const screen = new SharedScreen({ config, env, changed: () => undefined, log: () => undefined });
    expect(screen.isKnown).toBe(isKnown);
    await screen.close();
  },
);
