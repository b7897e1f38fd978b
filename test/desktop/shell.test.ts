import { EventEmitter } from "node:events";
import { readFileSync } from "node:fs";
import type { MenuItemConstructorOptions } from "electron";
import { describe, expect, it, vi } from "vitest";
import type { Language } from "../../ipc/contract/language.ts";
import type { TrayMenuState } from "../../main/desktop/tray-menu.ts";

// What the windows and menus of the app are made of.

let ozone = "";
vi.mock("electron", async () => ({
  ...(await import("./stand-in/desktop-parts.ts")),
  app: { commandLine: { getSwitchValue: () => ozone } },
  BrowserWindow: class {},
}));

const { setApplicationMenu } = await import("../../main/desktop/application-menu.ts");
const { reloadAfterCrash } = await import("../../main/desktop/crashed-page.ts");
const { canPlaceWindows } = await import("../../main/desktop/wayland.ts");
const { SURFACE } = await import("../../main/desktop/window.ts");
const { trayMenu } = await import("../../main/desktop/tray-menu.ts");
const { GateTray } = await import("../../main/desktop/tray.ts");
const { Menu, nativeImage } = await import("./stand-in/desktop-parts.ts");

/** The template of the windows' menu. */
function menuOn(platform: NodeJS.Platform, language: Language = "en") {
  const built = vi.spyOn(Menu, "buildFromTemplate");
  setApplicationMenu(language, vi.fn(), platform);
  const template = (built.mock.calls[0]?.[0] ?? []) as MenuItemConstructorOptions[];
  built.mockRestore();
  return template.flatMap(({ submenu }) => (Array.isArray(submenu) ? submenu : []));
}

describe("the windows' menu", () => {
  it.each(["linux", "win32", "darwin"] as const)(
    "has the keys for zoom, copy and paste, and quit, on %s",
    (platform) => {
      const roles = menuOn(platform).map(({ role }) => role);
      expect(roles).toEqual(
        expect.arrayContaining(["zoomIn", "zoomOut", "resetZoom", "copy", "paste", "cut", "selectAll", "undo", "quit"]),
      );
      // A page that is loaded anew, or looked into, is not for the user.
      expect(roles).not.toContain("toggleDevTools");
      expect(roles).not.toContain("forceReload");
    },
  );

  it("says everything in the gate's language, its roles too", () => {
    const words = (language: Language) =>
      menuOn("linux", language).flatMap(({ label, type }) => (type === "separator" ? [] : [label]));
    expect(words("en")).not.toContain(undefined);
    expect(words("it")).not.toContain(undefined);
    expect(words("it").filter((label) => words("en").includes(label))).toEqual([]);
  });
});

describe("a page whose process dies", () => {
  function crashing() {
    const contents = new EventEmitter();
    const done: string[] = [];
    let now = 0;
    reloadAfterCrash(
      contents as never,
      { reload: () => done.push("reload"), giveUp: (reason) => done.push(reason) },
      () => now,
    );
    const crash = (reason = "crashed", afterMs = 0) => {
      now += afterMs;
      contents.emit("render-process-gone", {}, { reason, exitCode: 1 });
    };
    return { crash, done };
  }

  it("is loaded again, three times within a minute; then it is reported", () => {
    const { crash, done } = crashing();
    const said = vi.spyOn(console, "error").mockReturnValue(undefined);
    for (let time = 0; time < 4; time++) crash("oom");
    expect(done).toEqual(["reload", "reload", "reload", "oom"]);
    crash("crashed", 60_001);
    expect(done.at(-1)).toBe("reload");
    said.mockRestore();
  });

  it("that ended as it should is left alone", () => {
    const { crash, done } = crashing();
    crash("clean-exit");
    expect(done).toEqual([]);
  });
});

describe("where windows can be placed", () => {
  it.each([
    [{ XDG_SESSION_TYPE: "wayland", WAYLAND_DISPLAY: "wayland-0" }, "", false],
    [{ XDG_SESSION_TYPE: "wayland", WAYLAND_DISPLAY: "wayland-0" }, "x11", true],
    [{ XDG_SESSION_TYPE: "x11", DISPLAY: ":0" }, "", true],
    [{ DISPLAY: ":0" }, "", true],
  ])("%j, --ozone-platform=%j: %s", (env, platform, expected) => {
    ozone = platform;
    expect(canPlaceWindows(env, "linux")).toBe(expected);
    expect(canPlaceWindows(env, "darwin")).toBe(true);
  });
});

it("a window's background is the page's own, light and dark: it doesn't flash", () => {
  const tokens = readFileSync(new URL("../../renderer/style/tokens.css", import.meta.url), "utf8");
  const [, light, dark] = /--surface: light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/.exec(tokens) ?? [];
  expect(SURFACE).toEqual({ light, dark });
});

const waiting: TrayMenuState = {
  mark: "waiting",
  waiting: 3,
  is_paused: false,
  pausedUntil: null,
  agentsOnline: [],
  isAnswering: true,
  alarms: [],
  language: "en",
  start_at_login: false,
  mode: "own",
  canStartAtLogin: false,
  requests: [
    { token: "t1", agent: "A&B", kind: "command" },
    { token: "t2", agent: `x\u202e${"y".repeat(100)}\n`, kind: "mcp" },
  ],
};
const actions = () => ({
  open: vi.fn(),
  deny: vi.fn(),
  pause: vi.fn(),
  resume: vi.fn(),
  startGate: vi.fn(),
  startAtLogin: vi.fn(),
  lookForNewer: vi.fn(),
  quit: vi.fn(),
});

describe("the tray's menu", () => {
  it("lists requests by who and what kind, with Review and Deny, never Approve; hostile names stay inert and short", () => {
    const done = actions();
    const menu = Menu.buildFromTemplate(trayMenu(waiting, done));
    const [first, second] = menu.items.filter(({ id }) => id.startsWith("request-"));
    expect(first?.label).toBe("A&&B asks to run a command");
    expect(second?.label).toMatch(/^x\\u\{202e\}y{3}…y+\\n asks to use a tool$/);
    for (const item of [first, second])
      expect(item?.submenu?.items.map(({ label }) => label)).toEqual(["Review", "Deny"]);
    first?.submenu?.items[0]?.click();
    second?.submenu?.items[1]?.click();
    expect(done.open).toHaveBeenCalledWith("approvals/t1");
    expect(done.deny).toHaveBeenCalledWith("t2");
    expect(trayMenu({ ...waiting, language: "it" }, done).map(({ label }) => label)).toContain(
      "A&&B chiede di eseguire un comando",
    );
  });

  it("offers start at login only where the app can", () => {
    const ids = (state: TrayMenuState) => trayMenu(state, actions()).map(({ id }) => id);
    expect(ids(waiting)).not.toContain("start-at-login");
    expect(ids({ ...waiting, canStartAtLogin: true })).toContain("start-at-login");
  });

  it("on Linux has an icon of twice the size: a panel makes it smaller, never larger", () => {
    const images = vi.spyOn(nativeImage, "createFromBuffer");
    const tray = new GateTray({ ...waiting, waiting: 7 }, actions(), vi.fn(), "linux");
    const png = images.mock.calls[0]?.[0];
    expect([png?.readUInt32BE(16), png?.readUInt32BE(20)]).toEqual([44, 44]);
    expect(images).toHaveBeenCalledOnce();
    tray.destroy();
  });
});
