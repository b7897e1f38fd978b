import { app, dialog, session } from "electron";
import { GateError } from "../../ipc/gate-error.ts";
import { isoSeconds } from "../../ipc/iso-seconds.ts";
import { gatePaths } from "../../ipc/paths.ts";
import type { Core } from "../core.ts";
import type { ReviewTarget } from "../notifications/notifier.ts";
import { routeOf } from "../notifications/review-route.ts";
import { type NotificationOptions, startNotifications } from "../notifications/start.ts";
import { GATE_EXIT, PAUSED_FLAG, tellSupervisor } from "../restart.ts";
import { serveGate } from "../serve.ts";
import { systemClock } from "../system-clock.ts";
import { AttachedNotifications } from "./attached-notifications.ts";
import { hasDebugSwitches, lockSession, lockWebContents } from "./lockdown.ts";
import { loginItem } from "./login-item.ts";
import { ElectronNotifications } from "./notification-sink.ts";
import { registerPageScheme, servePage } from "./page-protocol.ts";
import { restartedAfter, showGateEnded, startAgainOnDeath, systemLanguage } from "./restart.ts";
import { openSurfaces } from "./surfaces.ts";
import { refusalText } from "./tray-feed.ts";
import { connectToGate, UsersGate } from "./users-gate.ts";
import { MainWindow } from "./window.ts";
import { shellWords } from "./words.ts";

/** The desktop app: the user's gate, in this process or in another one, and its tray, popup and window around it. */

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
    const closeSurfaces = await openSurfaces({ gate, window, login_item, gaveUp, log });
    const end = endWith(gate, async () => {
      closeSurfaces();
      await own_notices.close();
    });
    void gate.ownEnded.then((why) => end(why));
    log(`the desktop app is ready: agents connect to ${gatePaths().agent_socket}`);
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

/** Quitting closes the surfaces, then the gate, then the app. Returns the function that does so when the gate has ended. */
function endWith(gate: UsersGate, closeSurfaces: () => Promise<void>): (why: GateError) => void {
  let closing: "no" | "under way" | "done" = "no";
  const close = (finish: () => void) => {
    if (closing !== "no") return;
    closing = "under way";
    const is_own = gate.mode === "own";
    const late = setTimeout(() => {
      log("the gate did not close in time");
      app.exit(1);
    }, CLOSING_MS);
    closeSurfaces()
      .then(() => gate.close())
      .catch((error: unknown) => log(`closing failed: ${refusalText(error).message}`))
      .finally(() => {
        clearTimeout(late);
        closing = "done";
        log(is_own ? "closed; waiting requests are kept for the next start" : "closed; the gate itself runs elsewhere");
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
