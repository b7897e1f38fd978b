import { join } from "node:path";
import { expect, it } from "vitest";
import { agentTokenFile } from "../../ipc/base/paths.ts";
import type { Bridge } from "../../ipc/socket/bridge.ts";
import { OperatorClient } from "../../ipc/socket/operator-client.ts";
import { AgentConnection } from "../support/agent-connection.ts";
import { NotificationServer } from "../support/notification-server.ts";
import { cantRun, PrivateBus } from "../support/private-bus.ts";
import { readToken, startGate } from "../support/running-gate.ts";
import { type TemporaryHome, temporaryHome } from "../support/temporary-home.ts";
import type { DesktopApp } from "./driver/desktop-app.ts";
import { describeDesktop, launchDesktop, recorded } from "./driver/launch.ts";

// One gate, any number of surfaces: the app beside a gate of another process.

const NO_BUS = cantRun("notifications of an attached app", ["dbus-run-session"]);

/** The process whose gate the window's page gets its answers from; undefined while it gets none. */
async function gatePid(app: DesktopApp): Promise<number | undefined> {
  const page = await app.page("approvals");
  return await page.evaluate(async () => {
    const { metnos } = globalThis as unknown as { metnos: Bridge };
    // Asked as a gate ends it may not be answered: the next look asks anew.
    const late = new Promise<undefined>((resolve) => void setTimeout(() => resolve(undefined), 5000));
    const answer = await Promise.race([metnos.call("status", {}), late]);
    return answer?.ok === true ? answer.result.pid : undefined;
  });
}

const tooltip = (app: DesktopApp) => recorded(app, (desktop) => desktop.tooltip);
const labels = (app: DesktopApp) =>
  recorded(app, ({ menu }) => Object.fromEntries(menu.items.map(({ id, label }) => [id, label])));

function press(app: DesktopApp, id: string): Promise<void> {
  return app.evaluate((_electron, wanted) => {
    const { recorded_desktop } = globalThis as unknown as { recorded_desktop: { menu: Electron.Menu } };
    recorded_desktop.menu.items.find((item) => item.id === wanted)?.click();
  }, id);
}

/** An agent of this gate that asks one thing. */
async function ask({ home, paths }: TemporaryHome): Promise<AgentConnection> {
  const operator = await OperatorClient.connect(paths.operator_socket, paths.operatorToken);
  await operator.call("agents.pair", { name: "asker", level: "Supervised" });
  await operator.close();
  const agent = await AgentConnection.open(paths.agent_socket);
  await agent.hello("asker", { token: readToken(agentTokenFile(paths, "asker")) });
  await agent.ask({ executor: "Write", intent: "write", args: { file_path: join(home, "a.txt"), content: "a" } });
  return agent;
}

describeDesktop("the app beside a gate that runs already", () => {
  it("attaches to it, waits when it ends, attaches again, and takes nothing of it along when it quits", async () => {
    const first = await startGate();
    const { home } = first;
    const app = await launchDesktop({ home });
    expect(app.output()).toContain(`attached to the gate that runs already: process ${process.pid}`);
    expect(await gatePid(app)).toBe(process.pid);
    expect(await labels(app)).toMatchObject({ quit: "Quit (the gate keeps running)", pause: "Pause" });
    const agent = await ask(home);
    await expect.poll(() => tooltip(app)).toBe("Metnos Gate\n1 request is waiting for you");
    await agent.close();

    await first.close();
    await expect.poll(() => tooltip(app)).toBe("Metnos Gate\nThe gate doesn't answer");
    expect(Object.keys(await labels(app))).toEqual(expect.arrayContaining(["start-gate", "quit"]));
    expect(Object.keys(await labels(app))).not.toEqual(expect.arrayContaining(["pause"]));
    expect(await gatePid(app)).toBeUndefined();
    // With its window open it says so there, too, and what can be done.
    await expect
      .poll(() => recorded(app, ({ dialogs }) => dialogs.map(({ message }) => message)))
      .toEqual(["The gate has ended"]);

    const second = await startGate({ home });
    await expect.poll(() => gatePid(app)).toBe(process.pid);
    await expect.poll(() => labels(app)).toHaveProperty("pause");

    app.kill("SIGTERM");
    expect(await app.exited).toBe(0);
    expect(app.output()).toContain("closed; the gate itself runs elsewhere");
    expect(app.output()).not.toContain("error box");
    expect(await second.operator.call("status", {})).toMatchObject({ pid: process.pid });
  });

  it("starts a gate of its own once the other one has ended, where the user wants that", async () => {
    const other = await startGate();
    const app = await launchDesktop({ home: other.home, args: ["--hidden"] });
    await app.page("approvals");
    await other.close();
    await expect.poll(() => labels(app)).toHaveProperty("start-gate", "Start the gate here");
    await press(app, "start-gate");
    await expect.poll(() => gatePid(app)).toBe(app.pid);
    await expect.poll(() => labels(app)).toMatchObject({ quit: "Quit" });
    // Other surfaces use that one now.
    const { operator_socket, operatorToken } = other.home.paths;
    const operator = await OperatorClient.connect(operator_socket, operatorToken);
    expect(await operator.call("status", {})).toMatchObject({ pid: app.pid });
    await operator.close();
  });

  it.skipIf(NO_BUS)(
    "shows notifications for it where it shows none itself, and only there",
    async () => {
      const { address } = await PrivateBus.start();
      const server = await NotificationServer.start(address);
      const env = { DBUS_SESSION_BUS_ADDRESS: address };
      // The test's own process has no session bus.
      const without = await startGate();
      await launchDesktop({ home: without.home, args: ["--hidden"], env });
      const agent = await ask(without.home);
      await expect.poll(() => server.calls.length).toBe(1);
      await agent.close();

      const unwanted = await startGate({ notifications: false });
      const app = await launchDesktop({ home: unwanted.home, env });
      const second = await ask(unwanted.home);
      await expect.poll(() => tooltip(app)).toBe("Metnos Gate\n1 request is waiting for you");
      expect(server.calls).toHaveLength(1);
      await second.close();
    },
    60_000,
  );
});

describeDesktop("quitting an app whose own gate is used", () => {
  it("asks first, keeps it running unless the user insists, and asks nobody when the system ends it", async () => {
    const home = temporaryHome();
    const app = await launchDesktop({ home });
    const agent = await ask(home);
    await press(app, "quit");
    await expect
      .poll(() => recorded(app, ({ dialogs }) => dialogs.map(({ message, detail }) => [message, detail])))
      .toEqual([["Quit the gate, too?", "It runs in this app. 1 agent is connected, 1 request waits."]]);
    expect(await gatePid(app)).toBe(app.pid);
    await app.evaluate(({ dialog }) => {
      dialog.showMessageBox = async () => ({ response: 1, checkboxChecked: false });
    }, undefined);
    await press(app, "quit");
    expect(await app.exited).toBe(0);
    agent.socket.destroy();
  });
});
