import type { OperatorApi } from "../../ipc/operator-api.ts";
import type { Config } from "../config.ts";
import { Notifier, type ReviewTarget } from "./notifier.ts";
import { notificationSink } from "./platform.ts";
import type { NotificationSink } from "./sink.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** What a home brings along. */
export interface NotificationOptions {
  /** The desktop app's own; left out: what this machine offers. */
  sink?: NotificationSink;
  /** Opens the popup or the page. */
  review?: (what: ReviewTarget) => void;
  /** Milliseconds that only go forward. */
  now?: () => number;
}

export interface GateNotifications {
  is_on: boolean;
  /** For a human: `on`, or `off: ` and why. */
  status: string;
  close(): Promise<void>;
}

/** Starts the notifications of a gate, or says why there are none. Never throws, waits for nothing. */
export function startNotifications(
  api: OperatorApi,
  config: Config,
  options: NotificationOptions | false = {},
  env: Env,
  log: (line: string) => void,
): GateNotifications {
  if (options === false) return off("not wanted (--no-notifications)");
  if (!config.notifications.enabled) return off("not wanted (gate.toml: notifications.enabled)");
  const found = options.sink ? { sink: options.sink } : notificationSink(env, process.platform, log);
  if (found.sink === null) return off(found.reason);
  const { review, now } = options;
  const notifier = new Notifier({ api, sink: found.sink, language: config.language, review, log, now });
  void notifier.start();
  return { is_on: true, status: "on", close: () => notifier.close() };
}

function off(reason: string): GateNotifications {
  return { is_on: false, status: `off: ${reason}`, close: async () => undefined };
}
