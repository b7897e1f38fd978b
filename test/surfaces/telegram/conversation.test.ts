import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Timing } from "../../../main/surfaces/telegram/timing.ts";
import { configuredHome, TelegramGate } from "../../support/telegram-gate.ts";
import { ROBERTO_USER, telegramServer } from "../../support/telegram-server.ts";
import { tempFolder } from "../../support/temp-folder.ts";

async function linked(options: Parameters<typeof TelegramGate.open>[0] = {}) {
  const gate = await TelegramGate.open(options);
  await gate.link();
  const says = (text: string) => gate.server.writes(ROBERTO_USER, text);
  const answer = (pattern: RegExp) => gate.server.message(({ text }) => pattern.test(text));
  const isPaused = async () => (await gate.operator.call("safety.status", {})).pause.is_paused;
  return { gate, says, answer, isPaused };
}

describe("the user writes", () => {
  it("/pause: at once; /resume: asked back, and only a tap resumes", async () => {
    const { gate, says, answer, isPaused } = await linked();
    says("/pause");
    await answer(/^Every agent is paused\. /);
    expect(await isPaused()).toBe(true);
    says("/resume");
    const asked = await answer(/^Let every agent continue\?/);
    expect(await isPaused()).toBe(true);
    gate.server.presses(ROBERTO_USER, asked, "Resume");
    await gate.server.until(() => asked.text === "Resumed. Agents continue." && asked.buttons.length === 0);
    expect(await isPaused()).toBe(false);
  });

  it("/resume resumes the pause that it spoke of, and no later one: of that it asks anew", async () => {
    const { gate, says, answer, isPaused } = await linked();
    await gate.operator.call("safety.pause", { reason: "lunch" });
    says("/resume");
    const asked = await answer(/^Let every agent continue\?\nlunch/);
    await gate.operator.call("safety.resume", {});
    await gate.operator.call("safety.pause", { reason: "something dangerous" });
    const early = gate.server.presses(ROBERTO_USER, asked, "Resume");
    expect((await gate.server.answerTo(early)).text).toBe("It has changed: read it, then press again.");
    expect(await isPaused()).toBe(true);
    const anew = await answer(/^Let every agent continue\?\nsomething dangerous/);
    await gate.server.until(() => asked.buttons.length === 0);
    const resumed = gate.server.presses(ROBERTO_USER, anew, "Resume");
    expect((await gate.server.answerTo(resumed)).text).toBe("Resumed. Agents continue.");
    expect(await isPaused()).toBe(false);
  });

  it("/pause in a forwarded message: nothing", async () => {
    const { gate, isPaused } = await linked();
    gate.server.writes(ROBERTO_USER, "/pause", { forward_origin: { type: "user" } });
    await gate.server.allTaken();
    expect(await isPaused()).toBe(false);
    expect(await gate.trail("telegram.refused")).toMatchObject([{ why: "forwarded" }]);
  });

  it("/pending and /status", async () => {
    const { gate, says, answer } = await linked();
    says("/pending");
    await answer(/^Nothing waits\.$/);
    gate.asks("a.txt");
    says("/pending");
    expect((await answer(/^1 waiting/)).text).toBe("1 waiting\ntester: write a.txt -> ~/work/ (~4 B)");
    says("/status");
    expect((await answer(/^Not paused/)).text).toBe("Not paused.\n1 waiting\nNo alarm.");
  });
});

describe("the PIN of the day", () => {
  async function withPin() {
    const pinFile = join(tempFolder(), "pin");
    writeFileSync(pinFile, "2468\n", { mode: 0o600 });
    const parts = await linked({ telegram: `pin_file = ${JSON.stringify(pinFile)}` });
    const asked = parts.gate.asks();
    const message = await parts.gate.shown(asked.token);
    return { ...parts, asked, message };
  }

  it("is asked for before an approval, deleted from the chat, and in no trail", async () => {
    const { gate, says, answer, asked, message } = await withPin();
    const refused = gate.server.presses(ROBERTO_USER, message, "Approve");
    expect((await gate.server.answerTo(refused)).text).toMatch(/^Send your PIN first/);
    expect(gate.request(asked.token).status).toBe("pending");
    says("1111");
    await answer(/^Wrong\. Tries left today: 4\.$/);
    says("2468");
    await answer(/^Right\./);
    await gate.server.until(() => gate.server.deleted.length === 2);
    gate.server.presses(ROBERTO_USER, message, "Approve");
    expect(await asked.decided).toMatchObject({ outcome: "allowed" });
    const said = JSON.stringify([gate.log, await gate.operator.call("audit.tail", { lines: 1000 })]);
    expect(said).not.toMatch(/2468|1111/);
  });

  it("isn't needed to deny", async () => {
    const { gate, asked, message } = await withPin();
    gate.server.presses(ROBERTO_USER, message, "Deny");
    expect(await asked.decided).toMatchObject({ outcome: "denied" });
  });

  it("can be tried five times a day", async () => {
    const { gate, says, answer, asked, message } = await withPin();
    gate.server.presses(ROBERTO_USER, message, "Approve");
    await answer(/^Send your PIN/);
    for (let tried = 0; tried < 5; tried++) says(`000${tried}`);
    await answer(/^Too many wrong PINs/);
    says("2468");
    await gate.server.allTaken();
    const refused = gate.server.presses(ROBERTO_USER, message, "Approve");
    expect((await gate.server.answerTo(refused)).text).toMatch(/^Send your PIN first/);
    expect(gate.request(asked.token).status).toBe("pending");
  });
});

describe("wrong PINs", () => {
  it("count over a restart: the lock holds until tomorrow, and so does how many tries are left", async () => {
    const pinFile = join(tempFolder(), "pin");
    writeFileSync(pinFile, "2468\n", { mode: 0o600 });
    const server = await telegramServer();
    const home = configuredHome(server, { telegram: `pin_file = ${JSON.stringify(pinFile)}` });
    /** Sends these to a gate that was just started, after a tap; what it says to the last of them. */
    const tries = async (pins: string[], expected: RegExp) => {
      const gate = await TelegramGate.open({ home, server });
      if (gate.channel.linking.status().linked === null) await gate.link();
      const asked = gate.asks(`${pins[0]}.txt`);
      await server.answerTo(server.presses(ROBERTO_USER, await gate.shown(asked.token), "Approve"));
      for (const pin of pins) server.writes(ROBERTO_USER, pin);
      await server.message(({ text }) => expected.test(text));
      await server.allTaken();
      expect(gate.request(asked.token).status).toBe("pending");
      await gate.close();
    };
    await tries(["0001", "0002", "0003"], /^Wrong\. Tries left today: 2\.$/);
    await tries(["0004"], /^Wrong\. Tries left today: 1\.$/);
    await tries(["0005"], /^Too many wrong PINs/);
    const before = server.messages.length;
    await tries(["2468"], /^Too many wrong PINs/);
    expect(server.messages.slice(before).some(({ text }) => /^Right/.test(text))).toBe(false);
  });
});

describe("many requests of one agent", () => {
  async function gathered(timing: Partial<Timing> = {}) {
    const parts = await linked({ gatherAbove: 2, timing });
    const asked = Array.from({ length: 5 }, (_, index) => parts.gate.asks(`${index}.txt`));
    const message = await parts.gate.server.message(({ buttons }) =>
      buttons.flat().some(({ callback_data }) => callback_data === "deny-all"),
    );
    await parts.gate.server.until(() => message.buttons.flat().some(({ text }) => text === "Deny all 5"));
    return { ...parts, asked, message };
  }

  it("are one message, which denies all of them", async () => {
    const { gate, asked, message } = await gathered();
    gate.server.presses(ROBERTO_USER, message, "deny-all");
    for (const { decided } of asked) expect(await decided).toMatchObject({ status: "rejected" });
    await gate.server.until(() => message.text === "Nothing of tester waits any more." && message.buttons.length === 0);
  });

  it("are all denied by one tap while the agent asks on and on", async () => {
    const { gate, asked, message } = await gathered({ tapDelayMs: 400 });
    await new Promise((resolve) => setTimeout(resolve, 400 - (performance.now() - message.sent_at) + 30));
    let more = 0;
    gate.server.chaos = ({ method }) => {
      if (method === "editMessageText" && more < 150) gate.asks(`more ${more++}.txt`);
      return undefined;
    };
    gate.asks("one more.txt");
    await gate.server.until(() => more > 3);
    gate.server.presses(ROBERTO_USER, message, "deny-all");
    for (const { decided } of asked) expect(await decided).toMatchObject({ status: "rejected" });
    gate.server.chaos = undefined;
  });

  it("are let through by one answer, after a second tap that follows what is stored", async () => {
    const { gate, asked, message } = await gathered();
    gate.server.presses(ROBERTO_USER, message, "allow");
    await gate.server.until(() => message.text.includes("You would let through 5 of 5"));
    expect(await gate.operator.call("grants.list", {})).toEqual([]);
    gate.server.presses(ROBERTO_USER, message, "store-all");
    for (const { decided } of asked) expect(await decided).toMatchObject({ outcome: "allowed" });
    await gate.server.until(() => message.buttons.length === 0);
  });

  it("are shown one by one where the user wants that", async () => {
    const { gate, asked, message } = await gathered();
    gate.server.presses(ROBERTO_USER, message, "each");
    for (const { token } of asked) expect((await gate.shown(token)).message_id).not.toBe(message.message_id);
    await gate.server.until(() => message.buttons.length === 0);
  });
});
