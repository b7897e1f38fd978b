import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { tokenOf } from "../../support/agent-connection.ts";
import { runGate } from "../../support/gate-process.ts";
import { type GateUnderTest, startGate } from "../../support/running-gate.ts";
import { configuredHome } from "../../support/telegram-gate.ts";
import { BOT_NAME, BOT_TOKEN, type BotMessage, ROBERTO_USER, telegramServer } from "../../support/telegram-server.ts";

/** What a tap needs: its message was there for a second. */
const A_SECOND = 1100;

async function gateWithChat() {
  const server = await telegramServer();
  const home = configuredHome(server);
  const gate = await startGate({ home });
  await channelState(gate, "on", "waiting");
  const cli = (...args: string[]) => runGate(home, args);
  return { server, home, gate, cli };
}

/** Until the bot is known. */
async function channelState(gate: GateUnderTest, ...states: string[]): Promise<void> {
  const isSo = async () => {
    const { bot } = await gate.operator.call("telegram.status", {});
    const channels = await gate.operator.call("channels.status", {});
    const telegram = channels.find(({ name }) => name === "telegram");
    return bot === BOT_NAME && telegram !== undefined && states.includes(telegram.state);
  };
  while (!(await isSo())) await gate.event(({ type }) => type === "channels.changed");
}

/** As a user reads it before pressing. */
const read = () => new Promise((resolve) => setTimeout(resolve, A_SECOND));

function write(home: { home: string }, name: string) {
  const cwd = join(home.home, "work");
  mkdirSync(cwd, { recursive: true });
  return { executor: "fs_write", intent: "write", args: { path: join(cwd, name), content: "text" }, context: { cwd } };
}

it("from the first link to an answer after a restart, with the commands that a user runs", async () => {
  const { server, home, gate, cli } = await gateWithChat();
  const shows = (token: string): Promise<BotMessage> =>
    server.message((message) => message.is_answered && message.data.includes(`approve:${token}`));

  const linking = await cli("telegram", "link");
  expect(linking.code).toBe(0);
  const url = new URL(String(linking.lines[0]?.url));
  expect(url.href).toMatch(new RegExp(`^https://t\\.me/${BOT_NAME}\\?start=[\\w-]{22}$`));
  expect(linking.stderr).toContain("Open it in Telegram within ten minutes, and press Start:");
  server.writes(ROBERTO_USER, `/start ${url.searchParams.get("start")}`);
  await server.allTaken();
  const pressed = await cli("telegram", "status");
  const { claim } = await gate.operator.call("telegram.status", {});
  expect(pressed.lines[0]?.claim).toEqual(claim);
  const id = claim?.id ?? "";
  expect(pressed.stderr).toContain(`Pressed by: Roberto, number ${ROBERTO_USER.id}.`);
  expect(pressed.stderr).toContain(`telegram confirm ${id}`);
  const wrong = await cli("telegram", "confirm", "somebody-else");
  expect([wrong.code, wrong.stderr]).toEqual([4, expect.stringContaining("nobody waits to be linked")]);
  const confirmed = await cli("telegram", "confirm", id);
  expect([confirmed.code, confirmed.lines[0]?.linked]).toEqual([0, expect.objectContaining({ name: "Roberto" })]);

  const agent = await gate.agent("tester", "Supervised", { session: "s1" });
  const [first, second] = [await agent.ask(write(home, "a.txt")), await agent.ask(write(home, "b.txt"))];
  const message = await shows(tokenOf(first.decision));
  await read();
  server.presses(ROBERTO_USER, message, "Approve");
  expect(await first.final()).toMatchObject({ outcome: "allowed", status: "approved" });
  await server.until(() => message.text.startsWith("Approved") && message.buttons.length === 0);

  const waiting = await shows(tokenOf(second.decision));
  await gate.close();
  server.presses(ROBERTO_USER, waiting, "Deny");
  const restarted = await startGate({ home });
  await server.until(() => waiting.text.startsWith("Denied") && waiting.buttons.length === 0);
  expect(await restarted.request(tokenOf(second.decision))).toMatchObject({
    status: "rejected",
    decision_surface: "telegram",
  });

  const again = await restarted.agent("tester", "Supervised", { session: "s1" });
  const third = await again.ask(write(home, "c.txt"));
  const last = await shows(tokenOf(third.decision));
  expect((await cli("telegram", "unlink")).stderr).toContain("unlinked");
  await server.until(() => last.buttons.length === 0);
  await read();
  server.sendsCallback(ROBERTO_USER, last, `approve:${tokenOf(third.decision)}`);
  await server.allTaken();
  expect(await restarted.request(tokenOf(third.decision))).toMatchObject({ status: "pending" });
  const said = JSON.stringify([gate.log, restarted.log, await restarted.operator.call("audit.tail", { lines: 1000 })]);
  expect(said).not.toContain(BOT_TOKEN.split(":")[1]);
  expect(said).toMatch(/telegram\.linked.*telegram\.unlinked/);
});

it("`channels status` says of each whether it is there and when it is used; `channels test` sends, or says why it can't", async () => {
  const { server, gate, cli } = await gateWithChat();
  const status = await cli("channels", "status");
  expect(status.code).toBe(0);
  expect(status.lines.map(({ name, state }) => [name, state])).toEqual([
    ["desktop", "off"],
    ["telegram", "waiting"],
    ["ntfy", "off"],
  ]);
  expect(status.stderr).toContain("ntfy: off, not configured");
  const unlinked = await cli("channels", "test", "telegram");
  expect([unlinked.code, unlinked.stderr]).toEqual([4, expect.stringContaining("no chat is linked")]);
  expect((await cli("channels", "test", "ntfy")).code).toBe(4);
  expect((await cli("channels", "test", "pigeon")).code).toBe(2);

  const { url } = await gate.operator.call("telegram.link", {});
  server.writes(ROBERTO_USER, `/start ${new URL(url).searchParams.get("start")}`);
  await server.allTaken();
  const { claim } = await gate.operator.call("telegram.status", {});
  await gate.operator.call("telegram.confirm", { id: claim?.id ?? "" });
  const tested = await cli("channels", "test", "telegram");
  expect([tested.code, tested.lines[0], tested.stderr.trim()]).toEqual([0, { sent: true }, "sent with telegram"]);
  expect(server.messages.filter(({ text }) => text.includes("test"))).toHaveLength(1);
  expect((await cli("channels", "status")).lines[1]).toMatchObject({ name: "telegram", state: "on" });
});
