import type { OperatorApi } from "../../ipc/operator-api.ts";
import type { Env } from "../../ipc/paths.ts";
import { ChannelMessages } from "../channels/channel-messages.ts";
import type { Core } from "../core.ts";
import { dispatchCallback } from "../gate/approvals/callback.ts";
import { LinkedChat } from "./linked-chat.ts";
import { TelegramChannel } from "./telegram-channel.ts";
import { TIMING, type Timing, WAITS, type Waits } from "./timing.ts";

/** What of a running gate it is opened with. */
interface Host {
  core: Core;
  /** As the surface Telegram. */
  api: OperatorApi;
  env: Env;
  log(line: string): void;
  changed(): void;
  showEach(agent_id: string): void;
}

/** Telegram's channel on a running gate. Waits for nothing: the connection is made meanwhile. @throws GateError `database_*` */
export function openTelegram(
  { core, api, env, log, changed, showEach }: Host,
  timing: Partial<Timing> = {},
  waits: Waits = WAITS,
): TelegramChannel {
  const { storage, clock, config, audit } = core;
  const { agents, approvals } = storage.opened.databases;
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
    links: storage.on(agents, (db) => new LinkedChat(db, clock.now)),
    stored: storage.on(
      approvals,
      (db) =>
        new ChannelMessages(db, {
          channel: "telegram",
          now: clock.now,
          withRoom: (act) => core.state_reserve.withRoom(act),
        }),
    ),
    timing: { ...TIMING, ...timing },
    waits,
  });
  channel.start();
  return channel;
}
