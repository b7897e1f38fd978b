import { app, dialog, type WebContents } from "electron";
import { gatePaths } from "../../ipc/base/paths.ts";
import type { Language } from "../../ipc/contract/language.ts";
import { VERSION } from "../base/version.ts";
import { loadConfig } from "../config/config.ts";
import type { LoginItem } from "../config/settings.ts";
import { setApplicationMenu } from "./application-menu.ts";
import { openBridge } from "./bridge.ts";
import { wasStartedAtLogin } from "./login-item.ts";
import { isNewer, newestVersion } from "./newer-version.ts";
import { Popup } from "./popup.ts";
import { GateTray } from "./tray.ts";
import { currentState, refusalText, TrayFeed } from "./tray-feed.ts";
import { hasTrayHost } from "./tray-host.ts";
import type { TrayActions } from "./tray-menu.ts";
import type { GateMode, UsersGate } from "./users-gate.ts";
import { canPlaceWindows } from "./wayland.ts";
import type { MainWindow } from "./window.ts";
import { shellWords } from "./words.ts";

/** The tray, popup, window and menus around the user's gate. */

export interface SurfaceParts {
  gate: UsersGate;
  window: MainWindow;
  login_item: LoginItem | undefined;
  /** Reports that a page died again and again. */
  gaveUp(reason: string): void;
  log(line: string): void;
}

/** Opens all of them. Returns the function that closes them. */
export async function openSurfaces({ gate, window, login_item, gaveUp, log }: SurfaceParts): Promise<() => void> {
  let state = await currentState(gate, login_item);
  const language = () => state.language;
  const popup = new Popup(gaveUp);
  const closeBridge = openWindowsBridge(gate, window, popup, log);
  const feed = new TrayFeed(gate, login_item, state, (next) => {
    if (next.language !== state.language) setMenu(next.language);
    state = next;
    tray.update(next);
  });
  const actions = trayActions({ gate, window, login_item, language, refreshed: () => void feed.refresh() });
  const setMenu = (of: Language) => setApplicationMenu(of, actions.lookForNewer);
  setMenu(state.language);
  const hasPopup = canPlaceWindows();
  const tray = new GateTray(state, actions, (bounds) => {
    if (hasPopup) popup.toggle(bounds);
    else window.open("approvals", "compact");
  });
  let hasHost = true;
  const notice = new AwayNotice({
    isWanted: () => window.isVisible() || !hasHost,
    language,
    startGate: actions.startGate,
  });
  const unfollow = gate.onMode((mode) => notice.follow(mode));
  app.on("activate", () => window.open());
  if (hasPopup) popup.prepare();
  if (!wasStartedAtLogin()) window.open();
  void hasTrayHost().then((isThere) => {
    hasHost = isThere;
    if (isThere || !wasStartedAtLogin()) return;
    log("no panel shows tray icons here: the window is opened in its place");
    window.open();
  });
  return () => {
    unfollow();
    notice.end();
    feed.end();
    popup.end();
    closeBridge();
    tray.destroy();
  };
}

function openWindowsBridge(gate: UsersGate, window: MainWindow, popup: Popup, log: (line: string) => void): () => void {
  const ours = (): WebContents[] => [window.contents(), popup.contents()].filter((contents) => contents !== undefined);
  return openBridge({
    api: gate,
    watchGate: (listener) => gate.onMode((mode) => listener(mode !== "away")),
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
}

interface ActionParts extends Pick<SurfaceParts, "gate" | "window" | "login_item"> {
  language(): Language;
  refreshed(): void;
}

function trayActions({ gate, window, login_item, language, refreshed }: ActionParts): TrayActions {
  const attempt = (act: () => Promise<unknown>): void => {
    act().catch((error: unknown) => void showRefusal(language(), error));
  };
  return {
    open: (route) => window.open(route),
    deny: (token) => attempt(() => gate.call("approvals.resolve", { token, decision: "rejected" })),
    pause: (forSeconds) =>
      attempt(() => gate.call("safety.pause", forSeconds === undefined ? {} : { for_seconds: forSeconds })),
    resume: () => attempt(() => gate.call("safety.resume", {})),
    startGate: () => attempt(() => gate.start()),
    startAtLogin: (isEnabled) =>
      attempt(async () => {
        // Another process's gate has a start of its own.
        if (gate.mode === "own") await gate.call("settings.set", { key: "start_at_login", value: isEnabled });
        else login_item?.setEnabled(isEnabled);
        refreshed();
      }),
    lookForNewer: () => void lookForNewer(language()),
    quit: () =>
      attempt(async () => {
        if (await mayQuit(gate, language())) app.quit();
      }),
  };
}

/** Asked only where the gate would end with the app while agents use it. */
async function mayQuit(gate: UsersGate, language: Language): Promise<boolean> {
  if (gate.mode !== "own") return true;
  const status = await gate.call("status", {}).catch(() => undefined);
  const agents = status?.agents_connected.length ?? 0;
  const waiting = status?.approvals_pending ?? 0;
  if (agents + waiting === 0) return true;
  const words = shellWords[language];
  const { response } = await dialog.showMessageBox({
    type: "question",
    message: words.quitQuestion,
    detail: words.quitNext(agents, waiting),
    buttons: [words.stay, words.quit],
    defaultId: 0,
    cancelId: 0,
    noLink: true,
  });
  return response === 1;
}

async function showRefusal(language: Language, error: unknown): Promise<void> {
  const { message, hint } = refusalText(error);
  await dialog.showMessageBox({ type: "warning", message: shellWords[language].couldNot(message), detail: hint });
}

/** The user wants to know whether there is a newer version: asks at `update.url`, and says what came of it. Never rejects. */
async function lookForNewer(language: Language): Promise<void> {
  const words = shellWords[language];
  const say = (message: string, detail: string) => dialog.showMessageBox({ type: "info", message, detail });
  try {
    const { url } = loadConfig(gatePaths().configFile, process.env).update;
    if (url === undefined) await say(words.newerNoAddress, words.newerHow);
    else {
      const newest = await newestVersion(url);
      await say(isNewer(newest, VERSION) ? words.newer(newest) : words.newest, words.thisVersion(VERSION));
    }
  } catch (error) {
    await say(words.newerUnknown, refusalText(error).message);
  }
}

/** A gate that is only started again is back by then. Milliseconds. */
const PATIENCE_MS = 3000;

/** Says that the gate which the app used has ended, with two answers: wait, or start one here. Closes itself when a gate is there again. */
class AwayNotice {
  readonly #parts: { isWanted(): boolean; language(): Language; startGate(): void };
  #timer: NodeJS.Timeout | undefined;
  #shown: AbortController | undefined;

  /** @param parts `isWanted`: a user who only sees the tray's icon sees it there */
  constructor(parts: { isWanted(): boolean; language(): Language; startGate(): void }) {
    this.#parts = parts;
  }

  follow(mode: GateMode): void {
    this.end();
    if (mode === "away") this.#timer = setTimeout(() => void this.#show(), PATIENCE_MS);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#shown?.abort();
    this.#shown = undefined;
  }

  async #show(): Promise<void> {
    if (!this.#parts.isWanted()) return;
    const words = shellWords[this.#parts.language()];
    const shown = new AbortController();
    this.#shown = shown;
    const { response } = await dialog.showMessageBox({
      type: "warning",
      message: words.away,
      detail: words.awayNext,
      buttons: [words.wait, words.startGate],
      defaultId: 0,
      cancelId: 0,
      noLink: true,
      signal: shown.signal,
    });
    if (response === 1 && !shown.signal.aborted) this.#parts.startGate();
  }
}
