import { ownCommand } from "../../../ipc/base/own-command.ts";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import { type BrowserPage, type Handlers, type OperatorContext, recordAct } from "./handlers.ts";

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
function servedPage({ browser_page }: OperatorContext): BrowserPage {
  if (browser_page === undefined)
    throw new GateError(
      "not_available",
      "this gate serves no page",
      `end it, then start it with its page: ${ownCommand("start")}`,
    );
  return browser_page;
}
