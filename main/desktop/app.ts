import { app, dialog, session } from "electron";
import { gatePaths } from "../../ipc/base/paths.ts";
import { GateError } from "../../ipc/contract/gate-error.ts";
import { isoSeconds } from "../../ipc/contract/iso-seconds.ts";
import { systemClock } from "../base/clocks/system-clock.ts";
import type { Core } from "../core/core.ts";
import { GATE_EXIT, PAUSED_FLAG, tellSupervisor } from "../core/restart.ts";
import { serveGate } from "../serve.ts";
import type { ReviewTarget } from "../surfaces/notifications/notifier.ts";
import { routeOf } from "../surfaces/notifications/review-route.ts";
import { type NotificationOptions, startNotifications } from "../surfaces/notifications/start.ts";
import { AttachedNotifications } from "./attached-notifications.ts";
import { hasDebugSwitches, lockSession, lockWebContents } from "./lockdown.ts";
import { HIDDEN_FLAG, loginItem } from "./login-item.ts";
import { ElectronNotifications } from "./notification-sink.ts";
import { registerPageScheme, servePage } from "./page-protocol.ts";
import { restartedAfter, showGateEnded, startAgainOnDeath, systemLanguage } from "./restart.ts";
import { openSurfaces } from "./surfaces.ts";
import { refusalText } from "./tray-feed.ts";
import { connectToGate, UsersGate } from "./users-gate.ts";
import { MainWindow } from "./window.ts";
import { shellWords } from "./words.ts";

/** The desktop app: the user's gate, in this process or in another one, and its tray, popup and window around it. */

/** If opening what is being opened, or closing the gate, takes longer, the app ends without it: its data is on the disk already. Milliseconds. */
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
  const opening = app.whenReady().then(openDesktop);
  const end = endWith(opening);
  // Also of one that is still being opened: at login that has no window of its own.
  app.on("second-instance", (_event, argv) => {
    if (!argv.includes(HIDDEN_FLAG)) opening.then(({ window }) => window.open()).catch(() => undefined); // it is shown why below
  });
  opening
    .then(({ gate }) => {
      void gate.ownEnded.then(end);
    })
    .catch((error: unknown) => {
      console.error(error);
      failedToStart(error);
    });
}

interface Desktop {
  gate: UsersGate;
  window: MainWindow;
  closeSurfaces(): Promise<void>;
}

async function openDesktop(): Promise<Desktop> {
  lockSession(session.defaultSession);
  servePage(session.defaultSession);
  const gaveUp = (reason: string) => showPageFailed(reason);
  const window = new MainWindow(gaveUp);
  const login_item = loginItem();
  // Of the first gate alone: one that is started here later follows none that died.
  let restarted_after = restartedAfter();
  let starts_paused = process.argv.includes(PAUSED_FLAG);
  let own: Core | undefined;
  const gate = await UsersGate.open({
    async serve() {
      const options = { log, login_item, notifications: notifications(window), starts_paused };
      const gate = await serveGate({ ...options, ...(restarted_after === undefined ? {} : { restarted_after }) });
      own = gate.core;
      tellSupervisor(own);
      return gate;
    },
    connect: () => connectToGate(gatePaths()),
    log,
  });
  restarted_after = undefined;
  starts_paused = false;
  startAgainOnDeath(
    () => gate.close(),
    () => own?.kept_pauses.isAnyUnkept === true,
  );
  const own_notices = new AttachedNotifications(gate, (config) =>
    startNotifications(gate, config, notifications(window), process.env, log, { clock: systemClock }),
  );
  await own_notices.follow();
  try {
    const endSurfaces = await openSurfaces({ gate, window, login_item, gaveUp, log });
    log(`the desktop app is ready: agents connect to ${gatePaths().agent_socket}`);
    const closeSurfaces = async () => {
      endSurfaces();
      await own_notices.close();
    };
    return { gate, window, closeSurfaces };
  } catch (error) {
    await own_notices.close();
    await gate.close();
    throw error;
  }
}

/** On Linux they go over the session bus, with buttons; Review opens the window at the request. */
function notifications(window: MainWindow): NotificationOptions {
  const review = (target: ReviewTarget) => window.open(routeOf(target));
  return process.platform === "linux" ? { review } : { review, sink: () => new ElectronNotifications() };
}

/**
 * Quitting closes the surfaces, then the gate, then the app; what is still being opened is waited for. Returns the function that does so
 * when the gate has ended.
 */
function endWith(opening: Promise<Desktop>): (why: GateError) => void {
  let closing: "no" | "under way" | "done" = "no";
  const close = (finish: () => void) => {
    if (closing !== "no") return;
    closing = "under way";
    const late = setTimeout(() => {
      log("the gate did not close in time");
      app.exit(1);
    }, CLOSING_MS);
    opening
      .then((desktop) => {
        late.refresh();
        return closeDesktop(desktop);
      })
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
    close(() => app.quit());
  });
  return (why) =>
    close(() => {
      showGateEnded(why);
      app.exit(GATE_EXIT.replaced);
    });
}

async function closeDesktop({ gate, closeSurfaces }: Desktop): Promise<void> {
  const is_own = gate.mode === "own";
  await closeSurfaces();
  await gate.close();
  log(is_own ? "closed; waiting requests are kept for the next start" : "closed; the gate itself runs elsewhere");
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

function showPageFailed(reason: string): void {
  const words = shellWords[systemLanguage()];
  dialog.showErrorBox(words.page_failed, words.page_failed_next(reason));
}

/** One line for each event on stdout, for an app started in a terminal. */
function log(line: string): void {
  process.stdout.write(`${isoSeconds(Date.now())} ${line}\n`);
}
