import { app } from "electron";
import type { Env } from "../../ipc/base/paths.ts";

/** Under Wayland no program places its own windows, and a click on the tray icon has no place: the popup could be anywhere. */
export function canPlaceWindows(env: Env = process.env, platform: NodeJS.Platform = process.platform): boolean {
  const isWayland = platform === "linux" && env.XDG_SESSION_TYPE === "wayland" && Boolean(env.WAYLAND_DISPLAY);
  // Through XWayland it can.
  return !isWayland || app.commandLine.getSwitchValue("ozone-platform") === "x11";
}
