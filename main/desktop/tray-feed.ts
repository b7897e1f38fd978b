import { GateError } from "../../ipc/gate-error.ts";
import { isLanguage } from "../../ipc/language.ts";
import type { OperatorApi, OperatorEventType } from "../../ipc/operator-api.ts";
import type { TrayMenuState } from "./tray-menu.ts";
import { trayState } from "./tray-state.ts";

/** Keeps the tray up to date: reads the gate's status after events, and periodically. */

/** Events within this time cause one status request. Milliseconds. */
const DEBOUNCE_MS = 50;
/** For changes without an event (a disconnected agent). Milliseconds. */
const PERIOD_MS = 10_000;

/** The events that change what the tray shows. */
const GATE_EVENTS: readonly OperatorEventType[] = [
  "approval.waiting",
  "approval.closed",
  "pairing.requested",
  "agents.changed",
  "settings.changed",
  "safety.paused",
  "safety.resumed",
  "safety.violation",
  "alarms.changed",
];

export class TrayFeed {
  readonly #api: OperatorApi;
  readonly #show: (state: TrayMenuState) => void;
  readonly #period: NodeJS.Timeout;
  readonly #unsubscribe: () => void;
  #settling: NodeJS.Timeout | undefined;
  #is_over = false;

  constructor(api: OperatorApi, show: (state: TrayMenuState) => void) {
    this.#api = api;
    this.#show = show;
    this.#unsubscribe = api.subscribe(() => this.#soon(), GATE_EVENTS);
    this.#period = setInterval(() => void this.refresh(), PERIOD_MS);
    this.#period.unref();
  }

  async refresh(): Promise<void> {
    const state = await currentState(this.#api);
    if (!this.#is_over) this.#show(state);
  }

  end(): void {
    this.#is_over = true;
    clearInterval(this.#period);
    clearTimeout(this.#settling);
    this.#unsubscribe();
  }

  #soon(): void {
    this.#settling ??= setTimeout(() => {
      this.#settling = undefined;
      void this.refresh();
    }, DEBOUNCE_MS);
  }
}

/** The tray's current state. A gate that doesn't respond is a state, too. */
export async function currentState(api: OperatorApi): Promise<TrayMenuState> {
  const settings = await api.call("settings.list", {}).catch(() => []);
  const value = (key: string) => settings.find((setting) => setting.key === key)?.value;
  const chosen = value("language");
  const language = isLanguage(chosen) ? chosen : "en";
  const status = await api.call("status", {}).catch(() => undefined);
  return { ...trayState(status), language, start_at_login: value("start_at_login") === true };
}

/** A refusal as one sentence, and what to do. */
export function refusalText(error: unknown): { message: string; hint: string } {
  if (error instanceof GateError) return { message: error.message, hint: error.hint };
  return { message: error instanceof Error ? error.message : "no reason was given", hint: "" };
}
