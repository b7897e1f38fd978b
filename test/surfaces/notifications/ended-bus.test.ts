import { expect, it } from "vitest";
import { SessionBus } from "../../../main/surfaces/notifications/session-bus.ts";
import { cantRun, PrivateBus } from "../../support/private-bus.ts";

it.skipIf(cantRun("a session bus that has ended", ["dbus-run-session", "dbus-daemon"]))(
  "a call on a connection that has ended fails for its caller, and nowhere else",
  async () => {
    const unhandled: unknown[] = [];
    const note = (error: unknown) => unhandled.push(error);
    process.on("unhandledRejection", note);
    try {
      const daemon = await PrivateBus.start();
      const bus = await SessionBus.connect(
        daemon.address,
        () => undefined,
        () => undefined,
      );
      bus.close();
      await expect(bus.callBus("GetId", "", [])).rejects.toThrow("has ended");
      await new Promise((resolve) => setImmediate(resolve));
      expect(unhandled).toEqual([]);
    } finally {
      process.removeListener("unhandledRejection", note);
    }
  },
);
