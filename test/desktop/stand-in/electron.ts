import { createRequire } from "node:module";
import { app } from "./app.ts";
import { BrowserWindow } from "./browser-window.ts";
import { followCommands } from "./commands.ts";
import { dialog, Menu, Notification, nativeImage, nativeTheme, screen, Tray } from "./desktop-parts.ts";
import { ipcMain } from "./ipc-main.ts";
import { protocol, session } from "./session.ts";

/**
 * Electron's main process for machines without its binary, as far as the app uses it: plain Node, real Chromium pages.
 * Where Electron would do something by default (grant a permission, follow a link, open a window), so does this.
 */
const electron = {
  app,
  BrowserWindow,
  dialog,
  ipcMain,
  Menu,
  nativeImage,
  nativeTheme,
  Notification,
  protocol,
  screen,
  session,
  Tray,
};

export {
  app,
  BrowserWindow,
  dialog,
  ipcMain,
  Menu,
  Notification,
  nativeImage,
  nativeTheme,
  protocol,
  screen,
  session,
  Tray,
};

(createRequire(import.meta.url)("../driver/recorder.cjs") as { record(electron: object): void }).record(electron);
followCommands(electron);
