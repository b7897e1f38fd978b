import { existsSync } from "node:fs";
import { beforeAll, expect, it } from "vitest";
import { OperatorClient } from "../../ipc/operator-client.ts";
import { startGate } from "../support/running-gate.ts";
import { type TemporaryHome, temporaryHome } from "../support/temporary-home.ts";
import type { DesktopApp } from "./driver/desktop-app.ts";
import { describeDesktop, launchBriefly, launchDesktop } from "./driver/launch.ts";

// The app's life: one instance, its windows, its end.

const windows = (app: DesktopApp) =>
  app.evaluate(
    ({ BrowserWindow }) =>
      BrowserWindow.getAllWindows().map((window) => ({
        place: window.webContents.getURL().replace(/^[^#]*#\//, ""),
        is_visible: window.isVisible(),
        bounds: window.getBounds(),
        least: window.getMinimumSize(),
      })),
    undefined,
  );

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describeDesktop("the desktop app", () => {
  let app: DesktopApp & { home: TemporaryHome };
  beforeAll(async () => {
    app = await launchDesktop();
    await Promise.all([app.page("approvals"), app.page("popup")]);
  });

  it("opens its window at 1000 x 680, never below 640 x 480; the popup stays out of sight", async () => {
    await expect
      .poll(async () => (await windows(app)).find(({ place }) => place === "approvals")?.is_visible)
      .toBe(true);
    const all = await windows(app);
    expect(all.find(({ place }) => place === "approvals")).toMatchObject({
      bounds: { width: 1000, height: 680 },
      least: [640, 480],
    });
    expect(all.find(({ place }) => place === "popup")).toMatchObject({ is_visible: false });
  });

  it("serves the gate on, with all its windows closed, and opens the window again when it is started again", async () => {
    await app.evaluate(({ BrowserWindow }) => {
      for (const window of BrowserWindow.getAllWindows()) window.close();
    }, undefined);
    expect((await windows(app)).filter(({ is_visible }) => is_visible)).toEqual([]);
    const { operator_socket, operator_token } = app.home.places;
    const operator = await OperatorClient.connect(operator_socket, operator_token);
    expect(await operator.call("status", {})).toMatchObject({ pid: app.pid });
    await operator.close();

    const second = launchBriefly(app.home, []);
    expect(await second.exited).toBe(0);
    await app.page("approvals");
    await expect
      .poll(async () => (await windows(app)).some(({ place, is_visible }) => place === "approvals" && is_visible))
      .toBe(true);
    expect((await windows(app)).filter(({ place }) => place === "approvals")).toHaveLength(1);
  });

  it("quits cleanly: the gate is closed, its sockets are gone, no process is left", async () => {
    const processes = await app.processes();
    expect(processes.length).toBeGreaterThan(1);
    await app.evaluate(({ app: electron_app }) => {
      setImmediate(() => electron_app.quit());
    }, undefined);
    expect(await app.exited).toBe(0);
    expect(app.output()).toMatch(/closed; what waits is kept for the next start/);
    await expect.poll(() => processes.filter(isAlive)).toEqual([]);
    expect(existsSync(app.home.places.agent_socket)).toBe(false);
    // The lock is free: another gate can have this home.
    await startGate({ home: app.home });
  });
});

describeDesktop("starting", () => {
  it("at login: into the tray, without a window", async () => {
    const app = await launchDesktop({ args: ["--hidden"] });
    await app.page("popup");
    expect((await windows(app)).map(({ place, is_visible }) => ({ place, is_visible }))).toEqual([
      { place: "popup", is_visible: false },
    ]);
    app.kill("SIGTERM");
    expect(await app.exited).toBe(0);
    expect(app.output()).toMatch(/closed; what waits is kept/);
  });

  it("while a gate runs without the app: says so, and ends", async () => {
    const { home } = await startGate();
    const app = launchBriefly(home, []);
    expect(await app.exited).toBe(1);
    expect(app.output()).toMatch(
      /error box: Metnos Gate could not start\na gate is already running for this user\nsee: metnos-gate status/,
    );
  });

  it("with --cli it is the command, without a window: its words, its exit code", async () => {
    const home = temporaryHome();
    const explained = launchBriefly(home, ["--cli", "--", "policy", "check", "ReadOnly", "fs:write"]);
    expect(await explained.exited).toBe(0);
    expect(explained.stdout().trim()).toBe("denied");
    const wrong = launchBriefly(home, ["--cli", "--", "no-such-command"]);
    expect(await wrong.exited).toBe(2);
    const version = launchBriefly(home, ["--cli", "--", "--version"]);
    expect(await version.exited).toBe(0);
    expect(version.stdout().trim()).toMatch(/^\d+\.\d+\.\d+$/);
  });
});
