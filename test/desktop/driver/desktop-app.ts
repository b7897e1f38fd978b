import type * as Electron from "electron";
import type { Page } from "playwright-core";

/** What `recorder.cjs` keeps in the app's process. */
export interface RecordedDesktop {
  tray: Electron.Tray;
  tooltip: string;
  title: string;
  image: Electron.NativeImage;
  menu: Electron.Menu;
  dialogs: { message: string; detail?: string }[];
}

/** One running desktop app, whichever driver runs it. */
export interface DesktopApp {
  readonly driver: "electron" | "stand-in";
  readonly pid: number;
  /** Where the page comes from, as the page itself sees it. */
  readonly pageOrigin: string;
  /** All that it printed. */
  output(): string;
  /** Resolves once what it printed matches. */
  printed(pattern: RegExp): Promise<void>;
  /** The window whose page is at this place, once it is there. */
  page(place: string): Promise<Page>;
  pages(): Page[];
  /** Runs in the app's own process. What it gives is copied. */
  evaluate<R, A>(run: (electron: typeof Electron, arg: A) => R | Promise<R>, arg: A): Promise<R>;
  /** Every process that belongs to it. */
  processes(): Promise<number[]>;
  kill(signal: NodeJS.Signals): void;
  readonly exited: Promise<number | null>;
}
