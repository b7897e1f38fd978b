import { EventEmitter } from "node:events";
import type { BrowserWindowConstructorOptions, Rectangle } from "electron";
import { app } from "./app.ts";
import { isPrevented } from "./prevented.ts";
import { StandInContents } from "./web-contents.ts";

const windows = new Set<BrowserWindow>();

/** A window without a screen: its size is its page's, its place is remembered. */
export class BrowserWindow extends EventEmitter {
  readonly webContents: StandInContents;
  readonly #options: BrowserWindowConstructorOptions;
  #bounds: Rectangle;
  #isVisible: boolean;
  #isReady = false;

  static getAllWindows(): BrowserWindow[] {
    return [...windows];
  }

  static getFocusedWindow(): BrowserWindow | null {
    return [...windows].find((window) => window.isVisible()) ?? null;
  }

  constructor(options: BrowserWindowConstructorOptions = {}) {
    super();
    this.#options = options;
    this.#bounds = { x: options.x ?? 0, y: options.y ?? 0, width: options.width ?? 800, height: options.height ?? 600 };
    this.#isVisible = options.show !== false;
    this.webContents = new StandInContents(options.webPreferences ?? {});
    this.webContents.on("-page-closes", () => this.close());
    windows.add(this);
    this.#fit();
    app.emit("browser-window-created", {}, this);
  }

  async loadURL(url: string): Promise<void> {
    await this.webContents.loadURL(url);
    if (this.#isReady || this.isDestroyed()) return;
    this.#isReady = true;
    this.emit("ready-to-show");
  }

  show(): void {
    this.#isVisible = true;
    this.emit("show");
  }
  hide(): void {
    this.#isVisible = false;
    this.emit("hide");
  }
  focus(): void {
    this.emit("focus");
  }
  isVisible(): boolean {
    return this.#isVisible;
  }
  isMinimized(): boolean {
    return false;
  }
  restore(): void {
    this.show();
  }
  isDestroyed(): boolean {
    return !windows.has(this);
  }

  getBounds(): Rectangle {
    return { ...this.#bounds };
  }
  setBounds(bounds: Partial<Rectangle>): void {
    Object.assign(this.#bounds, bounds);
    this.#fit();
  }
  getMinimumSize(): number[] {
    return [this.#options.minWidth ?? 0, this.#options.minHeight ?? 0];
  }
  isResizable(): boolean {
    return this.#options.resizable !== false;
  }
  isAlwaysOnTop(): boolean {
    return this.#options.alwaysOnTop === true;
  }

  /** Returns whether it really closed. */
  close(): boolean {
    if (this.isDestroyed()) return true;
    if (isPrevented(this, "close")) return false;
    windows.delete(this);
    void this.webContents.destroy();
    this.emit("closed");
    if (windows.size === 0) app.lastWindowClosed();
    return true;
  }

  #fit(): void {
    const { width, height } = this.#bounds;
    void this.webContents.page.then((page) => page.setViewportSize({ width, height })).catch(() => undefined); // closed already
  }
}
