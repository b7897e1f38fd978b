import { GateError } from "../../ipc/gate-error.ts";
import { ownCommand } from "../../ipc/own-command.ts";
import type { Handlers, OperatorContext } from "./handlers.ts";

export function webMethods({ browser_page }: OperatorContext): Handlers<"web.link"> {
  return {
    "web.link": () => {
      if (browser_page === undefined)
        throw new GateError(
          "not_available",
          "this gate serves no page",
          `end it, then start it with its page: ${ownCommand("start")}`,
        );
      return { url: browser_page.link() };
    },
  };
}
