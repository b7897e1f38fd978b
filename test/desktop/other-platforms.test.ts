import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { TrayMenuState } from "../../main/desktop/tray-menu.ts";

// What only macOS and Windows do, with the stand-in's parts: their panels aren't available here.

const login: { openAtLogin?: boolean; args?: string[] }[] = [];
const shown: FakeNotification[] = [];

class FakeNotification {
  readonly options: { title: string; body: string; actions: { text: string }[] };
  readonly #listeners = new Map<string, (event: object) => void>();
  is_closed = false;
  constructor(options: FakeNotification["options"]) {
    this.options = options;
    shown.push(this);
  }
  static isSupported(): boolean {
    return true;
  }
  on(name: string, listener: (event: object) => void): void {
    this.#listeners.set(name, listener);
  }
  say(name: string, event: object = {}): void {
    this.#listeners.get(name)?.(event);
  }
  show(): void {
    this.say("show");
  }
  close(): void {
    this.is_closed = true;
    this.say("close");
  }
}

vi.mock("electron", async () => ({
  ...(await import("./stand-in/desktop-parts.ts")),
  Notification: FakeNotification,
  app: appParts,
}));
const appParts = {
  isPackaged: true,
  getAppPath: () => "/opt/gate",
  getLoginItemSettings: () => ({ openAtLogin: login.at(-1)?.openAtLogin === true }),
  setLoginItemSettings: (settings: object) => login.push(settings),
};

const { GateTray } = await import("../../main/desktop/tray.ts");
const { loginItem } = await import("../../main/desktop/login-item.ts");
const { hasDebugSwitches } = await import("../../main/desktop/lockdown.ts");
const { ElectronNotifications } = await import("../../main/desktop/notification-sink.ts");
const parts = await import("./stand-in/desktop-parts.ts");

const idle: TrayMenuState = {
  mark: "idle",
  waiting: 0,
  is_paused: false,
  pausedUntil: null,
  agentsOnline: [],
  isAnswering: true,
  alarms: [],
  language: "en",
  start_at_login: false,
  mode: "own",
  canStartAtLogin: true,
  requests: [],
};
const actions = {
  deny: vi.fn(),
  startGate: vi.fn(),
  lookForNewer: vi.fn(),
  open: vi.fn(),
  pause: vi.fn(),
  resume: vi.fn(),
  startAtLogin: vi.fn(),
  quit: vi.fn(),
};

describe("the tray on macOS", () => {
  it("leaves the left click to the popup, shows its menu on the right one, and says the number beside the icon", () => {
    const set = vi.spyOn(parts.Tray.prototype, "setContextMenu");
    const popUp = vi.spyOn(parts.Tray.prototype, "popUpContextMenu");
    const title = vi.spyOn(parts.Tray.prototype, "setTitle");
    const images = vi.spyOn(parts.Tray.prototype, "setImage");
    const toggle = vi.fn();
    const tray = new GateTray(idle, actions, toggle, "darwin");
    const native = images.mock.contexts[0] as InstanceType<typeof parts.Tray>;
    tray.update({ ...idle, mark: "waiting", waiting: 3 });
    expect(set).not.toHaveBeenCalled();
    expect(title).toHaveBeenLastCalledWith("3", expect.anything());
    native.emit("click", {}, { x: 1, y: 2, width: 3, height: 4 });
    expect(toggle).toHaveBeenCalledWith({ x: 1, y: 2, width: 3, height: 4 });
    native.emit("right-click");
    expect(popUp).toHaveBeenCalledOnce();
    tray.destroy();
  });

  it("what is the same is not set again: an open menu stays open", () => {
    const set = vi.spyOn(parts.Tray.prototype, "setContextMenu");
    const tray = new GateTray(idle, actions, vi.fn(), "linux");
    set.mockClear();
    tray.update({ ...idle });
    expect(set).not.toHaveBeenCalled();
    tray.update({ ...idle, waiting: 1, mark: "waiting" });
    expect(set).toHaveBeenCalledOnce();
    tray.destroy();
  });
});

describe("start at login on macOS and Windows", () => {
  it.each([
    ["darwin", { openAtLogin: true }],
    ["win32", { openAtLogin: true, args: ["--hidden"] }],
  ] as const)("is the system's own, in its own way: %s", (platform, asked) => {
    const item = loginItem(platform);
    item?.setEnabled(true);
    expect(login.at(-1)).toEqual(asked);
    expect(item?.isEnabled()).toBe(true);
    item?.setEnabled(false);
    expect(item?.isEnabled()).toBe(false);
  });

  it.each(["darwin", "win32"] as const)(
    "isn't there from a checkout, where Electron itself would start: %s",
    (platform) => {
      appParts.isPackaged = false;
      onTestFinished(() => {
        appParts.isPackaged = true;
      });
      expect(loginItem(platform)).toBeUndefined();
      expect(loginItem("linux")).toBeDefined();
    },
  );
});

describe("a packaged app with debugging switches", () => {
  const steered = (isPackaged: boolean, ...given: string[]) =>
    hasDebugSwitches({ isPackaged, commandLine: { hasSwitch: (name: string) => given.includes(name) } as never });

  it.each(["remote-debugging-port", "remote-debugging-pipe", "inspect", "inspect-brk"])(
    "--%s: doesn't start",
    (name) => {
      expect(steered(true, name)).toBe(true);
      expect(steered(false, name)).toBe(false);
    },
  );

  it("starts without them", () => {
    expect(steered(true, "hidden")).toBe(false);
  });
});

describe("Electron's notifications", () => {
  const notice = {
    kind: "approval",
    is_urgent: true,
    title: "May I write?",
    lines: ["a.txt", "reversible"],
    buttons: [
      { action: "approve", label: "Approve" },
      { action: "deny", label: "Deny" },
    ],
    defaultAction: "review",
  } as const;
  const listening = () => {
    const events: object[] = [];
    const sink = new ElectronNotifications();
    sink.start((event) => events.push(event));
    return { sink, events };
  };

  it("show the words and the buttons, and say which one was pressed", async () => {
    const { sink, events } = listening();
    await Promise.resolve();
    expect(events).toEqual([{ type: "ready", abilities: { hasActions: true, hasBody: true } }]);
    const handle = sink.show(notice);
    const native = shown.at(-1);
    expect(native?.options).toMatchObject({
      title: "May I write?",
      body: "a.txt\nreversible",
      actions: [{ text: "Approve" }, { text: "Deny" }],
    });
    native?.say("action", { actionIndex: 1 });
    native?.say("action", { actionIndex: 9 });
    native?.say("click");
    expect(events.slice(1)).toEqual([
      { type: "shown", handle },
      { type: "action", handle, action: "deny" },
      { type: "action", handle, action: "review" },
    ]);
  });

  it("one that was put aside is no answer; one that was closed or replaced says nothing any more", () => {
    const { sink, events } = listening();
    const handle = sink.show(notice);
    const first = shown.at(-1);
    sink.replace(handle, { ...notice, defaultAction: null });
    const second = shown.at(-1);
    expect(first?.is_closed).toBe(true);
    events.length = 0;
    first?.say("action", { actionIndex: 0 });
    second?.say("click");
    expect(events).toEqual([]);
    second?.say("close");
    expect(events).toEqual([{ type: "dismissed", handle }]);
    const another = sink.show(notice);
    events.length = 0;
    sink.close(another);
    shown.at(-1)?.say("action", { actionIndex: 0 });
    expect(events).toEqual([]);
  });
});
