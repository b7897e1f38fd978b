import { app } from "electron";
import { gatePaths } from "../../ipc/paths.ts";
import type { LoginItem } from "../settings.ts";
import { autostartEntry } from "./autostart-entry.ts";

/** Started at login: into the tray, without a window. */
export const HIDDEN_FLAG = "--hidden";

export function loginItem(platform: NodeJS.Platform = process.platform): LoginItem {
  // An AppImage runs from a temporary folder; the file itself stays.
  const program = [process.env.APPIMAGE || process.execPath, ...(app.isPackaged ? [] : [app.getAppPath()])];
  if (platform === "linux") return autostartEntry(gatePaths().autostart_entry, [...program, HIDDEN_FLAG]);
  const args = [...program.slice(1), HIDDEN_FLAG];
  return {
    isEnabled: () => app.getLoginItemSettings({ args }).openAtLogin,
    setEnabled: (is_enabled) => app.setLoginItemSettings({ openAtLogin: is_enabled, args }),
  };
}

/** Whether the system started the app at login. */
export function wasStartedAtLogin(platform: NodeJS.Platform = process.platform): boolean {
  return process.argv.includes(HIDDEN_FLAG) || (platform === "darwin" && app.getLoginItemSettings().wasOpenedAtLogin);
}
