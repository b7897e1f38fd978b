import { existsSync, mkdirSync, rmdirSync, rmSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import Database from "better-sqlite3";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { OperatorClient } from "../../ipc/socket/operator-client.ts";
import { busProgram } from "../support/notification-server.ts";
import { cantRun, PrivateBus } from "../support/private-bus.ts";
import { startGate } from "../support/running-gate.ts";
import { type TemporaryHome, temporaryHome } from "../support/temporary-home.ts";
import type { DesktopApp } from "./driver/desktop-app.ts";
import { describeDesktop, launchBriefly, launchDesktop, recorded } from "./driver/launch.ts";

// The app's life: one instance, its windows, its end.

const NO_BUS = cantRun("the app beside a panel", ["dbus-run-session"]);

const windows = (app: DesktopApp) =>
  app.evaluate(
    ({ BrowserWindow }) =>
      BrowserWindow.getAllWindows().map((window) => ({
        place: window.webContents.getURL().replace(/^[^#]*#\//, ""),
        isVisible: window.isVisible(),
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
      .poll(async () => (await windows(app)).find(({ place }) => place === "approvals")?.isVisible)
      .toBe(true);
    const all = await windows(app);
    expect(all.find(({ place }) => place === "approvals")).toMatchObject({
      bounds: { width: 1000, height: 680 },
      least: [640, 480],
    });
    expect(all.find(({ place }) => place === "popup")).toMatchObject({ isVisible: false });
  });

  it("serves the gate on, with all its windows closed, and opens the window again when it is started again", async () => {
    await app.evaluate(({ BrowserWindow }) => {
      for (const window of BrowserWindow.getAllWindows()) window.close();
    }, undefined);
    expect((await windows(app)).filter(({ isVisible }) => isVisible)).toEqual([]);
    const { operator_socket, operatorToken } = app.home.paths;
    const operator = await OperatorClient.connect(operator_socket, operatorToken);
    expect(await operator.call("status", {})).toMatchObject({ pid: app.pid });
    await operator.close();

    const second = launchBriefly(app.home, []);
    expect(await second.exited).toBe(0);
    await app.page("approvals");
    await expect
      .poll(async () => (await windows(app)).some(({ place, isVisible }) => place === "approvals" && isVisible))
      .toBe(true);
    expect((await windows(app)).filter(({ place }) => place === "approvals")).toHaveLength(1);
  });

  it("quits cleanly: the gate is closed, its sockets are removed, no process is left", async () => {
    const processes = await app.processes();
    expect(processes.length).toBeGreaterThan(1);
    await app.evaluate(({ app: electronApp }) => {
      setImmediate(() => electronApp.quit());
    }, undefined);
    expect(await app.exited).toBe(0);
    expect(app.output()).toMatch(/closed; waiting requests are kept for the next start/);
    await expect.poll(() => processes.filter(isAlive)).toEqual([]);
    expect(existsSync(app.home.paths.agent_socket)).toBe(false);
    // The lock is free: another gate can have this home.
    await startGate({ home: app.home });
  });
});

describeDesktop("starting", () => {
  it.skipIf(NO_BUS)("at login: into the tray, without a window, where a panel shows it", async () => {
    const { address } = await PrivateBus.start();
    const panel = await busProgram(address);
    const app = await launchDesktop({ args: ["--hidden"], env: { DBUS_SESSION_BUS_ADDRESS: address } });
    await app.page("popup");
    // A little later: at login the panel may start after the app.
    await panel.requestName("org.kde.StatusNotifierWatcher", 0);
    await panel.releaseName("org.kde.StatusNotifierWatcher");
    expect((await windows(app)).map(({ place, isVisible }) => ({ place, isVisible }))).toEqual([
      { place: "popup", isVisible: false },
    ]);
    app.kill("SIGTERM");
    expect(await app.exited).toBe(0);
    expect(app.output()).toMatch(/closed; waiting requests are kept/);
    expect(app.output()).not.toMatch(/no panel/);
  });

  it.skipIf(NO_BUS)("at login, and by the user before it is ready: with its window", async () => {
    const { address } = await PrivateBus.start();
    await (await busProgram(address)).requestName("org.kde.StatusNotifierWatcher", 0);
    const home = temporaryHome();
    const app = await launchDesktop({
      home,
      args: ["--hidden"],
      env: { DBUS_SESSION_BUS_ADDRESS: address },
      whileStarting: async (starting) => {
        while (!existsSync(home.paths.lockDb)) await delay(1);
        starting.kill("SIGSTOP");
        expect(await launchBriefly(home, []).exited).toBe(0);
        starting.kill("SIGCONT");
      },
    });
    await app.page("approvals");
    await expect
      .poll(async () => (await windows(app)).some(({ place, isVisible }) => place === "approvals" && isVisible))
      .toBe(true);
  });

  it("and ended before it is ready: its gate is closed, and its sockets are removed", async () => {
    const home = temporaryHome();
    const app = launchBriefly(home, ["--hidden"]);
    while (!existsSync(home.paths.lockDb)) await delay(1);
    app.kill("SIGTERM");
    expect(await app.exited).toBe(0);
    expect(app.output()).toMatch(/closed; waiting requests are kept/);
    expect(existsSync(home.paths.agent_socket)).toBe(false);
  });

  it("at login where no panel shows tray icons: with its window", async () => {
    const app = await launchDesktop({ args: ["--hidden"] });
    await app.printed(/no panel shows tray icons here: the window is opened in its place/);
    await app.page("approvals");
    await expect
      .poll(async () => (await windows(app)).some(({ place, isVisible }) => place === "approvals" && isVisible))
      .toBe(true);
  });

  it("under Wayland: a click on the icon opens the window, small; there is no popup to be placed", async () => {
    const app = await launchDesktop({
      args: ["--hidden"],
      env: { XDG_SESSION_TYPE: "wayland", WAYLAND_DISPLAY: "wayland-9", DBUS_SESSION_BUS_ADDRESS: "" },
    });
    await app.printed(/no panel shows/);
    const window = await app.page("approvals");
    await expect.poll(async () => (await windows(app)).map(({ place }) => place)).toEqual(["approvals"]);
    const closed = window.waitForEvent("close");
    await app.evaluate(({ BrowserWindow }) => {
      for (const one of BrowserWindow.getAllWindows()) one.close();
    }, undefined);
    await closed;
    await recorded(app, ({ tray }) => {
      tray.emit("click", {}, { x: 0, y: 0, width: 0, height: 0 }, { x: 0, y: 0 });
    });
    await app.page("approvals");
    await expect
      .poll(() => windows(app))
      .toMatchObject([{ place: "approvals", isVisible: true, bounds: { width: 420, height: 640 }, least: [340, 320] }]);
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

/** The status of the gate in this home, or undefined while none answers. */
async function statusIn({ paths }: TemporaryHome) {
  try {
    const operator = await OperatorClient.connect(paths.operator_socket, paths.operatorToken);
    const status = await operator.call("status", {});
    await operator.close();
    return status;
  } catch {
    return undefined;
  }
}

/** An error in the app's process that isn't caught. */
const fail = (app: DesktopApp) =>
  app.evaluate(() => {
    setImmediate(() => {
      throw new TypeError("SECRET");
    });
  }, undefined);

/** Pauses a gate whose database refuses that. `isUnkept`: the file beside can't be written either. */
async function pausedUnstored({ paths }: TemporaryHome, isUnkept: boolean): Promise<void> {
  const db = new Database(paths.safety_db);
  db.exec("CREATE TRIGGER refuses BEFORE INSERT ON pause BEGIN SELECT RAISE(ABORT, 'refused'); END");
  db.close();
  if (isUnkept) {
    rmSync(paths.keptPauses);
    mkdirSync(paths.keptPauses);
  }
  const operator = await OperatorClient.connect(paths.operator_socket, paths.operatorToken);
  const { note } = await operator.call("safety.pause", { reason: "stop" });
  expect(note).toContain(isUnkept ? "a restart would forget it" : "it is kept in");
  await operator.close();
}

describeDesktop("a gate that fails inside the app", () => {
  it("is started again with the app, once, and says on every surface that it was", async () => {
    const app = await launchDesktop({ args: ["--hidden"] });
    await fail(app);
    expect(await app.exited).toBe(7);
    expect(app.output()).toContain("the gate failed: TypeError");
    await expect
      .poll(async () => (await statusIn(app.home))?.alarms)
      .toMatchObject([
        { code: "gate_restarted", message: "the gate ended unexpectedly (exit code 7) and was started again" },
      ]);
    const pid = (await statusIn(app.home))?.pid ?? 0;
    onTestFinished(() => {
      if (isAlive(pid)) process.kill(pid, "SIGKILL");
    });
    expect(pid).not.toBe(app.pid);
    expect(app.output()).not.toContain("SECRET");
    process.kill(pid, "SIGTERM");
    await expect.poll(() => existsSync(app.home.paths.agent_socket)).toBe(false);
  });

  it.each([
    ["is in its file", false, "stop"],
    ["is nowhere", true, "a pause could not be stored before the gate died; resume it once you have looked"],
  ])("is started again paused where the pause that could not be stored %s", async (_where, isUnkept, reason) => {
    const app = await launchDesktop({ args: ["--hidden"] });
    const { paths } = app.home;
    await pausedUnstored(app.home, isUnkept);
    await fail(app);
    await app.exited;
    // Before the next one reads it.
    if (isUnkept) rmdirSync(paths.keptPauses);
    await expect.poll(async () => (await statusIn(app.home))?.pause.reason).toBe(reason);
    const pid = (await statusIn(app.home))?.pid ?? 0;
    expect(pid).not.toBe(app.pid);
    process.kill(pid, "SIGTERM");
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  it.each([
    [
      "it was started again already",
      "--restarted-after=SIGSEGV",
      /error box: Metnos Gate failed again\nIt was started/,
    ],
    ["another process starts it again", "--supervised", /^(?!.*error box)/s],
  ])(
    "isn't started again by itself where %s",
    async (_where, flag, said) => {
      const app = await launchDesktop({ args: ["--hidden", flag] });
      await fail(app);
      expect(await app.exited).toBe(7);
      expect(app.output()).toMatch(said);
      expect(app.output().match(/the desktop app is ready/g)).toHaveLength(1);
      expect(await statusIn(app.home)).toBeUndefined();
    },
    60_000,
  );
});

describeDesktop("a gate inside the app whose lock was removed", () => {
  it("ends with the app, which says why and is not started again", async () => {
    const app = await launchDesktop({ args: ["--hidden"] });
    rmSync(app.home.paths.lockDb);
    expect(await app.exited).toBe(6);
    expect(app.output()).toMatch(/error box: Metnos Gate has stopped\n.*gate\.lock/);
  });
});
