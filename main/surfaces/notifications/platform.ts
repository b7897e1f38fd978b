import type { Env } from "../../../ipc/base/paths.ts";
import { FreedesktopSink } from "./freedesktop.ts";
import type { NotificationSink } from "./sink.ts";

/** A sink, or why there is none. */
export type PlatformSink = { sink: NotificationSink } | { sink: null; reason: string };

/**
 * The sink for this machine outside of the desktop app, which has its own for macOS and Windows. The session bus must be a Unix
 * socket: there the kernel authenticates the peer.
 */
export function notificationSink(env: Env, platform: NodeJS.Platform, log: (line: string) => void): PlatformSink {
  if (platform === "darwin" || platform === "win32") return { sink: null, reason: "here the desktop app shows them" };
  if (!env.DBUS_SESSION_BUS_ADDRESS)
    return { sink: null, reason: "no session bus (DBUS_SESSION_BUS_ADDRESS is not set)" };
  const unix = unixBusAddress(env);
  if (unix === undefined) return { sink: null, reason: "the session bus is not a Unix socket" };
  return { sink: new FreedesktopSink(unix, log) };
}

/** The session bus's Unix socket, as a D-Bus address, or undefined where there is none. */
export function unixBusAddress(env: Env): string | undefined {
  return env.DBUS_SESSION_BUS_ADDRESS?.split(";").find((one) => /^unix:(.*,)?(path|abstract)=/.test(one));
}
