import { dispatchCallback } from "../../calls/index.ts";
import type { ChannelHost } from "../delivery/channel-host.ts";
import { openChannelMessages } from "../delivery/channel-messages.ts";
import { LinkedChat } from "./linked-chat.ts";
import { PinTries } from "./pin-tries.ts";
import { TelegramChannel } from "./telegram-channel.ts";
import { TIMING, type Timing, WAITS, type Waits } from "./timing.ts";

/** Telegram's channel on a running gate. Waits for nothing: the connection is made meanwhile. @throws GateError `database_*` */
export function openTelegram(
  { core, api, env, log, changed, showEach }: ChannelHost,
  timing: Partial<Timing> = {},
  waits: Waits = WAITS,
): TelegramChannel {
  const { storage, clock, config, audit } = core;
  const { broker } = core.gate;
  const channel = new TelegramChannel({
    config: config.telegram,
    env,
    gate: {
      api,
      language: () => config.language,
      home: core.home,
      clock,
      requestOf: (token) => {
        const request = broker.registry.getPending(token);
        return request && broker.view(request);
      },
      dispatch: (data, by) => dispatchCallback(broker, data, by),
      record(event, fields) {
        audit.append({ event, ts: audit.time(), ...fields });
        audit.flush();
      },
      changed,
      showEach,
      log,
    },
    links: storage.on(storage.opened.databases.agents, (db) => new LinkedChat(db, clock.now)),
    pin_tries: storage.on(storage.opened.databases.agents, (db) => new PinTries(db)),
    stored: openChannelMessages(core, "telegram"),
    timing: { ...TIMING, ...timing },
    waits,
  });
  channel.start();
  return channel;
}
