import { BrowserWindow, type Rectangle, screen, type WebContents } from "electron";
import { reloadAfterCrash } from "./crashed-page.ts";
import { webPreferences } from "./lockdown.ts";
import { POPUP_WIDTH, popupBounds } from "./popup-position.ts";
import { backgroundColor, loadPage } from "./window.ts";

/** A click on the tray first takes the focus, which closes the popup: the same click must not open it again. Milliseconds. */
const SAME_CLICK_MS = 250;

/** The popup near the tray: created at start and kept hidden, so that it opens at once. It hides when it loses the focus. */
export class Popup {
  readonly #gaveUp: (reason: string) => void;
  readonly #now: () => number;
  #window: BrowserWindow | undefined;
  #anchor: Rectangle = { x: 0, y: 0, width: 0, height: 0 };
  #contentHeight = 240;
  #hiddenAt = Number.NEGATIVE_INFINITY;
  #isEnding = false;

  /** @param gaveUp called when its page has died again and again */
  constructor(gaveUp: (reason: string) => void, now: () => number = () => performance.now()) {
    this.#gaveUp = gaveUp;
    this.#now = now;
  }

  /** Loads the page, hidden. */
  prepare(): void {
    const window = new BrowserWindow({
      title: "Metnos Gate",
      width: POPUP_WIDTH,
      height: this.#contentHeight,
      show: false,
      frame: false,
      resizable: false,
      movable: false,
      minimizable: false,
      maximizable: false,
      fullscreenable: false,
      skipTaskbar: true,
      alwaysOnTop: true,
      backgroundColor: backgroundColor(),
      webPreferences: webPreferences(),
    });
    this.#window = window;
    window.on("blur", () => this.hide());
    // Escape in the page closes the window: it is hidden instead.
    window.on("close", (event) => {
      if (this.#isEnding) return;
      event.preventDefault();
      this.hide();
    });
    window.on("closed", () => {
      if (this.#window === window) this.#window = undefined;
    });
    reloadAfterCrash(window.webContents, { reload: () => loadPage(window, "popup"), giveUp: this.#gaveUp });
    loadPage(window, "popup");
  }

  /** A click on the tray icon. `anchor`: the icon's bounds, all zero where the panel doesn't report them. */
  toggle(anchor: Rectangle): void {
    if (this.#window?.isVisible()) this.hide();
    else if (this.#now() - this.#hiddenAt > SAME_CLICK_MS) this.show(anchor);
  }

  show(anchor: Rectangle): void {
    if (this.#window === undefined) this.prepare();
    const isKnown = anchor.width > 0 && anchor.height > 0;
    this.#anchor = isKnown ? anchor : { ...screen.getCursorScreenPoint(), width: 0, height: 0 };
    this.#position();
    this.#window?.show();
    this.#window?.focus();
  }

  hide(): void {
    if (this.#window?.isVisible() !== true) return;
    this.#hiddenAt = this.#now();
    this.#window.hide();
  }

  /** Adapts the popup to the height of the page's content. */
  resize(height: number): void {
    this.#contentHeight = height;
    this.#position();
  }

  contents(): WebContents | undefined {
    return this.#window?.webContents;
  }

  /** Lets the window really close from now on. */
  end(): void {
    this.#isEnding = true;
  }

  #position(): void {
    const { workArea } = screen.getDisplayNearestPoint({ x: this.#anchor.x, y: this.#anchor.y });
    this.#window?.setBounds(popupBounds(this.#anchor, workArea, this.#contentHeight));
  }
}
