import type { MenuItemConstructorOptions } from "electron";
import type { Language } from "../../ipc/language.ts";
import type { TrayState } from "./tray-state.ts";
import { shellWords, summary } from "./words.ts";

/** The actions of the menu. */
export interface TrayActions {
  open(route?: string): void;
  /** Undefined: until it is resumed. */
  pause(for_seconds?: number): void;
  resume(): void;
  startAtLogin(is_enabled: boolean): void;
  quit(): void;
}

export interface TrayMenuState extends TrayState {
  language: Language;
  start_at_login: boolean;
}

/** The tray's menu as a template. Each item has an id, the same in each language. */
export function trayMenu(state: TrayMenuState, actions: TrayActions): MenuItemConstructorOptions[] {
  const words = shellWords[state.language];
  const pauses: MenuItemConstructorOptions[] = [
    { id: "pause-300", label: words.pause_5_minutes, click: () => actions.pause(300) },
    { id: "pause-3600", label: words.pause_1_hour, click: () => actions.pause(3600) },
    { id: "pause-until-resumed", label: words.pause_until_resumed, click: () => actions.pause() },
  ];
  const agents: MenuItemConstructorOptions[] =
    state.agents_online.length === 0
      ? [{ id: "no-agents", label: words.no_agents, enabled: false }]
      : state.agents_online.map((name) => ({
          id: `agent-${name}`,
          // a single & would make the next letter an access key
          label: name.replaceAll("&", "&&"),
          click: () => actions.open("agents"),
        }));
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
    { type: "separator" },
    { id: "open", label: words.open, click: () => actions.open() },
    state.is_paused
      ? { id: "resume", label: words.resume, click: () => actions.resume() }
      : { id: "pause", label: words.pause, submenu: pauses },
    { id: "agents", label: words.agentsOnline(state.agents_online.length), submenu: agents },
    { type: "separator" },
    {
      id: "start-at-login",
      label: words.start_at_login,
      type: "checkbox",
      checked: state.start_at_login,
      click: (item) => actions.startAtLogin(item.checked),
    },
    { id: "quit", label: words.quit, click: () => actions.quit() },
  ];
}
