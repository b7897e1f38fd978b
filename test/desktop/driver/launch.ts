import { existsSync } from "node:fs";
import type * as Electron from "electron";
import { afterAll, describe } from "vitest";
import { COMPILE_CACHE } from "../../support/compile-cache.ts";
import { type TemporaryHome, temporaryHome } from "../../support/temporary-home.ts";
import { CHROMIUM } from "../stand-in/chromium.ts";
import { BriefProcess } from "./brief-process.ts";
import { chooseDriver } from "./choice.ts";
import type { DesktopApp, RecordedDesktop } from "./desktop-app.ts";
import { ELECTRON_ARGUMENTS, ElectronApp } from "./electron-app.ts";
import { StandInApp, standInArguments } from "./stand-in-app.ts";

const choice = chooseDriver();
console.log(
  choice.driver === "none"
    ? `desktop specs skipped: ${choice.why}`
    : `desktop driver: ${choice.driver} (${choice.why})`,
);
if (choice.driver === "none" && process.env.CI === "true") throw new Error(`no desktop driver: ${choice.why}`);

/** Specs that need a driver: skipped, with the reason printed, where there is none. */
export const describeDesktop = describe.skipIf(choice.driver === "none");

/** For what only a Node process with a stand-in can show. */
export const describeStandIn = describe.skipIf(!existsSync(CHROMIUM));

/** Where windows are shown, if anywhere. */
const SCREEN = { DISPLAY: process.env.DISPLAY, WAYLAND_DISPLAY: process.env.WAYLAND_DISPLAY };

const started: DesktopApp[] = [];

export interface LaunchOptions {
  home?: TemporaryHome;
  args?: readonly string[];
  env?: NodeJS.ProcessEnv;
  /** Awaited before the app is known to be ready. */
  whileStarting?(app: Pick<DesktopApp, "kill">): Promise<void>;
}

/** Starts the app; ended with the file's tests, however they end. */
export async function launchDesktop({
  home = temporaryHome(),
  args = [],
  env = {},
  whileStarting = async () => undefined,
}: LaunchOptions = {}): Promise<DesktopApp & { home: TemporaryHome }> {
  const whole = { NODE_COMPILE_CACHE: COMPILE_CACHE, ...home.env, ...SCREEN, ...env };
  let app: DesktopApp;
  if (choice.driver === "electron") {
    app = await ElectronApp.launch(choice.binary, whole, args);
    started.push(app);
    await whileStarting(app);
    await app.printed(/the desktop app is ready/);
  } else {
    const standIn = new StandInApp(whole, args);
    app = standIn;
    started.push(app);
    await whileStarting(app);
    await standIn.connect();
  }
  return Object.assign(app, { home });
}

/** One that ends by itself: another instance, a command. */
export function launchBriefly(home: TemporaryHome, args: readonly string[]): BriefProcess {
  if (choice.driver === "none") throw new Error(choice.why);
  return choice.driver === "electron"
    ? new BriefProcess(choice.binary, [...ELECTRON_ARGUMENTS, ...args], { ...home.env, ...SCREEN })
    : new BriefProcess(process.execPath, [...standInArguments(), ...args], { ...home.env, ...SCREEN });
}

afterAll(async () => {
  for (const app of started) {
    const processes = await app.processes().catch(() => [app.pid]);
    app.kill("SIGKILL");
    await app.exited;
    for (const pid of processes) end(pid);
  }
});

/** Its browser doesn't always notice that it was killed. */
function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // already deleted
  }
}

/** What the app passed to the tray and its dialogs. `read` runs in the app's process. */
export function recorded<R>(app: DesktopApp, read: (desktop: RecordedDesktop) => R): Promise<R> {
  return app.evaluate((_electron: typeof Electron, source: string) => {
    const desktop = (globalThis as unknown as { recorded_desktop: RecordedDesktop }).recorded_desktop;
    return (new Function(`return (${source});`)() as (desktop: RecordedDesktop) => R)(desktop);
  }, read.toString());
}
