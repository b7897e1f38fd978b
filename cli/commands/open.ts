import type { Command } from "commander";
import { LINK_SECONDS } from "../../main/web/web-sessions.ts";
import { withRunningGate } from "../operator.ts";
import { isSeenTogether, printLine, say } from "../output.ts";

/**
 * `open`: a new link to the page. It is printed, not handed to a browser: the command line of a program that is started can
 * be read by the machine's other users.
 */
export function openCommand(program: Command): void {
  program
    .command("open")
    .description("a new link to the page of the running gate (serve --web), for a browser of yours")
    .action(() =>
      withRunningGate(async (api) => {
        const link = await api.call("web.link", {});
        if (isSeenTogether()) say(link.url);
        else printLine(link);
        say(`open it in a browser: it works once, within ${LINK_SECONDS / 60} minutes`);
      }),
    );
}
