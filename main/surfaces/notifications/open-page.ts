import { spawn } from "node:child_process";
import type { Env } from "../../../ipc/base/paths.ts";
import type { ReviewTarget } from "./notifier.ts";
import { routeOf } from "./review-route.ts";

/**
 * Opens the page of this gate in the user's browser, which has a session already or says how to get one: the address holds no
 * secret, as what a program is started with can be read by the machine's other users.
 */
export function pageReview(
  page_url: string,
  env: Env,
  log: (line: string) => void,
): ((what: ReviewTarget) => void) | undefined {
  // Without a desktop there is no browser to open.
  if (!env.DISPLAY && !env.WAYLAND_DISPLAY) return undefined;
  return (what) => {
    const opener = spawn("xdg-open", [`${page_url}#/${routeOf(what)}`], {
      env: { ...env },
      stdio: "ignore",
      detached: true,
    });
    opener.once("error", ({ message }) => log(`notifications: the page can't be opened (${message})`));
    opener.unref();
  };
}
