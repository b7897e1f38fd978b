import { GateError } from "../ipc/gate-error.ts";
import { ownCommand } from "../ipc/own-command.ts";
import { LINK_SECONDS } from "../main/web/web-sessions.ts";
import { shownInBrowser } from "./browser.ts";
import { runningGate } from "./operator.ts";
import { EXIT, type ExitCode, say } from "./output.ts";

/** A second start: the gate that runs already is shown, and no other one is started. */

/**
 * Opens the running gate's page, or prints a new link to it, or how to answer where it serves none. Undefined where no gate runs.
 * @throws GateError `not_authorised` where a gate is there that isn't this user's
 */
export async function showRunningGate(opens_browser: boolean): Promise<ExitCode | undefined> {
  const gate = await runningGate();
  if (gate === undefined) return undefined;
  try {
    const { pid } = await gate.call("status", {});
    say(`A gate is running already (process ${pid}); no other one is started.`);
    const link = await gate.call("web.link", {}).catch((error: unknown) => {
      if (error instanceof GateError && error.code === "not_available") return undefined;
      throw error;
    });
    if (link === undefined) {
      say(`  you answer with   ${ownCommand("watch")}`);
      say(`  it serves no page: for one, end it and start it again with: ${ownCommand("start")}`);
    } else if (opens_browser && (await shownInBrowser(link.url))) {
      say(`  its page          was opened in a browser; for another link: ${ownCommand("open")}`);
    } else {
      say(`  its page is at    ${link.url}`);
      say(`                    once, within ${LINK_SECONDS / 60} minutes; for another link: ${ownCommand("open")}`);
    }
    return EXIT.ok;
  } finally {
    await gate.close();
  }
}
