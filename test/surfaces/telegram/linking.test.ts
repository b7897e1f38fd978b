import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ManualClock } from "../../support/manual-clock.ts";
import { configuredHome, TelegramGate } from "../../support/telegram-gate.ts";
import { BOT_TOKEN, ROBERTO_USER, STRANGER, telegramServer } from "../../support/telegram-server.ts";

const payloadOf = (url: string) => new URL(url).searchParams.get("start") ?? "";
const refused = async (gate: TelegramGate) =>
  (await gate.trail("telegram.refused")).map(({ why, count }) => [why, count]);

describe("a chat is linked", () => {
  it("by who presses the link in a private chat, once the user has confirmed the shown name", async () => {
    const gate = await TelegramGate.open();
    await gate.connected();
    const { url } = await gate.channel.linking.link();
    expect(payloadOf(url)).toMatch(/^[A-Za-z0-9_-]{22}$/);
    gate.server.writes({ ...ROBERTO_USER, first_name: "Rob\u202eerto" }, `/start ${payloadOf(url)}`);
    const claim = await gate.changed(() => gate.channel.linking.status().claim);
    expect(claim).toMatchObject({ user_id: ROBERTO_USER.id, name: "Rob\\u{202e}erto" });
    expect(gate.channel.linking.status().linked).toBeNull();
    const status = await gate.operator.call("telegram.confirm", { id: claim.id });
    expect(status).toMatchObject({ claim: null, linked: { user_id: ROBERTO_USER.id } });
  });

  it("never twice by one link, by a link of before, or after ten minutes", async () => {
    const clock = new ManualClock();
    const gate = await TelegramGate.open({ clock });
    await gate.connected();
    const first = payloadOf((await gate.channel.linking.link()).url);
    const second = payloadOf((await gate.channel.linking.link()).url);
    gate.server.writes(ROBERTO_USER, `/start ${first}`);
    await gate.server.allTaken();
    expect(gate.channel.linking.status().claim).toBeNull();
    gate.server.writes(ROBERTO_USER, `/start ${second}`);
    const claim = await gate.changed(() => gate.channel.linking.status().claim);
    gate.server.writes(STRANGER, `/start ${second}`);
    await gate.server.allTaken();
    expect(gate.channel.linking.status().claim).toEqual(claim);
    gate.channel.linking.reject(claim.id);
    expect(() => gate.channel.linking.confirm(claim.id)).toThrow("nobody waits to be linked");
    const third = payloadOf((await gate.channel.linking.link()).url);
    clock.jump(-3600);
    clock.advance(601);
    gate.server.writes(ROBERTO_USER, `/start ${third}`);
    await gate.server.allTaken();
    expect(gate.channel.linking.status()).toMatchObject({ claim: null, linked: null, link_expires_at: null });
  });

  it("not in a group, and not by a forwarded message", async () => {
    const gate = await TelegramGate.open();
    await gate.connected();
    const payload = payloadOf((await gate.channel.linking.link()).url);
    gate.server.writes(ROBERTO_USER, `/start ${payload}`, { chat: { id: -7, type: "supergroup" } });
    gate.server.writes(ROBERTO_USER, `/start ${payload}`, { forward_origin: { type: "user" } });
    await gate.server.allTaken();
    expect(gate.channel.linking.status().claim).toBeNull();
    expect(gate.server.messages).toEqual([]);
  });

  it("until it is unlinked: its messages say so, and nothing is answered there", async () => {
    const gate = await TelegramGate.open();
    await gate.link();
    const asked = gate.asks();
    const message = await gate.shown(asked.token);
    const { unlinked } = await gate.operator.call("telegram.unlink", {});
    expect(unlinked).toBe(true);
    await gate.server.until(() => message.text === "This chat is no longer linked." && message.buttons.length === 0);
    gate.server.sendsCallback(ROBERTO_USER, message, `approve:${asked.token}`);
    await gate.server.allTaken();
    expect(gate.request(asked.token).status).toBe("pending");
    expect((await gate.trail("telegram.unlinked")).length).toBe(1);
    await gate.link({ id: 77, first_name: "Other phone" });
    const anew = await gate.server.message(({ chat_id, buttons }) => chat_id === 77 && buttons.length > 0);
    gate.server.presses({ id: 77, first_name: "Other phone" }, anew, "Approve");
    expect(await asked.decided).toMatchObject({ outcome: "allowed" });
  });
});

it("a stranger who writes gets no word, and many lines become one line and a count in the trail", async () => {
  const gate = await TelegramGate.open({ timing: { refusedIntervalMs: 60_000 } });
  await gate.link();
  const sent = gate.server.messages.length;
  for (let index = 0; index < 50; index++) gate.server.writes(STRANGER, `/pause ${index}`);
  gate.server.writes(STRANGER, "/pause");
  gate.server.push({ message: { nonsense: true } });
  await gate.server.allTaken();
  expect(gate.server.messages.length).toBe(sent);
  expect(await refused(gate)).toEqual([
    ["not-linked", 1],
    ["malformed", 1],
  ]);
  expect((await gate.operator.call("safety.status", {})).pause.is_paused).toBe(false);
  await gate.channel.close();
  expect((await refused(gate)).at(-1)).toEqual(["not-linked", 50]);
});

it("the bot's token is in no log, error, status and trail, whatever Telegram answers", async () => {
  const server = await telegramServer();
  server.fail("getMe", { drop: "before" });
  server.fail("getMe", { status: 500 });
  server.fail("getMe", { body: "<html>" });
  server.fail("getMe", { body: '{"ok":true,"result":{"id":"x"}}' });
  server.fail("getMe", { body: "null" });
  server.fail("getMe", { status: 302, description: "x" });
  const home = configuredHome(server);
  const gate = await TelegramGate.open({ server, home });
  await gate.connected();
  server.revokeToken("987654321:BBotherotherotherotherotherother");
  await gate.changed(() => (/token/.test(gate.channel.status().text) ? true : null));
  await expect(gate.channel.linking.link()).rejects.toMatchObject({ code: "channel_failed" });
  expect(gate.channel.status()).toEqual({
    state: "failing",
    text: "Telegram doesn't know this bot: its token is wrong, or was revoked",
  });
  const said = JSON.stringify([gate.log, gate.channel.status(), await gate.operator.call("audit.tail", {})]);
  expect(gate.log.length).toBeGreaterThan(2);
  expect(said).not.toContain(BOT_TOKEN.slice(12));
  // A token that was put right is taken without a restart.
  writeFileSync(join(home.paths.configDir, "telegram.token"), "987654321:BBotherotherotherotherotherother", {
    mode: 0o600,
  });
  await gate.connected();
});
