import { expect, it, onTestFinished } from "vitest";
import { systemClock } from "../../../main/base/clocks/system-clock.ts";
import { NoteRoute } from "../../../main/surfaces/delivery/note-route.ts";
import { TestScreen } from "../../support/recorded-channel.ts";
import { TelegramGate, type TelegramGateOptions } from "../../support/telegram-gate.ts";

const SECRET = "hunter2-is-the-word";

/** A gate with a linked chat, whose agent is refused whatever it writes into the folder of SSH's keys. */
async function linked(isLocked: boolean, options: TelegramGateOptions = {}) {
  const gate = await TelegramGate.open(options);
  await gate.link();
  const { core, operator, channel, log } = gate;
  const screen = new TestScreen();
  screen.set(isLocked);
  const notes = new NoteRoute({
    ...{ api: operator, channel, screen, clock: systemClock, notes: core.notes, name: "telegram" },
    route: core.config.channels.telegram,
    language: () => core.config.language,
    log: (line) => log.push(line),
  });
  core.notes.begin();
  await notes.start();
  onTestFinished(() => notes.close());
  const refused = (name = "authorized_keys") => gate.asks(`../.ssh/${name}`, SECRET);
  const texts = async () => {
    // Whatever was to be sent before is sent by then.
    await gate.channel.test({ kind: "test", is_urgent: false, title: "the end", lines: [] });
    return gate.server.messages.map(({ text }) => text).filter((text) => /refused|respint/.test(text));
  };
  return { gate, refused, texts };
}

it("what is refused while the user is away is said quietly: what, why and what is possible, without a value", async () => {
  const { gate, refused } = await linked(true);
  refused();
  const message = await gate.server.message(({ text }) => /refused/.test(text));
  expect(message.text.split("\n")).toEqual([
    "tester was refused a call",
    expect.stringMatching(/^│ .*authorized_keys/),
    "Refused by the guard: a path that agents never get: keys, passwords, the system's own",
    "Nothing overrides the guard: what you want done, do yourself in a terminal",
  ]);
  expect(message.disable_notification).toBe(true);
  expect(message.buttons).toEqual([]);
  expect(message.text).not.toContain(SECRET);
});

it("a flood of them is one message, in the user's language", async () => {
  const { gate, refused, texts } = await linked(true);
  await gate.operator.call("settings.set", { key: "language", value: "it" });
  for (let count = 0; count < 200; count++) refused(`key${count}`);
  await gate.server.message(({ text }) => /respinta/.test(text));
  expect(await texts()).toHaveLength(1);
});

it("nothing of the call is in it where the chat shows titles alone", async () => {
  const { gate, refused } = await linked(true, { telegram: 'show = "title"' });
  refused();
  const message = await gate.server.message(({ text }) => /refused/.test(text));
  expect(message.text).toBe("tester was refused a call\nReview it at the machine.");
});

it("where the screen isn't locked, nothing is said of it in the chat", async () => {
  const { refused, texts } = await linked(false);
  refused();
  expect(await texts()).toEqual([]);
});
