import { spawn } from "node:child_process";
import type { Env } from "../../../ipc/base/paths.ts";
import type { OperatorApi } from "../../../ipc/contract/operator-api.ts";
import type { Clock } from "../../base/clocks/clock.ts";
import type { Config } from "../../config/index.ts";
import type { ChannelNote } from "../../core/channel.ts";
import type { NoteBoard } from "../../core/note-board.ts";
import { NoteRoute } from "../delivery/note-route.ts";
import { Router } from "../delivery/routing.ts";
import type { Screen } from "../delivery/when-due.ts";
import { Notifier, type ReviewTarget } from "./notifier.ts";
import { notificationSink } from "./platform.ts";
import { routeOf } from "./review-route.ts";
import { SharedScreen } from "./shared-screen.ts";
import type { NotificationSink } from "./sink.ts";

/** What depends on the process that runs the gate. */
export interface NotificationOptions {
  /** Makes the desktop app's sink; left out: the machine's default. */
  sink?: () => NotificationSink;
  /** Opens the popup or the page. */
  review?: (what: ReviewTarget) => void;
  /** A monotonic clock, in milliseconds. */
  now?: () => number;
  /** As the notifier's. */
  pairingCheckMs?: number;
}

/** `unwanted`: turned off. `unavailable`: this process can't show any. */
type NotificationState = "on" | "unwanted" | "unavailable";

/** What notifications need of the configuration. */
export type NotificationConfig = Pick<Config, "notifications" | "language" | "channels" | "digest">;

/** When the user is called, and of what. */
export interface Calling {
  /** Left out: looked at here, where that is needed. */
  screen?: Screen;
  clock: Clock;
  /** Left out: where another process says it. */
  notes?: NoteBoard;
}

export interface GateNotifications {
  readonly isOn: boolean;
  readonly state: NotificationState;
  /** For display: `on`, or `off: ` or `failing: ` and why. */
  readonly status: string;
  /** On, and why none can be shown now; null where they can, or are off. */
  readonly problem: string | null;
  /** Shows a note at once, where they are on. */
  show(note: ChannelNote): void;
  close(): Promise<void>;
}

/**
 * Starts the notifications of a gate, or reports why there are none; restarts them when they are turned off or on, or another
 * language is chosen. Never throws, waits for nothing.
 */
export function startNotifications(
  api: OperatorApi,
  config: NotificationConfig,
  options: NotificationOptions | false,
  env: Env,
  log: (line: string) => void,
  calling: Calling,
): GateNotifications {
  if (options === false) return off("not wanted (--no-notifications)", "unwanted");
  const begin = () => beginNotifications(api, config, options, env, log, calling);
  let current = begin();
  let begunWith = chosen(config);
  let changing = Promise.resolve();
  const unsubscribe = api.subscribe(() => {
    changing = changing.then(async () => {
      if (chosen(config) === begunWith) return;
      const before = current;
      current = off("being restarted", "on");
      await before.close();
      // Read only now, so that settings changed meanwhile count, too.
      begunWith = chosen(config);
      current = begin();
    });
  }, ["settings.changed"]);
  return {
    get isOn() {
      return current.isOn;
    },
    get state() {
      return current.state;
    },
    get status() {
      return current.status;
    },
    get problem() {
      return current.problem;
    },
    show: (note) => current.show(note),
    async close() {
      unsubscribe();
      await changing;
      await current.close();
    },
  };
}

/** The settings that a notifier was started with. */
function chosen({ notifications, language }: NotificationConfig): string {
  return `${notifications.enabled} ${language}`;
}

function beginNotifications(
  api: OperatorApi,
  config: NotificationConfig,
  options: NotificationOptions,
  env: Env,
  log: (line: string) => void,
  calling: Calling,
): GateNotifications {
  if (!config.notifications.enabled) return off("not wanted (notifications.enabled)", "unwanted");
  const found = options.sink ? { sink: options.sink() } : notificationSink(env, process.platform, log);
  if (found.sink === null) return off(found.reason, "unavailable");
  const { review, now, pairingCheckMs } = options;
  const notifier = new Notifier({
    api,
    sink: found.sink,
    language: config.language,
    review,
    log,
    now,
    pairingCheckMs,
  });
  void notifier.start();
  const own = calling.screen ?? new SharedScreen({ config, env, changed: () => undefined, log });
  const end = routeTo(notifier, { ...calling, api, config, log, screen: own });
  const close = async () => {
    end();
    await notifier.close();
    if (own instanceof SharedScreen && own !== calling.screen) await own.close();
  };
  const { sink } = found;
  return {
    isOn: true,
    state: "on",
    get status() {
      return this.problem === null ? "on" : `failing: ${this.problem}`;
    },
    get problem() {
      return sink.problem ?? null;
    },
    show: (note) => notifier.note(note),
    close,
  };
}

/** Has a notifier called by the rules of `[channels.desktop]`. Returns the function that ends it. */
function routeTo(
  channel: Notifier,
  {
    config,
    notes,
    ...parts
  }: Required<Pick<Calling, "screen" | "clock">> &
    Pick<Calling, "notes"> & { api: OperatorApi; config: NotificationConfig; log(line: string): void },
): () => void {
  const log = (line: string) => parts.log(`notifications: ${line}`);
  const shared = { ...parts, channel, log, route: config.channels.desktop };
  const router = new Router({ ...shared, gatherAbove: config.digest.above });
  void router.start();
  const noteRoute =
    notes === undefined
      ? undefined
      : new NoteRoute({ ...shared, name: "desktop", notes, language: () => config.language });
  void noteRoute?.start();
  return () => {
    router.close();
    noteRoute?.close();
  };
}

function off(reason: string, state: NotificationState): GateNotifications {
  return {
    isOn: false,
    state,
    status: `off: ${reason}`,
    problem: null,
    show: () => undefined,
    close: async () => undefined,
  };
}

/**
 * Opens the page of this gate in the user's browser, which has a session already or says how to get one: the address holds no
 * secret, as what a program is started with can be read by the machine's other users.
 */
export function pageReview(
  pageUrl: string,
  env: Env,
  log: (line: string) => void,
): ((what: ReviewTarget) => void) | undefined {
  // Without a desktop there is no browser to open.
  if (!env.DISPLAY && !env.WAYLAND_DISPLAY) return undefined;
  return (what) => {
    const opener = spawn("xdg-open", [`${pageUrl}#/${routeOf(what)}`], {
      env: { ...env },
      stdio: "ignore",
      detached: true,
    });
    opener.once("error", ({ message }) => log(`notifications: the page can't be opened (${message})`));
    opener.unref();
  };
}
