import { app, dialog, Menu, session, type WebContents } from "electron";
import { GateError } from "../../ipc/gate-error.ts";
import { isoSeconds } from "../../ipc/iso-seconds.ts";
import type { OperatorApi } from "../../ipc/operator-api.ts";
import type { ReviewTarget } from "../notifications/notifier.ts";
import { routeOf } from "../notifications/review-route.ts";
import type { NotificationOptions } from "../notifications/start.ts";
import { GATE_EXIT } from "../restart.ts";
import { type RunningGate, serveGate } from "../serve.ts";
import { openBridge } from "./bridge.ts";
import { hasDebugSwitches, lockSession, lockWebContents } from "./lockdown.ts";
import { HIDDEN_FLAG, loginItem, wasStartedAtLogin } from "./login-item.ts";
import { ElectronNotifications } from "./notification-sink.ts";
import { registerPageScheme, servePage } from "./page-protocol.ts";
import { Popup } from "./popup.ts";
import { restartedAfter, showGateEnded, startAgainOnDeath, systemLanguage } from "./restart.ts";
import { GateTray } from "./tray.ts";
import { currentState, refusalText, TrayFeed } from "./tray-feed.ts";
import type { TrayActions } from "./tray-menu.ts";
import { MainWindow } from "./window.ts";
import { shellWords } from "./words.ts";

/** The desktop app: the gate in this process, and its tray, popup and window around it. */

/** If closing the gate takes longer, the app ends without it: its data is on the disk already. Milliseconds. */
const CLOSING_MS = 5000;

/** Called before Electron is ready; the rest follows once it is. */
export function startDesktop(): void {
  if (hasDebugSwitches(app)) {
    console.error("metnos-gate: not started: debugging switches are not for this app");
    app.exit(1);
    return;
  }
  if (!app.requestSingleInstanceLock()) {
    app.exit(0);
    return;
  }
  // Windows shows notifications only of apps with a known id.
  if (process.platform === "win32") app.setAppUserModelId("org.metnos.gate");
  app.enableSandbox();
  registerPageScheme();
  lockWebContents();
  // A listener of our own: the gate continues to run with all windows closed.
  app.on("window-all-closed", () => undefined);
  app
    .whenReady()
    .then(openDesktop)
    .catch((error: unknown) => {
      console.error(error);
      failedToStart(error);
    });
}

async function openDesktop(): Promise<void> {
  lockSession(session.defaultSession);
  servePage(session.defaultSession);
  setApplicationMenu();
  const window = new MainWindow();
  const restarted_after = restartedAfter();
  const gate = await serveGate({
    log,
    login_item: loginItem(),
    notifications: notifications(window),
    ...(restarted_after === undefined ? {} : { restarted_after }),
  });
  startAgainOnDeath(() => gate.close());
  try {
    await openSurfaces(gate, window);
  } catch (error) {
    await gate.close();
    throw error;
  }
}

/** On Linux they go over the session bus, with buttons; Review opens the window at the request. */
function notifications(window: MainWindow): NotificationOptions {
  const review = (target: ReviewTarget) => window.open(routeOf(target));
  return process.platform === "linux" ? { review } : { review, sink: () => new ElectronNotifications() };
}

async function openSurfaces(gate: RunningGate, window: MainWindow): Promise<void> {
  const popup = new Popup();
  const ours = (): WebContents[] => [window.contents(), popup.contents()].filter((contents) => contents !== undefined);
  const closeBridge = openBridge({
    api: gate.operator,
    windows: ours,
    resized: (sender, height) => {
      if (sender === popup.contents()) popup.resize(height);
    },
    open: (route) => {
      popup.hide();
      window.open(route);
    },
    log,
  });
  const tray = new GateTray(await currentState(gate.operator), trayActions(gate.operator, window), (bounds) =>
    popup.toggle(bounds),
  );
  const feed = new TrayFeed(gate.operator, (state) => tray.update(state));
  app.on("second-instance", (_event, argv) => {
    if (!argv.includes(HIDDEN_FLAG)) window.open();
  });
  app.on("activate", () => window.open());
  const end = endWith(gate, () => {
    feed.end();
    popup.end();
    closeBridge();
    tray.destroy();
  });
  void gate.ended.then((why) => end(why));
  popup.prepare();
  if (!wasStartedAtLogin()) window.open();
  log(`the desktop app is ready: agents connect to ${gate.core.paths.agent_socket}`);
}

function trayActions(api: OperatorApi, window: MainWindow): TrayActions {
  const attempt = (act: Promise<unknown>): void => {
    act.catch((error: unknown) => void showRefusal(api, error));
  };
  return {
    open: (route) => window.open(route),
    pause: (for_seconds) => attempt(api.call("safety.pause", for_seconds === undefined ? {} : { for_seconds })),
    resume: () => attempt(api.call("safety.resume", {})),
    startAtLogin: (is_enabled) => attempt(api.call("settings.set", { key: "start_at_login", value: is_enabled })),
    quit: () => app.quit(),
  };
}

async function showRefusal(api: OperatorApi, error: unknown): Promise<void> {
  const { message, hint } = refusalText(error);
  const { language } = await currentState(api);
  await dialog.showMessageBox({
    type: "warning",
    message: shellWords[language].couldNot(message),
    detail: hint,
  });
}

/** Quitting closes the surfaces, then the gate, then the app. Returns the function that does so when the gate has ended. */
function endWith(gate: RunningGate, closeSurfaces: () => void): (why: GateError) => void {
  let closing: "no" | "under way" | "done" = "no";
  const close = (finish: () => void) => {
    if (closing !== "no") return;
    closing = "under way";
    closeSurfaces();
    const late = setTimeout(() => {
      log("the gate did not close in time");
      app.exit(1);
    }, CLOSING_MS);
    gate
      .close()
      .catch((error: unknown) => log(`closing failed: ${refusalText(error).message}`))
      .finally(() => {
        clearTimeout(late);
        closing = "done";
        finish();
      });
  };
  app.on("before-quit", (event) => {
    if (closing === "done") return;
    event.preventDefault();
    close(() => {
      log("closed; waiting requests are kept for the next start");
      app.quit();
    });
  });
  return (why) =>
    close(() => {
      showGateEnded(why);
      app.exit(GATE_EXIT.replaced);
    });
}

function failedToStart(error: unknown): void {
  const { message, hint } =
    error instanceof GateError ? error : { message: error instanceof Error ? error.message : "unknown", hint: "" };
  dialog.showErrorBox(
    shellWords[systemLanguage()].could_not_start,
    [message, hint].filter((text) => text !== "").join("\n"),
  );
  app.exit(1);
}

/** macOS needs a menu for copy and paste; elsewhere there is none. */
function setApplicationMenu(): void {
  Menu.setApplicationMenu(
    process.platform === "darwin"
      ? Menu.buildFromTemplate([{ role: "appMenu" }, { role: "editMenu" }, { role: "windowMenu" }])
      : null,
  );
}

/** One line for each event on stdout, for an app started in a terminal. */
function log(line: string): void {
  process.stdout.write(`${isoSeconds(Date.now())} ${line}\n`);
}
