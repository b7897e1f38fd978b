import { spawn } from "node:child_process";
import { EventEmitter } from "node:events";
import { mkdirSync, readdirSync, readFileSync, rmSync, watch, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { LoginItemSettings, Settings } from "electron";
import { browserContext, endChromium } from "./chromium.ts";
import { isPrevented } from "./prevented.ts";

/** The app's life: ready, one instance, quitting. */
class StandInApp extends EventEmitter {
  readonly isPackaged = false;
  readonly commandLine = {
    hasSwitch: (_name: string) => false,
    getSwitchValue: (_name: string) => "",
    appendSwitch: (_name: string) => undefined,
  };
  #loginItem: Settings = {};
  #ready: Promise<void> | undefined;
  #isQuitting = false;
  /** The arguments of the one that is started when this one has ended. */
  #next: readonly string[] | undefined;

  constructor() {
    super();
    // As Electron does, on Linux and macOS.
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => this.quit());
  }

  whenReady(): Promise<void> {
    this.#ready ??= browserContext().then(() => undefined);
    return this.#ready;
  }

  enableSandbox(): void {
    // Chromium's pages have their own
  }
  getAppPath(): string {
    return fileURLToPath(new URL("../../..", import.meta.url)).replace(/\/$/, "");
  }
  getLocale(): string {
    return "en-GB";
  }
  getLoginItemSettings(): Pick<LoginItemSettings, "openAtLogin" | "wasOpenedAtLogin"> {
    return { openAtLogin: this.#loginItem.openAtLogin === true, wasOpenedAtLogin: false };
  }
  setLoginItemSettings(settings: Settings): void {
    this.#loginItem = settings;
  }

  /** The first of this home keeps it; a later one leaves a note, which the first one reads. */
  requestSingleInstanceLock(): boolean {
    const folder = join(process.env.XDG_CONFIG_HOME || join(process.env.HOME || homedir(), ".config"), "stand-in");
    mkdirSync(folder, { recursive: true });
    const lock = join(folder, "lock");
    try {
      const owner = Number(readFileSync(lock, "utf8"));
      process.kill(owner, 0);
      writeFileSync(join(folder, `second-${process.pid}`), "");
      return false;
    } catch {
      writeFileSync(lock, String(process.pid)); // without an owner, or its owner has ended
    }
    const watcher = watch(folder, () => {
      for (const note of readdirSync(folder).filter((name) => name.startsWith("second-"))) {
        rmSync(join(folder, note), { force: true });
        this.emit("second-instance", {}, [], "", null);
      }
    });
    watcher.unref();
    return true;
  }

  lastWindowClosed(): void {
    if (this.#isQuitting) return;
    if (this.listenerCount("window-all-closed") === 0) this.quit();
    else this.emit("window-all-closed");
  }

  quit(): void {
    void this.#quit();
  }

  async #quit(): Promise<void> {
    if (isPrevented(this, "before-quit")) return;
    this.#isQuitting = true;
    const { BrowserWindow } = await import("./browser-window.ts");
    for (const window of BrowserWindow.getAllWindows()) {
      if (!window.close()) {
        this.#isQuitting = false;
        return;
      }
    }
    if (isPrevented(this, "will-quit")) {
      this.#isQuitting = false;
      return;
    }
    this.emit("quit", {}, 0);
    this.exit(0);
  }

  relaunch({ args = process.argv.slice(1) }: { args?: readonly string[] } = {}): void {
    this.#next = args;
  }

  exit(code = 0): void {
    void endChromium().finally(() => {
      // As Electron's own helper does, it waits until this process has ended.
      if (this.#next !== undefined) {
        const words = [
          ...process.execArgv,
          process.argv[1] ?? "",
          ...this.#next.filter((word) => word !== process.argv[1]),
        ];
        const wait = 'while kill -0 "$0" 2>/dev/null; do sleep 0.02; done; exec "$@"';
        const next = ["-c", wait, String(process.pid), process.execPath, ...words];
        spawn("/bin/sh", next, { detached: true, stdio: "ignore" }).unref();
      }
      process.exit(code);
    });
  }
}

export const app = new StandInApp();
