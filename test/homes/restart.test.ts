import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { agentTokenFile } from "../../ipc/base/paths.ts";
import { OperatorClient } from "../../ipc/socket/operator-client.ts";
import { AgentConnection, tokenOf } from "../support/agent-connection.ts";
import { NO_BROWSER } from "../support/browser.ts";
import { card } from "../support/card-page.ts";
import { DUNST_PROGRAMS, DunstDesktop } from "../support/dunst.ts";
import { LAUNCHER, StartedProcess, startServe } from "../support/gate-process.ts";
import { least } from "../support/measured.ts";
import { settled } from "../support/page-seat.ts";
import { cantRun } from "../support/private-bus.ts";
import { readToken } from "../support/running-gate.ts";
import { sharedBrowser } from "../support/shared-browser.ts";
import { type TemporaryHome, temporaryHome } from "../support/temporary-home.ts";
import { Pty } from "../support/watched.ts";

const skipped = cantRun("a restart with a notification open", [...DUNST_PROGRAMS, "script"]) || NO_BROWSER !== null;
const browser = sharedBrowser(beforeAll, afterAll);

/** How long each surface may take until it shows what is true again, in milliseconds. */
const BACK_MS = 3000;

async function operatorOf({ paths }: TemporaryHome): Promise<OperatorClient> {
  const operator = await OperatorClient.connect(paths.operator_socket, paths.operatorToken);
  onTestFinished(() => operator.close());
  return operator;
}

async function agentOf({ paths }: TemporaryHome): Promise<AgentConnection> {
  const agent = await AgentConnection.open(paths.agent_socket);
  onTestFinished(() => agent.close());
  await agent.hello("worker", { token: readToken(agentTokenFile(paths, "worker")) });
  return agent;
}

describe.skipIf(skipped)(
  "a gate that is started again, with its page, watch, the trail's tail and a notification open",
  () => {
    it("within three seconds each shows what is true; no press or key meanwhile counts", async () => {
      const desktop = await DunstDesktop.start();
      const home = temporaryHome();
      const bus = { DBUS_SESSION_BUS_ADDRESS: desktop.address };
      const first = await startServe(home, ["--web"], bus);
      const operator = await operatorOf(home);
      await operator.call("agents.pair", { name: "worker", level: "Supervised" });
      const { url } = await operator.call("web.link", {});
      const context = await browser().newContext();
      onTestFinished(() => context.close());
      const page = await context.newPage();
      page.setDefaultTimeout(30_000);
      await page.goto(url);
      await page.getByRole("heading", { level: 1 }).waitFor();
      const env = { HOME: home.home, PATH: process.env.PATH ?? "" };
      const watch = new Pty([LAUNCHER, "watch"], env, 100, 30);
      await watch.shows("Nothing is waiting for you.");
      const tail = new StartedProcess(process.execPath, [LAUNCHER, "audit", "tail", "-f"], { env });
      await tail.printed(/web\.entered/);

      const agent = await agentOf(home);
      const asked = await agent.ask({ executor: "shell_exec", args: { command: "npm test" } });
      await desktop.shown();
      await card(page, "May I run?").waitFor();
      await watch.shows("May I run?");
      await settled(page);

      expect(await first.end("SIGTERM")).toBe(0);
      await desktop.closed();
      await page.getByRole("alert").filter({ hasText: "The gate isn't answering" }).waitFor();
      await watch.shows("Waiting for the gate …");
      await tail.printed(/waiting for the gate/);
      await desktop.press("Approve once");
      watch.type("ad\r");
      await page.keyboard.press("Enter");

      let restarts = 0;
      let running = first;
      const restarted = async () => {
        if (restarts++ > 0) {
          await running.end("SIGTERM");
          await desktop.closed();
          await page.getByRole("alert").filter({ hasText: "The gate isn't answering" }).waitFor();
          await watch.shows("Waiting for the gate …");
        }
        running = await startServe(home, ["--web"], bus);
        const since = performance.now();
        const took: Record<string, number> = {};
        const back = async (name: string, shows: Promise<unknown>) => {
          await shows;
          took[name] = Math.round(performance.now() - since);
        };
        const away = page.getByRole("alert").waitFor({ state: "detached" });
        await Promise.all([
          back(
            "page",
            away.then(() => card(page, "May I run?").waitFor()),
          ),
          back("watch", watch.shows("May I run?")),
          back("notification", desktop.shown()),
          back("tail", tail.printed(new RegExp(`(the gate is back[^]*){${restarts}}`))),
        ]);
        console.log(`after the gate was there again, in ms: ${JSON.stringify(took)}`);
        return Math.max(...Object.values(took));
      };
      expect(await least(BACK_MS, restarted)).toBeLessThan(BACK_MS);

      const again = await operatorOf(home);
      const [waiting] = await again.call("approvals.list", {});
      expect(waiting).toMatchObject({ token: tokenOf(asked.decision), status: "pending" });
      await again.call("approvals.resolve", { token: tokenOf(asked.decision), decision: "rejected" });
      await Promise.all([
        card(page, "May I run?").waitFor({ state: "detached" }),
        watch.shows("Nothing is waiting for you."),
        desktop.closed(),
      ]);
      await tail.printed(/"status":"rejected"|rejected/);
    });
  },
);
