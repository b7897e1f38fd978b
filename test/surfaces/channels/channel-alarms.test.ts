import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { ChannelName, ChannelStatus } from "../../../ipc/contract/channels.ts";
import { Alarms } from "../../../main/base/alarms.ts";
import { openCore } from "../../../main/core/core.ts";
import { ChannelAlarms, startChannels } from "../../../main/surfaces/channels/channels.ts";
import { FreedesktopSink } from "../../../main/surfaces/notifications/freedesktop.ts";
import { SharedScreen } from "../../../main/surfaces/notifications/shared-screen.ts";
import { startNotifications } from "../../../main/surfaces/notifications/start.ts";
import { Operator } from "../../../main/surfaces/operator/operator.ts";
import { NotificationServer } from "../../support/notification-server.ts";
import { NtfyServer } from "../../support/ntfy-server.ts";
import { cantRun, PrivateBus } from "../../support/private-bus.ts";
import { BOT_TOKEN, telegramServer } from "../../support/telegram-server.ts";
import { temporaryHome } from "../../support/temporary-home.ts";

const SECOND = 1000;

function watched() {
  const states: Record<ChannelName, Pick<ChannelStatus, "state" | "text">> = {
    desktop: { state: "on", text: "on" },
    telegram: { state: "waiting", text: "no chat is linked" },
    ntfy: { state: "off", text: "not configured" },
  };
  let now = 5;
  const alarms = new Alarms(
    () => 0,
    () => undefined,
  );
  const own = new ChannelAlarms({ alarms, stateOf: (name) => states[name], now: () => now });
  const after = (ms: number, name: ChannelName, state: ChannelStatus["state"], text = "the token is refused") => {
    now += ms;
    states[name] = { state, text };
    own.look();
    return alarms.list().map(({ code, subject }) => `${code} ${subject}`);
  };
  return { alarms, after };
}

it("a channel that fails for half a minute is an alarm with its reason, until it is well for a while", () => {
  const { alarms, after } = watched();
  expect(after(0, "telegram", "failing")).toEqual([]);
  expect(after(29 * SECOND, "telegram", "failing")).toEqual([]);
  expect(after(SECOND, "telegram", "failing")).toEqual(["channel_failing telegram"]);
  expect(alarms.list()[0]?.message).toBe("you can't be called by telegram: the token is refused");
  expect(after(SECOND, "telegram", "on")).toEqual(["channel_failing telegram"]);
  expect(after(15 * SECOND, "telegram", "on")).toEqual([]);
});

it("one that fails by turns, as who shares a bot's token does, is one that fails; a short interruption is none", () => {
  const { after } = watched();
  for (let turn = 0; turn < 3; turn++) {
    expect(after(6 * SECOND, "telegram", "failing")).toEqual([]);
    expect(after(6 * SECOND, "telegram", "on")).toEqual([]);
  }
  expect(after(6 * SECOND, "telegram", "failing")).toEqual(["channel_failing telegram"]);
  expect(after(0, "telegram", "off")).toEqual([]);
  expect(after(SECOND, "ntfy", "failing")).toEqual([]);
  expect(after(16 * SECOND, "ntfy", "on")).toEqual([]);
  expect(after(16 * SECOND, "ntfy", "failing")).toEqual([]);
});

/** The channels of a gate, started with a short patience. `TOKEN_FILE` in the configuration is a bot's token. */
async function channelsOf(config: string, sink?: FreedesktopSink) {
  const home = temporaryHome("");
  const tokenFile = join(home.home, "bot-token");
  writeFileSync(tokenFile, BOT_TOKEN, { mode: 0o600 });
  writeFileSync(home.paths.configFile, config.replaceAll("TOKEN_FILE", tokenFile));
  const core = await openCore({ env: home.env, log: () => undefined });
  const operator = new Operator(core, {});
  const log = () => undefined;
  const env = { ...home.env };
  const screen = new SharedScreen({ config: core.config, env, changed: log, log });
  const notifications = startNotifications(
    operator.on("notification"),
    core.config,
    sink === undefined ? false : { sink: () => sink },
    env,
    log,
    { screen, clock: core.clock },
  );
  const parts = { core, operatorOn: operator.on.bind(operator), env, screen, notifications, log };
  const channels = startChannels({ ...parts, alarmAfterMs: 200 });
  onTestFinished(async () => {
    await Promise.all([channels.close(), notifications.close(), screen.close()]);
    core.close();
  });
  const messages = () => core.alarms.list().map(({ code, subject, message }) => `${code} ${subject}: ${message}`);
  const expectAlarm = async (expected: string) =>
    await vi.waitFor(() => expect(messages()).toEqual(expected === "" ? [] : [expect.stringContaining(expected)]), {
      timeout: 8000,
      interval: 50,
    });
  return { token_file: tokenFile, channels, expectAlarm };
}

const TELEGRAM = (url: string) => `[telegram]\ntoken_file = "TOKEN_FILE"\napi_url = "${url}"\n`;

it.each<[string, number, string]>([
  ["a token that is refused", 401, "token"],
  ["another program that asks for the same bot", 409, "another program"],
])("Telegram: %s", async (_what, status, text) => {
  const server = await telegramServer();
  server.chaos = () => ({ status });
  const { expectAlarm } = await channelsOf(TELEGRAM(server.url));
  await expectAlarm(text);
});

it("Telegram: a token file that others can read, until it is made private", async () => {
  const server = await telegramServer();
  const { expectAlarm, token_file } = await channelsOf(TELEGRAM(server.url));
  await expectAlarm("");
  chmodSync(token_file, 0o644);
  const again = await channelsOf(TELEGRAM(server.url).replace("TOKEN_FILE", token_file));
  await again.expectAlarm("channel_failing telegram: you can't be called by telegram: ");
  chmodSync(token_file, 0o600);
  await again.expectAlarm("");
});

it("ntfy: a server that answers 200 with a page", async () => {
  const server = await NtfyServer.start();
  const { expectAlarm, channels } = await channelsOf(`[ntfy]\nserver = "${server.url}"\ntopic = "mine"\n`);
  server.fail(/^POST/, "garbage");
  await vi.waitFor(async () => {
    await expect(channels.test("ntfy")).rejects.toMatchObject({ code: "channel_failed" });
  });
  await expectAlarm("what answers isn't an ntfy server");
});

describe.skipIf(cantRun("the desktop's notifications", ["dbus-daemon"]))("the desktop", () => {
  const notifying = "[notifications]\nenabled = true\n";

  it("a bus without a server, until there is one; a server that is gone", async () => {
    const { address } = await PrivateBus.start();
    const { expectAlarm } = await channelsOf(notifying, new FreedesktopSink(address, () => undefined));
    await expectAlarm("channel_failing desktop: you can't be called by desktop: no notification server is running");
    const server = await NotificationServer.start(address);
    await expectAlarm("");
    server.stop();
    await expectAlarm("the notification server was lost");
  });

  it("a bus that can't be reached", async () => {
    const { expectAlarm } = await channelsOf(notifying, new FreedesktopSink("unix:path=/nowhere/bus", () => undefined));
    await expectAlarm("the session bus can't be used");
  });
});
