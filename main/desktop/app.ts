import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { app, dialog, protocol, type Session, session } from "electron";
import { gatePaths } from "../../ipc/base/paths.ts";
import { GateError } from "../../ipc/contract/gate-error.ts";
import { isoSeconds } from "../../ipc/contract/iso-seconds.ts";
import { isLanguage } from "../../ipc/contract/language.ts";
import { systemClock } from "../base/clocks/system-clock.ts";
import { configSchema, loadConfig } from "../config/config.ts";
import type { Core } from "../core/core.ts";
import { GATE_EXIT, PAUSED_FLAG, tellSupervisor } from "../core/restart.ts";
import { serveGate } from "../serve.ts";
import type { ReviewTarget } from "../surfaces/notifications/notifier.ts";
import { routeOf } from "../surfaces/notifications/review-route.ts";
import {
  type GateNotifications,
  type NotificationConfig,
  type NotificationOptions,
  startNotifications,
} from "../surfaces/notifications/start.ts";
import { hasDebugSwitches, lockSession, lockWebContents } from "./lockdown.ts";
import { HIDDEN_FLAG, loginItem } from "./login-item.ts";
import { ElectronNotifications } from "./notification-sink.ts";
import { PAGE_HOST, PAGE_POLICY, PAGE_SCHEME } from "./page.ts";
import { restartedAfter, showGateEnded, startAgainOnDeath, systemLanguage } from "./restart.ts";
import { openSurfaces } from "./surfaces.ts";
import { refusalText, type WatchedGate } from "./tray-feed.ts";
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
  const loginEntry = loginItem();
  // Of the first gate alone: one that is started here later follows none that died.
  let crashedBefore = restartedAfter();
  let startsPaused = process.argv.includes(PAUSED_FLAG);
  let own: Core | undefined;
  const gate = await UsersGate.open({
    async serve() {
      const options = { log, login_item: loginEntry, notifications: notifications(window), startsPaused };
      const gate = await serveGate({
        ...options,
        ...(crashedBefore === undefined ? {} : { restartedAfter: crashedBefore }),
      });
      own = gate.core;
      tellSupervisor(own);
      return gate;
    },
    connect: () => connectToGate(gatePaths()),
    log,
  });
  crashedBefore = undefined;
  startsPaused = false;
  startAgainOnDeath(
    () => gate.close(),
    () => own?.keptPauses.isAnyUnkept === true,
  );
  const ownNotices = new AttachedNotifications(gate, (config) =>
    startNotifications(gate, config, notifications(window), process.env, log, { clock: systemClock }),
  );
  await ownNotices.follow();
  try {
    const endSurfaces = await openSurfaces({ gate, window, login_item: loginEntry, gaveUp, log });
    log(`the desktop app is ready: agents connect to ${gatePaths().agent_socket}`);
    const closeSurfaces = async () => {
      endSurfaces();
      await ownNotices.close();
    };
    return { gate, window, closeSurfaces };
  } catch (error) {
    await ownNotices.close();
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
  const isOwn = gate.mode === "own";
  await closeSurfaces();
  await gate.close();
  log(isOwn ? "closed; waiting requests are kept for the next start" : "closed; the gate itself runs elsewhere");
}

function failedToStart(error: unknown): void {
  const { message, hint } =
    error instanceof GateError ? error : { message: error instanceof Error ? error.message : "unknown", hint: "" };
  dialog.showErrorBox(
    shellWords[systemLanguage()].couldNotStart,
    [message, hint].filter((text) => text !== "").join("\n"),
  );
  app.exit(1);
}

function showPageFailed(reason: string): void {
  const words = shellWords[systemLanguage()];
  dialog.showErrorBox(words.pageFailed, words.pageFailedNext(reason));
}

/** One line for each event on stdout, for an app started in a terminal. */
function log(line: string): void {
  process.stdout.write(`${isoSeconds(Date.now())} ${line}\n`);
}

// The page's own protocol: `app://metnos/` serves the page's built files, and nothing else.

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
};

const HEADERS = {
  "content-security-policy": PAGE_POLICY,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
};

/** Must be called before the app is ready. */
function registerPageScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: PAGE_SCHEME, privileges: { standard: true, secure: true, supportFetchAPI: true } },
  ]);
}

/** Serves the page in this session. Anything but the built files is not found. */
function servePage(session: Session): void {
  const files = builtFiles(fileURLToPath(new URL("../renderer", import.meta.url)));
  session.protocol.handle(PAGE_SCHEME, (request) => {
    const { host, pathname } = new URL(request.url);
    const file = host === PAGE_HOST && request.method === "GET" ? files.get(pathname) : undefined;
    if (file === undefined) return new Response("not found", { status: 404, headers: HEADERS });
    return new Response(new Uint8Array(readFileSync(file.path)), {
      headers: { ...HEADERS, "content-type": file.type },
    });
  });
}

interface PageFile {
  path: string;
  type: string;
}

/** URL path -> file, for each built file of a known type. */
function builtFiles(folder: string): ReadonlyMap<string, PageFile> {
  const files = new Map<string, PageFile>();
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const type = MEDIA_TYPES[extname(name)];
    if (type !== undefined) files.set(`/${name.replaceAll("\\", "/")}`, { path: join(folder, name), type });
  }
  return files;
}

// Notifications for a gate of another process: only where that one shows none although they are wanted.

class AttachedNotifications {
  readonly #gate: WatchedGate;
  readonly #start: (config: NotificationConfig) => GateNotifications;
  readonly #endings: (() => void)[];
  #running: GateNotifications | undefined;
  #begunWith = "";
  /** One change after the other. */
  #changing: Promise<void> = Promise.resolve();

  /** @param start shows them, in this process */
  constructor(gate: WatchedGate, start: (config: NotificationConfig) => GateNotifications) {
    this.#gate = gate;
    this.#start = start;
    const follow = () => void this.follow();
    this.#endings = [gate.subscribe(follow, ["settings.changed"]), gate.onMode(follow)];
  }

  /** Shows them or not, as the present gate needs it. Never rejects. */
  follow(): Promise<void> {
    this.#changing = this.#changing.then(() => this.#follow()).catch(() => this.#stop());
    return this.#changing;
  }

  async close(): Promise<void> {
    for (const end of this.#endings) end();
    await this.#changing;
    await this.#stop();
  }

  async #follow(): Promise<void> {
    const config = this.#gate.mode === "attached" ? await this.#wanted() : undefined;
    const wanted = config === undefined ? "" : config.language;
    if (wanted === this.#begunWith) return;
    await this.#stop();
    this.#begunWith = wanted;
    if (config !== undefined) this.#running = this.#start(config);
  }

  /** The gate's settings where it shows no notifications itself, and nobody has turned them off. */
  async #wanted(): Promise<NotificationConfig | undefined> {
    const { notifications } = await this.#gate.call("status", {});
    if (notifications.state !== "unavailable") return undefined;
    const settings = await this.#gate.call("settings.list", {});
    const value = (key: string) => settings.find((setting) => setting.key === key)?.value;
    const chosen = value("language");
    const language = isLanguage(chosen) ? chosen : "en";
    return { notifications: { enabled: true }, language, ...callingRules() };
  }

  async #stop(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    this.#begunWith = "";
    await running?.close();
  }
}

/** When the user is called, as gate.toml says: the file is the same for the gate that runs. The defaults where it can't be read. */
function callingRules(): Pick<NotificationConfig, "channels" | "digest"> {
  try {
    return loadConfig(gatePaths().configFile);
  } catch {
    return configSchema.parse({}); // the gate itself says what is wrong with it
  }
}
