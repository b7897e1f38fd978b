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
