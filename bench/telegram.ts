import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { OperatorClient } from "../ipc/socket/operator-client.ts";
import { BOT_TOKEN, ROBERTO_USER, TelegramServer } from "../test/support/telegram-server.ts";
import { type Figure, figure, median, quantile } from "./figure.ts";
import { benchHome, startGate } from "./gate-process.ts";
import { greeted } from "./round-trip.ts";

/** From a tap in Telegram to the agent's `tool.decision`, against a Bot API on loopback. Each tap waits a second first, as it must. */

const ROUNDS = 15;
const WARM_UP = 2;
const TAP_COUNTS_AFTER_MS = 1050;
const MAX_MS = 1000;

export async function telegram(): Promise<Figure[]> {
  const server = await TelegramServer.start();
  const home = benchHome([]);
  mkdirSync(home.paths.configDir, { recursive: true, mode: 0o700 });
  const tokenFile = join(home.paths.configDir, "telegram.token");
  writeFileSync(tokenFile, BOT_TOKEN, { mode: 0o600 });
  const config = `[telegram]\ntoken_file = ${JSON.stringify(tokenFile)}\napi_url = "${server.url}"\n`;
  writeFileSync(home.paths.configFile, config, { flag: "a" });
  const gate = await startGate(home);
  const operator = await OperatorClient.connect(home.paths.operator_socket, home.paths.operatorToken);
  const client = await greeted(home.paths.agent_socket, home.token);
  try {
    await link(operator, server);
    const times: number[] = [];
    for (let round = 0; round < ROUNDS + WARM_UP; round++) {
      const { data } = await client.ask(callMessage(round));
      const { token } = data.pending as { token: string };
      const message = await server.message(({ buttons }) =>
        buttons.flat().some(({ callback_data }) => callback_data === `approve:${token}`),
      );
      await new Promise((resolve) => setTimeout(resolve, TAP_COUNTS_AFTER_MS));
      const decided = new Promise((resolve) => client.listen(resolve));
      const tapped = performance.now();
      server.presses(ROBERTO_USER, message, `approve:${token}`);
      await decided;
      if (round >= WARM_UP) times.push(performance.now() - tapped);
    }
    const p95 = `p95 ${quantile(times, 0.95).toFixed(2)} ms, the loopback server's share included`;
    return [figure("tap in Telegram to tool.decision, median", median(times), "ms", MAX_MS, p95)];
  } finally {
    client.close();
    await operator.close();
    await gate.stop();
    await server.close();
    home.remove();
  }
}

async function link(operator: OperatorClient, server: TelegramServer): Promise<void> {
  const changed = () =>
    new Promise<void>((resolve) => {
      const end = operator.subscribe(() => {
        end();
        resolve();
      }, ["channels.changed"]);
    });
  for (let status = await operator.call("telegram.status", {}); status.bot === null; ) {
    await changed();
    status = await operator.call("telegram.status", {});
  }
  const { url } = await operator.call("telegram.link", {});
  const claimed = changed();
  server.writes(ROBERTO_USER, `/start ${new URL(url).searchParams.get("start")}`);
  await claimed;
  const { claim } = await operator.call("telegram.status", {});
  if (claim === null) throw new Error("nobody has claimed the link");
  await operator.call("telegram.confirm", { id: claim.id });
}

function callMessage(round: number): object {
  const args = { command: `git log -n ${round}` };
  return { type: "tool.call", data: { id: `c${round}`, intent: "look at the history", executor: "shell_exec", args } };
}
