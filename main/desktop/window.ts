import { app, BrowserWindow, nativeTheme, type WebContents } from "electron";
import { webPreferences } from "./lockdown.ts";
import { pageUrl } from "./page.ts";

/** A window's background before its page has painted, so that it doesn't flash. */
export function backgroundColor(): string {
  return nativeTheme.shouldUseDarkColors ? "#1c1c1e" : "#ffffff";
}

/** Loads our page at a route. Logs a failure, unless the window was closed meanwhile. */
export function loadPage(window: BrowserWindow, route: string): void {
  window.loadURL(pageUrl(route)).catch((error: unknown) => {
    if (!window.isDestroyed()) console.error("metnos-gate: the page didn't load:", error);
  });
}

/** An app without a place in the Dock isn't brought forward by showing its window. */
function takeFocus(): void {
  if (process.platform === "darwin") app.focus({ steal: true });
}

/** The main window: at most one, created when it is opened and destroyed when it is closed. The gate runs without it. */
export class MainWindow {
  #window: BrowserWindow | undefined;

  /** Shows it, at a route if one is given. */
  open(route?: string): void {
    const window = this.#window;
    if (window === undefined) {
      this.#make(route ?? "approvals");
      return;
    }
    if (route !== undefined && window.webContents.getURL() !== pageUrl(route)) loadPage(window, route);
    if (window.isMinimized()) window.restore();
    window.show();
    window.focus();
    takeFocus();
  }

  contents(): WebContents | undefined {
    return this.#window?.webContents;
  }

  #make(route: string): void {
    const window = new BrowserWindow({
      title: "Metnos Gate",
      width: 1000,
      height: 680,
      minWidth: 640,
      minHeight: 480,
      show: false,
      autoHideMenuBar: true,
      backgroundColor: backgroundColor(),
      webPreferences: webPreferences(),
    });
    this.#window = window;
    window.once("ready-to-show", () => {
      window.show();
      takeFocus();
    });
    window.on("closed", () => {
      if (this.#window === window) this.#window = undefined;
    });
    loadPage(window, route);
  }
}
