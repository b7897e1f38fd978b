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
    .option("--revoke-all", "no link: ends every browser's session, and every link that wasn't used")
    .action((options: { revokeAll?: boolean }) =>
      withRunningGate(async (api) => {
        if (options.revokeAll === true) {
          const revoked = await api.call("web.revoke", {});
          if (!isSeenTogether()) printLine(revoked);
          return say(
            `ended: ${revoked.sessions} ${revoked.sessions === 1 ? "session" : "sessions"}, and every unused link`,
          );
        }
        const link = await api.call("web.link", {});
        if (isSeenTogether()) say(link.url);
        else printLine(link);
        say(`open it in a browser: it works once, within ${LINK_SECONDS / 60} minutes`);
      }),
    );
}
