import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page, WebSocket } from "playwright-core";
import { onTestFinished } from "vitest";
import { agentTokenFile } from "../../ipc/base/paths.ts";
import { OperatorClient } from "../../ipc/socket/operator-client.ts";
import type { DesktopApp } from "../desktop/driver/desktop-app.ts";
import { launchDesktop, recorded } from "../desktop/driver/launch.ts";
import { AgentConnection } from "../support/agent-connection.ts";
import { openContext } from "../support/browser.ts";
import { linkTo } from "../support/page-visitor.ts";
import { type GateUnderTest, readToken, startGate } from "../support/running-gate.ts";
import type { TemporaryHome } from "../support/temporary-home.ts";

/** A gate in each of its homes, with an agent and an operator on its real sockets. */

export interface Desk {
  home: TemporaryHome;
  /** Where the agent writes: there already. */
  folder: string;
  operator: OperatorClient;
  agent: AgentConnection;
}

export interface DesktopDesk extends Desk {
  app: DesktopApp;
  window: Page;
  popup: Page;
}

export async function desktopDesk(env: NodeJS.ProcessEnv = {}): Promise<DesktopDesk> {
  const app = await launchDesktop({ env });
  const [window, popup] = [await app.page("approvals"), await app.page("popup")];
  onTestFinished(() => app.kill("SIGTERM"));
  return { ...(await desk(app.home)), app, window, popup };
}

/** A click on the tray icon. */
export async function openPopup(app: DesktopApp): Promise<void> {
  await recorded(app, ({ tray }) => {
    const bounds = { x: 1200, y: 0, width: 22, height: 24 };
    tray.emit("click", {}, bounds, { x: bounds.x, y: bounds.y });
  });
}

export interface WebDesk extends Desk {
  gate: GateUnderTest;
  page: Page;
  /** The page's own connection. */
  socket: WebSocket;
}

/** The page in Chromium, opened by its one-time link. */
export async function webDesk(): Promise<WebDesk> {
  const gate = await startGate({ web: true });
  const context = await openContext({ viewport: { width: 1000, height: 680 }, locale: "en-GB" });
  // Before the test's own limit: then it says what didn't come.
  context.setDefaultTimeout(30_000);
  const page = await context.newPage();
  const connected = page.waitForEvent("websocket");
  await page.goto((await linkTo(gate)).url);
  await page.getByRole("heading", { level: 1 }).waitFor();
  return { ...(await desk(gate.home)), gate, page, socket: await connected };
}

/** Another connection of the agent that is paired there. */
export async function agentIn({ paths }: TemporaryHome): Promise<AgentConnection> {
  const agent = await AgentConnection.open(paths.agent_socket);
  onTestFinished(() => agent.close());
  await agent.hello("claude-code", { token: readToken(agentTokenFile(paths, "claude-code")) });
  return agent;
}

export async function desk(home: TemporaryHome): Promise<Desk> {
  const operator = await OperatorClient.connect(home.paths.operator_socket, home.paths.operatorToken);
  onTestFinished(() => operator.close());
  await operator.call("agents.pair", { name: "claude-code", level: "Supervised" });
  const agent = await agentIn(home);
  const folder = join(home.home, "invoices");
  mkdirSync(folder);
  return { home, folder, operator, agent };
}
