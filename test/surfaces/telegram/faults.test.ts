import { setTimeout } from "node:timers/promises";
import { expect, it } from "vitest";
import { Seeded } from "../../../fuzz/seeded.ts";
import { configuredHome, TelegramGate } from "../../support/telegram-gate.ts";
import { BOT_NAME, ROBERTO_USER, telegramServer } from "../../support/telegram-server.ts";

it("the poll survives 401, 409, 429, 5xx, ended connections and what is no answer, and then says that all is well", async () => {
  const gate = await TelegramGate.open();
  await gate.link();
  const { server } = gate;
  const states: string[] = [];
  gate.operator.subscribe(() => states.push(gate.channel.status().text), ["channels.changed"]);
  const faults = [
    { status: 409 },
    { status: 401 },
    { status: 429, retry_after: 0.02 },
    { status: 500 },
    { status: 504 },
    { drop: "before" as const },
    { body: "<html>502</html>" },
    { body: '{"ok":true,"result":{"not":"a list"}}' },
    { body: '{"ok":true,"result":[{"no":"number"}]}' },
    { body: "null" },
  ];
  for (const fault of faults) {
    server.fail("getUpdates", fault);
    server.writes(ROBERTO_USER, "/status");
    const sent = server.messages.length;
    await server.allTaken();
    await server.until(() => server.messages.length > sent);
  }
  expect(server.messages.filter(({ text }) => text.startsWith("Not paused.")).length).toBe(faults.length);
  expect(states).toContain("another program asks Telegram for this bot's messages: end it, or use a bot of its own");
  expect(states).toContain("Telegram doesn't know this bot: its token is wrong, or was revoked");
  await gate.changed(() => (gate.channel.status().state === "on" ? true : null));
});

it("an update that is delivered twice, in one answer or later, is handled once", async () => {
  const gate = await TelegramGate.open();
  await gate.link();
  const message = {
    message_id: 500,
    from: { is_bot: false, ...ROBERTO_USER },
    chat: { id: ROBERTO_USER.id, type: "private" },
    text: "/status",
  };
  gate.server.pushAgain({ update_id: 5000, message });
  gate.server.pushAgain({ update_id: 5000, message });
  await gate.server.allTaken();
  gate.server.pushAgain({ update_id: 5001, message: { ...message, text: "/pending" } });
  await gate.server.message(({ text }) => text === "Nothing waits.");
  expect(gate.server.messages.filter(({ text }) => text.startsWith("Not paused.")).length).toBe(1);
});

it("what ended while the gate was away is edited at its next start, and what still waits can be answered", async () => {
  const first = await TelegramGate.open();
  await first.link();
  const [ended, waiting] = [first.asks("a.txt"), first.asks("b.txt")];
  const [endedMessage, message] = [await first.shown(ended.token), await first.shown(waiting.token)];
  first.server.fail("editMessageText", { status: 502 }, 1000);
  await first.operator.call("approvals.resolve", { token: ended.token, decision: "rejected" });
  await first.close();
  expect(endedMessage.buttons.length).toBeGreaterThan(0);
  first.server.forgive();
  const second = await TelegramGate.open({ server: first.server, home: first.home });
  await second.server.until(
    () => endedMessage.text.startsWith("Denied: tester: write") && endedMessage.buttons.length === 0,
  );
  const callback = second.server.presses(ROBERTO_USER, message, "Approve");
  expect((await second.server.answerTo(callback)).text).toMatch(/^Approved in Telegram/);
  expect(second.request(waiting.token).status).toBe("approved");
  expect(second.server.messages.filter(({ text }) => text.includes("b.txt")).length).toBe(1);
});

it("what is being sent as the gate ends is sent once: its answer is waited for, and the next gate knows it", async () => {
  const first = await TelegramGate.open();
  await first.link();
  const { server, home } = first;
  const { promise: answeredAfter, resolve: answer } = Promise.withResolvers<void>();
  server.fail("sendMessage", { answeredAfter });
  const asked = first.asks("a.txt");
  await server.message(({ text }) => text.includes("a.txt"));
  const polled = server.count("getUpdates");
  const closed = first.close();
  // The last one confirms what was handled.
  await server.until(() => server.count("getUpdates") > polled);
  await setTimeout(50);
  answer();
  await closed;
  const second = await TelegramGate.open({ server, home });
  await second.operator.call("approvals.resolve", { token: asked.token, decision: "rejected" });
  const shown = () => server.messages.flatMap(({ text }) => (text.includes("a.txt") ? [text] : []));
  await expect.poll(shown).toEqual([expect.stringMatching(/^Denied: tester: write/)]);
});

it("an agent that asks without an end makes a bounded number of messages, and each is shown once there is room", async () => {
  const gate = await TelegramGate.open();
  await gate.link();
  const before = gate.server.messages.length;
  const asked = Array.from({ length: 80 }, (_, index) => gate.asks(`${index}.txt`)).filter(({ token }) => token !== "");
  expect(asked.length).toBeGreaterThan(60);
  await gate.server.until(() => gate.server.messages.length - before >= 60);
  expect(gate.server.messages.length - before).toBe(60);
  for (const { token } of asked.slice(0, 60))
    await gate.operator.call("approvals.resolve", { token, decision: "rejected" });
  for (const { token } of asked.slice(60)) await gate.shown(token);
});

it("taps while drops, 429, 5xx and 409 come at once: each request is answered once, none is lost", async () => {
  const random = new Seeded(20261122);
  const gate = await TelegramGate.open();
  await gate.link();
  gate.server.chaos = ({ method }) => {
    if (!random.chance(0.15)) return undefined;
    if (method === "getUpdates") return random.pick([{ status: 409 }, { status: 502 }, { drop: "before" as const }]);
    return random.pick([{ status: 429, retry_after: 0.005 }, { status: 500 }, { drop: "before" as const }]);
  };
  let ended = 0;
  gate.operator.subscribe(() => {
    ended += 1;
  }, ["approval.closed"]);
  for (let hour = 0; hour < 24; hour++) {
    const asked = gate.asks(`${hour}.txt`);
    const message = await gate.shown(asked.token);
    gate.server.presses(ROBERTO_USER, message, hour % 3 === 0 ? "Deny" : "Approve");
    const decision = await asked.decided;
    expect(decision.status).toBe(hour % 3 === 0 ? "rejected" : "approved");
    await gate.server.until(() => message.buttons.length === 0);
    expect(message.text.startsWith(hour % 3 === 0 ? "Denied" : "Approved")).toBe(true);
  }
  expect(ended).toBe(24);
});

it("who was linked before may block the bot: the chat that is linked now gets what waits all the same", async () => {
  const gate = await TelegramGate.open();
  await gate.link();
  const asked = gate.asks();
  await gate.shown(asked.token);
  const other = { id: 77, first_name: "Other phone" };
  gate.server.chaos = ({ params }) =>
    params.chat_id === ROBERTO_USER.id
      ? { status: 403, description: "Forbidden: bot was blocked by the user" }
      : undefined;
  await gate.link(other);
  const anew = await gate.server.message(({ chat_id, buttons }) => chat_id === other.id && buttons.length > 0);
  gate.server.presses(other, anew, "Approve");
  expect(await asked.decided).toMatchObject({ outcome: "allowed" });
});

it("one message that can't be changed, ever, holds up no other", async () => {
  const gate = await TelegramGate.open();
  await gate.link();
  const stuck = gate.asks("stuck.txt");
  const { message_id } = await gate.shown(stuck.token);
  gate.server.chaos = ({ method, params }) =>
    method === "editMessageText" && params.message_id === message_id ? { status: 500 } : undefined;
  await gate.operator.call("approvals.resolve", { token: stuck.token, decision: "rejected" });
  const asked = gate.asks("other.txt");
  const message = await gate.shown(asked.token);
  gate.server.presses(ROBERTO_USER, message, "Deny");
  expect(await asked.decided).toMatchObject({ status: "rejected" });
  await gate.server.until(() => message.buttons.length === 0);
});

it("what a proxy answers in JSON refuses no message: it is sent again", async () => {
  const gate = await TelegramGate.open();
  await gate.link();
  for (const body of ['{"error":"bad gateway"}', '{"ok":false}', "{}", '{"ok":false,"error_code":"500"}'])
    gate.server.fail("sendMessage", { body });
  const { text } = await gate.shown(gate.asks().token);
  expect(text).toContain("a.txt");
});

it("a server that wants to be asked again at once is asked with a pause that grows", async () => {
  const gate = await TelegramGate.open({ timing: { firstWaitMs: 20, longestWaitMs: 80 } });
  await gate.link();
  gate.server.fail("getUpdates", { status: 429, retry_after: 0 }, 5);
  gate.server.fail("sendMessage", { status: 429, retry_after: -1 }, 5);
  const began = performance.now();
  await gate.shown(gate.asks().token);
  gate.server.writes(ROBERTO_USER, "/status");
  await gate.server.message(({ text }) => text.startsWith("Not paused."));
  expect(performance.now() - began).toBeGreaterThan(20 + 40 + 80 + 80 + 80);
});

it("a second poller of the same bot, as of another machine, is said in the status; what it takes away is answered once all the same", async () => {
  const server = await telegramServer();
  const gate = await TelegramGate.open({ server, timing: { firstWaitMs: 50, longestWaitMs: 50 } });
  await gate.link();
  const ended: string[] = [];
  gate.operator.subscribe(
    ({ type, data }) => {
      if (type === "approval.closed") ended.push(data.token);
    },
    ["approval.closed"],
  );
  const other = await TelegramGate.open({ server, home: configuredHome(server) });
  await gate.changed(() => (/another program asks/.test(gate.channel.status().text) ? true : null));
  const asked = gate.asks("a.txt");
  const message = await gate.shown(asked.token);
  // Whoever polls gets the tap; the gate that doesn't know the chat does nothing with it.
  while (gate.request(asked.token).status === "pending") {
    server.sendsCallback(ROBERTO_USER, message, `approve:${asked.token}`);
    await server.allTaken();
  }
  expect(await asked.decided).toMatchObject({ outcome: "allowed", status: "approved" });
  await server.until(() => message.text.startsWith("Approved") && message.buttons.length === 0);
  expect(other.core.gate.broker.registry.getPending(asked.token)).toBeUndefined();
  await other.close();
  await gate.changed(() => (gate.channel.status().state === "on" ? true : null));
  expect(gate.channel.status().text).toBe(`@${BOT_NAME} writes to Roberto (${ROBERTO_USER.id})`);
  const next = gate.asks("b.txt");
  server.presses(ROBERTO_USER, await gate.shown(next.token), "Deny");
  expect(await next.decided).toMatchObject({ outcome: "denied", status: "rejected" });
  expect(ended).toEqual([asked.token, next.token]);
});
