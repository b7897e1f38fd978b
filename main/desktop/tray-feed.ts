import { GateError } from "../../ipc/contract/gate-error.ts";
import { isLanguage, type Language } from "../../ipc/contract/language.ts";
import type { OperatorEventType } from "../../ipc/contract/operator-api.ts";
import type { LoginItem } from "../config/settings.ts";
import { systemLanguage } from "./restart.ts";
import { MENU_REQUESTS, type MenuRequest, type TrayMenuState } from "./tray-menu.ts";
import { trayState } from "./tray-state.ts";
import type { UsersGate } from "./users-gate.ts";

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

export type WatchedGate = Pick<UsersGate, "call" | "subscribe" | "mode" | "onMode">;

export class TrayFeed {
  readonly #gate: WatchedGate;
  readonly #loginItem: LoginItem | undefined;
  readonly #show: (state: TrayMenuState) => void;
  readonly #period: NodeJS.Timeout;
  readonly #endings: (() => void)[];
  #settling: NodeJS.Timeout | undefined;
  #language: Language;
  #isOver = false;

  constructor(
    gate: WatchedGate,
    loginItem: LoginItem | undefined,
    first: TrayMenuState,
    show: (state: TrayMenuState) => void,
  ) {
    this.#gate = gate;
    this.#loginItem = loginItem;
    this.#language = first.language;
    this.#show = show;
    this.#endings = [gate.subscribe(() => this.#soon(), GATE_EVENTS), gate.onMode(() => this.#soon())];
    this.#period = setInterval(() => void this.refresh(), PERIOD_MS);
    this.#period.unref();
  }

  async refresh(): Promise<void> {
    const state = await currentState(this.#gate, this.#loginItem, this.#language);
    this.#language = state.language;
    if (!this.#isOver) this.#show(state);
  }

  end(): void {
    this.#isOver = true;
    clearInterval(this.#period);
    clearTimeout(this.#settling);
    for (const end of this.#endings) end();
  }

  #soon(): void {
    this.#settling ??= setTimeout(() => {
      this.#settling = undefined;
      void this.refresh();
    }, DEBOUNCE_MS);
  }
}

/**
 * The tray's current state. A gate that doesn't respond is a state, too.
 * @param loginItem the app's own, for while the gate isn't the app's
 * @param before the language while the gate can't be asked
 */
export async function currentState(
  gate: WatchedGate,
  loginItem: LoginItem | undefined,
  before: Language = systemLanguage(),
): Promise<TrayMenuState> {
  const settings = await gate.call("settings.list", {}).catch(() => []);
  const value = (key: string) => settings.find((setting) => setting.key === key)?.value;
  const chosen = value("language");
  const status = await gate.call("status", {}).catch(() => undefined);
  return {
    ...trayState(status),
    mode: gate.mode,
    language: isLanguage(chosen) ? chosen : before,
    // The setting of another process's gate is that gate's own start.
    start_at_login: gate.mode === "own" ? value("start_at_login") === true : (loginItem?.isEnabled() ?? false),
    canStartAtLogin: loginItem !== undefined,
    requests: (status?.approvals_pending ?? 0) === 0 ? [] : await firstRequests(gate),
  };
}

/** Those whose time is over soonest. */
async function firstRequests(gate: WatchedGate): Promise<MenuRequest[]> {
  const waiting = await gate.call("approvals.list", { order: "deadline", limit: MENU_REQUESTS }).catch(() => []);
  return waiting.map(({ token, agent_name, description }) => ({
    token,
    agent: agent_name,
    kind: description?.kind ?? "other",
  }));
}

/** A refusal as one sentence, and what to do. */
export function refusalText(error: unknown): { message: string; hint: string } {
  if (error instanceof GateError) return { message: error.message, hint: error.hint };
  return { message: error instanceof Error ? error.message : "no reason was given", hint: "" };
}
