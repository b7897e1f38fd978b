import type { OperatorApi } from "../../ipc/operator-api.ts";
import type { Env } from "../../ipc/paths.ts";
import type { Config } from "../config.ts";
import { Notifier, type ReviewTarget } from "./notifier.ts";
import { notificationSink } from "./platform.ts";
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
  pairing_check_ms?: number;
}

/** `unwanted`: turned off. `unavailable`: this process can't show any. */
export type NotificationState = "on" | "unwanted" | "unavailable";

/** What notifications need of the configuration. */
export type NotificationConfig = Pick<Config, "notifications" | "language">;

export interface GateNotifications {
  readonly isOn: boolean;
  readonly state: NotificationState;
  /** For display: `on`, or `off: ` and why. */
  readonly status: string;
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
): GateNotifications {
  if (options === false) return off("not wanted (--no-notifications)", "unwanted");
  const begin = () => beginNotifications(api, config, options, env, log);
  let current = begin();
  let begun_with = chosen(config);
  let changing = Promise.resolve();
  const unsubscribe = api.subscribe(() => {
    changing = changing.then(async () => {
      if (chosen(config) === begun_with) return;
      const before = current;
      current = off("being restarted", "on");
      await before.close();
      // Read only now, so that settings changed meanwhile count, too.
      begun_with = chosen(config);
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
): GateNotifications {
  if (!config.notifications.enabled) return off("not wanted (notifications.enabled)", "unwanted");
  const found = options.sink ? { sink: options.sink() } : notificationSink(env, process.platform, log);
  if (found.sink === null) return off(found.reason, "unavailable");
  const { review, now, pairing_check_ms } = options;
  const notifier = new Notifier({
    api,
    sink: found.sink,
    language: config.language,
    review,
    log,
    now,
    pairing_check_ms,
  });
  void notifier.start();
  return { isOn: true, state: "on", status: "on", close: () => notifier.close() };
}

function off(reason: string, state: NotificationState): GateNotifications {
  return { isOn: false, state, status: `off: ${reason}`, close: async () => undefined };
}
