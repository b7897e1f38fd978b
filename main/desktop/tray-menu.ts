import type { MenuItemConstructorOptions } from "electron";
import { shortened, visible } from "../../ipc/base/visible-text.ts";
import type { Description } from "../../ipc/contract/description.ts";
import type { Language } from "../../ipc/contract/language.ts";
import type { TrayState } from "./tray-state.ts";
import type { GateMode } from "./users-gate.ts";
import { type ShellWords, shellWords, summary } from "./words.ts";

/** The actions of the menu. */
export interface TrayActions {
  open(route?: string): void;
  deny(token: string): void;
  /** Undefined: until it is resumed. */
  pause(forSeconds?: number): void;
  resume(): void;
  /** Only while the gate is away. */
  startGate(): void;
  startAtLogin(isEnabled: boolean): void;
  lookForNewer(): void;
  quit(): void;
}

/** How many waiting requests the menu lists. */
export const MENU_REQUESTS = 3;

/** A waiting request as the menu shows it: nothing of the call itself, which is for the window. */
export interface MenuRequest {
  token: string;
  agent: string;
  kind: Description["kind"];
}

export interface TrayMenuState extends TrayState {
  mode: GateMode;
  language: Language;
  start_at_login: boolean;
  canStartAtLogin: boolean;
  requests: readonly MenuRequest[];
}

/** The tray's menu as a template. Each item has an id, the same in each language. */
export function trayMenu(state: TrayMenuState, actions: TrayActions): MenuItemConstructorOptions[] {
  const words = shellWords[state.language];
  const startGate: MenuItemConstructorOptions = {
    id: "start-gate",
    label: words.startGate,
    click: () => actions.startGate(),
  };
  return [
    ...summary(words, state, state.language)
      .split("\n")
      .map((label, index) => ({
        id: `summary-${index}`,
        label,
        // Some panels open this menu on a left click: then it leads to the waiting requests and alarms.
        enabled: state.waiting > 0 || state.alarms.length > 0,
        click: () => actions.open("approvals"),
      })),
    ...state.requests.map((request, index) => requestItem(request, index, words, actions)),
    { type: "separator" },
    { id: "open", label: words.open, click: () => actions.open() },
    ...(state.mode === "away" ? [startGate] : [pauseItem(state, words, actions), agentsItem(state, words, actions)]),
    { type: "separator" },
    ...(state.canStartAtLogin ? [startAtLoginItem(state, words, actions)] : []),
    { id: "look-for-newer", label: words.lookForNewer, click: () => actions.lookForNewer() },
    {
      id: "quit",
      label: state.mode === "attached" ? words.quitApp : words.quit,
      click: () => actions.quit(),
    },
  ];
}

/** Deny and Review. Approve isn't here: what it allows can't be read in a menu. */
function requestItem(
  { token, agent, kind }: MenuRequest,
  index: number,
  words: ShellWords,
  actions: TrayActions,
): MenuItemConstructorOptions {
  return {
    id: `request-${index}`,
    label: menuText(words.asks(shortened(visible(agent), AGENT_WIDTH), kind)),
    submenu: [
      { id: `review-${index}`, label: words.review, click: () => actions.open(`approvals/${token}`) },
      { id: `deny-${index}`, label: words.deny, click: () => actions.deny(token) },
    ],
  };
}

const AGENT_WIDTH = 32;

function pauseItem(state: TrayMenuState, words: ShellWords, actions: TrayActions): MenuItemConstructorOptions {
  if (state.is_paused) return { id: "resume", label: words.resume, click: () => actions.resume() };
  return {
    id: "pause",
    label: words.pause,
    submenu: [
      { id: "pause-300", label: words.pause5Minutes, click: () => actions.pause(300) },
      { id: "pause-3600", label: words.pause1Hour, click: () => actions.pause(3600) },
      { id: "pause-until-resumed", label: words.pauseUntilResumed, click: () => actions.pause() },
    ],
  };
}

function agentsItem(
  { agentsOnline }: TrayMenuState,
  words: ShellWords,
  actions: TrayActions,
): MenuItemConstructorOptions {
  const agents: MenuItemConstructorOptions[] =
    agentsOnline.length === 0
      ? [{ id: "no-agents", label: words.noAgents, enabled: false }]
      : agentsOnline.map((name) => ({
          id: `agent-${name}`,
          label: menuText(name),
          click: () => actions.open("agents"),
        }));
  return { id: "agents", label: words.agentsOnline(agentsOnline.length), submenu: agents };
}

function startAtLoginItem(state: TrayMenuState, words: ShellWords, actions: TrayActions): MenuItemConstructorOptions {
  return {
    id: "start-at-login",
    label: words.start_at_login,
    type: "checkbox",
    checked: state.start_at_login,
    click: (item) => actions.startAtLogin(item.checked),
  };
}

/** A single & would make the next letter an access key. */
function menuText(text: string): string {
  return text.replaceAll("&", "&&");
}
