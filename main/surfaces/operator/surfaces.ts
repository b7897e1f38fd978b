import { ownCommand } from "../../../ipc/base/own-command.ts";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import type { Channels } from "../channels/channels.ts";
import { type BrowserPage, type Handlers, type OperatorContext, recordAct } from "./handlers.ts";

type ChannelMethod =
  | "channels.status"
  | "channels.test"
  | "telegram.status"
  | "telegram.link"
  | "telegram.confirm"
  | "telegram.reject"
  | "telegram.unlink";

export function channelMethods(context: OperatorContext): Handlers<ChannelMethod> {
  const channels = (): Channels => {
    const running = context.channels?.();
    if (running === undefined) throw new GateError("not_available", "no gate is served here");
    return running;
  };
  return {
    "channels.status": () => channels().status(),
    "channels.test": async ({ channel }) => {
      await channels().test(channel);
      return { sent: true };
    },
    "telegram.status": () => channels().telegram.status(),
    "telegram.link": () => channels().telegram.link(),
    "telegram.confirm": ({ id }) => {
      const status = channels().telegram.confirm(id);
      recordAct(context, "telegram.linked", { user_id: status.linked?.user_id });
      return status;
    },
    "telegram.reject": ({ id }) => channels().telegram.reject(id),
    "telegram.unlink": () => {
      const unlinked = channels().telegram.unlink();
      if (unlinked) recordAct(context, "telegram.unlinked", {});
      return { unlinked };
    },
  };
}

type SetUpMethod = "set_up.get" | "telegram.set_up" | "judge.set_up";

/** What is set up as a whole, its secrets among it: they go into files of their own, and into no answer, log or trail. */
export function setUpMethods(context: OperatorContext): Handlers<SetUpMethod> {
  const { core, login_item } = context;
  const { settings } = core;
  const changed = () => {
    core.publish({ type: "settings.changed", data: settings.list(login_item) });
    return settings.setUp();
  };
  return {
    "set_up.get": () => settings.setUp(),
    "telegram.set_up": async ({ token }) => {
      requireAtMachine(context);
      const running = context.channels?.();
      if (running === undefined) throw new GateError("not_available", "no gate is served here");
      // While the earlier one still runs: it says so in its chat.
      if (settings.setUpTelegram(token) && running.telegram.status().linked !== null) {
        running.telegram.unlink();
        recordAct(context, "telegram.unlinked", {});
      }
      await running.renew("telegram");
      recordAct(context, "telegram.configured", { is_set_up: token !== null });
      return changed();
    },
    "judge.set_up": async ({ judge, key }) => {
      requireAtMachine(context);
      settings.setUpJudge(judge, key);
      await core.judges.renew();
      const { models } = core.judges.status();
      const [model] = models.map(({ model, host, is_online }) => ({ model, host, is_online }));
      recordAct(context, "judge.configured", model ?? {});
      return changed();
    },
  };
}

/** Nothing that comes from a phone changes what the gate is set up with. */
function requireAtMachine({ by: { surface } }: OperatorContext): void {
  if (surface === "telegram" || surface === "ntfy")
    throw new GateError("not_available", "this can only be set up at the machine");
}

export function webMethods(context: OperatorContext): Handlers<"web.link" | "web.revoke"> {
  return {
    "web.link": () => ({ url: servedPage(context).link() }),
    "web.revoke": () => {
      const sessions = servedPage(context).revokeAll();
      recordAct(context, "web.revoked", { sessions });
      return { sessions };
    },
  };
}

/** @throws GateError `not_available` */
function servedPage({ browserPage }: OperatorContext): BrowserPage {
  if (browserPage === undefined)
    throw new GateError(
      "not_available",
      "this gate serves no page",
      `end it, then start it with its page: ${ownCommand("start")}`,
    );
  return browserPage;
}
