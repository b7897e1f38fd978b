import { describe, expect, it } from "vitest";
import { TelegramGate } from "../../support/telegram-gate.ts";
import { type BotMessage, ROBERTO_USER, STRANGER } from "../../support/telegram-server.ts";

// docs/decisions/requirements-approvals.md, "Callback", with a linked chat; and what a tap can't do.

async function linkedWith(options: Parameters<typeof TelegramGate.open>[0] = {}) {
  const gate = await TelegramGate.open(options);
  await gate.link();
  const asked = gate.asks();
  const message = await gate.shown(asked.token);
  const callback = (data: string, change: Record<string, unknown> = {}) => ({
    id: "cb",
    from: { is_bot: false, ...ROBERTO_USER },
    message: { message_id: message.message_id, chat: { id: message.chat_id, type: "private" } },
    data,
    ...change,
  });
  return { gate, asked, message, callback };
}

const why = async (gate: TelegramGate) => (await gate.trail("telegram.refused")).map((line) => line.why);

describe("the callback", () => {
  it("approve:<token> calls resolve and confirms", async () => {
    const { gate, asked, message, callback } = await linkedWith();
    expect(await gate.channel.handleCallback(callback(`approve:${asked.token}`))).toEqual({
      ok: true,
      done: "approved",
    });
    expect(await asked.decided).toMatchObject({ outcome: "allowed" });
    await gate.server.until(() => message.text.startsWith("Approved in Telegram: tester: write a.txt"));
    await gate.server.answerTo("cb");
  });

  it("reject:<token> calls resolve and confirms", async () => {
    const { gate, asked, message, callback } = await linkedWith();
    expect(await gate.channel.handleCallback(callback(`reject:${asked.token}`))).toEqual({
      ok: true,
      done: "rejected",
    });
    expect(await asked.decided).toMatchObject({ outcome: "denied", status: "rejected" });
    await gate.server.until(() => message.text.startsWith("Denied in Telegram: tester: write a.txt"));
  });

  it("another prefix is an unknown callback, and logged", async () => {
    const { gate, asked, callback } = await linkedWith();
    const result = await gate.channel.handleCallback(callback(`maybe:${asked.token}`));
    expect(result).toEqual({ ok: false, reason: "unknown_callback" });
    expect(gate.log).toContain("telegram: a button that isn't known was pressed");
    expect((await gate.server.answerTo("cb")).text).toBe("This button isn't known.");
    expect(await gate.channel.handleCallback(callback("approve:"))).toEqual({ ok: false, reason: "missing_token" });
    expect(gate.request(asked.token).status).toBe("pending");
  });

  it("an error of the registry is sent to who pressed", async () => {
    const { gate, asked, callback } = await linkedWith();
    await gate.operator.call("approvals.resolve", { token: asked.token, decision: "rejected" });
    const result = await gate.channel.handleCallback(callback(`approve:${asked.token}`));
    expect(result).toEqual({ ok: false, reason: "approval_failed", error: "already_resolved" });
    const answer = await gate.server.answerTo("cb");
    expect(answer).toMatchObject({ text: "Not answered: it was answered already, or withdrawn.", show_alert: true });
  });

  it("comes before any check who that is: the registry refuses who isn't linked, and that user gets no word", async () => {
    const { gate, asked, callback } = await linkedWith();
    const sent = gate.server.calls.length;
    const result = await gate.channel.handleCallback(
      callback(`approve:${asked.token}`, { from: { is_bot: false, ...STRANGER } }),
    );
    expect(result).toEqual({ ok: false, reason: "approval_failed", error: "decider not authorised" });
    expect(gate.request(asked.token).status).toBe("pending");
    expect(await gate.trail("telegram.refused")).toMatchObject([{ why: "not-linked", user_id: STRANGER.id, count: 1 }]);
    expect(gate.server.calls.slice(sent).filter(({ method }) => method !== "getUpdates")).toEqual([]);
  });
});

describe("what a tap can't do", () => {
  it("answer on a forwarded copy, or on any other message than the one that shows the request", async () => {
    const { gate, asked, callback } = await linkedWith();
    const elsewhere = { message: { message_id: 9999, chat: { id: ROBERTO_USER.id, type: "private" } } };
    const result = await gate.channel.handleCallback(callback(`approve:${asked.token}`, elsewhere));
    expect(result).toEqual({ ok: false, reason: "not_shown_here" });
    expect(await why(gate)).toEqual(["not-shown-here"]);
    expect(gate.request(asked.token).status).toBe("pending");
  });

  it("answer in a group, also where the linked user taps", async () => {
    const { gate, asked, message, callback } = await linkedWith();
    const group = { message: { message_id: message.message_id, chat: { id: -100, type: "group" } } };
    const result = await gate.channel.handleCallback(callback(`approve:${asked.token}`, group));
    expect(result).toMatchObject({ ok: false, error: "decider not authorised" });
    expect(await why(gate)).toEqual(["group"]);
    expect(gate.request(asked.token).status).toBe("pending");
  });

  it("answer another request than the message's, one of another gate, or one that nobody made", async () => {
    const { gate, asked, callback } = await linkedWith();
    const other = gate.asks("b.txt");
    await gate.shown(other.token);
    for (const token of [other.token, "0123456789abcdef", "x"])
      expect(await gate.channel.handleCallback(callback(`approve:${token}`))).toMatchObject({
        ok: false,
        reason: "not_shown_here",
      });
    expect([asked, other].map(({ token }) => gate.request(token).status)).toEqual(["pending", "pending"]);
    expect(await why(gate)).toEqual(["not-shown-here"]);
  });

  it("approve what the message doesn't offer to approve", async () => {
    const { gate, asked, message, callback } = await linkedWith({ telegram: 'show = "title"' });
    expect(message.text).toBe("tester asks\nA request waits for your answer.\nReview it at the machine.");
    expect(message.buttons.flat().map(({ callback_data }) => callback_data)).toEqual([`reject:${asked.token}`]);
    for (const data of [`approve:${asked.token}`, `store:${asked.token}:1`, `wider:${asked.token}:1`])
      expect(await gate.channel.handleCallback(callback(data))).toEqual({ ok: false, reason: "not_offered" });
    expect(gate.request(asked.token).status).toBe("pending");
  });

  it("store a wider answer without its sentence having been shown", async () => {
    const { gate, asked, callback } = await linkedWith();
    expect(await gate.channel.handleCallback(callback(`store:${asked.token}:1`))).toMatchObject({
      reason: "not_offered",
    });
    expect(await gate.operator.call("grants.list", {})).toEqual([]);
  });

  it("answer by a name: another user with the linked one's is refused", async () => {
    const { gate, asked, callback } = await linkedWith();
    const impostor = { is_bot: false, ...ROBERTO_USER, id: STRANGER.id };
    expect(await gate.channel.handleCallback(callback(`approve:${asked.token}`, { from: impostor }))).toMatchObject({
      ok: false,
      error: "decider not authorised",
    });
  });

  it("approve under another name than was linked, until that is confirmed; denying counts", async () => {
    const { gate, asked, callback } = await linkedWith();
    const from = { is_bot: false, id: ROBERTO_USER.id, first_name: "Bob" };
    const tap = () => gate.channel.handleCallback(callback(`approve:${asked.token}`, { from }));
    expect(await tap()).toEqual({ ok: false, reason: "changed_name" });
    expect(gate.request(asked.token).status).toBe("pending");
    expect(await why(gate)).toEqual(["changed-name"]);
    const { claim } = gate.channel.linking.status();
    expect(claim).toMatchObject({ user_id: ROBERTO_USER.id, name: "Bob", is_renamed: true });
    await tap();
    expect(gate.channel.linking.status().claim?.id).toBe(claim?.id);
    gate.channel.linking.confirm(claim?.id ?? "");
    expect(await tap()).toMatchObject({ ok: true, done: "approved" });
  });

  it("of the linked user under another name: a denial counts", async () => {
    const { gate, asked, callback } = await linkedWith();
    const from = { is_bot: false, id: ROBERTO_USER.id, first_name: "Bob" };
    expect(await gate.channel.handleCallback(callback(`reject:${asked.token}`, { from }))).toMatchObject({ ok: true });
  });

  it("count before the message was there for a second, or was changed a second ago", async () => {
    const { gate, asked, message } = await linkedWith({ timing: { tapDelayMs: 1000 } });
    const early = gate.server.presses(ROBERTO_USER, message, "Approve");
    expect((await gate.server.answerTo(early)).text).toBe("Too fast: read it, then press again.");
    expect(gate.request(asked.token).status).toBe("pending");
    await new Promise((resolve) => setTimeout(resolve, 1000 - (performance.now() - message.sent_at) + 30));
    gate.server.presses(ROBERTO_USER, message, "Approve");
    expect(await asked.decided).toMatchObject({ outcome: "allowed" });
  });
});

it("what is approved is what is shown: of a request that has become another one meanwhile the tap doesn't count", async () => {
  const { gate, asked, callback } = await linkedWith();
  const { registry } = gate.core.gate.broker;
  const request = registry.getPending(asked.token);
  if (request === undefined) throw new Error("there is no such request");
  registry.describeAnew({ ...request, extra: { ...request.extra, args: { path: "/elsewhere", content: "other" } } });
  expect(await gate.channel.handleCallback(callback(`approve:${asked.token}`))).toMatchObject({ reason: "changing" });
  expect(gate.request(asked.token).status).toBe("pending");
  await gate.server.message(({ text }) => text.includes("│ path: /elsewhere"));
});

describe("a wider answer", () => {
  const widest = ({ buttons }: BotMessage) =>
    buttons.flat().filter(({ callback_data }) => callback_data.startsWith("wider:"));

  it("is stored by a second tap, which follows the exact sentence that is stored", async () => {
    const { gate, asked, message } = await linkedWith();
    const [first] = widest(message);
    gate.server.presses(ROBERTO_USER, message, first?.text ?? "");
    await gate.server.until(() => message.text.includes("this is stored for tester:"));
    expect(message.text).toContain(`│ fs:write on ${gate.home.home}/work/a.txt`);
    expect(message.text).toContain("until the session ends");
    expect(await gate.operator.call("grants.list", {})).toEqual([]);
    gate.server.presses(ROBERTO_USER, message, "Approve and store");
    expect(await asked.decided).toMatchObject({ outcome: "allowed" });
    expect(await gate.operator.call("grants.list", {})).toMatchObject([
      { capability: "fs:write", target: `${gate.home.home}/work/a.txt`, session: "s1" },
    ]);
    await gate.server.until(() => message.text.startsWith("Approved for this session in Telegram: "));
  });

  it("is not stored by Back, nor by Deny", async () => {
    const { gate, asked, message } = await linkedWith();
    gate.server.presses(ROBERTO_USER, message, widest(message)[0]?.text ?? "");
    await gate.server.until(() => message.text.includes("this is stored"));
    gate.server.presses(ROBERTO_USER, message, "Back");
    await gate.server.until(() => message.text.includes("May I write?") && widest(message).length > 0);
    gate.server.presses(ROBERTO_USER, message, "Deny");
    expect(await asked.decided).toMatchObject({ outcome: "denied" });
    expect(await gate.operator.call("grants.list", {})).toEqual([]);
  });
});

it("a message that no gate knows, as of one that was killed while it was sent, can't be answered and says so once it is tapped", async () => {
  const { gate, asked, message, callback } = await linkedWith();
  const copy = { ...message, message_id: 777, buttons: message.buttons };
  gate.server.messages.push(copy);
  const orphan = { message: { message_id: 777, chat: { id: message.chat_id, type: "private" } } };
  expect(await gate.channel.handleCallback(callback(`approve:${asked.token}`, orphan))).toMatchObject({ ok: false });
  await gate.server.until(() => copy.text.startsWith("This message is out of date.") && copy.buttons.length === 0);
  expect(gate.request(asked.token).status).toBe("pending");
});
