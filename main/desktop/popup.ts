import { BrowserWindow, type Rectangle, screen, type WebContents } from "electron";
import { webPreferences } from "./lockdown.ts";
import { POPUP_WIDTH, popupBounds } from "./popup-position.ts";
import { backgroundColor, loadPage } from "./window.ts";

/** A click on the tray takes the focus away first: the popup that it closed doesn't open again at once. Milliseconds. */
const SAME_CLICK_MS = 250;

/** The popup near the tray: made at start and kept hidden, so that it is there at once. It goes away when it loses the focus. */
export class Popup {
  readonly #now: () => number;
  #window: BrowserWindow | undefined;
  #anchor: Rectangle = { x: 0, y: 0, width: 0, height: 0 };
  #content_height = 240;
  #hidden_at = Number.NEGATIVE_INFINITY;
  #is_ending = false;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Loads the page, out of sight. */
  prepare(): void {
    const window = new BrowserWindow({
      title: "Metnos Gate",
      width: POPUP_WIDTH,
      height: this.#content_height,
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
    // Escape in the page closes it: it is hidden and kept.
    window.on("close", (event) => {
      if (this.#is_ending) return;
      event.preventDefault();
      this.hide();
    });
    window.on("closed", () => {
      if (this.#window === window) this.#window = undefined;
    });
    loadPage(window, "popup");
  }

  /** A click on the tray icon. `anchor`: the icon's bounds, all zero where the panel doesn't tell them. */
  toggle(anchor: Rectangle): void {
    if (this.#window?.isVisible()) this.hide();
    else if (this.#now() - this.#hidden_at > SAME_CLICK_MS) this.show(anchor);
  }

  show(anchor: Rectangle): void {
    if (this.#window === undefined) this.prepare();
    const is_known = anchor.width > 0 && anchor.height > 0;
    this.#anchor = is_known ? anchor : { ...screen.getCursorScreenPoint(), width: 0, height: 0 };
    this.#position();
    this.#window?.show();
    this.#window?.focus();
  }

  hide(): void {
    if (this.#window?.isVisible() !== true) return;
    this.#hidden_at = this.#now();
    this.#window.hide();
  }

  /** The page says how tall its content is. */
  resize(height: number): void {
    this.#content_height = height;
    this.#position();
  }

  contents(): WebContents | undefined {
    return this.#window?.webContents;
  }

  /** From now on closing it is closing it. */
  end(): void {
    this.#is_ending = true;
  }

  #position(): void {
    const { workArea } = screen.getDisplayNearestPoint({ x: this.#anchor.x, y: this.#anchor.y });
    this.#window?.setBounds(popupBounds(this.#anchor, workArea, this.#content_height));
  }
}
