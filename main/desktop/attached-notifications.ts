import { gatePaths } from "../../ipc/base/paths.ts";
import { isLanguage } from "../../ipc/contract/language.ts";
import { configSchema, loadConfig } from "../config/config.ts";
import type { GateNotifications, NotificationConfig } from "../surfaces/notifications/start.ts";
import type { WatchedGate } from "./tray-feed.ts";

/** Notifications for a gate of another process: only where that one shows none although they are wanted. */

export class AttachedNotifications {
  readonly #gate: WatchedGate;
  readonly #start: (config: NotificationConfig) => GateNotifications;
  readonly #endings: (() => void)[];
  #running: GateNotifications | undefined;
  #begun_with = "";
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
    if (wanted === this.#begun_with) return;
    await this.#stop();
    this.#begun_with = wanted;
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
    this.#begun_with = "";
    await running?.close();
  }
}

/** When the user is called, as gate.toml says: the file is the same for the gate that runs. The defaults where it can't be read. */
function callingRules(): Pick<NotificationConfig, "channels" | "digest"> {
  try {
    return loadConfig(gatePaths().config_file);
  } catch {
    return configSchema.parse({}); // the gate itself says what is wrong with it
  }
}
