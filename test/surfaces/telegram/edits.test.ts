import { setImmediate as turn } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { type BotApi, type Screen, TelegramError } from "../../../main/surfaces/telegram/bot-api.ts";
import { ChatMessages } from "../../../main/surfaces/telegram/chat-messages.ts";
import { TIMING } from "../../../main/surfaces/telegram/timing.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { SimulatedTime } from "../../support/simulated-time.ts";
import { TelegramGate } from "../../support/telegram-gate.ts";
import { ROBERTO_USER } from "../../support/telegram-server.ts";

const SECOND = 1000;

const screen = (text: string): Screen => ({ text, buttons: [] });

/** A chat on simulated time, and each call of the Bot API with when it was made, in milliseconds. */
function chat(fails: (call: string) => TelegramError | undefined = () => undefined) {
  const time = new SimulatedTime(new ManualClock());
  const calls: { at: number; call: string }[] = [];
  const began = time.monotonic();
  const made = async (call: string) => {
    calls.push({ at: time.monotonic() - began, call });
    await turn();
    const error = fails(call);
    if (error !== undefined) throw error;
  };
  let sent = 0;
  const api = {
    send: async (_chat: number, { text }: Screen) => {
      await made(`send ${text}`);
      return ++sent;
    },
    edit: async (_chat: number, id: number, { text }: Screen) => await made(`edit ${id} ${text}`),
  } as unknown as BotApi;
  const messages = new ChatMessages({
    api: () => api,
    isLinked: () => true,
    timing: TIMING,
    waits: time,
    sent: () => undefined,
    ended: () => undefined,
    failing: () => undefined,
    log: () => undefined,
  });
  onTestFinished(() => messages.close(0));
  const passes = (ms: number) => time.pass(ms, () => true);
  const show = (key: string, text: string, isUrgent = false) =>
    messages.show(key, 1, screen(text), { tokens: [key], is_urgent: isUrgent });
  return { messages, calls, passes, show };
}

it("a message is changed once in 2.5 s at the most, and says the last that it should", async () => {
  const { messages, calls, passes, show } = chat();
  show("a", "1");
  await passes(100);
  for (let count = 2; count <= 40; count++) {
    show("a", String(count));
    await passes(100);
  }
  messages.end("a", screen("ended"));
  await passes(5 * SECOND);
  const edits = calls.filter(({ call }) => call.startsWith("edit"));
  expect(calls[0]?.call).toBe("send 1");
  expect(edits.length).toBeLessThanOrEqual(3);
  expect(edits.at(-1)?.call).toBe("edit 1 ended");
  for (const [index, { at }] of edits.entries())
    if (index > 0) expect(at - (edits[index - 1]?.at ?? 0)).toBeGreaterThanOrEqual(2.5 * SECOND);
});

it("after a 429 for one agent's messages another's dangerous card is the next that is sent", async () => {
  const limited = new TelegramError("too-many", 7 * SECOND);
  const { calls, passes, show } = chat((call) => (call.startsWith("edit") ? limited : undefined));
  for (const key of ["a", "b", "c"]) show(key, key);
  await passes(SECOND);
  for (const key of ["a", "b", "c"]) show(key, `${key} changed`);
  await passes(SECOND);
  const before = calls.length;
  show("usual", "usual");
  show("dangerous", "dangerous", true);
  await passes(7 * SECOND);
  const [first] = calls.slice(before);
  expect(first?.call).toBe("send dangerous");
  expect((first?.at ?? 0) - (calls[before - 1]?.at ?? 0)).toBeLessThanOrEqual(7 * SECOND + 100);
});

it("a tap changes its message once", async () => {
  const gate = await TelegramGate.open({});
  await gate.link();
  const asked = gate.asks();
  const message = await gate.shown(asked.token);
  const before = message.edits;
  await gate.server.answerTo(gate.server.presses(ROBERTO_USER, message, "Approve"));
  expect(await asked.decided).toMatchObject({ outcome: "allowed" });
  await gate.server.allTaken();
  const edits = gate.server.calls.filter(({ method }) => method === "editMessageText").length;
  expect([message.edits - before, edits]).toEqual([1, 1]);
});
