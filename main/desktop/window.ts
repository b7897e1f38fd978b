import { app, BrowserWindow, type BrowserWindowConstructorOptions, nativeTheme, type WebContents } from "electron";
import { reloadAfterCrash } from "./crashed-page.ts";
import { webPreferences } from "./lockdown.ts";
import { pageUrl } from "./page.ts";

/** A window's background before its page has painted, so that it doesn't flash: the page's own `--surface`. */
export const SURFACE = { light: "#ffffff", dark: "#1d1e21" };

export function backgroundColor(): string {
  return SURFACE[nativeTheme.shouldUseDarkColors ? "dark" : "light"];
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

/** `compact`: for the requests alone, where no popup can be placed. */
export type WindowForm = "whole" | "compact";

const FORMS: Readonly<Record<WindowForm, BrowserWindowConstructorOptions>> = {
  whole: { width: 1000, height: 680, minWidth: 640, minHeight: 480 },
  compact: { width: 420, height: 640, minWidth: 340, minHeight: 320 },
};

/** The main window: at most one, created when it is opened and destroyed when it is closed. The gate runs without it. */
export class MainWindow {
  readonly #gaveUp: (reason: string) => void;
  #window: BrowserWindow | undefined;

  /** @param gaveUp called when its page has died again and again */
  constructor(gaveUp: (reason: string) => void) {
    this.#gaveUp = gaveUp;
  }

  /** Shows it, at a route if one is given. One that is open already keeps its form. */
  open(route?: string, form: WindowForm = "whole"): void {
    const window = this.#window;
    if (window === undefined) {
      this.#make(route ?? "approvals", form);
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

  isVisible(): boolean {
    return this.#window?.isVisible() === true;
  }

  #make(route: string, form: WindowForm): void {
    const window = new BrowserWindow({
      ...FORMS[form],
      title: "Metnos Gate",
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
    reloadAfterCrash(window.webContents, {
      reload: () => loadPage(window, "approvals"),
      giveUp: this.#gaveUp,
    });
    loadPage(window, route);
  }
}
