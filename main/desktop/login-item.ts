import { app } from "electron";
import { gatePaths } from "../../ipc/base/paths.ts";
import type { LoginItem } from "../config/settings.ts";
import { autostartEntry } from "./autostart-entry.ts";

/** Started at login: into the tray, without a window. */
export const HIDDEN_FLAG = "--hidden";

/** Undefined where the system would register Electron itself: outside Linux only a packaged app can start at login. */
export function loginItem(platform: NodeJS.Platform = process.platform): LoginItem | undefined {
  if (platform === "linux") {
    // An AppImage runs from a temporary folder; the file itself stays.
    const program = [process.env.APPIMAGE || process.execPath, ...(app.isPackaged ? [] : [app.getAppPath()])];
    return autostartEntry(gatePaths().autostartEntry, [...program, HIDDEN_FLAG]);
  }
  if (!app.isPackaged) return undefined;
  // macOS starts the app itself, without arguments, and says afterwards that it did.
  const how = platform === "darwin" ? {} : { args: [HIDDEN_FLAG] };
  return {
    isEnabled: () => app.getLoginItemSettings(how).openAtLogin,
    setEnabled: (isEnabled) => app.setLoginItemSettings({ openAtLogin: isEnabled, ...how }),
  };
}

/** Whether the system started the app at login. */
export function wasStartedAtLogin(platform: NodeJS.Platform = process.platform): boolean {
  return process.argv.includes(HIDDEN_FLAG) || (platform === "darwin" && app.getLoginItemSettings().wasOpenedAtLogin);
}
