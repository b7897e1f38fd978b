import { Menu, type NativeImage, nativeImage, nativeTheme, type Rectangle, Tray } from "electron";
import { trayMark } from "./icon/mark.ts";
import { type TrayActions, type TrayMenuState, trayMenu } from "./tray-menu.ts";
import { shellWords, summary } from "./words.ts";

type TrayPlatform = keyof typeof SIZES;

function trayPlatform(): TrayPlatform {
  return process.platform === "darwin" || process.platform === "win32" ? process.platform : "linux";
}

/** The icon in the panel. Left click: the popup; right click: the menu. */
export class GateTray {
  readonly #tray: Tray;
  readonly #actions: TrayActions;
  readonly #platform: TrayPlatform;
  #state: TrayMenuState;
  #shownMark = "";
  #shownMenu = "";
  #menu: Menu | undefined;

  constructor(
    state: TrayMenuState,
    actions: TrayActions,
    toggle: (bounds: Rectangle) => void,
    platform: TrayPlatform = trayPlatform(),
  ) {
    this.#state = state;
    this.#actions = actions;
    this.#platform = platform;
    this.#tray = new Tray(markImage(state, platform));
    this.#tray.on("click", (_event, bounds) => toggle(bounds ?? this.#tray.getBounds()));
    // On macOS a menu that is set would open on a left click.
    if (platform === "darwin") {
      this.#tray.setIgnoreDoubleClickEvents(true);
      this.#tray.on("right-click", () => this.#tray.popUpContextMenu(this.#menu));
    }
    nativeTheme.on("updated", this.#redraw);
    this.update(state);
  }

  /** Shows another state. Unchanged parts aren't set again: that would close an open menu. */
  update(state: TrayMenuState): void {
    this.#state = state;
    this.#redraw();
    const menu = trayMenu(state, this.#actions);
    const text = JSON.stringify(menu);
    if (text === this.#shownMenu) return;
    this.#shownMenu = text;
    this.#tray.setToolTip(`Metnos Gate\n${summary(shellWords[state.language], state, state.language)}`);
    this.#menu = Menu.buildFromTemplate(menu);
    if (this.#platform !== "darwin") this.#tray.setContextMenu(this.#menu);
    else this.#tray.setTitle(state.waiting > 0 ? String(state.waiting) : "", { fontType: "monospacedDigit" });
  }

  bounds(): Rectangle {
    return this.#tray.getBounds();
  }

  destroy(): void {
    nativeTheme.off("updated", this.#redraw);
    this.#tray.destroy();
  }

  readonly #redraw = (): void => {
    const mark = `${this.#state.mark} ${Math.min(this.#state.waiting, 10)} ${ink(this.#platform)}`;
    if (mark === this.#shownMark) return;
    this.#shownMark = mark;
    this.#tray.setImage(markImage(this.#state, this.#platform));
  };
}

/** Dark ink on a light panel and vice versa. GNOME's panel is dark whatever the theme. */
function ink(platform: TrayPlatform): "dark" | "light" | "template" {
  if (platform === "darwin") return "template";
  const isDarkPanel =
    platform === "linux" && /GNOME|Unity/i.test(process.env.XDG_CURRENT_DESKTOP ?? "")
      ? true
      : nativeTheme.shouldUseDarkColorsForSystemIntegratedUI;
  return isDarkPanel ? "light" : "dark";
}

/** Pixels of a tray icon at scale 1. */
const SIZES = { darwin: 18, win32: 16, linux: 22 };

/** Each is drawn once: drawing blocks the gate's decisions. */
const drawn = new Map<string, NativeImage>();

function markImage(state: TrayMenuState, platform: TrayPlatform): NativeImage {
  // More than nine look the same.
  const key = `${state.mark} ${Math.min(state.waiting, 10)} ${ink(platform)} ${platform}`;
  const image = drawn.get(key) ?? drawMark(state, platform);
  drawn.set(key, image);
  return image;
}

function drawMark({ mark, waiting }: TrayMenuState, platform: TrayPlatform): NativeImage {
  const draw = (scale: number) => trayMark(mark, waiting, ink(platform), SIZES[platform] * scale);
  // Panels on Linux get the first picture alone, and make it smaller where they have to: never larger, which is blurred.
  if (platform === "linux") return nativeImage.createFromBuffer(draw(2), { scaleFactor: 1 });
  const image = nativeImage.createFromBuffer(draw(1), { scaleFactor: 1 });
  image.addRepresentation({ scaleFactor: 2, dataURL: `data:image/png;base64,${draw(2).toString("base64")}` });
  if (platform === "darwin") image.setTemplateImage(true);
  return image;
}
