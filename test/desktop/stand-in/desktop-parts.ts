import { EventEmitter } from "node:events";
import type { MenuItemConstructorOptions, Rectangle } from "electron";

/** What a desktop has around the windows. It is not shown: it records what was set. */

export class MenuItem {
  readonly id: string;
  readonly label: string;
  readonly type: string;
  readonly enabled: boolean;
  checked: boolean;
  readonly submenu: Menu | undefined;
  readonly #click: MenuItemConstructorOptions["click"];

  constructor(options: MenuItemConstructorOptions) {
    this.id = options.id ?? "";
    this.label = options.label ?? "";
    this.type = options.type ?? (options.submenu === undefined ? "normal" : "submenu");
    this.enabled = options.enabled !== false;
    this.checked = options.checked === true;
    this.submenu = Array.isArray(options.submenu) ? Menu.buildFromTemplate(options.submenu) : undefined;
    this.#click = options.click;
  }

  click(): void {
    if (!this.enabled) return;
    if (this.type === "checkbox") this.checked = !this.checked;
    this.#click?.(this as never, undefined, {} as never);
  }
}

export class Menu {
  readonly items: MenuItem[] = [];

  static buildFromTemplate(template: readonly MenuItemConstructorOptions[]): Menu {
    const menu = new Menu();
    menu.items.push(...template.map((options) => new MenuItem(options)));
    return menu;
  }
  static setApplicationMenu(_menu: Menu | null): void {
    // no screen, no menu bar
  }
}

export class Tray extends EventEmitter {
  #isDestroyed = false;

  constructor(image: StandInImage) {
    super();
    this.setImage(image);
  }
  setImage(image: StandInImage): void {
    this.#check();
    if (image.isEmpty()) throw new Error("an empty image");
  }
  setToolTip(_text: string): void {
    this.#check();
  }
  setTitle(_text: string): void {
    this.#check();
  }
  setContextMenu(_menu: Menu | null): void {
    this.#check();
  }
  popUpContextMenu(_menu?: Menu): void {
    this.#check();
  }
  setIgnoreDoubleClickEvents(_isIgnored: boolean): void {
    this.#check();
  }
  /** As on Linux: the panel doesn't report it. */
  getBounds(): Rectangle {
    return { x: 0, y: 0, width: 0, height: 0 };
  }
  destroy(): void {
    this.#isDestroyed = true;
  }
  isDestroyed(): boolean {
    return this.#isDestroyed;
  }
  #check(): void {
    if (this.#isDestroyed) throw new Error("Tray is destroyed");
  }
}

class StandInImage {
  readonly #png: Buffer;
  constructor(png: Buffer) {
    this.#png = png;
  }
  addRepresentation({ dataURL }: { dataURL?: string }): void {
    if (dataURL?.startsWith("data:image/png;base64,") !== true) throw new Error("not a PNG");
  }
  setTemplateImage(_isTemplate: boolean): void {
    // macOS only
  }
  isEmpty(): boolean {
    return this.#png.length === 0;
  }
  toPNG(): Buffer {
    return this.#png;
  }
  getSize(): { width: number; height: number } {
    return { width: this.#png.readUInt32BE(16), height: this.#png.readUInt32BE(20) };
  }
}

export const nativeImage = { createFromBuffer: (png: Buffer) => new StandInImage(png) };

export const nativeTheme = Object.assign(new EventEmitter(), {
  shouldUseDarkColors: false,
  shouldUseDarkColorsForSystemIntegratedUI: false,
});

const display = {
  bounds: { x: 0, y: 0, width: 1280, height: 800 },
  workArea: { x: 0, y: 28, width: 1280, height: 772 },
  scaleFactor: 1,
};

export const screen = {
  getCursorScreenPoint: () => ({ x: 1200, y: 10 }),
  getDisplayNearestPoint: () => display,
  getPrimaryDisplay: () => display,
};

/** The recorder takes their place: a dialog would wait for a user. */
export const dialog = {
  async showMessageBox(_options: object): Promise<{ response: number }> {
    return { response: 0 };
  },
  showErrorBox(_title: string, _content: string): void {
    // not shown
  },
};

export class Notification extends EventEmitter {
  static isSupported(): boolean {
    return false;
  }
  show(): void {
    this.emit("show");
  }
  close(): void {
    this.emit("close");
  }
}
