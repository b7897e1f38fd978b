import type { Env } from "../../ipc/base/paths.ts";
import { unixBusAddress } from "../surfaces/notifications/platform.ts";
import { SessionBus } from "../surfaces/notifications/session-bus.ts";

/** Whether anything shows tray icons: on Linux a program that owns this name on the session bus (GNOME has none by itself). */

const WATCHER = "org.kde.StatusNotifierWatcher";
/** A panel may start after the app, at login. Milliseconds. */
const PATIENCE_MS = 5000;

/** @param patienceMs how long one that isn't there yet is waited for */
export async function hasTrayHost(
  env: Env = process.env,
  platform: NodeJS.Platform = process.platform,
  patienceMs: number = PATIENCE_MS,
): Promise<boolean> {
  if (platform !== "linux") return true;
  const address = unixBusAddress(env);
  if (address === undefined) return false;
  let appeared: () => void = () => undefined;
  const hasAppeared = new Promise<true>((resolve) => {
    appeared = () => resolve(true);
  });
  let bus: SessionBus | undefined;
  let late: NodeJS.Timeout | undefined;
  try {
    bus = await SessionBus.connect(
      address,
      ({ member, sender, body: [name, , owner] }) => {
        if (sender === "org.freedesktop.DBus" && member === "NameOwnerChanged" && name === WATCHER && owner !== "")
          appeared();
      },
      () => undefined,
    );
    await bus.callBus("AddMatch", "s", [
      `type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='${WATCHER}'`,
    ]);
    const [isOwned] = await bus.callBus("NameHasOwner", "s", [WATCHER]);
    if (isOwned === true) return true;
    const isLate = new Promise<false>((resolve) => {
      late = setTimeout(() => resolve(false), patienceMs);
    });
    return await Promise.race([hasAppeared, isLate]);
  } catch {
    return false; // without a bus nobody shows the icon
  } finally {
    clearTimeout(late);
    bus?.close();
  }
}
