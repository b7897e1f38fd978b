import { expect, it } from "vitest";
import { TelegramGate } from "../../support/telegram-gate.ts";
import { ROBERTO_USER } from "../../support/telegram-server.ts";

it("a request appears in the linked chat, and a tap answers it", async () => {
  const gate = await TelegramGate.open();
  await gate.link();
  const asked = gate.asks("a.txt");
  const message = await gate.shown(asked.token);
  expect(message.text).toContain("tester: May I write?");
  expect(message.text).toContain("a.txt -> ~/work/");
  const callback = gate.server.presses(ROBERTO_USER, message, "Approve");
  const decision = await asked.decided;
  expect(decision).toMatchObject({ outcome: "allowed", status: "approved" });
  const answer = await gate.server.answerTo(callback);
  expect(answer.text).toMatch(/^Approved in Telegram: tester: write /);
  expect(message).toMatchObject({ text: answer.text, buttons: [] });
  expect(gate.request(asked.token)).toMatchObject({ status: "approved", decision_surface: "telegram" });
  expect(gate.log).toEqual([]);
});
