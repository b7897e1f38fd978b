import { describe, expect, it } from "vitest";
import { hasTrayHost } from "../../main/desktop/tray-host.ts";
import { busProgram } from "../support/notification-server.ts";
import { cantRun, PrivateBus } from "../support/private-bus.ts";

const NO_BUS = cantRun("who shows tray icons", ["dbus-run-session"]);
const WATCHER = "org.kde.StatusNotifierWatcher";

describe("whether something shows tray icons", () => {
  it.skipIf(NO_BUS)("is asked of the session bus: now, or a panel that starts a little later", async () => {
    const { address } = await PrivateBus.start();
    const env = { DBUS_SESSION_BUS_ADDRESS: address };
    expect(await hasTrayHost(env, "linux", 50)).toBe(false);
    const panel = await busProgram(address);
    const later = hasTrayHost(env, "linux", 15_000);
    await panel.requestName("org.example.Another", 0);
    await panel.requestName(WATCHER, 0);
    expect(await later).toBe(true);
    expect(await hasTrayHost(env, "linux", 0)).toBe(true);
    await panel.releaseName(WATCHER);
    expect(await hasTrayHost(env, "linux", 50)).toBe(false);
  });

  it("without a session bus nothing does; macOS and Windows always do", async () => {
    expect(await hasTrayHost({}, "linux")).toBe(false);
    expect(await hasTrayHost({ DBUS_SESSION_BUS_ADDRESS: "tcp:host=127.0.0.1,port=1" }, "linux")).toBe(false);
    expect(await hasTrayHost({ DBUS_SESSION_BUS_ADDRESS: "unix:path=/nowhere/bus" }, "linux")).toBe(false);
    expect([await hasTrayHost({}, "darwin"), await hasTrayHost({}, "win32")]).toEqual([true, true]);
  });
});
