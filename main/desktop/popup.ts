import { BrowserWindow, type Rectangle, screen, type WebContents } from "electron";
import { reloadAfterCrash } from "./crashed-page.ts";
import { webPreferences } from "./lockdown.ts";
import { backgroundColor, loadPage } from "./window.ts";

/** A click on the tray first takes the focus, which closes the popup: the same click must not open it again. Milliseconds. */
const SAME_CLICK_MS = 250;

/** The popup near the tray: created at start and kept hidden, so that it opens at once. It hides when it loses the focus. */
export class Popup {
  readonly #gaveUp: (reason: string) => void;
  readonly #now: () => number;
  #window: BrowserWindow | undefined;
  #anchor: Rectangle = { x: 0, y: 0, width: 0, height: 0 };
  #content_height = 240;
  #hidden_at = Number.NEGATIVE_INFINITY;
  #is_ending = false;

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
    // Escape in the page closes the window: it is hidden instead.
    window.on("close", (event) => {
      if (this.#is_ending) return;
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

  /** Adapts the popup to the height of the page's content. */
  resize(height: number): void {
    this.#content_height = height;
    this.#position();
  }

  contents(): WebContents | undefined {
    return this.#window?.webContents;
  }

  /** Lets the window really close from now on. */
  end(): void {
    this.#is_ending = true;
  }

  #position(): void {
    const { workArea } = screen.getDisplayNearestPoint({ x: this.#anchor.x, y: this.#anchor.y });
    this.#window?.setBounds(popupBounds(this.#anchor, workArea, this.#content_height));
  }
}

const POPUP_WIDTH = 380;
const MIN_HEIGHT = 80;
const MARGIN = 8;

/**
 * The popup's bounds: at the tray icon, inside the work area, as tall as its content up to two thirds of the area. CSS pixels.
 * @param anchor the tray icon's bounds, or a point where those aren't known
 */
export function popupBounds(anchor: Rectangle, work_area: Rectangle, content_height: number): Rectangle {
  const width = Math.min(POPUP_WIDTH, work_area.width);
  const height = Math.max(MIN_HEIGHT, Math.min(Math.ceil(content_height), Math.floor((work_area.height * 2) / 3)));
  const center_x = anchor.x + anchor.width / 2;
  const center_y = anchor.y + anchor.height / 2;
  const is_above = center_y < work_area.y + work_area.height / 2;
  return {
    x: clamped(Math.round(center_x - width / 2), work_area.x + MARGIN, work_area.x + work_area.width - width - MARGIN),
    y: is_above
      ? Math.max(work_area.y + MARGIN, Math.min(anchor.y + anchor.height, work_area.y + work_area.height - height))
      : Math.max(work_area.y, Math.min(anchor.y, work_area.y + work_area.height - MARGIN) - height),
    width,
    height,
  };
}

function clamped(value: number, least: number, most: number): number {
  return Math.max(Math.min(value, most), Math.min(least, most));
}
