import type { Command } from "commander";
import { LINK_SECONDS } from "../../main/surfaces/web/web-sessions.ts";
import { shownInBrowser } from "../browser.ts";
import { withRunningGate } from "../operator.ts";
import { isSeenTogether, printLine, say } from "../output.ts";

/** `open`: the page in a browser; where none can be opened, or nobody looks at this terminal, a link for one. */
export function openCommand(program: Command): void {
  program
    .command("open")
    .description("opens the page of the running gate, or prints a new link to it")
    .option("--print-link", "prints the link, and opens nothing")
    .option("--revoke-all", "no link: ends every browser's session, and every link that wasn't used")
    .action((options: { printLink?: boolean; revokeAll?: boolean }) =>
      withRunningGate(async (api) => {
        if (options.revokeAll === true) {
          const revoked = await api.call("web.revoke", {});
          if (!isSeenTogether()) printLine(revoked);
          return say(
            `ended: ${revoked.sessions} ${revoked.sessions === 1 ? "session" : "sessions"}, and every unused link`,
          );
        }
        const link = await api.call("web.link", {});
        if (options.printLink !== true && isSeenTogether() && (await shownInBrowser(link.url)))
          return say("the page is open in your browser");
        if (isSeenTogether()) say(link.url);
        else printLine(link);
        say(`open it in a browser: it works once, within ${LINK_SECONDS / 60} minutes`);
      }),
    );
}
