import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { agentTokenFile } from "../../ipc/base/paths.ts";
import { OperatorClient } from "../../ipc/socket/operator-client.ts";
import { AgentConnection } from "../support/agent-connection.ts";
import { readToken } from "../support/running-gate.ts";
import type { TemporaryHome } from "../support/temporary-home.ts";
import type { DesktopApp } from "./driver/desktop-app.ts";
import { describeDesktop, launchDesktop, recorded } from "./driver/launch.ts";

// The icon in the panel: its tooltip, and its menu.

/** The menu as it is now: id and label of each line, submenus below their line's id. */
function menuOf(app: DesktopApp): Promise<Record<string, string>> {
  return recorded(app, ({ menu }) => {
    const lines: [string, string][] = [];
    for (const item of menu.items) {
      if (item.type !== "separator") lines.push([item.id, item.label]);
      for (const below of item.submenu?.items ?? []) lines.push([`${item.id}/${below.id}`, below.label]);
    }
    return Object.fromEntries(lines);
  });
}

function press(app: DesktopApp, id: string): Promise<void> {
  return app.evaluate((_electron, wanted) => {
    const { recorded_desktop } = globalThis as unknown as { recorded_desktop: { menu: Electron.Menu } };
    const all = recorded_desktop.menu.items.flatMap((item) => [item, ...(item.submenu?.items ?? [])]);
    const item = all.find((one) => one.id === wanted);
    if (item === undefined) throw new Error(`no ${wanted} in the menu`);
    item.click();
  }, id);
}

const tooltip = (app: DesktopApp) => recorded(app, (desktop) => desktop.tooltip);
const picture = (app: DesktopApp) => recorded(app, ({ image }) => image.toPNG().toString("base64"));

describeDesktop("the tray", () => {
  let app: DesktopApp & { home: TemporaryHome };
  let operator: OperatorClient;
  beforeAll(async () => {
    app = await launchDesktop({ args: ["--restarted-after=SIGSEGV"] });
    const { operator_socket, operatorToken } = app.home.paths;
    operator = await OperatorClient.connect(operator_socket, operatorToken);
    return () => operator.close();
  });

  it("says what is wrong with the gate, with a distinct mark, until the user has seen it", async () => {
    expect(await tooltip(app)).toBe("Metnos Gate\nThe gate ended unexpectedly and was restarted\nNothing is waiting");
    expect(await menuOf(app)).toMatchObject({ "summary-0": "The gate ended unexpectedly and was restarted" });
    const problem = await picture(app);
    await operator.call("alarms.acknowledge", { code: "gate_restarted", subject: "gate" });
    await expect.poll(() => tooltip(app)).toBe("Metnos Gate\nNothing is waiting");
    await expect.poll(() => picture(app)).not.toBe(problem);
  });

  it("is idle then; its menu opens, pauses, lists agents, starts at login and quits", async () => {
    expect(await tooltip(app)).toBe("Metnos Gate\nNothing is waiting");
    expect(await menuOf(app)).toEqual({
      "summary-0": "Nothing is waiting",
      open: "Open Metnos Gate",
      pause: "Pause",
      "pause/pause-300": "For 5 minutes",
      "pause/pause-3600": "For 1 hour",
      "pause/pause-until-resumed": "Until I resume",
      agents: "Agents online (0)",
      "agents/no-agents": "None",
      "start-at-login": "Start at login",
      "look-for-newer": "Look for a newer version…",
      quit: "Quit",
    });
  });

  it("says how many wait, with another picture, and goes back once they are answered", async () => {
    const idle = await picture(app);
    await operator.call("agents.pair", { name: "asker", level: "Supervised" });
    const agent = await AgentConnection.open(app.home.paths.agent_socket);
    await agent.hello("asker", { token: readToken(agentTokenFile(app.home.paths, "asker")) });
    agent.send("tool.call", {
      id: "1",
      intent: "write a file",
      executor: "fs_write",
      args: { path: join(app.home.home, "a.txt"), content: "a" },
    });
    await agent.next("tool.decision");
    await expect.poll(() => tooltip(app)).toBe("Metnos Gate\n1 request is waiting for you");
    await expect.poll(() => picture(app)).not.toBe(idle);
    expect(await menuOf(app)).toMatchObject({
      agents: "Agents online (1)",
      "agents/agent-asker": "asker",
      "request-0": "asker asks to write a file",
      "request-0/review-0": "Review",
      "request-0/deny-0": "Deny",
    });
    const one = await picture(app);
    agent.send("tool.call", {
      id: "2",
      intent: "write a file",
      executor: "fs_write",
      args: { path: join(app.home.home, "b.txt"), content: "b" },
    });
    await agent.next("tool.decision");
    await expect.poll(() => tooltip(app)).toBe("Metnos Gate\n2 requests are waiting for you");
    await expect.poll(() => picture(app)).not.toBe(one);
    // The menu denies; what it can't show, it can't approve.
    expect(Object.values(await menuOf(app)).join("\n")).not.toMatch(/Approve|a\.txt/);
    for (const left of [1, 0]) {
      await press(app, "deny-0");
      await expect.poll(async () => (await operator.call("approvals.list", {})).length).toBe(left);
      await expect.poll(async () => (await menuOf(app))["request-1"]).toBeUndefined();
    }
    const { approvals } = await operator.call("approvals.history", {});
    expect(approvals.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    await expect.poll(() => tooltip(app)).toBe("Metnos Gate\nNothing is waiting");
    await expect.poll(() => picture(app)).toBe(idle);
    agent.socket.destroy();
  });

  it("a pairing request waits for the operator, too", async () => {
    const agent = await AgentConnection.open(app.home.paths.agent_socket);
    await agent.hello("newcomer");
    await expect.poll(() => tooltip(app)).toBe("Metnos Gate\n1 request is waiting for you");
    await operator.call("agents.reject", { name: "newcomer" });
    agent.socket.destroy();
  });

  it.each([
    ["pause-300", 300],
    ["pause-3600", 3600],
    ["pause-until-resumed", undefined],
  ])("%s pauses the gate, resume ends it", async (id, seconds) => {
    await press(app, id);
    await expect
      .poll(() => tooltip(app))
      .toMatch(seconds === undefined ? /^Metnos Gate\nPaused: / : /^Metnos Gate\nPaused until \d/);
    expect(await menuOf(app)).toHaveProperty("resume", "Resume");
    await press(app, "resume");
    await expect.poll(async () => (await operator.call("status", {})).paused).toBe(false);
    await expect.poll(() => menuOf(app)).not.toHaveProperty("resume");
  });

  it("starts at login when asked to, and no more when not", async () => {
    const file = join(app.home.home, ".config/autostart/metnos-gate.desktop");
    expect(existsSync(file)).toBe(false);
    await press(app, "start-at-login");
    await expect.poll(() => existsSync(file)).toBe(true);
    expect(readFileSync(file, "utf8")).toMatch(/^Exec=.*"--hidden"$/m);
    const setting = async () => (await operator.call("settings.list", {})).find(({ key }) => key === "start_at_login");
    expect(await setting()).toMatchObject({ value: true, can_change: true });
    const checked = () => recorded(app, ({ menu }) => menu.items.find(({ id }) => id === "start-at-login")?.checked);
    await expect.poll(checked).toBe(true);
    await press(app, "start-at-login");
    await expect.poll(() => existsSync(file)).toBe(false);
    await expect.poll(checked).toBe(false);
  });

  it("looks for a newer version only when asked to, and only at an address of the user's", async () => {
    expect(await recorded(app, ({ dialogs }) => dialogs)).toEqual([]);
    await press(app, "look-for-newer");
    await expect
      .poll(() => recorded(app, ({ dialogs }) => dialogs.map(({ message }) => message)))
      .toEqual(["No address is set to ask"]);
  });

  it("speaks Italian when the gate does", async () => {
    await operator.call("settings.set", { key: "language", value: "it" });
    await expect.poll(() => tooltip(app)).toBe("Metnos Gate\nNessuna richiesta in attesa");
    expect(await menuOf(app)).toMatchObject({
      open: "Apri Metnos Gate",
      "pause/pause-until-resumed": "Finché non riprendo",
      "start-at-login": "Avvia all'accesso",
      quit: "Esci",
    });
    await operator.call("settings.set", { key: "language", value: "en" });
  });

  it("a click shows the popup near the icon, inside the work area; a second one hides it", async () => {
    await app.page("popup");
    const anchor = { x: 1200, y: 0, width: 22, height: 24 };
    const click = () =>
      app.evaluate((_electron, bounds) => {
        const { recorded_desktop } = globalThis as unknown as { recorded_desktop: { tray: Electron.Tray } };
        recorded_desktop.tray.emit("click", {}, bounds, { x: bounds.x, y: bounds.y });
      }, anchor);
    const popup = () =>
      app.evaluate(({ BrowserWindow, screen }, bounds) => {
        const window = BrowserWindow.getAllWindows().find(({ webContents }) =>
          webContents.getURL().endsWith("#/popup"),
        );
        const { workArea } = screen.getDisplayNearestPoint({ x: bounds.x, y: bounds.y });
        return { isVisible: window?.isVisible() === true, bounds: window?.getBounds(), workArea: workArea };
      }, anchor);
    expect((await popup()).isVisible).toBe(false);
    await click();
    await expect.poll(async () => (await popup()).isVisible).toBe(true);
    const { bounds, workArea: area } = await popup();
    if (bounds === undefined) throw new Error("there is no popup");
    expect(bounds.width).toBe(380);
    expect(bounds.x).toBeGreaterThanOrEqual(area.x);
    expect(bounds.x + bounds.width).toBeLessThanOrEqual(area.x + area.width);
    expect(bounds.y).toBeGreaterThanOrEqual(area.y);
    expect(bounds.y).toBeLessThan(area.y + 40);
    const page = await app.page("popup");
    const resized = async (height: number) => {
      await page.evaluate((wanted) => {
        (globalThis as unknown as { metnos: { resize(height: number): void } }).metnos.resize(wanted);
      }, height);
      await page.evaluate(() =>
        (globalThis as unknown as { metnos: { call(method: string, params: object): unknown } }).metnos.call(
          "status",
          {},
        ),
      );
      return (await popup()).bounds?.height;
    };
    // As tall as the page's content, reported by the page itself.
    const content = async () => Math.ceil((await page.locator(".popup").boundingBox())?.height ?? 0);
    await expect.poll(async () => (await popup()).bounds?.height === (await content())).toBe(true);
    expect(await resized(5000)).toBe(Math.floor((area.height * 2) / 3));
    await click();
    await expect.poll(async () => (await popup()).isVisible).toBe(false);
  });
});
